"""The sequence that a pycrfsuite.Tagger was given: answers of the core about it are those of the clear way."""

from __future__ import annotations

from collections import OrderedDict, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab.compat.pycrfsuite import ItemSequence, Tagger
from seqlab.compat.sklearn_crfsuite import CRF
from seqlab.errors import SeqlabError
from seqlab.foreign import crfsuite
from seqlab.foreign.parts import ForeignModel, Weighted

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


class Clear(Tagger):
    """A tagger without the way through the core."""

    def _asked_native(self):
        self._opened()


def clear(scale=1.0):
    tagger = Clear()
    tagger.open_inmemory(content(scale))
    tagger._model.fit_.__dict__["attribute_tagger"] = None
    return tagger


def outcome(question, *arguments):
    try:
        return question(*arguments)
    except (SeqlabError, ValueError, TypeError, RuntimeError) as error:
        return type(error), str(error)


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
    ours, theirs = opened(scale), clear(scale)
    assert ours.tag(first) == theirs.tag(first)
    ours.set(second)
    theirs.set(second)
    labels = theirs.tag()
    assert ours.tag() == labels
    assert ours.probability(labels) == pytest.approx(theirs.probability(labels), rel=1e-9, abs=1e-300)
    other = [*labels[1:], "rare"] if labels else []
    assert ours.probability(tuple(other)) == pytest.approx(theirs.probability(other), rel=1e-9, abs=1e-300)
    for t in range(len(labels)):
        for label in LABELS:
            assert ours.marginal(label, t) == pytest.approx(theirs.marginal(label, t), rel=1e-9, abs=1e-14)
    rows = ours.marginals(second)
    assert [list(row) for row in rows] == [list(LABELS)] * len(labels)
    for row, expected in zip(rows, theirs.marginals(second), strict=True):
        assert row == pytest.approx(expected, rel=1e-9, abs=1e-14)
    assert ours.tag_all([first, second, first]) == theirs.tag_all([first, second, first])
    assert ours.tag() == labels


@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        ("marginal", ("X", 2)),
        ("marginal", ("X", -1)),
        ("marginal", ("X", 10**30)),
        ("marginal", ("X", 1.0)),
        ("marginal", ("X", None)),
        ("marginal", ("X", True)),
        ("marginal", ("X", np.int64(1))),
        ("marginal", (b"X", 0)),
        ("marginal", (b"\xff", 0)),
        ("marginal", (type("Label", (str,), {})("X"), 0)),
        ("marginal", ("unknown", 0)),
        ("marginal", ("\ud800", 0)),
        ("marginal", (None, 0)),
        ("marginal", (["X"], 0)),
        ("probability", (["X"],)),
        ("probability", (["X", "unknown"],)),
        ("probability", (["X", None],)),
        ("probability", ([b"X", "Y"],)),
        ("probability", ("XY",)),
        ("probability", (iter(["X", "Y"]),)),
        ("probability", (None,)),
        ("probability", ([],)),
        ("tag", ("ab",)),
        ("tag", (3,)),
        ("tag", ([None],)),
        ("tag", ([{"a": None}],)),
        ("set", ([{"a"}, "b"],)),
        ("set", (None,)),
    ],
)
@pytest.mark.parametrize("sequence", [[["a"], {"n": 2}], [], None])
def test_odd_questions(question, arguments, sequence):
    ours, theirs = opened(), clear()
    for tagger in (ours, theirs):
        if sequence is not None:
            tagger.set(sequence)
    if isinstance(arguments[0], type(iter([]))):
        found = [outcome(getattr(tagger, question), iter(["X", "Y"])) for tagger in (ours, theirs)]
    else:
        found = [outcome(getattr(tagger, question), *arguments) for tagger in (ours, theirs)]
    assert found[0] == (pytest.approx(found[1]) if isinstance(found[1], float) else found[1])


def test_a_sequence_stays_as_it_was_set():
    item = {"a": 1.0, "w": "the"}
    for tagger in (opened(), clear()):
        tagger.set([item, {"n": 2}])
        before = tagger.marginal("X", 0), tagger.tag()
        item["b"] = 5.0
        tagger._found = None
        assert (tagger.marginal("X", 0), tagger.tag()) == before
        del item["b"]


def test_a_sequence_that_cannot_be_read_leaves_the_one_before():
    tagger = opened()
    tagger.set([["a"], ["b"]])
    before = tagger.tag(), tagger.marginal("X", 1)
    with pytest.raises(SeqlabError):
        tagger.set([["a"], "b"])
    assert (tagger.tag(), tagger.marginal("X", 1)) == before


def test_dicts_of_other_classes_are_read_in_the_core_too():
    tagger = opened()
    tagger.set([OrderedDict(a=defaultdict(str, b=OrderedDict(c=1.0), n=["x"])), {"w": "the"}.keys()])
    assert tagger._tokens is None
    assert tagger.marginal("X", 0) == pytest.approx(clear_marginal([{"a:b:c": 1.0, "a:n:x": 1.0}, ["w"]]))


def test_a_dict_that_contains_itself_is_refused():
    item = {"a": "b"}
    item["again"] = item
    for tagger in (opened(), clear()):
        with pytest.raises(SeqlabError, match="nested too deeply"):
            tagger.tag([item])


def clear_marginal(sequence):
    tagger = clear()
    tagger.set(sequence)
    return tagger.marginal("X", 0)


@pytest.mark.parametrize("length", [1024, 1025, 3000])
def test_a_long_sequence_has_the_same_answers(length):
    sequence = [{"a": t % 3, "w": "the", "n": t % 5} for t in range(length)]
    ours, theirs = opened(), clear()
    labels = theirs.tag(sequence)
    assert ours.tag(sequence) == labels
    assert ours.tag() == labels
    assert ours.marginal("X", length - 1) == pytest.approx(theirs.marginal("X", length - 1), rel=1e-9)
    assert ours.probability(labels) == pytest.approx(theirs.probability(labels), rel=1e-9)


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
