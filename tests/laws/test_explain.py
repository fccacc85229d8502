"""Accounts add up, and to the right number: against every labelling of the sentence."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pytest import approx

from oracle.linear_models import Case, log_odds, neighbour_share, paths, random_case
from seqlab.errors import LabelError
from seqlab.families.linear.explain import explain
from seqlab.families.linear.explain.log_odds import spread


@st.composite
def cases(draw) -> Case:
    valued = draw(st.booleans())
    return random_case(
        draw(st.integers(0, 2**32)),
        L=draw(st.integers(2, 3)),
        T=draw(st.integers(1, 5)),
        order=draw(st.integers(1, 2)),
        edges=not valued and draw(st.booleans()),
        valued=valued,
        rules=draw(st.booleans()),
        dtype=draw(st.sampled_from([np.float32, np.float64])),
    )


def possible(case, t):
    return sorted({p[t] for p, _ in paths(case.trellis)})


def ask(case, t, y=None, r=None, **more):
    return explain(case.model, case.encoded, case.trellis, t, label=y, rival=r, tokens=case.words, **more)


@given(case=cases(), data=st.data())
def test_log_odds_account_adds_up_to_the_log_odds(case, data):  # eq:log-odds
    t = data.draw(st.integers(0, case.T - 1))
    some = possible(case, t)
    if len(some) < 2:
        return
    y, r = data.draw(st.permutations(some))[:2]
    found = ask(case, t, y, r)
    assert found.log_odds == approx(log_odds(case.trellis, t, y, r), abs=1e-9)
    assert found.total == approx(found.log_odds, abs=1e-9)
    rounding = 1e-9 if case.trellis.dtype == np.float64 else 1e-4
    assert found.normaliser == approx(0, abs=rounding)


@given(case=cases(), data=st.data())
def test_features_have_the_weights_of_the_model(case, data):  # eq:log-odds
    t = data.draw(st.integers(0, case.T - 1))
    some = possible(case, t)
    if len(some) < 2:
        return
    found = ask(case, t)
    y, r = (case.model.labels.index(name) for name in (found.label, found.rival))
    node = case.model.node_scores(case.encoded.node, dtype=np.float64)[t]
    assert found.from_features == approx(node[y] - node[r], abs=1e-9)
    assert sorted(one.attribute for one in found.features) == sorted(case.encoded.attributes(0, t))
    for one in found.features:
        assert one.difference == approx(one.value * (one.weight - one.rival_weight))


@given(case=cases(), data=st.data())
def test_moves_have_the_weights_of_the_model_and_shares_of_the_posterior(case, data):  # eq:message-shares
    t = data.draw(st.integers(0, case.T - 1))
    some = possible(case, t)
    if len(some) < 2:
        return
    found, number = ask(case, t), case.model.labels.index
    for move in found.moves:
        for labels, weight, share, own in (
            (move.labels, move.weight, move.share, found.label),
            (move.rival_labels, move.rival_weight, move.rival_share, found.rival),
        ):
            ids = tuple(map(number, labels))
            first = move.position - len(ids) + 1
            places = {first + i: y for i, y in enumerate(ids)}
            assert places[t] == number(own)
            digits = 1e-9 if case.trellis.dtype == np.float64 else 1e-5
            assert share == approx(neighbour_share(case.trellis, t, number(own), places), abs=digits)
            assert weight == weight_of(case, move, ids)


def weight_of(case, move, ids):
    model = case.model
    if move.attribute is not None:
        names = case.encoder.edge_attributes
        i = names.index(move.attribute)
        stretch = slice(model.edge.begin[i], model.edge.begin[i + 1])
        table = dict(
            zip(model.edge.move[stretch].tolist(), model.edge.weights[stretch].tolist(), strict=True)
        )
        return table.get(ids[0] * case.L + ids[1], 0.0)
    if len(ids) == 3:
        return model.triples[ids]
    return -math.inf if model.rules.forbidden[ids] else model.moves[ids]


@given(case=cases(), data=st.data())
def test_default_labels_are_the_chosen_one_and_the_next_most_probable(case, data):
    t = data.draw(st.integers(0, case.T - 1))
    every = paths(case.trellis)
    some = possible(case, t)
    if len(some) < 2:
        with pytest.raises(LabelError, match="no other label"):
            ask(case, t)
        return
    found, names = ask(case, t), case.model.labels
    mass = {names[y]: math.fsum(math.exp(s) for p, s in every if p[t] == y) for y in some}
    total = math.fsum(mass.values())
    best = max(s for _, s in every)
    assert max(s for p, s in every if names[p[t]] == found.label) == approx(best, abs=1e-5)
    assert mass[found.rival] == approx(max(m for name, m in mass.items() if name != found.label))
    assert found.probability == approx(mass[found.label] / total, abs=1e-9)
    assert found.rival_probability == approx(mass[found.rival] / total, abs=1e-9)


@given(case=cases(), data=st.data())
def test_margin_account_adds_up_to_the_difference_of_the_best_paths(case, data):  # eq:margin-account
    t = data.draw(st.integers(0, case.T - 1))
    every = paths(case.trellis)
    best_with = {y: max(s for p, s in every if p[t] == y) for y in possible(case, t)}
    if len(best_with) < 2:
        return
    found, names = ask(case, t, probabilistic=False), case.model.labels
    # Paths may tie, up to rounding: what is asked is that the chosen ones are among the best.
    best = max(best_with.values())
    second = max(s for y, s in best_with.items() if names[y] != found.label)
    assert found.log_odds is None
    assert found.margin == approx(best - second, abs=1e-5)
    assert found.total == approx(found.margin, abs=1e-9)
    assert case.trellis.score(found.path) == approx(best, abs=1e-5)
    assert case.trellis.score(found.rival_path) == approx(second, abs=1e-5)
    assert (found.path[t], found.rival_path[t]) == (found.label, found.rival)
    rounding = 1e-9 if case.trellis.dtype == np.float64 else 1e-4
    assert found.normaliser == approx(0, abs=rounding)
    assert all(found.path[one.position] != found.rival_path[one.position] for one in found.features)


@pytest.mark.parametrize("order", [1, 2])
def test_known_and_allowed_labels_are_part_of_the_account(order):  # eq:log-odds
    case = random_case(5, L=4, T=5, order=order, edges=True)
    tight = case.trellis.constrain(known={1: "y2"}, allowed={3: ["y0", "y3"]})
    for t, y, r in [(0, 1, 2), (2, 0, 3), (3, 0, 3), (4, 2, 1)]:
        found = explain(case.model, case.encoded, tight, t, label=y, rival=r)
        assert found.log_odds == approx(log_odds(tight, t, y, r), abs=1e-9)
        assert found.total == approx(found.log_odds, abs=1e-9)
        assert found.normaliser == approx(0, abs=1e-9)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_forbidden_moves_are_part_of_the_account(order, seed):  # eq:message-shares
    case = random_case(seed, L=4, T=4, order=order, edges=True, rules=True)
    for t in range(4):
        some = possible(case, t)
        for y, r in itertools.permutations(some, 2):
            found = ask(case, t, y, r)
            assert found.log_odds == approx(log_odds(case.trellis, t, y, r), abs=1e-9)
            assert found.total == approx(found.log_odds, abs=1e-9)
            assert found.normaliser == approx(0, abs=1e-9)
            for move in found.moves:
                check_size(move)


def check_size(move):
    """A move adds at most the difference of its weights, in its direction; or it is forbidden for one of the two."""
    gap = move.value * (move.weight - move.rival_weight)
    if math.isinf(gap):
        assert len(move.labels) == 2
        assert (move.difference > 0) == (gap > 0)
    else:
        assert 0 <= move.difference / gap <= 1 + 1e-9


floats = st.floats(-30, 30) | st.just(-math.inf)


@given(st.lists(st.tuples(floats, floats), min_size=1, max_size=6))
def test_spread_gives_a_difference_of_log_sums_back_to_its_terms(pairs):  # eq:message-shares
    x, z = np.array(pairs).T
    carried = spread(x, z)
    both = np.isfinite(x) & np.isfinite(z)
    assert (carried.factor[~both] == 0).all()
    assert (carried.extra[both] == 0).all() or not both.any()
    if np.isfinite(x).any() and np.isfinite(z).any():
        total = carried.extra.sum() + math.fsum(carried.factor[both] * (x[both] - z[both]))
        assert total == approx(np.logaddexp.reduce(x) - np.logaddexp.reduce(z), abs=1e-9)
        if both.any():
            assert carried.factor.sum() == approx(1)
    else:
        assert not carried.factor.any()
        assert not carried.extra.any()


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=2, max_size=5))
def test_spread_is_fair(pairs):  # eq:message-shares
    """Swapping the sides turns every sign, and a term that is alike on both sides adds nothing."""
    x, z = np.array(pairs).T
    x[0] = z[0]
    there, back = spread(x, z), spread(z, x)
    np.testing.assert_allclose(there.factor, back.factor, atol=1e-12)
    assert there.factor[0] * (x[0] - z[0]) == 0
    assert (there.factor > 0).all()


def local(model, encoded):
    """The trellis of the same weights, locally normalised: what an MEMM has."""
    from seqlab.trellis import Trellis

    node = model.node_scores(encoded.node, dtype=np.float64)
    edge = np.broadcast_to(
        model.edge_scores(encoded, dtype=np.float64), (len(node) - 1, model.L, model.L)
    ).copy()
    folded = node.copy()
    folded[0] -= np.logaddexp.reduce(node[0])
    for t in range(1, len(node)):
        folded[t - 1] -= np.logaddexp.reduce(edge[t - 1] + node[t], axis=1)
    return Trellis(folded, edge, labels=model.labels)


@example(
    seed=376, edges=False, T=2
)  # a label none of whose moves has a weight: its normaliser is that of another
@given(seed=st.integers(0, 2**32), edges=st.booleans(), T=st.integers(2, 4))
def test_an_memm_is_explained_with_its_normaliser(seed, edges, T):  # eq:log-odds
    case = random_case(seed, L=3, T=T, edges=edges)
    trellis = local(case.model, case.encoded)
    node = case.model.node_scores(case.encoded.node, dtype=np.float64)
    edge = case.model.edge_scores(case.encoded, dtype=np.float64)
    for t, (y, r) in itertools.product(range(T), itertools.permutations(range(3), 2)):
        found = explain(case.model, case.encoded, trellis, t, label=y, rival=r)
        assert found.log_odds == approx(log_odds(trellis, t, y, r), abs=1e-9)
        assert found.total == approx(found.log_odds, abs=1e-9)
        # What follows cannot change a label of an MEMM: its moves and the normaliser of the next step cancel.
        assert found.from_after + found.normaliser == approx(0, abs=1e-9)
        beyond = 0.0
        if t < T - 1:
            moves = edge if edge.ndim == 2 else edge[t]
            beyond = np.logaddexp.reduce(moves[r] + node[t + 1]) - np.logaddexp.reduce(moves[y] + node[t + 1])
        assert found.normaliser == approx(beyond, abs=1e-9)
        assert ("normaliser: the sums" in str(found)) == (abs(found.normaliser) >= 5e-4)
        path = explain(case.model, case.encoded, trellis, t, label=y, rival=r, probabilistic=False)
        assert path.total == approx(path.margin, abs=1e-9)
