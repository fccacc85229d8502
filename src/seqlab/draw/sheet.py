"""Contents of a drawing of a trellis: which labels, which positions, and the score in each cell.

The cell (t, y) holds the score of the best way into it, δ_t(y): the best path of the first t + 1
positions that ends in y. The label before y on that path is the cell's back pointer. (For order 2 or 3
a path is not found by following single back pointers; the pointer is still the best last move.)
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seqlab import inference
from seqlab.errors import ImpossibleError, ShapeError
from seqlab.trellis import Constraints, Trellis
from seqlab.views.canvas import Ink, Style
from seqlab.views.text import align_points, clip, printable

MAX_NAME = 16  # screen columns of a label's name


@dataclass(frozen=True, slots=True)
class Column:
    """One position. Rows are numbered as in the sheet; `came_from` holds label ids.

    values   text of each cell, "" where no path arrives
    path     the row on the highlighted path, `best` the row of the best path that ends here
    """

    head: str
    values: tuple[str, ...]
    came_from: tuple[int | None, ...]
    path: int | None
    best: int | None

    def texts(self) -> list[str]:
        """Write the values with their decimal points under each other, and * after the best."""
        return align_points([value + "*" * (row == self.best) for row, value in enumerate(self.values)])

    def ink(self, row: int) -> Ink:
        """Return the ink of one cell."""
        if row in (self.path, self.best):
            return Ink.PATH if row == self.path else Ink.BEST
        return Ink.TEXT if self.values[row] else Ink.FAINT


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything in a drawing but its layout."""

    ids: list[int]  # the label id of each row
    names: list[str]  # the name of every label, shown or not
    columns: list[Column]
    ends: bool  # whether the last column is the last position
    left_out: list[str]  # notes on what is not shown


def make_sheet(
    trellis: Trellis,
    tokens: Sequence[str] | None,
    path: Sequence[int | str] | None,
    style: Style,
    *,
    max_labels: int,
    max_positions: int,
) -> Sheet:
    """Ask the library for every number that the drawing shows."""
    shown = min(trellis.T, max_positions)
    above = heads(tokens, trellis.T, shown)
    if path is not None and len(path) not in {0, trellis.T}:
        raise ShapeError(f"a path of {len(path)} labels given for a trellis of {trellis.T} positions")
    way = best_path(trellis) if path is None else [trellis.label_set.id(y) for y in path]
    ids = chosen_rows(prefix(trellis, shown), way[:shown], max_labels)
    columns = []
    for t in range(shown):
        cells = survivors(trellis, t, ids)
        came_from = [cell.came_from for cell in cells]
        on_path, best = (
            ids.index(some[-1]) if some and some[-1] in ids else None
            for some in (way[: t + 1], best_path(prefix(trellis, t + 1)))
        )
        if on_path is not None and t:
            came_from[on_path] = way[t - 1]
        values = ("" if cell.dead else style.number(cell.score) for cell in cells)
        columns.append(Column(above[t], tuple(values), tuple(came_from), on_path, best))
    names = (printable(str(y)) for y in trellis.labels or range(trellis.L))
    clipped = [clip(name, MAX_NAME, style.glyphs.ellipsis) for name in names]
    return Sheet(ids, clipped, columns, shown == trellis.T, not_shown(trellis, len(ids), shown))


def heads(tokens: Sequence[str] | None, length: int, shown: int) -> list[str]:
    """Return the words above the columns."""
    if tokens is None:
        return [str(t) for t in range(shown)]
    if len(tokens) != length:
        raise ShapeError(f"{len(tokens)} tokens given for a trellis of {length} positions")
    return [printable(token) for token in tokens[:shown]]


def not_shown(trellis: Trellis, labels: int, positions: int) -> list[str]:
    """Say how many labels and positions are left out of a drawing."""
    left_out = ((trellis.L - labels, "labels"), (trellis.T - positions, "positions"))
    return [f"{count} more {what} not shown" for count, what in left_out if count]


def best_path(trellis: Trellis) -> list[int]:
    """Return the label ids of the best path; none when there is no path."""
    with contextlib.suppress(ImpossibleError):
        return [int(y) for y in inference.viterbi(trellis).ids]
    return []


def chosen_rows(trellis: Trellis, path_ids: Sequence[int], max_labels: int) -> list[int]:
    """Choose the labels to show: those of the path, then the most probable anywhere."""
    if max_labels >= trellis.L:
        return list(range(trellis.L))
    try:
        merit = inference.posterior(trellis).node.max(axis=0, initial=0.0)
    except ImpossibleError:
        merit = trellis.node.max(axis=0, initial=-np.inf)
    by_merit = np.argsort(-merit, kind="stable").tolist()
    return sorted(list(dict.fromkeys([*path_ids, *by_merit]))[:max_labels])


@dataclass(frozen=True, slots=True)
class Cell:
    """The best way into one label at one position; score -inf when there is none."""

    score: float = -math.inf
    came_from: int | None = None

    @property
    def dead(self) -> bool:
        """Tell whether no path reaches this cell."""
        return self.score == -math.inf


def prefix(trellis: Trellis, length: int) -> Trellis:
    """Return the first `length` positions of a trellis."""
    edge = trellis.edge[: max(length - trellis.order, 0)] if trellis.per_position else trellis.edge
    return Trellis(
        trellis.node[:length],
        edge,
        order=trellis.order,
        head=trellis.head,
        labels=trellis.labels,
        constraints=Constraints(allowed={t: ids for t, ids in trellis.allowed.items() if t < length}),
    )


def survivors(trellis: Trellis, t: int, rows: list[int]) -> list[Cell]:
    """Compute the cells of these labels at position t."""
    seen, cells = prefix(trellis, t + 1), []
    for y in rows:
        cell = Cell()
        if t not in seen.allowed or y in seen.allowed[t]:
            with contextlib.suppress(ImpossibleError):
                best = inference.viterbi(seen.constrain(known={t: y}))
                cell = Cell(best.score, int(best.ids[t - 1]) if t else None)
        cells.append(cell)
    return cells
