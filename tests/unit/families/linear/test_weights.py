"""Weights by name."""

import numpy as np
import pytest

from oracle.linear_models import random_case
from seqlab.errors import LabelError, OptionError
from seqlab.families.linear.explain import state_features, top_features, top_transitions, transition_features


def by_hand(case):
    model, names = case.model, case.encoder.attributes
    return {
        (names[a], model.labels[model.label[i]]): model.weights[i]
        for a in range(case.encoder.size)
        for i in range(model.begin[a], model.begin[a + 1])
    }


def test_state_features_are_every_pair_with_its_weight():
    case = random_case(1, L=4)
    assert state_features(case.model, case.encoder) == by_hand(case)


def test_transition_features_are_every_move_that_has_a_weight():
    model = random_case(1, L=4).model
    found = transition_features(model)
    assert len(found) == model.move_seen.sum() < 16
    for (a, y), weight in found.items():
        assert weight == model.moves[model.labels.index(a), model.labels.index(y)]


@pytest.mark.parametrize("sign", [-1, 0, 1])
@pytest.mark.parametrize("label", [None, "y2"])
@pytest.mark.parametrize("search", ["", "WORD[-1]", "length", "none of them"])
def test_top_features_are_the_largest(sign, label, search):
    case = random_case(2, L=4)
    fitting = [
        (abs(w), a, y, w)
        for (a, y), w in by_hand(case).items()
        if (label is None or y == label) and (sign == 0 or w * sign > 0) and search.lower() in a.lower()
    ]
    wanted = sorted(fitting, reverse=True)[:5]
    found = top_features(case.model, case.encoder, 5, label=label, sign=sign, search=search)
    assert [(one.attribute, one.label, one.weight) for one in found] == [row[1:] for row in wanted]


def test_top_transitions_know_triples_and_edge_attributes():
    case = random_case(3, L=3, order=2, edges=True)
    every = top_transitions(case.model, 10_000, encoder=case.encoder)
    model = case.model
    assert len(every) == model.move_seen.sum() + model.triple_seen.sum() + len(model.edge.weights)
    sizes = [abs(one.weight) for one in every]
    assert sizes == sorted(sizes, reverse=True)
    assert {len(one.labels) for one in every} == {2, 3}
    for one in every[:50]:
        ids = tuple(map(model.labels.index, one.labels))
        if one.attribute is None:
            assert one.weight == (model.moves if len(ids) == 2 else model.triples)[ids]
        else:
            b = case.encoder.edge_attributes.index(one.attribute)
            stretch = slice(model.edge.begin[b], model.edge.begin[b + 1])
            where = model.edge.move[stretch].tolist().index(ids[0] * 3 + ids[1])
            assert one.weight == model.edge.weights[stretch][where]
    assert all(one.attribute is None for one in top_transitions(model, 10_000))
    assert top_transitions(model, 4, encoder=case.encoder) == every[:4]
    assert all(one.weight < 0 for one in top_transitions(model, sign=-1))


def test_bad_options_are_refused():
    case = random_case(1)
    with pytest.raises(LabelError, match="unknown label 'zz': the model knows 'y0', 'y1', 'y2'"):
        top_features(case.model, case.encoder, label="zz")
    with pytest.raises(OptionError, match="n must be a whole number from 1 up, got 0"):
        top_features(case.model, case.encoder, 0)
    with pytest.raises(OptionError, match="sign must be 1"):
        top_transitions(case.model, sign=2)


def test_weights_that_are_zero_are_not_among_the_largest():
    case = random_case(1)
    case.model.weights[:] = 0
    assert top_features(case.model, case.encoder) == ()
    assert not np.any(list(state_features(case.model, case.encoder).values()))
