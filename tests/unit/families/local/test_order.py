"""A local tagger whose classifier sees two or three labels before a token (eq:local-trellis, eq:order-k)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from pytest import approx

from seqlab import LocalTagger, inference, load
from seqlab.errors import OptionError

linear_model = pytest.importorskip("sklearn.linear_model")
svm = pytest.importorskip("sklearn.svm")


def labels_back(order):
    """Labels that repeat those `order` back; only the first ones are shown by their words."""
    starts = list(itertools.product("AB", repeat=order))
    return [[*start, *["-"] * (2 * order)] for start in starts], [[*start] * 3 for start in starts]


@pytest.mark.parametrize("decode", ["viterbi", "beam", "greedy"])
@pytest.mark.parametrize("order", [2, 3])
def test_order_k_learns_what_lower_orders_cannot(order, decode):
    X, y = labels_back(order)
    made = {
        k: LocalTagger(svm.LinearSVC(C=10), "word[0]", order=k, decode=decode).fit(X, y)
        for k in (order - 1, order)
    }
    assert made[order].predict(X) == y
    assert made[order - 1].predict(X) != y


def by_hand(tagger, words, labels):
    """The row of the last token: attributes, label before or none, then rows of two, three ... labels before."""
    layout, names = tagger.layout_, tagger.labels_
    row = np.zeros(layout.width)
    encoded = tagger.encoder_.encode([words])
    row[encoded.ids[encoded.indptr[-2] : encoded.indptr[-1]]] = 1
    before = [names.index(label) for label in labels]
    at, L = layout.attributes, len(names)
    row[at + (before[-1] if before else L)] = 1
    at += L + 1
    for back in range(2, layout.order + 1):
        if len(before) >= back:
            cell = 0
            for label in before[-back:]:
                cell = cell * L + label
            row[at + cell] = 1
        at += L**back
    return row[None]


@pytest.mark.parametrize("classifier", [linear_model.LogisticRegression(), svm.LinearSVC()])
@pytest.mark.parametrize("order", [2, 3])
def test_paths_have_the_scores_of_the_classifier(order, classifier):  # eq:local-trellis
    X, y = labels_back(order)
    tagger = LocalTagger(classifier, "word[0]\nword[-1]", order=order).fit(X, y)
    ask = getattr(tagger.classifier_, tagger.response_.method)
    words = ["A", "-", "B", "-", "-"]
    for length in range(1, 6):
        trellis = tagger.trellis(words[:length])
        for path in itertools.product("AB", repeat=length):
            score = 0.0
            for t, label in enumerate(path):
                found = np.asarray(ask(by_hand(tagger, words[: t + 1], path[:t])))
                both = np.stack([-found, found], axis=1) if found.ndim == 1 else found
                score += both[0, "AB".index(label)]
            assert trellis.score(path) == approx(score, abs=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_stored_and_loaded_it_answers_with_the_same_scores(order, tmp_path):
    X, y = labels_back(2)
    tagger = LocalTagger(linear_model.LogisticRegression(), "word[0]", previous=True, order=order).fit(X, y)
    tagger.save(tmp_path / "local.model")
    again = load(tmp_path / "local.model")
    assert (again.order, again.fit_.order) == (order, order)
    assert again.predict(X) == tagger.predict(X)
    for words in ([], ["A"], ["A", "B"], X[0]):
        assert again.nbest(words, 3)[0].log_prob == approx(tagger.nbest(words, 3)[0].log_prob, abs=1e-12)


def test_rules_dictionaries_and_unknown_labels_hold_at_order_2():
    X, y = labels_back(2)
    y[0][2] = None
    y[1][3] = {"A", "B"}
    allowed = {"-": ["B"]}
    tagger = LocalTagger(svm.LinearSVC(), "word[0]", order=2, allowed=allowed, constraints=[("A", "A")]).fit(
        X, y
    )
    for words in X:
        labels = tagger.tag(words)
        assert ("A", "A") not in itertools.pairwise(labels)
        assert all(label == "B" for word, label in zip(words, labels, strict=True) if word == "-")
    assert inference.viterbi(tagger.trellis(X[0])).score > -np.inf


def test_another_order_is_refused():
    with pytest.raises(OptionError, match="order must be 1, 2 or 3, got 4"):
        LocalTagger(svm.LinearSVC(), "word[0]", order=4).fit([["a"], ["b"]], [["A"], ["B"]])
