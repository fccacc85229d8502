"""Ready-made features: the same attributes as python-crfsuite makes of the same items."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from seqlab.errors import CorpusError
from seqlab.features import bag, bags

KEYS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
NUMBERS = st.one_of(
    st.booleans(),
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1e3, 1e3).map(np.float32),
)
VALUES = st.recursive(
    st.one_of(KEYS, NUMBERS, KEYS.map(str.encode), st.lists(KEYS, max_size=3), st.sets(KEYS, max_size=3)),
    lambda inner: st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
ITEMS = st.one_of(
    st.dictionaries(KEYS, VALUES, max_size=5),
    st.lists(KEYS, max_size=5),
    st.sets(KEYS, max_size=5),
    st.lists(KEYS.map(str.encode), max_size=3),
)


@given(st.lists(ITEMS, max_size=3))
def test_bags_are_python_crfsuite_s(items):
    pycrfsuite = pytest.importorskip("pycrfsuite")
    theirs = pycrfsuite.ItemSequence(items).items()
    assert [dict(entries) for entries in bags(items)] == theirs


def test_every_kind_of_value():
    item = {
        "w": "the",
        "length": 3,
        "title": True,
        "digit": False,
        "near": {"-1": "a", "far": {"x": 0.5}},
        "suffix": ["e", "he"],
        b"raw": b"bytes",
    }
    assert bag(item) == [
        ("w:the", 1.0),
        ("length", 3.0),
        ("title", 1.0),
        ("digit", 0.0),
        ("near:-1:a", 1.0),
        ("near:far:x", 0.5),
        ("suffix:e", 1.0),
        ("suffix:he", 1.0),
        ("raw:bytes", 1.0),
    ]
    assert bag(["a", "b", "a"]) == [("a", 1.0), ("b", 1.0), ("a", 1.0)]
    assert bag({}) == []


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("the", r"a token is a dict or a list of strings, got 'the'; write \['the'\]"),
        (3, "a token is a dict or a list of strings, got 3"),
        ([1], "an attribute must be a string, got 1 of type int"),
        ([("a", 1.0)], "an attribute must be a string"),
        ({"a": None}, "attribute 'a' has the value None of type NoneType"),
        ({"a": [["b"]]}, r"an attribute must be a string, got \['b'\] of type list"),
        ({"a": math.nan}, "attribute 'a' has the weight nan; weights must be finite"),
        ({"a": {"b": math.inf}}, "attribute 'b' has the weight inf"),
        ({"a": 10**400}, "attribute 'a' has a weight that is no number"),
        (["\ud800"], "must be text in UTF-8"),
        ([b"\xff"], "must be text in UTF-8"),
    ],
)
def test_wrong_items_are_named(item, message):
    with pytest.raises(CorpusError, match=message):
        bag(item)


def test_messages_say_which_token():
    with pytest.raises(CorpusError, match="sequence 2, token 1: an attribute must be a string, got 5"):
        bags([["a"], [5]], where="sequence 2")
    with pytest.raises(CorpusError, match="a sentence is a list with one dict or list of strings a token"):
        bags("the old man")
