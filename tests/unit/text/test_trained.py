"""Trained tokenisers: what they learn, laws for any text, files."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seqlab
from seqlab import store
from seqlab.errors import CorpusError, OptionError, StoreError
from seqlab.store.codec import state_of
from seqlab.text import Document, Pipeline, RuleTokeniser, TrainedTokeniser, align, detokenise
from unit.text.test_rules import ANY, BUSY, PIECES, check_cover


@pytest.fixture(scope="module")
def documents():
    corpus = seqlab.demo_corpus("train")
    words = corpus.column("word")
    return [detokenise(words[i : i + 5]) for i in range(0, len(words), 5)]


@pytest.fixture(scope="module")
def tokeniser(documents):
    return TrainedTokeniser.train(documents)


def test_it_learns_what_it_was_shown(tokeniser, documents):
    report = tokeniser.evaluate(documents)
    assert report.words.f1 > 0.999
    assert report.sentences.f1 > 0.98
    assert "trained on" in repr(tokeniser)


def test_it_learns_another_way_to_cut_than_the_rules():
    """Hyphens stay, slashes cut nothing, and a semicolon ends sentences."""
    lines = [f"a{i}-b c/d{i} ; then x{i}" for i in range(200)]
    gold = [
        Document.from_offsets(
            f"{one}; next{i}",
            [[*_places(one)], [(len(one), len(one) + 1), (len(one) + 2, len(f"{one}; next{i}"))]],
        )
        for i, one in enumerate(line.replace(" ;", ";") for line in lines)
    ]
    learned = TrainedTokeniser.train(gold)
    assert learned.evaluate(gold).sentences.f1 == 1
    assert learned("a7-b c/d9; then x3; next5").words == ["a7-b", "c/d9;", "then", "x3", ";", "next5"]


def _places(text):
    at, found = 0, []
    for word in text.split():
        at = text.index(word, at)
        found.append((at, at + len(word)))
        at += len(word)
    return found


def test_words_inside_tokens_are_learned():
    text = "We don't know. They can't go. It isn't so. "
    words = [
        ["We", "do", "n't", "know", "."],
        ["They", "ca", "n't", "go", "."],
        ["It", "is", "n't", "so", "."],
    ]
    one = align(text * 30, words * 30)
    joined = np.array([word == "n't" for word in one.words])
    gold = [Document(one.text, one.begins, one.ends, one.offsets, joined)]
    learned = TrainedTokeniser.train(gold)
    found = learned("She mustn't go.")
    assert found.words == ["She", "must", "n't", "go", "."]
    assert found.joined.tolist() == [False, False, True, False, False]
    report = learned.evaluate(gold)
    assert report.tokens.gold == report.words.gold - 90
    assert report.tokens.f1 == report.words.f1 == 1


def test_scripts_without_blanks_are_learned():
    words = [["我", "爱", "北京", "。"], ["你", "也", "爱", "北京", "吗", "？"]] * 40
    gold = align("".join(word for sentence in words for word in sentence), words)
    learned = TrainedTokeniser.train([gold])
    assert learned("你爱北京。").words == ["你", "爱", "北京", "。"]
    assert len(learned("我爱北京。你也爱北京吗？").sentences) == 2


@settings(max_examples=200)
@given(ANY | BUSY | PIECES)
def test_tokens_cover_every_character_once(tokeniser, text):
    check_cover(tokeniser(text), text)


@given(st.lists(PIECES.map(str.strip).filter(bool), max_size=4))
def test_paragraphs_do_not_change_each_other(tokeniser, paragraphs):
    whole = tokeniser("\n\n".join(paragraphs)).words
    assert whole == [word for part in paragraphs for word in tokeniser(part).words]


def test_one_long_line_of_anything_is_read_in_linear_time(tokeniser):
    for piece in ("a", "日", "1-", "a.", "http://", "'", "👍", "x ", "(", "e\u0301", "Dr. "):
        text = piece * 100_000
        assert tokeniser(text).ends[-1] == len(text.rstrip())


def test_threads_and_seeds_give_the_same_tokeniser(documents, tokeniser):
    again = TrainedTokeniser.train(iter(documents), threads=1)
    assert np.array_equal(again.keys, tokeniser.keys)
    assert np.array_equal(again.weights, tokeniser.weights)


def test_it_is_one_file_alone_and_in_a_pipeline(tokeniser, tmp_path):
    text = "Anna doesn't live in New York. She left."
    tokeniser.save(tmp_path / "t.model")
    again = seqlab.load(tmp_path / "t.model")
    assert again(text).to_dict() == tokeniser(text).to_dict()
    assert again.sentences == tokeniser.sentences
    Pipeline(tokeniser).save(tmp_path / "p.model")
    assert seqlab.load(tmp_path / "p.model")(text).to_dict() == tokeniser(text).to_dict()
    assert pickle.loads(pickle.dumps(tokeniser))(text).words == tokeniser(text).words


def test_broken_files_are_refused(tokeniser):
    state = state_of(tokeniser)
    for name, value in (
        ("pairs", np.zeros((3, 3), dtype=np.uint8)),
        ("weights", np.full_like(tokeniser.weights, np.nan)),
        ("word_kinds", np.zeros_like(tokeniser.word_kinds)),
        ("keys", tokeniser.keys[:-1]),
    ):
        broken = state.replaced(arrays={**state.arrays, name: value})
        with pytest.raises(StoreError):
            store.from_bytes(store.as_bytes(broken), seqlab.families.kinds())


def test_nonsense_is_refused(documents):
    with pytest.raises(CorpusError, match="learns from texts with tokens, and there is none"):
        TrainedTokeniser.train([])
    with pytest.raises(CorpusError, match="learns from Document objects or a CoNLL-U file, got 'text'"):
        TrainedTokeniser.train(["text"])
    with pytest.raises(OptionError, match="epochs"):
        TrainedTokeniser.train(documents, epochs=0)
    with pytest.raises(OptionError, match="rules is a RuleTokeniser, got 'x'"):
        TrainedTokeniser.train(documents, rules="x")
    alone = TrainedTokeniser.train([Document.from_offsets("word", [(0, 4)])])
    assert alone("word").words == ["word"]
    assert isinstance(alone.rules, RuleTokeniser)
