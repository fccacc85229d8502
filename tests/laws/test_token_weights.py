"""Tokens and sentences that count more or less than others (eq:token-weights)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.lessons import exercises, same_weights
from seqlab import CRF, LBFGS, _core

TIGHT = LBFGS(dtype="float64", epsilon=1e-9, delta=0, l2=0.3, start_epochs=0)
X = [["the", "old", "man"], ["the", "boat"], ["old", "boat", "the"], ["man"]]
Y = [["D", "A", "N"], ["D", "N"], ["A", "N", "D"], ["N"]]


def fitted(x, y, weight=None, **options):
    return CRF("word[0]", TIGHT, states="all", transitions="all", **options).fit(x, y, sample_weight=weight)


def same(one, other):
    assert one.history_.objective[-1] == pytest.approx(other.history_.objective[-1], abs=1e-8)
    same_weights(one, other, 1e-6)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(("kind", "digits"), [(_core.Likelihood32, 2e-4), (_core.Likelihood64, 1e-10)])
@given(task=exercises(weighted="tokens", scale=1.0))
def test_weighted_likelihood_equals_its_layers(kind, digits, task):
    slope = np.empty(len(task.theta))
    value = task.loss(kind)(task.theta, slope, 1)
    wanted, wanted_slope = task.by_enumeration()
    assert value == pytest.approx(wanted, abs=digits)
    np.testing.assert_allclose(slope, wanted_slope, atol=digits)


@given(times=st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any))
def test_a_sentence_of_weight_n_is_n_sentences(times):
    repeated = [(x, y) for x, y, n in zip(X, Y, times, strict=True) for _ in range(n)]
    # Labels and features of sentences that do not count still exist: all combinations have a weight, told once.
    told = [(x, [None] * len(x)) for x in X]
    x, y = zip(*repeated, *told, strict=True)
    if len({label for labels in y for label in labels if label}) < 3:
        return
    same(fitted(X, Y, times), fitted(list(x), list(y)))


@given(weights=st.lists(st.lists(st.sampled_from([0, 1, 2]), min_size=3, max_size=3), min_size=2, max_size=2))
def test_tokens_of_weight_2_are_told_twice(weights):
    x = [["the", "old", "man"], ["old", "boat", "the"]]
    y = [["D", "A", "N"], ["A", "N", "D"]]
    if not any(map(any, weights)):
        return
    layers = [
        [label if weight >= level else None for label, weight in zip(labels, row, strict=True)]
        for level in (1, 2)
        for labels, row in zip(y, weights, strict=True)
    ]
    everything = [["D", "A", "N"]] * 3  # so that both know all labels
    base = [["the", "old", "man"]] * 3
    weighted = fitted([*x, *base], [*y, *everything], [*weights, *[[1, 1, 1]] * 3])
    layered = fitted([*x, *x, *base], [*layers, *everything])
    same(weighted, layered)


def test_a_token_of_weight_0_has_no_label():
    weights = [[1, 0, 1], [1, 1], [1, 1, 1], [1]]
    hidden = [["D", None, "N"], *Y[1:]]
    same(fitted(X, Y, weights), fitted(X, hidden))


def test_weights_of_labels_are_weights_of_their_tokens():
    worth = {"D": 2.0, "N": 0.5}
    weights = [[worth.get(label, 1.0) for label in labels] for labels in Y]
    same(fitted(X, Y, class_weight=worth), fitted(X, Y, weights))


def test_weights_of_labels_and_of_sentences_multiply():
    worth, of_sentence = {"A": 3.0}, [1.0, 2.0, 0.5, 1.0]
    weights = [
        [worth.get(label, 1.0) * w for label in labels] for labels, w in zip(Y, of_sentence, strict=True)
    ]
    same(fitted(X, Y, of_sentence, class_weight=worth), fitted(X, Y, weights))


def test_balanced_gives_every_label_the_same_total():
    counts = {"D": 3, "A": 2, "N": 4}
    worth = {label: 9 / (3 * n) for label, n in counts.items()}
    same(fitted(X, Y, class_weight="balanced"), fitted(X, Y, class_weight=worth))


def test_forms_of_equal_weights_agree():
    rows = [[2.0] * len(labels) for labels in Y]
    for form in ([2] * 4, np.full(4, 2.0), rows, [np.array(row) for row in rows], [2, *rows[1:]]):
        same(fitted(X, Y, form), fitted(X, Y, [2.0] * 4))


def test_weights_change_what_is_learned():
    x, y = [["a"], ["a"]], [["N"], ["V"]]
    for weights, label in (([1, 5], "V"), ([5, 1], "N"), ([[1], [5]], "V")):
        assert fitted(x, y, weights).predict([["a"]]) == [[label]]
