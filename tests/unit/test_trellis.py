"""Trellis: what it accepts, keeps and refuses."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from seqlab import Trellis
from seqlab.errors import DtypeError, LabelError, OptionError, ScoreError, ShapeError

NODE = np.zeros((5, 3))
EDGE = np.zeros((3, 3))


def test_trellis_knows_its_sizes() -> None:
    trellis = Trellis(NODE, EDGE, labels=["a", "b", "c"])
    assert (trellis.T, trellis.L, trellis.order) == (5, 3, 1)
    assert trellis.labels == ("a", "b", "c")
    assert trellis.allowed == {}
    assert Trellis(NODE, EDGE).labels is None
    assert Trellis(NODE, np.zeros((3, 3, 3)), order=2).order == 2
    assert Trellis(NODE, np.zeros((2, 3, 3, 3, 3)), order=3).order == 3


@pytest.mark.parametrize(
    ("node", "edge", "kept"),
    [
        (np.float32, np.float32, np.float32),
        (np.float64, np.float64, np.float64),
        (np.float32, np.float64, np.float64),
        (np.float64, np.float32, np.float64),
        (np.int64, np.int32, np.float64),
        (np.float16, np.float16, np.float32),
        (bool, np.float64, np.float64),
    ],
)
def test_trellis_keeps_single_and_double_precision(node: type, edge: type, kept: type) -> None:
    if node is bool or node is np.float16:
        try:
            trellis = Trellis(NODE.astype(node), EDGE.astype(edge))
        except DtypeError:
            return
        assert trellis.dtype in (np.float32, np.float64)
        return
    trellis = Trellis(NODE.astype(node), EDGE.astype(edge))
    assert trellis.dtype == kept
    assert trellis.node.dtype == trellis.edge.dtype == kept


def test_trellis_is_frozen() -> None:
    node = NODE.copy()
    trellis = Trellis(node, EDGE)
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        trellis.node = node  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        trellis.extra = 1  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="read-only"):
        trellis.node[0, 0] = 1.0


def test_trellis_folds_start_and_stop_into_the_rows() -> None:
    start, stop = np.array([1.0, 2, 3]), np.array([10.0, 20, 30])
    trellis = Trellis(NODE, EDGE, start=start, stop=stop)
    assert trellis.node[0].tolist() == [1, 2, 3]
    assert trellis.node[-1].tolist() == [10, 20, 30]
    assert Trellis(NODE[:1], EDGE, start=start, stop=stop).node.tolist() == [[11, 22, 33]]
    assert NODE.sum() == 0


@pytest.mark.parametrize(
    ("node", "edge", "options", "words"),
    [
        (np.zeros(3), EDGE, {}, [r"\(3,\)"]),
        (np.zeros((2, 2, 2)), EDGE, {}, [r"\(2, 2, 2\)"]),
        (NODE, np.zeros((2, 2)), {}, [r"\(2, 2\)", r"\(3, 3\)"]),
        (NODE, np.zeros((3, 3, 3)), {}, [r"\(3, 3, 3\)", "order"]),
        (NODE, np.zeros((3, 3, 3, 3)), {}, [r"\(3, 3, 3, 3\)", "order"]),
        (NODE, np.zeros((2, 3, 3)), {}, [r"\(2, 3, 3\)", r"\(4, 3, 3\)"]),
        (NODE, np.zeros((5, 3, 3)), {}, [r"\(5, 3, 3\)", r"\(4, 3, 3\)"]),
        (NODE, EDGE, {"order": 2}, [r"\(3, 3\)", r"\(3, 3, 3\)"]),
        (NODE, np.zeros((4, 3, 3, 3)), {"order": 2}, [r"\(4, 3, 3, 3\)", r"\(3, 3, 3, 3\)"]),
        (
            NODE,
            np.zeros((3, 3, 3)),
            {"order": 2, "head": [np.zeros((2, 2))]},
            [r"\(2, 2\)", r"\(3, 3\)", "head"],
        ),
        (NODE, EDGE, {"head": [np.zeros((3, 3))]}, ["head"]),
        (NODE, np.zeros((3, 3, 3)), {"order": 2, "head": [EDGE, np.zeros((3, 3, 3))]}, ["head"]),
        (NODE, EDGE, {"start": np.zeros(4)}, ["start", r"\(4,\)", r"\(3,\)"]),
        (NODE, EDGE, {"stop": np.zeros((1, 3))}, ["stop", r"\(1, 3\)", r"\(3,\)"]),
        (np.zeros((5, 0)), np.zeros((0, 0)), {}, ["label"]),
    ],
)
def test_trellis_refuses_a_wrong_shape(
    node: np.ndarray, edge: np.ndarray, options: dict, words: list[str]
) -> None:
    for word in words:
        with pytest.raises(ShapeError, match=word):
            Trellis(node, edge, **options)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("name", "cell"), [("node", (3, 1)), ("edge", (2, 0)), ("start", (1,)), ("stop", (2,)), ("head", (0, 1))]
)
def test_trellis_names_the_position_of_nan_and_infinity(
    name: str, cell: tuple[int, ...], bad: float, dtype: type
) -> None:
    order = 2 if name == "head" else 1
    arrays = {"node": NODE, "edge": np.zeros((3,) * (order + 1)), "start": np.zeros(3), "stop": np.zeros(3)}
    arrays = {key: value.astype(dtype) for key, value in arrays.items()}
    head = np.zeros((3, 3), dtype)
    (head if name == "head" else arrays[name])[cell] = bad
    with pytest.raises(ScoreError) as caught:
        Trellis(**arrays, order=order, head=[head] if order == 2 else ())
    message = str(caught.value)
    assert name in message
    assert ("nan" if np.isnan(bad) else "inf") in message.lower()
    assert all(str(index) in message for index in cell)


def test_trellis_names_the_position_of_nan_in_a_slab() -> None:
    edge = np.zeros((4, 3, 3))
    edge[2, 1, 0] = np.nan
    with pytest.raises(ScoreError, match=r"2, 1, 0"):
        Trellis(NODE, edge)


def test_trellis_accepts_minus_infinity() -> None:
    node = NODE.copy()
    node[2, 1] = -np.inf
    assert Trellis(node, EDGE).node[2, 1] == -np.inf


@pytest.mark.parametrize(
    "node", [NODE.astype(complex), NODE.astype(str), NODE.astype(object), [["a"]], [[None]]]
)
def test_trellis_refuses_what_is_not_a_number(node: object) -> None:
    with pytest.raises(DtypeError):
        Trellis(node, EDGE)
    with pytest.raises(TypeError):
        Trellis(node, EDGE)


@pytest.mark.parametrize("order", [0, 4, -1, 1.5, "2", None])
def test_trellis_refuses_an_unknown_order(order: object) -> None:
    with pytest.raises(OptionError, match="order"):
        Trellis(NODE, EDGE, order=order)  # type: ignore[arg-type]


@pytest.mark.parametrize("labels", [["a", "b"], ["a", "b", "c", "d"], ["a", "b", "a"], ["a", "b", 3], "abc"])
def test_trellis_refuses_labels_that_do_not_fit(labels: list) -> None:
    with pytest.raises((LabelError, ShapeError)):
        Trellis(NODE, EDGE, labels=labels)


def test_trellis_scores_a_path_of_names_or_ids() -> None:
    trellis = Trellis(np.arange(15.0).reshape(5, 3), np.arange(9.0).reshape(3, 3), labels=list("xyz"))
    assert trellis.score(["z"] * 5) == trellis.score([2] * 5) == 2 + 5 + 8 + 11 + 14 + 4 * 8


@pytest.mark.parametrize(
    ("path", "error"), [([0, 1], ShapeError), ([0] * 6, ShapeError), ([0, 1, 2, 3, 0], LabelError)]
)
def test_trellis_refuses_to_score_a_path_that_does_not_fit(path: list[int], error: type[Exception]) -> None:
    with pytest.raises(error):
        Trellis(NODE, EDGE).score(path)


@pytest.mark.parametrize("path", [[-1, 0, 0, 0, 0], ["a"] * 5, [0.5] * 5])
def test_trellis_refuses_to_score_labels_it_does_not_know(path: list) -> None:
    with pytest.raises(LabelError):
        Trellis(NODE, EDGE).score(path)


def test_trellis_shows_its_sizes_not_its_numbers() -> None:
    text = repr(Trellis(np.zeros((5000, 3)), EDGE))
    assert "5000" in text
    assert len(text) < 200
