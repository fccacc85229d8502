"""Ready-made attributes, read straight off Python's lists, are those that a corpus of them would hold."""

from __future__ import annotations

from collections import OrderedDict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab import CRF, LBFGS, Corpus, _core
from seqlab.corpus.lists import bag

# Few letters, so that strings meet again; lengths on both sides of every step of hash and comparison; not only ASCII.
texts = st.one_of(
    st.text("ab", max_size=3),
    st.builds(
        lambda letter, n, end: letter * n + end,
        st.sampled_from("aü漢"),
        st.integers(0, 40),
        st.text("ab", max_size=1),
    ),
)
numbers = st.sampled_from([0, 1, 1.0, True, False, 0.5, -2])


class Word(str):
    """A string of another class: its text counts, whatever it says of itself."""

    __slots__ = ()

    def __str__(self):
        return "something else"


words = st.one_of(texts, texts.map(Word), texts.map(str.encode))
lists = st.one_of(
    st.lists(words, max_size=5), st.lists(words, max_size=5).map(tuple), st.sets(texts, max_size=5)
)
values = st.recursive(
    st.one_of(words, numbers, lists), lambda inner: st.dictionaries(texts, inner, max_size=3), max_leaves=6
)
items = st.one_of(lists, st.frozensets(texts), st.dictionaries(words, values, max_size=5))
sentences = st.lists(st.lists(items, max_size=4), max_size=4)

# (attribute, weight) of one token, by definition.
pairs = bag


def decoded(read, pool):
    """(attribute, weight) of every token, from what the core gave."""
    indptr, codes, weights, lengths = read
    names = [pool.string(code) for code in codes.tolist()]
    values = [1.0] * len(names) if weights is None else weights.tolist()
    tokens = [list(zip(names[b:e], values[b:e], strict=True)) for b, e in pairwise(indptr.tolist())]
    return tokens, lengths.tolist()


@given(sentences)
def test_every_attribute_is_met(given_):
    pool = _core.StringPool()
    tokens, lengths = decoded(_core.intern_items(pool, given_), pool)
    assert tokens == [pairs(item) for sentence in given_ for item in sentence]
    assert lengths == [len(sentence) for sentence in given_]


@given(sentences, st.lists(texts, max_size=6))
def test_known_attributes_are_found_and_the_others_left_out(given_, known):
    pool = _core.StringPool()
    for text in known:
        pool.intern(text)
    tokens, lengths = decoded(_core.find_items(pool, given_), pool)
    assert tokens == [
        [pair for pair in pairs(item) if pair[0] in known] for sentence in given_ for item in sentence
    ]
    assert lengths == [len(sentence) for sentence in given_]
    assert pool.strings() == list(dict.fromkeys(known))


def test_many_strings_in_a_large_pool():
    """More than are looked up together, the same again within one lot, and a table that grows meanwhile."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 30_000, (400, 50))
    given_ = [
        [[f"w={n}" if n % 3 else f"a longer attribute, number {n}" for n in row]] for row in drawn.tolist()
    ]
    pool = _core.StringPool()
    tokens, _ = decoded(_core.intern_items(pool, given_), pool)
    assert tokens == [pairs(item) for sentence in given_ for item in sentence]
    assert len(pool) == len({text for sentence in given_ for item in sentence for text in item})
    again, _ = decoded(_core.find_items(pool, given_), pool)
    assert again == tokens


@pytest.mark.parametrize("length", [1, 4095, 4096, 4097, 20_000])
def test_long_values_of_dicts(length):
    given_ = [[{"w": "x" * length, "v": "y" * length}, {"w": "x" * length}]]
    pool = _core.StringPool()
    tokens, _ = decoded(_core.intern_items(pool, given_), pool)
    assert tokens == [pairs(item) for item in given_[0]]


@pytest.mark.parametrize(
    "odd",
    [
        {"a": None},
        {1: "a"},
        {"a": float("nan")},
        {"a": {"b": {1: "c"}}},
        {"a": {"b": [{}]}},
        {"a": {b"c"}},
        {"a": b"\xff"},
        {"a": OrderedDict(b="c")},
        [1],
        "a",
        ["\ud800"],
        None,
        range(2),
    ],
)
def test_odd_shapes_are_left_to_python(odd):
    pool = _core.StringPool()
    assert _core.intern_items(pool, [[["a"], odd]]) is None
    assert _core.find_items(pool, [[["a"], odd]]) is None


def trained(X):
    y = [["AB"[len(item) % 2] for item in sentence] for sentence in X]
    return CRF(None, LBFGS(max_iterations=5), threads=1).fit(X, y)


@pytest.mark.parametrize("kind", [list, dict])
def test_predict_gives_what_it_gives_for_a_corpus(kind):
    rng = np.random.default_rng(1)

    def drawn(vocabulary):
        words = [[f"w{n}" for n in rng.integers(0, vocabulary, rng.integers(1, 7))] for _ in range(40)]
        made = [words[at : at + 5] for at in range(0, 40, 5)]
        if kind is list:
            return [*made, []]
        return [[{word: float(rng.integers(-2, 3)) for word in item} for item in s] for s in made]

    tagger = trained(drawn(30))
    new = drawn(60)  # half of it is new
    corpus = Corpus.from_lists({"attributes": new})
    assert tagger.predict(new) == tagger.predict(corpus)
    for ours, theirs in zip(tagger.predict_proba(new), tagger.predict_proba(corpus), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_an_annotated_corpus_keeps_attributes_that_the_model_does_not_know():
    tagger = trained([[["a"], ["b", "c"]], [["a", "c"]]])
    annotated = tagger.annotate([[["a", "new"], ["b"]]])
    assert annotated.column("attributes") == [[{"a": 1.0, "new": 1.0}, {"b": 1.0}]]


def assert_read(given_):
    """Attributes are found by their text alone, in one reading and in the next."""
    pool = _core.StringPool()
    wanted = [pairs(item) for sentence in given_ for item in sentence]
    assert decoded(_core.intern_items(pool, given_), pool)[0] == wanted
    assert decoded(_core.find_items(pool, given_ + given_), pool)[0] == wanted + wanted


def test_texts_that_differ_in_one_byte_are_told_apart():
    """Of every length that the cache of short texts takes, and of some that it leaves alone."""
    texts = [
        letter.join(("b" * i, "b" * (n - i - 1))) for n in range(1, 44) for i in range(n) for letter in "ab"
    ]
    tokens = [[{"": text}, {"name": text}, {text: "name"}, {text: True}] for text in ["", *texts]]
    assert_read([[texts], *tokens])


def test_a_name_and_a_value_are_one_text_wherever_the_colon_is():
    parts = ["a", "a:b", ":", "", "a" * 39, "a" * 48, "a" * 49, "ü"]
    assert_read(
        [[{name: value, f"{name}:{value}": 1}, [f"{name}:{value}"]] for name in parts for value in parts]
    )


def test_more_names_and_texts_than_are_remembered():
    names = [f"name {n}" for n in range(3000)]
    assert_read([[{name: f"value {n % 7}" for n, name in enumerate(names)}] * 2])
    assert_read([[{"name": f"value {n}"}, [f"text {n}"]] for n in range(20_000)])


def test_objects_at_the_address_of_others_are_read_anew():
    """Addresses are used again as soon as an object is gone."""
    crf = CRF(None, LBFGS(max_iterations=20)).fit(
        [[[f"word:{n}"]] for n in range(9)], [[f"L{n}"] for n in range(9)]
    )
    letters = list("word")
    for n in [*range(9)] * 3:
        name, value = "".join(letters), "".join([str(n)])
        assert crf.predict([[{name: value}]]) == [[f"L{n}"]]
        assert crf.tag([{name: value}]) == [f"L{n}"]
        assert crf.tag([[f"{name}:{value}"]]) == [f"L{n}"]


def test_dicts_of_every_layout():
    class Own:
        def __init__(self):
            self.word, self.title = "a", True

    emptied = {str(n): "value" for n in range(40)}
    for n in range(0, 40, 3):
        del emptied[str(n)]
    emptied["0"] = "again"
    popped = dict.fromkeys("abc", 1.0)
    popped.popitem()
    shared = [vars(Own()), vars(Own())]
    shared[1]["more"] = "b"
    large = [{f"name {n}": str(n) for n in range(size)} for size in (5, 6, 170, 171, 50_000)]
    assert_read([[{}, emptied, popped, dict(emptied), {b"bytes": "a", "text": b"b"}, *shared, *large]])
