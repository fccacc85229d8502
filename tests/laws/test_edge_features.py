"""Attributes that see a move between two labels (eq:linear-score, eq:crf-likelihood)."""

import itertools

import numpy as np
import pytest
from hypothesis import given

from oracle.lessons import exercises
from seqlab import CRF, LBFGS, _core, demo_corpus

TIGHT = LBFGS(l2=0.05, dtype="float64", epsilon=1e-8, delta=0)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(("kind", "digits"), [(_core.Likelihood32, 2e-4), (_core.Likelihood64, 1e-10)])
@given(task=exercises(edges=True, weighted=None, scale=1.0))
def test_likelihood_with_edge_attributes_equals_the_sum_over_labellings(kind, digits, task):
    slope = np.empty(len(task.theta))
    value = task.loss(kind)(task.theta, slope, 1)
    wanted, wanted_slope = task.by_enumeration()
    assert value == pytest.approx(wanted, abs=digits)
    np.testing.assert_allclose(slope, wanted_slope, atol=digits)


def switches():
    """After the first word, "same" repeats the label before and "other" changes it: no label of its own helps."""
    X, y = [], []
    for first in "AB":
        for words in itertools.product(["same", "other"], repeat=4):
            labels = [first]
            for word in words:
                labels.append(labels[-1] if word == "same" else "AB"[labels[-1] == "A"])
            X.append([first, *words])
            y.append(labels)
    return X, y


@pytest.mark.parametrize("order", [1, 2, 3])
def test_edge_attributes_learn_what_others_cannot(order):
    X, y = switches()
    blind = CRF("word[0]", LBFGS(l2=0.01)).fit(X, y)
    seeing = CRF("word[0]\nedge: word[0]", LBFGS(l2=0.01), order=order).fit(X, y)
    assert seeing.predict(X) == y
    assert blind.predict(X) != y
    assert seeing.model_.edge is not None
    assert len(seeing.model_.edge.weights) == 4  # two words, two moves each


def test_no_edge_means_no_weights_of_moves():
    X, y = switches()
    tagger = CRF("no edge\nword[0]", TIGHT).fit(X, y)
    assert not tagger.model_.move_seen.any()
    apart = [[[word] for word in words] for words in X]
    alone = CRF("word[0]", TIGHT).fit(
        [x for words in apart for x in words], [[z] for labels in y for z in labels]
    )
    assert tagger.history_.objective[-1] == pytest.approx(alone.history_.objective[-1], rel=1e-7)
    only = CRF("no edge\nword[0]\nedge: word[0]", LBFGS(l2=0.01)).fit(X, y)
    assert not only.model_.move_seen.any()
    assert only.predict(X) == y


@pytest.mark.parametrize("order", [1, 2, 3])
def test_decoding_uses_the_scores_that_training_made_likely(order):
    corpus = demo_corpus("train")[:15]
    tagger = CRF("word[0]\nedge: pos[0]", TIGHT, order=order, keep=0, transitions="all").fit(corpus, "entity")
    told = sum(tagger.log_prob(sentence, sentence["entity"]) for sentence in corpus)
    norm = float(np.square(tagger.model_.theta).sum())
    assert tagger.history_.objective[-1] == pytest.approx(0.05 * norm - told, rel=1e-9)


def test_warm_starts_keep_edge_weights():
    X, y = switches()
    tagger = CRF("word[0]\nedge: word[0]", LBFGS(l2=0.01)).fit(X, y)
    tagger.partial_fit([["A", "new"]], [["A", "C"]])
    assert tagger.predict(X) == y
    assert tagger.predict([["A", "new"]]) == [["A", "C"]]
    again = CRF("word[0]\nedge: word[0]", LBFGS(l2=0.01)).fit(X, y, start=tagger)
    assert again.labels_ == ("A", "B", "C")
    assert again.predict(X) == y
