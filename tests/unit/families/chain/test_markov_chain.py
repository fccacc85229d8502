"""Markov chains at the door, their answers, their files."""

import copy
import itertools
import math
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import seqlab
from seqlab import MarkovChain
from seqlab.corpus import Corpus
from seqlab.errors import (
    CorpusError,
    LabelError,
    NotFittedError,
    OptionError,
    QuestionError,
    ShapeError,
    StoreError,
)
from seqlab.learning.smoothing import KneserNey

TEXT = [["the", "dog", "runs"], ["the", "cat"], ["dogs", "run"], []]
CORPUS = Corpus.from_lists(word=TEXT[:2], pos=[["D", "N", "V"], ["D", "N"]])

# ------------------------------------------------------------------------------------------------ what it is given


@pytest.mark.parametrize(
    "data",
    [
        tuple(map(tuple, TEXT)),
        [np.array(sentence, dtype=object) for sentence in TEXT],
        np.array([*TEXT, None], dtype=object)[:-1],
        (iter(sentence) for sentence in TEXT),
        Corpus.from_lists(word=TEXT),
        list(Corpus.from_lists(word=TEXT)),
    ],
    ids=["tuples", "arrays", "array", "generators", "corpus", "sentences"],
)
def test_sentences_come_in_many_shapes(data):
    assert MarkovChain(2, 0.5).fit(data).next(["the"]).items()
    expected = MarkovChain(2, 0.5).fit(TEXT)
    found = MarkovChain(2, 0.5).fit(data if not hasattr(data, "send") else [iter(s) for s in TEXT])
    assert list(found.next(["the"]).items()) == list(expected.next(["the"]).items())


def test_column_of_a_corpus_is_remembered():
    chain = MarkovChain(smoothing=1).fit(CORPUS, "pos")
    assert chain.symbols_ == ("D", "N", "V", "<unk>", "</s>")
    assert chain.perplexity(CORPUS).oov == 0
    assert chain.perplexity(CORPUS, "word").oov == 5
    assert chain.score(CORPUS) == pytest.approx(-math.log(chain.perplexity(CORPUS).value))


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        ([], ShapeError, "0 sentences and no symbol at all"),
        ([[], []], ShapeError, "2 sentences and no symbol at all"),
        ("abc", CorpusError, "X must be a Corpus or a list of sentences"),
        (None, CorpusError, "X must be a Corpus or a list of sentences"),
        (["a b"], CorpusError, "sentence 0 of X is 'a b', but a list of strings is wanted"),
        ([["a"], [1]], CorpusError, "sentence 1, position 0 of X: 1 is no string"),
        ([["a", None]], CorpusError, "sentence 0, position 1 of X: None is no string"),
        ([["a", math.nan]], CorpusError, "sentence 0, position 1 of X: nan is no string"),
        ([["a", "\ud800"]], CorpusError, "sentence 0, position 1"),
        ([["a", "b"], ["c", "<s>"]], CorpusError, "sentence 1, position 1 is '<s>'.*leave it out"),
        ([["a", "</s>"]], CorpusError, "sentence 0, position 1 is '</s>'"),
        ([[("a", "N")]], CorpusError, "sentence 0, position 0 of X: .* is no string"),
    ],
)
def test_fit_refuses_what_it_cannot_count(data, kind, message):
    with pytest.raises(kind, match=message):
        MarkovChain().fit(data)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 0}, "order must be a whole number from 1 up, got 0"),
        ({"order": 6}, "order must be from 1 to 5, got 6"),
        ({"order": 1.0}, "order must be a whole number"),
        ({"order": True}, "order must be a whole number"),
        ({"order": "2"}, "order must be a whole number"),
        ({"smoothing": -1}, "smoothing must be a finite number from 0 up"),
        ({"smoothing": math.nan}, "smoothing must be a finite number from 0 up"),
        ({"smoothing": "good-turing"}, "smoothing must be one of"),
        ({"smoothing": None}, "smoothing must be one of"),
        ({"unknown": "</s>"}, "unknown must be a name"),
        ({"unknown": "\ud800"}, "unknown must be a name"),
        ({"unknown": ""}, "unknown must be a name"),
        ({"unknown": 3}, "unknown must be a name"),
        ({"min_count": 0}, "min_count must be a whole number from 1 up"),
        ({"min_count": 2, "unknown": None}, "min_count=2 makes rare words unknown"),
        ({"min_count": 2, "vocabulary": ["a"]}, "give one of them"),
        ({"vocabulary": "abc"}, "vocabulary must be a list of words"),
        ({"vocabulary": iter(["a"])}, "vocabulary must be a list of words"),
        ({"vocabulary": 3}, "vocabulary must be a list of words"),
        ({"vocabulary": []}, "vocabulary has no word"),
        ({"vocabulary": ["a", 1]}, "vocabulary must be a list of words"),
        ({"vocabulary": ["a", "<s>"]}, "vocabulary must be a list of words"),
        ({"vocabulary": ["\ud800"]}, "vocabulary must be a list of words"),
        ({"end": "yes"}, "end must be True or False"),
    ],
)
def test_options_are_checked_by_fit_and_not_before(options, message):
    chain = MarkovChain(**options)
    with pytest.raises(OptionError, match=message):
        chain.fit(TEXT)
    assert not chain.__sklearn_is_fitted__()


def test_y_is_the_name_of_a_column():
    with pytest.raises(OptionError, match="names a column, but X is a list"):
        MarkovChain().fit(TEXT, "word")
    with pytest.raises(OptionError, match="a chain has no labels"):
        MarkovChain().fit(TEXT, TEXT)
    with pytest.raises(CorpusError, match="there is no column 'chunk'"):
        MarkovChain().fit(CORPUS, "chunk")


# ------------------------------------------------------------------------------------------------ unknown words


def test_rare_words_are_counted_as_the_unknown_one():
    chain = MarkovChain(min_count=2).fit(TEXT)
    assert chain.symbols_ == ("the", "<unk>", "</s>")
    assert chain.next(["the"])["<unk>"] == 1.0
    assert chain.perplexity([["the", "zebra"]]).oov == 1


def test_the_unknown_word_may_stand_in_the_data():
    chain = MarkovChain().fit([["the", "<unk>"], ["the", "dog"]])
    assert chain.symbols_ == ("dog", "the", "<unk>", "</s>")
    assert chain.next(["the"])["<unk>"] == 0.5


def test_vocabulary_decides_what_is_known():
    chain = MarkovChain(smoothing="witten-bell", vocabulary=["the", "dog", "mouse", "dog"]).fit(TEXT)
    assert chain.symbols_ == ("dog", "mouse", "the", "<unk>", "</s>")
    assert chain.next(["the"])["mouse"] > 0
    closed = MarkovChain(vocabulary=["the", "dog"], unknown=None)
    with pytest.raises(LabelError, match="sentence 0, position 2: 'runs' is not in the vocabulary of 2"):
        closed.fit(TEXT)
    assert not closed.__sklearn_is_fitted__()


def test_closed_vocabulary_refuses_other_words():
    chain = MarkovChain(smoothing=1, unknown=None).fit(TEXT)
    with pytest.raises(LabelError, match="sentence 1, position 1: 'zebra' is not in the vocabulary of 6"):
        chain.perplexity([["the"], ["the", "zebra"]])
    with pytest.raises(LabelError, match="'<s>' is not in the vocabulary"):
        chain.log_prob(["<s>", "the"])
    with pytest.raises(LabelError, match="'zebra' is none of the 7 symbols"):
        chain.next()["zebra"]


def test_words_of_any_kind_are_words():
    text = [["", " ", "a b", "naïve", "日本", "\n", "e\u0301", "é"]]
    chain = MarkovChain().fit(text)
    assert chain.log_prob(text[0]) == 0.0
    assert len(chain.symbols_) == 10


# ------------------------------------------------------------------------------------------------ answers


def test_nothing_is_answered_before_fit():
    chain = MarkovChain()
    for ask in (
        lambda: chain.log_prob(["a"]),
        lambda: chain.perplexity(TEXT),
        chain.next,
        chain.sample,
        chain.stationary,
        lambda: chain.transition_matrix,
        lambda: chain.symbols_,
        lambda: chain.save("x"),
        lambda: chain.save_arpa("x"),
        chain.state,
    ):
        with pytest.raises(NotFittedError):
            ask()


def test_impossible_is_minus_infinity_and_never_nan():
    chain = MarkovChain(2).fit(TEXT)
    assert chain.log_prob(["zebra", "zebra", "the"]) == -math.inf
    found = chain.perplexity([["zebra"]])
    assert (found.value, found.log_prob) == (math.inf, -math.inf)
    assert chain.log_prob([]) == pytest.approx(math.log(1 / 4))


def test_questions_of_order_one_say_so():
    chain = MarkovChain(2).fit(TEXT)
    with pytest.raises(QuestionError, match="depends on 2 symbols; ask next"):
        chain.stationary()
    with pytest.raises(AttributeError, match="a chain has no labels"):
        chain.predict  # noqa: B018


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("end", [True, False])
def test_rows_of_the_matrix_are_what_follows_each_history(order, end):
    chain = MarkovChain(order, 0.5, end=end).fit([["a", "b", "a"], ["b"]])
    moves, words = chain.transition_matrix, ("<unk>", "a", "b")
    assert moves.targets == chain.symbols_
    assert moves.matrix.shape == (sum(3**j for j in range(order + 1)), 3 + end)
    assert moves.matrix.sum(axis=1) == pytest.approx(1.0)
    for size in range(order + 1):
        for history in itertools.product(words, repeat=size):
            row = (*("<s>",) * (order - size), *history)
            for name, share in chain.next(history).items():
                assert moves[row[0] if order == 1 else row, name] == share
    if order > 1:
        with pytest.raises(
            LabelError, match=f"'a' is no history of {order} symbols .* a tuple of {order} names"
        ):
            moves["a", "b"]


def test_two_places_to_stay_have_no_stationary_distribution():
    chain = MarkovChain(end=False, unknown=None).fit([["a", "a", "a"], ["b", "b"]])
    with pytest.raises(QuestionError, match="no single stationary distribution"):
        chain.stationary()
    passing = MarkovChain(end=False, unknown=None).fit([["a", "b", "c", "b", "c"]])
    assert dict(passing.stationary().items()) == pytest.approx({"a": 0.0, "b": 0.5, "c": 0.5})


def test_matrices_that_are_too_large_are_refused(monkeypatch):
    monkeypatch.setattr("seqlab.families.chain.tagger.MOST_MOVES", 10)
    with pytest.raises(QuestionError, match="a matrix of 8 by 8 numbers"):
        MarkovChain().fit(TEXT).transition_matrix  # noqa: B018


def test_distribution_answers_by_name():
    found = MarkovChain().fit(TEXT).next(["the"])
    assert found.most_likely(2) == [("cat", 0.5), ("dog", 0.5)]
    assert found.most_likely(0) == []
    assert list(found) == list(found.names)
    assert len(found) == 8
    with pytest.raises(LabelError):
        found[3]
    with pytest.raises(LabelError, match="two symbols are wanted"):
        MarkovChain().fit(TEXT).transition_matrix["the"]


@pytest.mark.parametrize("tokens", ["the dog", b"the", 3, None])
def test_one_sentence_is_a_list(tokens):
    chain = MarkovChain().fit(TEXT)
    for ask in (chain.log_prob, chain.next):
        with pytest.raises(CorpusError, match="one sentence is a list of strings"):
            ask(tokens)


def test_perplexity_needs_something_to_predict():
    with pytest.raises(ShapeError, match="no sentence in X"):
        MarkovChain().fit(TEXT).perplexity([])
    with pytest.raises(OptionError, match="threads must be"):
        MarkovChain().fit(TEXT).perplexity(TEXT, threads=0)
    only = MarkovChain(smoothing=1, end=False).fit(TEXT).perplexity([["zebra"]])
    assert only.oov == only.tokens == 1
    assert math.isnan(only.without_oov)
    assert float(only) == only.value


def test_sample_without_an_end_needs_a_length():
    chain = MarkovChain(end=False, smoothing=1).fit(TEXT)
    with pytest.raises(OptionError, match="length="):
        chain.sample()
    assert [len(sentence) for sentence in chain.sample(3, length=5)] == [5, 5, 5]
    assert MarkovChain().fit(TEXT).sample(0) == []
    assert MarkovChain().fit(TEXT).sample(2, length=0) == [[], []]
    for bad in ({"n": -1}, {"seed": -1}, {"length": -1}, {"n": 1.5}):
        with pytest.raises(OptionError, match="whole number"):
            chain.sample(**{"length": 2, **bad})


# ------------------------------------------------------------------------------------------------ learning on


def test_partial_fit_begins_and_goes_on():
    chain = MarkovChain(smoothing=1).partial_fit(CORPUS, "pos").partial_fit(CORPUS)
    twice = MarkovChain(smoothing=1).fit(CORPUS + CORPUS, "pos")
    assert list(chain.next(["D"]).items()) == list(twice.next(["D"]).items())
    assert chain.partial_fit(list(CORPUS)).perplexity(list(CORPUS)) == chain.perplexity(CORPUS)
    with pytest.raises(OptionError, match="counting began with order=1"):
        chain.set_params(order=2).partial_fit(CORPUS)


def test_words_that_were_counted_cannot_be_shut_out_later():
    chain = MarkovChain().fit(TEXT).set_params(vocabulary=["the"], unknown=None)
    with pytest.raises(LabelError, match="'dog' was counted, but it is not in the vocabulary of 1"):
        chain.partial_fit([["the"]])
    state = MarkovChain(vocabulary=["the"]).fit(TEXT).state()
    state.settings["parts"]["learned"]["settings"]["unknown"] = []
    with pytest.raises(StoreError, match="was counted, but"):
        MarkovChain.from_bytes(seqlab.store.as_bytes(state))


def test_failed_partial_fit_changes_nothing():
    chain = MarkovChain().fit(TEXT)
    before = chain.as_bytes()
    for bad in ([], [["a", 1]], [["</s>"]]):
        with pytest.raises((CorpusError, ShapeError)):
            chain.partial_fit(bad)
    assert chain.as_bytes() == before


# ------------------------------------------------------------------------------------------------ scikit-learn


def test_scikit_learn_takes_it_for_its_own_kind():
    chain = MarkovChain(smoothing=KneserNey(0.5)).fit(TEXT)
    assert repr(clone(chain)) == "MarkovChain(smoothing=KneserNey(discounts=0.5))"
    assert not hasattr(clone(chain), "model_")
    assert chain.get_params()["smoothing__discounts"] == 0.5
    search = GridSearchCV(MarkovChain(), {"order": [1, 2], "smoothing": [100, 0.01]}, cv=2).fit(TEXT * 4)
    assert search.best_params_["smoothing"] == 0.01
    assert search.best_score_ < 0


@pytest.mark.parametrize("smoothing", ["kneser-ney", 0.5, "mle"])
def test_copies_and_pickles_answer_alike(smoothing):
    chain = MarkovChain(2, smoothing).fit(TEXT)
    for again in (copy.deepcopy(chain), pickle.loads(pickle.dumps(chain))):
        assert again.log_prob(["the", "dog"]) == chain.log_prob(["the", "dog"])
        assert again.partial_fit(TEXT).symbols_ == chain.symbols_
