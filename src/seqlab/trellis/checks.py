"""Checks of shapes and sizes of score arrays, with their error messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from seqlab.arrays import Scores, as_scores, check_scores, contiguous
from seqlab.errors import OptionError, ScoreError, ShapeError

HIGHEST_ORDER = 3


class Tables(NamedTuple):
    """Checked scores of one dtype."""

    node: Scores
    edge: Scores
    head: tuple[Scores, ...]
    per_position: bool


def check_order(order: int) -> int:
    """Check that the order is 1, 2 or 3."""
    whole = isinstance(order, (int, np.integer)) and not isinstance(order, bool)
    if not whole or order not in range(1, HIGHEST_ORDER + 1):
        raise OptionError(f"order must be 1, 2 or {HIGHEST_ORDER}, got {order!r}")
    return int(order)


def as_rows(node: npt.ArrayLike) -> Scores:
    """Check that node scores have two axes."""
    rows = as_scores(node, "node")
    if rows.ndim != 2:
        raise ShapeError(f"node scores have shape {rows.shape}, but two axes (positions, labels) are wanted")
    return rows


def check_tables(
    node: Scores, edge: npt.ArrayLike, order: int, head: Sequence[npt.ArrayLike], slabs: int, longest: int
) -> Tables:
    """Check everything about the numbers of a trellis.

    slabs     expected number of per-position edge slabs
    longest   positions of the longest sequence, to check if a path's score can overflow
    """
    if node.shape[1] < 1:
        raise ShapeError(f"node scores have shape {node.shape}, but at least one label is needed")
    size = node.shape[1]
    moves, per_position = _shaped_edge(as_scores(edge, "edge"), size, order, slabs)
    return _one_dtype(Tables(node, moves, _shaped_heads(head, order, size), per_position), longest)


def _shaped_edge(edge: Scores, size: int, order: int, slabs: int) -> tuple[Scores, bool]:
    cube = (size,) * (order + 1)
    if edge.shape == cube:
        return edge, False
    if edge.ndim == order + 2 and edge.shape[1:] == cube and edge.shape[0] in (1, slabs):
        return (edge, True) if edge.shape[0] == slabs else (edge[0], False)
    hint = ""
    for other in range(1, HIGHEST_ORDER + 1):
        if other != order and edge.ndim in (other + 1, other + 2) and set(edge.shape[-other - 1 :]) == {size}:
            hint = f"; for a trellis of order {other} pass order={other}"
            break
    raise ShapeError(
        f"edge scores have shape {edge.shape}, but {size} labels and order {order} need {cube} when every position "
        f"shares them, or {(slabs, *cube)} with one slab per position from {order} on{hint}"
    )


def _shaped_heads(head: Sequence[npt.ArrayLike] | None, order: int, size: int) -> tuple[Scores, ...]:
    given = (head,) if isinstance(head, np.ndarray) and head.ndim == 2 else () if head is None else head
    if len(given) >= order and len(given) > 0:
        raise ShapeError(
            f"head has {len(given)} tensors, but a trellis of order {order} has room for {order - 1}"
        )
    heads = tuple(as_scores(value, f"head[{i}]") for i, value in enumerate(given))
    for i, tensor in enumerate(heads):
        if tensor.shape != (size,) * (i + 2):
            raise ShapeError(
                f"head[{i}] has shape {tensor.shape}, but the moves arriving at position {i + 1} need "
                f"{(size,) * (i + 2)}"
            )
    return heads


def _one_dtype(tables: Tables, longest: int) -> Tables:
    """Convert all arrays to one dtype that can hold the score of a whole path."""
    arrays = (tables.node, tables.edge, *tables.head)
    names = ("node", "edge", *(f"head[{i}]" for i in range(len(tables.head))))
    largest = sum(map(check_scores, arrays, names))
    reach = largest * max(longest, 1)
    if not reach < float(np.finfo(np.float64).max) / 4:
        raise ScoreError(
            f"scores as large as {largest:.3g} would overflow when {longest} positions are added up; "
            f"scale them down, and write -inf (not a large negative number) for what is forbidden"
        )
    small = all(x.dtype == np.float32 for x in arrays) and reach < float(np.finfo(np.float32).max) / 4
    dtype: type[np.floating[Any]] = np.float32 if small else np.float64
    node, edge, *head = (contiguous(x, dtype=dtype) for x in arrays)
    return Tables(node, edge, tuple(head), tables.per_position)
