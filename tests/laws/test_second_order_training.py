"""Training that looks two labels back: the likelihood, what it learns, and what pruning leaves of it (eq:order-k)."""

import itertools

import numpy as np
import pytest
from hypothesis import given

from oracle.lessons import exercise, exercises
from seqlab import CRF, LBFGS, _core, demo_corpus

TIGHT = LBFGS(l2=0.05, dtype="float64", epsilon=1e-8, delta=0)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(("kind", "digits"), [(_core.Likelihood32, 2e-4), (_core.Likelihood64, 1e-10)])
@given(task=exercises(order=2, weighted=None, scale=1.0))
def test_likelihood_of_order_2_equals_the_sum_over_labellings(kind, digits, task):
    slope = np.empty(len(task.theta))
    value = task.loss(kind)(task.theta, slope, 1)
    wanted, wanted_slope = task.by_enumeration()
    assert value == pytest.approx(wanted, abs=digits)
    np.testing.assert_allclose(slope, wanted_slope, atol=digits)


@pytest.mark.parametrize("dictionary", [False, True])
def test_sequences_of_growing_length_share_one_evaluation(dictionary):
    """A later, longer sequence must not move what earlier ones of its block point to."""
    for seed in range(20):
        task = exercise(seed, 2, [2, 5, 9], order=2, dictionary=dictionary, partial=True)
        slope = np.empty(len(task.theta))
        value = task.loss(_core.Likelihood64)(task.theta, slope, 1)
        wanted, wanted_slope = task.by_enumeration()
        assert value == pytest.approx(wanted, abs=1e-9)
        np.testing.assert_allclose(slope, wanted_slope, atol=1e-9)


def two_back():
    """Every word is the same; a label is A or B as the label two back says, and the first two are shown."""
    starts = list(itertools.product("AB", repeat=2))
    X = [[a, b, "-", "-", "-", "-"] for a, b in starts]
    return X, [[a, b] * 3 for a, b in starts]


def test_order_2_learns_what_order_1_cannot():
    X, y = two_back()
    first = CRF("word[0]", LBFGS(l2=0.01)).fit(X, y)
    second = CRF("word[0]", LBFGS(l2=0.01), order=2).fit(X, y)
    assert second.predict(X) == y
    assert first.predict(X) != y
    assert second.history_.objective[-1] < first.history_.objective[-1]


def test_pruning_that_keeps_everything_changes_nothing():
    corpus = demo_corpus("train")[:40]
    exact = CRF("word[0]\nword[-1]", TIGHT, order=2, keep=0).fit(corpus, "entity")
    tiny = CRF("word[0]\nword[-1]", TIGHT, order=2, keep=1e-30).fit(corpus, "entity")
    assert exact.model_.coarse is None
    assert tiny.model_.coarse is not None
    assert tiny.history_.objective[-1] == pytest.approx(exact.history_.objective[-1], rel=1e-7)
    assert tiny.predict(corpus) == exact.predict(corpus)


def flat_list(sentences):
    return list(itertools.chain.from_iterable(sentences))


def test_pruned_order_2_is_near_the_exact_one_and_beats_order_1():
    corpus, test = demo_corpus("train")[:80], demo_corpus("test")[:60]
    exact = CRF("chunk", order=2, keep=0).fit(corpus, "entity")
    pruned = CRF("chunk", order=2).fit(corpus, "entity")
    flat = CRF("chunk").fit(corpus, "entity")
    answers = list(zip(flat_list(exact.predict(test)), flat_list(pruned.predict(test)), strict=True))
    assert sum(a == b for a, b in answers) >= 0.97 * len(answers)
    assert pruned.history_.objective[-1] < flat.history_.objective[-1]


def test_training_goes_on_where_an_order_2_model_stopped():
    X, y = two_back()
    before = CRF("word[0]", TIGHT, order=2).fit(X, y)
    after = CRF("word[0]", TIGHT, order=2).fit(X, y, start=before)
    assert after.history_.objective[0] == pytest.approx(before.history_.objective[-1], rel=1e-3)
    assert len(after.history_) < len(before.history_)


def test_partial_fit_keeps_triples():
    X, y = two_back()
    tagger = CRF("word[0]", LBFGS(l2=0.01), order=2).fit(X, y)
    tagger.partial_fit([["+"]], [["C"]])
    assert tagger.labels_ == ("A", "B", "C")
    assert tagger.predict(X) == y
    assert tagger.predict([["+"]]) == [["C"]]


def test_what_is_known_may_be_what_pruning_left_out():
    X, y = two_back()
    tagger = CRF("word[0]", LBFGS(l2=0.001), order=2, keep=0.3).fit(X, y)
    exact = CRF("word[0]", LBFGS(l2=0.001), order=2, keep=0).fit(X, y)
    for first in "AB":
        known = {0: first, 1: "B"}
        assert tagger.tag(X[0], known=known)[:2] == [first, "B"]
        assert tagger.tag(X[0], known=known) == exact.tag(X[0], known=known)
        assert tagger.nbest(X[0], 1, known=known)[0].labels[:2] == (first, "B")


def test_order_2_keeps_to_constraints_and_dictionaries():
    corpus = demo_corpus("train")[:25]
    allowed = {"the": ["B-NP", "I-NP"], "of": ["B-PP"]}
    tagger = CRF("word[0]", order=2, constraints="IOB2", allowed=allowed).fit(corpus, "chunk")
    for words, labels in zip(corpus.column("word"), tagger.predict(corpus), strict=True):
        assert all(
            label in allowed.get(word, tagger.labels_) for word, label in zip(words, labels, strict=True)
        )
        for a, b in itertools.pairwise(["O", *labels]):
            assert not b.startswith("I-") or a[2:] == b[2:]
