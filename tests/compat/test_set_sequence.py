"""The sequence that a pycrfsuite.Tagger was given: answers of the core about it are those of the clear way."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab.compat.pycrfsuite import ItemSequence, Tagger
from seqlab.compat.pycrfsuite.items import listed
from seqlab.compat.sklearn_crfsuite import CRF
from seqlab.errors import CorpusError, SeqlabError
from seqlab.foreign import crfsuite
from seqlab.foreign.converting import tagger_of
from seqlab.foreign.parts import ForeignModel, Weighted
from seqlab.inference import posterior, viterbi

ATTRIBUTES = ["a", "b", "w:the", "n", "a:b:c", "ü"]
LABELS = ("X", "Y", "Ü", "rare")


def content(scale=1.0, seed=0):
    """A model file."""
    rng = np.random.default_rng(seed)
    K, L = len(ATTRIBUTES), len(LABELS)
    pairs = np.argwhere(rng.random((K, L)) < 0.6)
    node = Weighted(ATTRIBUTES, pairs[:, 0], pairs[:, 1], scale * rng.normal(size=len(pairs)))
    return crfsuite.written(
        ForeignModel("CRFsuite", LABELS, node, scale * rng.normal(size=(L, L)), np.ones((L, L), dtype=bool))
    )


def opened(scale=1.0):
    tagger = Tagger()
    tagger.open_inmemory(content(scale))
    return tagger


class Clear:
    """Answers of the converted model, through trellises."""

    def __init__(self, scale=1.0):
        self.model = tagger_of(crfsuite.read(content(scale), "utf-8"))

    def set(self, sequence):
        tokens = listed(sequence)
        self.trellis = self.model.trellis(tokens) if tokens else None

    def tag(self):
        return list(viterbi(self.trellis).labels) if self.trellis else []

    def probability(self, labels):
        if self.trellis is None:
            return 0.0
        path = [LABELS.index(label) for label in labels]
        return math.exp(min(self.trellis.score(path) - posterior(self.trellis).log_z, 0.0))

    def marginals(self):
        if self.trellis is None:
            return []
        return [dict(zip(LABELS, row, strict=True)) for row in posterior(self.trellis).node.tolist()]


texts = st.sampled_from([*ATTRIBUTES, "the", "new", ""])
values = st.one_of(texts, st.booleans(), st.integers(-2, 3), st.floats(-2, 2), st.lists(texts, max_size=2))
items = st.one_of(
    st.dictionaries(texts, st.one_of(values, st.dictionaries(texts, values, max_size=2)), max_size=4),
    st.lists(texts, max_size=4),
    st.sets(texts, max_size=3),
    st.dictionaries(texts, texts, max_size=3).map(OrderedDict),
    st.dictionaries(texts, st.dictionaries(texts, values, max_size=2).map(OrderedDict), max_size=2),
    st.dictionaries(texts, texts, max_size=3).map(dict.keys),
)
sequences = st.one_of(st.lists(items, max_size=6), st.lists(items, max_size=4).map(ItemSequence))


@pytest.mark.parametrize("scale", [1.0, 300.0, 1e4])
@given(first=sequences, second=sequences)
def test_answers_are_those_of_the_clear_way(scale, first, second):
    ours, clear = opened(scale), Clear(scale)
    clear.set(first)
    before = clear.tag()
    assert ours.tag(first) == before
    ours.set(second)
    clear.set(second)
    labels = clear.tag()
    assert ours.tag() == labels
    assert ours.probability(labels) == pytest.approx(clear.probability(labels), rel=1e-9, abs=1e-300)
    other = [*labels[1:], "rare"] if labels else []
    assert ours.probability(tuple(other)) == pytest.approx(clear.probability(other), rel=1e-9, abs=1e-300)
    expected = clear.marginals()
    for t, row in enumerate(expected):
        for label in LABELS:
            assert ours.marginal(label, t) == pytest.approx(row[label], rel=1e-9, abs=1e-14)
    rows = ours.marginals(second)
    assert [list(row) for row in rows] == [list(LABELS)] * len(labels)
    for row, one in zip(rows, expected, strict=True):
        assert row == pytest.approx(one, rel=1e-9, abs=1e-14)
    assert ours.tag_all([first, second, first]) == [before, labels, before]
    assert ours.tag() == labels


class Label(str):
    """A string of another class."""

    __slots__ = ()

    def __str__(self):
        return "something else"


@pytest.mark.parametrize(
    ("question", "arguments", "expected"),
    [
        ("marginal", ("X", 2), ValueError),
        ("marginal", ("X", -1), ValueError),
        ("marginal", ("X", 10**30), ValueError),
        ("marginal", ("X", 1.0), ("X", 1)),
        ("marginal", ("X", None), TypeError),
        ("marginal", ("X", True), ("X", 1)),
        ("marginal", ("X", np.int64(1)), ("X", 1)),
        ("marginal", (b"X", 0), ("X", 0)),
        ("marginal", (b"\xff", 0), UnicodeDecodeError),
        ("marginal", (Label("X"), 0), ("X", 0)),
        ("marginal", ("unknown", 0), RuntimeError),
        ("marginal", ("\ud800", 0), RuntimeError),
        ("marginal", (None, 0), TypeError),
        ("marginal", (["X"], 0), TypeError),
        ("probability", (["X"],), ValueError),
        ("probability", (["X", "unknown"],), RuntimeError),
        ("probability", (["X", None],), TypeError),
        ("probability", ([b"X", "Y"],), (["X", "Y"],)),
        ("probability", ([Label("X"), "Y"],), (["X", "Y"],)),
        ("probability", ("XY",), (["X", "Y"],)),
        ("probability", ({"X": 0, "Y": 1},), (["X", "Y"],)),
        ("probability", (None,), TypeError),
        ("probability", ([],), ValueError),
        ("tag", ("ab",), CorpusError),
        ("tag", (3,), CorpusError),
        ("tag", ([None],), CorpusError),
        ("tag", ([{"a": None}],), CorpusError),
        ("set", ([{"a"}, "b"],), CorpusError),
        ("set", (None,), CorpusError),
    ],
)
def test_odd_questions(question, arguments, expected):
    tagger = opened()
    tagger.set([["a"], {"n": 2}])
    asked = getattr(tagger, question)
    if isinstance(expected, tuple):
        assert asked(*arguments) == asked(*expected) > 0
    else:
        with pytest.raises(expected):
            asked(*arguments)


@pytest.mark.parametrize("empty", [False, True])
def test_no_sequence(empty):
    tagger = opened()
    if empty:
        tagger.set([["a"]])
        tagger.set([])
    assert tagger.tag() == []
    assert tagger.probability(["X"]) == tagger.probability([]) == tagger.marginal("X", 0) == 0.0
    with pytest.raises(TypeError):
        tagger.marginal(None, 0)


@pytest.mark.parametrize("asked", [False, True])
def test_a_sequence_stays_as_it_was_set(asked):
    item, clear, tagger = {"a": 1.0, "w": "the"}, Clear(), opened()
    clear.set([item, {"n": 2}])
    tagger.set([item, {"n": 2}])
    if asked:
        tagger.marginal("X", 0)
    item["b"] = 5.0
    assert tagger.marginal("X", 0) == pytest.approx(clear.marginals()[0]["X"])
    assert tagger.tag() == clear.tag()


def test_a_sequence_that_cannot_be_read_leaves_the_one_before():
    tagger = opened()
    tagger.set([["a"], ["b"]])
    before = tagger.tag(), tagger.marginal("X", 1)
    with pytest.raises(SeqlabError):
        tagger.set([["a"], "b"])
    assert (tagger.tag(), tagger.marginal("X", 1)) == before


def test_dicts_of_other_classes():
    tagger, clear = opened(), Clear()
    tagger.set([OrderedDict(a=defaultdict(str, b=OrderedDict(c=1.0), n=["x"])), {"w": "the"}.keys()])
    clear.set([{"a:b:c": 1.0, "a:n:x": 1.0}, ["w"]])
    assert tagger.marginal("X", 0) == pytest.approx(clear.marginals()[0]["X"])


def test_values_of_other_classes_that_meet_in_one_attribute_are_added():
    tagger, clear = opened(), Clear()
    tagger.set([{"a": {"b:c": Fraction(1, 2)}, "a:b": {"c": Fraction(3, 2)}}])
    clear.set([{"a:b:c": 2.0}])
    assert tagger.marginals([{"a:b:c": 2.0}])[0] == pytest.approx(clear.marginals()[0])
    tagger.set([{"a": {"b:c": Fraction(1, 2)}, "a:b": {"c": Fraction(3, 2)}}])
    assert tagger.marginal("X", 0) == pytest.approx(clear.marginals()[0]["X"])


def test_a_dict_that_contains_itself_is_refused():
    item = {"a": "b"}
    item["again"] = item
    with pytest.raises(SeqlabError, match="nested too deeply"):
        opened().tag([item])


@pytest.mark.parametrize("length", [1024, 1025, 3000])
def test_a_long_sequence_has_the_same_answers(length):
    sequence = [{"a": t % 3, "w": "the", "n": t % 5} for t in range(length)]
    ours, clear = opened(), Clear()
    clear.set(sequence)
    labels = clear.tag()
    assert ours.tag(sequence) == ours.tag() == labels
    assert ours.marginal("X", length - 1) == pytest.approx(clear.marginals()[-1]["X"], rel=1e-9)
    assert ours.probability(labels) == pytest.approx(clear.probability(labels), rel=1e-9)


def test_threads_share_a_tagger():
    X = [[{"w": "the", "a": n % 3, "n": t} for t in range(n)] for n in (1, 3, 9, 40, 6000)]
    tagger = opened()
    expected = [Tagger.tag(tagger, x) for x in X]
    right = []

    def work():
        right.extend([tagger.tag(x) for x in X] == expected for _ in range(10))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert right == [True] * 40


def test_nothing_was_opened():
    tagger = opened()
    tagger.tag([["a"]])
    tagger.close()
    for question in (
        tagger.tag,
        lambda: tagger.tag([["a"]]),
        lambda: tagger.marginal("X", 0),
        lambda: tagger.set([]),
    ):
        with pytest.raises(ValueError, match="not opened"):
            question()


def test_predict_takes_what_is_no_list(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(content())
    crf = CRF(model_filename=str(path))
    X = [[["a"], {"n": 2}], [{"w": "the"}], []]
    expected = [crf.predict_single(x) for x in X]
    for given_ in (X, tuple(X), iter(X), (ItemSequence(x) for x in X)):
        assert [list(labels) for labels in crf.predict(given_)] == expected
