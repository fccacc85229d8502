"""Labels known in part: the likelihood of what is known, summed over everything that fits it (eq:partial-labels)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.lessons import exercise, exercises, same_weights
from seqlab import CRF, LBFGS, _core
from seqlab.errors import LabelError

WORDS = ("the", "old", "man", "boat", "saw")
LABELS = ("D", "N", "V")
TIGHT = LBFGS(dtype="float64", epsilon=1e-9, delta=0, l2=0.3, start_epochs=0)

labels = st.one_of(
    st.sampled_from(LABELS), st.none(), st.frozensets(st.sampled_from(LABELS), min_size=1, max_size=3)
)
sentences = st.lists(
    st.lists(st.tuples(st.sampled_from(WORDS), labels), max_size=5), min_size=1, max_size=6
).filter(lambda some: len({y for s in some for _, y in s if isinstance(y, str)}) > 1)


def unzipped(some):
    return [[w for w, _ in s] for s in some], [[y for _, y in s] for s in some]


def penalty(tagger):
    return tagger.learner.l2 * float(np.square(tagger.model_.theta).sum())


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(("kind", "digits"), [(_core.Likelihood32, 2e-4), (_core.Likelihood64, 1e-10)])
@given(task=exercises(partial=True, weighted=None, scale=1.0))
def test_partial_likelihood_equals_the_sum_over_what_fits(kind, digits, task):
    slope = np.empty(len(task.theta))
    value = task.loss(kind)(task.theta, slope, 1)
    wanted, wanted_slope = task.by_enumeration()
    assert value == pytest.approx(wanted, abs=digits)
    np.testing.assert_allclose(slope, wanted_slope, atol=digits)


@pytest.mark.parametrize("order", [1, 2, 3])
@given(some=sentences)
def test_objective_is_minus_the_log_probability_of_what_was_told(order, some):
    X, y = unzipped(some)
    tagger = CRF("word[0]", TIGHT, order=order, keep=0).fit(X, y)
    told = sum(tagger.log_prob(x, labels) for x, labels in zip(X, y, strict=True) if x)
    assert tagger.history_.objective[-1] == pytest.approx(penalty(tagger) - told, abs=1e-7)


@given(some=sentences)
def test_what_says_nothing_adds_nothing(some):
    X, y = unzipped(some)
    names = {n for s in y for one in s for n in ([one] if isinstance(one, str) else one or [])}
    nothing = [[None, frozenset(names)][t % 2] for t in range(len(X[0]))]
    alone = CRF("word[0]", TIGHT, states="all", transitions="all").fit(X, y)
    more = CRF("word[0]", TIGHT, states="all", transitions="all").fit([*X, X[0], []], [*y, nothing, []])
    same_weights(more, alone, 1e-6)
    assert more.history_.objective[-1] == pytest.approx(alone.history_.objective[-1], abs=1e-8)


def test_a_set_of_one_label_is_that_label():
    X, y = [["the", "old", "man"]] * 2, [["D", "N", "V"], ["D", {"N"}, ["N"]]]
    plain = [["D", "N", "V"], ["D", "N", "N"]]
    sets, single = (CRF("word[0]", TIGHT).fit(X, given) for given in (y, plain))
    assert sets.model_.theta.tobytes() == single.model_.theta.tobytes()


def test_labels_left_open_are_learned_from_the_rest():
    X = [["the", "man"], ["the", "boat"], ["a", "man"], ["the", "dog"]]
    y = [["D", "N"], ["D", "N"], ["D", "N"], ["D", None]]
    tagger = CRF("word[0]", LBFGS(l2=0.01)).fit(X, y)
    assert tagger.predict([["the", "dog"]]) == [["D", "N"]]


def test_sentences_that_keep_to_a_dictionary_and_to_labels_in_part_can_be_pruned():
    """Order 2 looks at likely labels only; those that fit must stay among them, however unlikely."""
    X = [["a", "b"]] * 30 + [["a", "b"], ["b", "c"]]
    y = [["O", "O"]] * 30 + [[None, "I-X"], ["B-X", {"I-X", "O"}]]
    allowed = {"c": ["I-X"]}
    for dictionary in (None, allowed):
        tagger = CRF("word[0]", LBFGS(l2=0.1), order=2, keep=0.4, constraints="IOB2", allowed=dictionary).fit(
            X, y
        )
        assert np.isfinite(tagger.model_.theta).all()
        assert np.isfinite(tagger.history_.objective[-1])
        assert tagger.tag(["a", "b"], known={1: "I-X"}) == ["B-X", "I-X"]


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ([["O", "O"], ["B-X", "I-X"], [{"I-X", "I-Y"}, "O"]], "sentence 2, position 0"),
        ([["O", "O"], ["B-X", "I-X"], ["O", {"I-X", "I-Y"}]], "sentence 2, position 1"),
        ([["O", "O"], ["B-X", {"I-Y"}], [None, "O"]], "sentence 1, position 1"),
    ],
)
def test_labels_that_no_labelling_can_fit_are_refused(given, place):
    with pytest.raises(LabelError, match=place):
        CRF("word[0]", constraints="IOB2").fit([["a", "b"]] * 3, given)


def test_partial_tasks_can_be_hard():
    """The oracle itself: in most random tasks, a label left open changes the value."""
    changed = 0
    for seed in range(20):
        whole, part = (exercise(seed, 3, [3, 4], partial=p) for p in (False, True))
        changed += not np.isclose(whole.by_enumeration()[0], part.by_enumeration()[0])
    assert changed > 15
