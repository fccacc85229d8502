"""eq:counting, eq:suffix-model   Probabilities of words, new words and ends sum to at most 1."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.counted import coded, counted
from seqlab import HMM, SuffixModel, demo_corpus
from seqlab.learning.smoothing import AddLambda

NEW = ["", "X", "bbb", "aab", "Ab", "a-b", "7", "ab7"]
pairs = st.tuples(st.text("ab", max_size=3), st.sampled_from("XYZ"))
texts = st.lists(st.lists(pairs, min_size=1, max_size=6), min_size=1, max_size=5)
smoothings = st.sampled_from(["mle", 0.1, 2.0, "kneser-ney", "witten-bell", "interpolated"])
suffixes = st.sampled_from([SuffixModel(), SuffixModel(strength=None, known=5.0), SuffixModel(least=0.0)])


def word_probabilities(model, words):
    """(L, words) P(word | label), from the trellises of one word each."""
    begin, label, score = model.lexicon.rows(coded([words])[0], np.arange(len(words), dtype=np.int32), None)
    table = np.zeros((model.L, len(words)))
    table[label, np.repeat(np.arange(len(words)), np.diff(begin))] = np.exp(score)
    return table


@given(texts, smoothings, suffixes, st.integers(1, 2))
def test_known_words_and_any_new_one_have_at_most_all(text, smoothing, unknown, order):
    model = counted(text, order=order, smoothing=smoothing, unknown=unknown)
    new = [word for word in NEW if word not in model.vocabulary]
    known = model.emissions().sum(axis=1)
    assert (known + word_probabilities(model, new).max(axis=1) <= 1 + 1e-12).all()
    allowed = np.ones((len(model.words.pool), model.L), dtype=bool)
    allowed[:, 0] = False
    (trellis,) = model.trellises(*coded([[*model.words.pool.strings()]]), allowed=allowed)
    assert (trellis.node <= 0).all()


@given(texts, st.sampled_from([0.0, 0.1, 1.0]))
def test_adding_to_every_count_is_one_formula(text, add):  # eq:add-lambda
    X, y = ([[pair[i] or "-" for pair in sentence] for sentence in text] for i in (0, 1))
    plain = HMM(smoothing=AddLambda(add), order=1, unknown="missing", end=True).fit(X, y)
    tables = plain._tables("test")
    model = HMM(smoothing=AddLambda(add), order=1, unknown="none", end=True).fit(X, y).counts_
    numbers = [tables.emissions.symbols.number[word] for word in model.words.pool.strings()]
    assert model.emissions().sum(axis=1) == pytest.approx(np.ones(model.L))
    assert model.emissions() == pytest.approx(tables.emissions.probabilities[numbers].T)
    seen = model.moves[:-1].sum(axis=1) > 0 if not add else np.ones(model.L, dtype=bool)
    moves = model.move_probabilities[:-1] * (1 - model.end_probabilities)[:, None]
    assert moves[seen] == pytest.approx(tables.A[seen])
    assert model.end_probabilities[seen] == pytest.approx(tables.end[seen])


def test_a_new_word_is_no_more_than_certain():
    hmm = HMM().fit([["a", "b"], ["a", "c"], ["a", "d"]] * 3, [["X", "Y"], ["X", "Y"], ["X", "Z"]] * 3)
    for word in ("new", "B", "dd", "77", ""):
        assert hmm.log_likelihood([word]) <= 0
        assert hmm.log_likelihood(["a", word]) < hmm.log_likelihood(["a"])


@pytest.mark.parametrize("smoothing", ["mle", 0.5, "kneser-ney"])
def test_all_sentences_have_at_most_all(smoothing):
    X, y = [["a", "b"], ["a"], ["b", "b"]], [["X", "Y"], ["X"], ["Y", "X"]]
    hmm = HMM(smoothing=smoothing, unknown="suffix", order=2, end=True).fit(X, y)
    one_event = ["a", "b", "new"]
    strings = (list(s) for n in range(7) for s in itertools.product(one_event, repeat=n))
    whole = math.fsum(math.exp(hmm.log_likelihood(s)) for s in strings)
    assert 0.2 < whole <= 1


def test_the_empty_sequence_and_its_end():  # eq:hmm-joint
    tables = [0.4, 0.6], [[0.3, 0.2], [0.1, 0.5]], [[0.8, 0.2], [0.5, 0.5]]
    hmm = HMM.from_tables(*tables, end=[0.5, 0.4])
    assert hmm.log_likelihood([]) == hmm.log_joint([], []) == -math.inf
    assert hmm.log_likelihoods([[], [0], []]).tolist() == [-math.inf, hmm.log_likelihood([0]), -math.inf]
    strings = (list(s) for n in range(12) for s in itertools.product([0, 1], repeat=n))
    whole = math.fsum(np.exp(hmm.log_likelihoods(list(strings))).tolist())
    step = np.array(tables[1])
    rest = float(np.array(tables[0]) @ np.linalg.matrix_power(step, 11) @ np.ones(2))  # of longer ones
    assert whole + rest == pytest.approx(1.0)
    assert hmm.predict([[]]) == [[]]
    endless = HMM.from_tables(tables[0], [[0.3, 0.7], [0.5, 0.5]], tables[2])
    assert endless.log_likelihood([]) == 0.0


def test_the_best_labels_do_not_depend_on_it():
    train, test = demo_corpus("train"), demo_corpus("test")
    hmm = HMM().fit(train, "pos")
    before = hmm.predict(test)
    assert hmm.model_.proper
    hmm.model_ = replace(hmm.model_, proper=False)
    assert hmm.predict(test) == before
