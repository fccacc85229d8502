"""init="clusters" (eq:word-clusters): words that have the same neighbours begin in one state."""

import numpy as np
import pytest

from seqlab import HMM, BaumWelch, Gaussian, demo_corpus
from seqlab.errors import OptionError
from seqlab.evaluation import many_to_one, v_measure
from seqlab.families.hmm.clusters import word_clusters
from seqlab.families.hmm.emissions.base import SymbolRows

NOUNS, VERBS, DETS = ["dog", "cat", "man", "cow"], ["runs", "sleeps", "sees"], ["the", "a"]


def text(sentences=120):
    rng = np.random.default_rng(0)
    X = [[str(rng.choice(part)) for part in (DETS, NOUNS, VERBS)] for _ in range(sentences)]
    return X, [["D", "N", "V"] for _ in X]


def test_words_with_the_same_neighbours_are_one_cluster():
    X, _ = text()
    names = [*DETS, *NOUNS, *VERBS]
    ids = np.array([names.index(word) for row in X for word in row], dtype=np.int32)
    rows = SymbolRows(np.arange(len(ids) + 1), ids)
    offsets = np.arange(0, len(ids) + 1, 3)
    found = word_clusters(rows, offsets, len(names), 3, np.random.default_rng(0), 1)
    of = {word: int(found[ids == i][0]) for i, word in enumerate(names)}
    assert len({of[word] for word in DETS}) == len({of[word] for word in NOUNS}) == 1
    assert len({of[word] for word in VERBS}) == 1
    assert len(set(of.values())) == 3
    assert np.array_equal(found, word_clusters(rows, offsets, len(names), 3, np.random.default_rng(0), 2))


def test_a_start_by_clusters_finds_them_at_once():
    X, y = text()
    hmm = HMM(3, init="clusters", smoothing=0.1, learner=BaumWelch(max_iterations=2)).fit(X)
    assert v_measure(y, hmm.predict(X)) == pytest.approx(1.0)
    again = HMM(3, init="clusters", smoothing=0.1, learner=BaumWelch(max_iterations=2)).fit(X)
    assert again.as_bytes()[-200:] == hmm.as_bytes()[-200:]


def test_it_is_better_than_chance_on_text():
    corpus = demo_corpus("train")[:1000]
    X, y = [[word.lower() for word in row] for row in corpus.column("word")], list(corpus.column("pos"))
    learner = BaumWelch(max_iterations=3, tolerance=0)
    few = {"smoothing": 0.1, "learner": learner, "n_states": 17}
    scores = [many_to_one(y, HMM(init=init, **few).fit(X).predict(X)) for init in ("random", "clusters")]
    assert scores[1] > scores[0] + 0.05


def test_labels_missing_words_and_rules_are_kept():
    X, y = text(20)
    X[0][1] = None
    hmm = HMM(
        3, init="clusters", smoothing=0.1, constraints=[("s0", "s0")], learner=BaumWelch(max_iterations=2)
    )
    assert len(hmm.fit(X).predict(X)) == 20
    given = [row if s < 3 else None for s, row in enumerate(y)]
    found = HMM(init="clusters", smoothing=0.1, learner=BaumWelch(max_iterations=3)).fit(X, given)
    assert found.predict(X[:3]) == y[:3]


def test_it_is_for_words():
    with pytest.raises(OptionError, match="init='clusters' is for words"):
        HMM(2, Gaussian(), init="clusters").fit([[1.0, 2.0, 3.0]])
