"""Markov chains in files: what comes back, and what is refused."""

import copy
import io

import numpy as np
import pytest

import seqlab
from seqlab import MarkovChain
from seqlab.corpus import Corpus
from seqlab.errors import (
    QuestionError,
    StoreError,
)
from seqlab.learning.smoothing import MLE, AddLambda, Interpolated, KneserNey, WittenBell

TEXT = [["the", "dog", "runs"], ["the", "cat"], ["dogs", "run"], []]
CORPUS = Corpus.from_lists(word=TEXT[:2], pos=[["D", "N", "V"], ["D", "N"]])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"order": 3, "smoothing": "kneser-ney", "min_count": 2},
        {"smoothing": KneserNey((0.5, 1.0, 1.5)), "unknown": None},
        {"smoothing": KneserNey(), "end": False},
        {"smoothing": KneserNey(0.5), "unknown": "?"},
        {"smoothing": 0.25, "vocabulary": ["the", "dog", "new"]},
        {"smoothing": 1, "vocabulary": ("the", "dog", "dog")},
        {"smoothing": np.float32(0.5), "vocabulary": {"the"}, "end": np.True_, "order": np.int64(2)},
        {"smoothing": np.int16(3), "vocabulary": frozenset(["dog"])},
        {"smoothing": AddLambda(2), "order": 5},
        {"smoothing": WittenBell(), "order": 2},
        {"smoothing": MLE()},
        {"smoothing": Interpolated(), "order": 2},
        {"smoothing": "interpolated"},
    ],
    ids=repr,
)
def test_saved_chain_comes_back(options, tmp_path):
    chain = MarkovChain(**options).fit(CORPUS, "word")
    chain.save(tmp_path / "chain.safetensors")
    again = seqlab.load(tmp_path / "chain.safetensors", verify=True)
    assert type(again) is MarkovChain
    for name, value in chain.get_params(deep=False).items():
        plain = value.item() if isinstance(value, np.generic) else value
        assert (type(getattr(again, name)), getattr(again, name)) == (type(plain), plain), name
    assert again.column_ == "word"
    assert again.log_prob(["the", "dog"]) == chain.log_prob(["the", "dog"])
    assert again.discounts_ == chain.discounts_
    assert again.partial_fit(CORPUS).as_bytes() == chain.partial_fit(CORPUS).as_bytes()


@pytest.mark.parametrize(
    "later",
    [
        {"smoothing": "kneser-ney", "order": 1},
        {"vocabulary": ["the"]},
        {"unknown": "?", "min_count": 2},
        {"end": False},
    ],
    ids=repr,
)
def test_options_that_were_set_later_change_no_answer_of_a_file(later):
    chain = MarkovChain(2, 0.5).fit(TEXT).set_params(**later)
    again = MarkovChain.from_bytes(chain.as_bytes())
    assert again.get_params() == chain.get_params()
    assert again.symbols_ == chain.symbols_
    for history in ([], ["the"], ["the", "dog"], ["zebra"]):
        assert list(again.next(history).items()) == list(chain.next(history).items())
    assert again.perplexity(CORPUS) == chain.perplexity(CORPUS)


@pytest.mark.parametrize("smoothing", ["kneser-ney", 0.5, "mle"])
def test_another_model_changes_every_answer_and_is_stored(smoothing):
    chain, other = MarkovChain(1).fit(TEXT), MarkovChain(2, smoothing, end=False).fit(CORPUS, "pos")
    chain.model_ = other.model_
    again = MarkovChain.from_bytes(chain.as_bytes())
    for one in (chain, again, copy.deepcopy(chain)):
        assert (one.symbols_, one.discounts_, one.counts_) == (other.symbols_, other.discounts_, None)
        assert one.log_prob(["D", "N"]) == other.log_prob(["D", "N"])
        assert list(one.next(["D"]).items()) == list(other.next(["D"]).items())
        with pytest.raises(QuestionError, match="no counts"):
            one.partial_fit(TEXT)


class OwnChain(MarkovChain):
    pass


def test_a_class_of_ones_own_is_refused():
    with pytest.raises(StoreError, match="OwnChain is a class of your own"):
        OwnChain().fit(TEXT).as_bytes()


def test_chain_of_an_arpa_file_is_saved_and_learns_nothing():
    file = io.BytesIO()
    MarkovChain(2, "witten-bell").fit(TEXT).save_arpa(file)
    chain = MarkovChain.from_arpa(io.BytesIO(file.getvalue()))
    again = MarkovChain.from_bytes(chain.as_bytes())
    assert again.log_prob(["the", "zebra"]) == chain.log_prob(["the", "zebra"])
    with pytest.raises(QuestionError, match="no counts"):
        again.partial_fit(TEXT)
    second = io.BytesIO()
    again.save_arpa(second)
    third = io.BytesIO()
    MarkovChain.from_arpa(io.BytesIO(second.getvalue())).save_arpa(third)
    assert len(third.getvalue().splitlines()) == len(file.getvalue().splitlines())
    assert again.fit(TEXT).partial_fit(TEXT).counts_ is not None


@pytest.mark.parametrize("name", ["parent.1", "symbol.1", "count.1", "count.0", "symbol.0", "words.begins"])
def test_tampered_states_are_refused(name):
    name = f"learned.{name}"
    state = MarkovChain(2, "kneser-ney").fit(TEXT).state()
    array = state.arrays[name]
    for value in (-1, 10**6):
        if "count" in name and value > 0:
            continue
        spoiled = array.copy()
        spoiled[len(spoiled) // 2] = value
        content = seqlab.store.as_bytes(
            type(state)(state.kind, state.settings, {**state.arrays, name: spoiled})
        )
        with pytest.raises(StoreError):
            MarkovChain.from_bytes(content)
    short = {**state.arrays, name: array[:-1]}
    with pytest.raises(StoreError):
        MarkovChain.from_bytes(seqlab.store.as_bytes(type(state)(state.kind, state.settings, short)))


@pytest.mark.parametrize("smoothing", ["mle", 0.5, "witten-bell", "kneser-ney", "interpolated"])
def test_a_file_with_counts_of_zero_is_refused(smoothing):
    chain = MarkovChain(2, smoothing).fit(TEXT)
    for level in range(3):
        state = chain.state()
        name = f"learned.count.{level}"
        state.arrays[name] = np.zeros_like(state.arrays[name])
        with pytest.raises(StoreError, match="count"):
            MarkovChain.from_state(state)
    state = chain.state()
    state.arrays["learned.count.0"] = np.where(np.arange(len(state.arrays["learned.count.0"])) == 2, 0, 9)
    with pytest.raises(StoreError, match="a symbol has a smaller count than the pairs that end in it"):
        MarkovChain.from_state(state)
