"""Ready-made attributes that the core reads, scores and decodes in one call: answers and errors of the clear way."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc
from collections import Counter, OrderedDict, UserDict, defaultdict
from copy import copy
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab import CRF, LBFGS, MEMM, LinearTagger, Perceptron, _core, inference, load
from seqlab.errors import SeqlabError

QUICK = LBFGS(max_iterations=8)
texts = st.sampled_from(["a", "b", "w", "a:b", "w:the", "", "ü", "漢字", "x\0y", "x" * 100, "new"])


class Word(str):
    """A string that runs code of its own when it is asked for its name."""

    __slots__ = ()

    def __str__(self):
        gc.collect()
        return "w"


class Iterated(dict):
    """A dict that iterates as it likes."""

    def __iter__(self):
        return iter(["w"])

    def items(self):
        return [("a", "b")]


usual = st.one_of(st.booleans(), st.integers(-3, 3), st.floats(-4, 4), texts)
odd = st.sampled_from(
    [
        None,
        b"the",
        b"\xff",
        "\ud800",
        Word("the"),
        float("nan"),
        float("inf"),
        1e19,
        -1e30,
        10**400,
        2**70,
        np.float64(0.5),
        np.float32(2.5),
        np.int64(3),
        np.bool_(True),
        np.array(1.5),
        Fraction(1, 3),
        Decimal("0.5"),
        object,
        1j,
        range(2),
    ]
)
values = st.recursive(
    st.one_of(usual, usual, odd),
    lambda inner: st.one_of(
        st.dictionaries(texts, inner, max_size=3),
        st.lists(texts, max_size=3),
        st.sets(texts, max_size=3),
        st.frozensets(texts, max_size=3),
        st.lists(st.one_of(texts, odd), max_size=2).map(tuple),
        st.dictionaries(texts, inner, max_size=2).map(OrderedDict),
    ),
    max_leaves=5,
)
keys = st.one_of(texts, texts, st.sampled_from([1, None, b"w", Word("w"), "\udfff"]))
items = st.one_of(
    st.dictionaries(keys, values, max_size=5),
    st.dictionaries(texts, usual, max_size=5),
    st.lists(texts, max_size=5),
    st.sets(texts, max_size=5),
    st.dictionaries(texts, usual, max_size=3).map(
        lambda item: defaultdict(int, item) if len(item) % 2 else OrderedDict(item)
    ),
    st.sampled_from(
        [
            "a",
            None,
            1,
            b"a",
            (),
            [1.0, 2.0],
            [None],
            Iterated(w="the"),
            Counter("aab"),
            UserDict(w="the"),
            {"w": Iterated(w="x")},
        ]
    ),
)
sentences = st.one_of(
    st.lists(items, max_size=5), st.lists(items, max_size=4).map(tuple), st.sampled_from(["a", None, 3])
)


def clear(tagger):
    """The same tagger without the short way."""
    made = copy(tagger)
    made.__class__ = type("Clear", (type(tagger),), {"_attribute_tagger": None})
    return made


def outcome(question, *arguments):
    """What is answered, or which error says what."""
    try:
        return question(*arguments)
    except SeqlabError as error:
        return type(error), str(error), error.place


def data(seed=0, kind=str):
    rng = np.random.default_rng(seed)
    names = ["a", "b", "w:the", "a:b", "ü", "w", "漢字", "x\0y", "x" * 100, "a:w:the", ""]
    X = [
        [{name: float(rng.normal()) for name in rng.permutation(names)[:4].tolist()} for _ in range(5)]
        for _ in range(12)
    ]
    y = [[kind(rng.integers(0, 3)) for _ in sentence] for sentence in X]
    return X, y


@pytest.fixture(scope="module")
def taggers(tmp_path_factory):
    X, y = data()
    bio = [[["O", "B-X", "I-X"][int(label) if t else 0] for t, label in enumerate(row)] for row in y]
    for row in bio:
        for t in range(1, len(row)):
            row[t] = "B-X" if row[t] == "I-X" and row[t - 1] == "O" else row[t]
    made = {
        "crf": CRF(None, QUICK).fit(X, y),
        "constraints": CRF(None, QUICK, constraints="IOB2").fit(X, bio),
        "whole numbers": CRF(None, QUICK).fit(*data(kind=int)),
        "perceptron": LinearTagger(None, Perceptron(epochs=2)).fit(X, y),
        "order 2": CRF(None, QUICK, order=2).fit(X, y),
        "memm": MEMM(None, QUICK).fit(X, y),
    }
    path = tmp_path_factory.mktemp("models") / "crf.model"
    made["crf"].save(path)
    made["mapped"] = load(path)
    return made


NAMES = ["crf", "constraints", "whole numbers", "perceptron", "order 2", "memm", "mapped"]


@pytest.mark.parametrize("name", NAMES)
@given(sentence=sentences)
def test_one_sentence(taggers, name, sentence):
    tagger = taggers[name]
    assert outcome(tagger.tag, sentence) == outcome(clear(tagger).tag, sentence)


@pytest.mark.parametrize("name", ["crf", "constraints", "mapped"])
@given(X=st.lists(sentences, max_size=4))
def test_many_sentences(taggers, name, X):
    tagger = taggers[name]
    assert outcome(tagger.predict, X) == outcome(clear(tagger).predict, X)


@pytest.mark.parametrize("name", ["crf", "constraints", "whole numbers", "perceptron", "mapped"])
def test_usual_sentences_take_the_short_way(taggers, name):
    short_way = taggers[name]._attribute_tagger
    for sentence in (
        [{"w": "the", "cap": True, "len": 3, "p": 0.5, "in": {"a": {"b": "c"}, "s": {"x", "y"}, "l": ["x"]}}],
        [["a", "b"], ("w:the",), {"a"}, frozenset({"b"}), [], {}],
        ({b"w": b"the", "n": np.float64(0.5), "i": np.int64(2), "t": np.bool_(1)},),
    ):
        assert short_way.tag(sentence) == clear(taggers[name]).tag(sentence)


@pytest.mark.parametrize("name", ["crf", "constraints", "perceptron"])
@given(sentence=st.lists(st.dictionaries(texts, usual, max_size=6), min_size=1, max_size=6))
def test_no_path_is_better(taggers, name, sentence):  # eq:linear-score, eq:viterbi
    tagger = taggers[name]
    trellis = tagger.trellis(sentence)
    found = trellis.score(tagger.tag(sentence))
    assert found == pytest.approx(inference.viterbi(trellis).score, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("length", [1, 63, 64, 65, 1023, 1024, 1025, 5000])
def test_any_length(taggers, length):
    rng = np.random.default_rng(length)
    names = ["a", "b", "w:the", "a:b", "new"]
    sentence = [
        {name: 1 + n for n, name in enumerate(rng.permutation(names)[:3].tolist())} for _ in range(length)
    ]
    tagger = taggers["crf"]
    expected = clear(tagger).tag(sentence)
    assert tagger.tag(sentence) == expected
    assert tagger.predict([sentence, [], sentence], threads=2) == [expected, [], expected]


def test_a_token_with_many_attributes(taggers):
    sentence = [{f"x{i}": "y" for i in range(20_000)} | {"w": "the"}, ["a"] * 20_000]
    assert taggers["crf"].tag(sentence) == clear(taggers["crf"]).tag(sentence)


def test_dicts_in_themselves_are_refused(taggers):
    item: dict = {"w": "the"}
    item["again"] = item
    kind, message, _ = outcome(taggers["crf"].tag, [item])
    assert issubclass(kind, SeqlabError)
    assert "nested too deeply" in message


def test_labels_are_the_same_objects(taggers):
    tagger = taggers["crf"]
    one, two = tagger.tag([["a"]]), tagger.tag([["a"]])
    assert one[0] is two[0]
    one.append("mine")
    assert tagger.tag([["a"]]) == two


def test_nothing_is_kept_and_nothing_lost(taggers):
    tagger = taggers["constraints"]
    key, value, nested = "a key " * 3, "a value " * 3, {"inner " * 3: "text " * 3}
    sentence = [{key: value, "n": nested, "s": {value}, "bad": "x"}, [value]]
    broken = [*sentence, {key: object()}]

    def asked():
        label = tagger.tag(sentence)[0]
        tagger.predict([sentence, sentence])
        tagger._attribute_tagger.tag(broken)
        tagger._attribute_tagger.tag_all([sentence, broken], 1)
        return [key, value, nested, sentence, sentence[0], label]

    gc.collect()  # other tests may have left labels behind
    counts = [sys.getrefcount(one) for one in asked()]
    tracemalloc.start()
    try:
        asked()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(300):
            asked()
        assert tracemalloc.get_traced_memory()[0] - before < 3000
    finally:
        tracemalloc.stop()
    assert [sys.getrefcount(one) for one in asked()] == counts


def test_threads_share_a_tagger(taggers):
    tagger = taggers["crf"]
    rng = np.random.default_rng(1)
    X = [[{"w": "the", "a": n, "len": t} for t in range(n)] for n in rng.integers(1, 30, 40).tolist()]
    expected = [clear(tagger).tag(x) for x in X]
    right = []

    def work():
        right.extend(
            [[tagger.tag(x) for x in X] == expected == tagger.predict(X, threads=2) for _ in range(20)]
        )

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert right == [True] * 80


def test_collections_of_garbage_wait(taggers):
    """A finaliser that changes the sentence, at the moment when a list of labels is made."""
    tagger = taggers["crf"]
    sentence = [{"a": 1, "s": {"a", "b"}} for _ in range(10)]

    class Bomb:
        def __del__(self):
            sentence.clear()

    expected = tagger.tag(list(sentence))
    old = gc.get_threshold()
    gc.set_threshold(1)
    try:
        bomb = Bomb()
        bomb.me = bomb
        del bomb
        assert tagger.tag(sentence) in (expected, [])
    finally:
        gc.set_threshold(*old)


@pytest.mark.parametrize("name", ["ids", "places", "label", "rows", "weights", "attributes.slots"])
def test_altered_tables_give_some_labels(taggers, name):
    """A model file may be changed while it is mapped."""
    tables = taggers["crf"].fit_.tables()
    rng = np.random.default_rng(0)
    for _ in range(20):
        arrays = {one: np.array(array) for one, array in tables.arrays.items()}
        noise = rng.integers(0, 256, arrays[name].nbytes, dtype=np.uint8).view(arrays[name].dtype)
        some = rng.random(len(noise)) < rng.choice([0.1, 1.0])
        arrays[name][some] = noise[some]
        tagger = _core.AttributeTagger(arrays, ["0", "1", "2"], tables.edge, tables.start, tables.end)
        sentence = data()[0][0]
        assert set(tagger.tag(sentence) or []) <= {"0", "1", "2"}
        assert len(tagger.tag_all([sentence] * 3, 2) or [1, 2, 3]) == 3
