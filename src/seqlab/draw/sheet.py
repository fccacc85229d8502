"""What there is to draw of a trellis: which labels, which positions, and what each cell says.

The cell (t, y) holds the score of the best way into it, δ_t(y): the best path of the first t + 1
positions that ends in y. The label before y on that path is the cell's back pointer. (For order 2 or 3
a path is not found by following single back pointers; the pointer is still the best last move.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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

    values   what each cell says, "" where no path arrives
    path     the row on the highlighted path, `best` the row of the best path that ends here
    """

    head: str
    values: tuple[str, ...]
    came_from: tuple[int | None, ...]
    path: int | None
    best: int | None

    def texts(self) -> list[str]:
        """The values with their decimal points under each other, and * after the best."""
        return align_points([value + "*" * (row == self.best) for row, value in enumerate(self.values)])


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything in a drawing but its layout."""

    ids: tuple[int, ...]  # the label id of each row
    names: tuple[str, ...]  # the name of every label, shown or not
    columns: tuple[Column, ...]
    ends: bool  # whether the last column is the last position
    left_out: tuple[str, ...]  # notes on what is not shown

    @property
    def complete(self) -> bool:
        """True when every label has a row, so that every line has two ends."""
        return len(self.ids) == len(self.names)


def cell_ink(column: Column, row: int) -> Ink:
    """The ink of one cell."""
    if row == column.path:
        return Ink.PATH
    if row == column.best:
        return Ink.BEST
    return Ink.TEXT if column.values[row] else Ink.FAINT


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
    names = [printable(str(y)) for y in trellis.labels or range(trellis.L)]
    above = heads(tokens, trellis.T, shown)
    path_ids = _path_ids(trellis, path, shown)
    ids = chosen_rows(prefix(trellis, shown), path_ids, max_labels)
    columns = (_column(trellis, t, above[t], ids, path_ids, style.number) for t in range(shown))
    left_out = ((trellis.L - len(ids), "labels"), (trellis.T - shown, "positions"))
    notes = tuple(f"{count} more {what} not shown" for count, what in left_out if count)
    clipped = tuple(clip(name, MAX_NAME, style.glyphs.ellipsis) for name in names)
    return Sheet(tuple(ids), clipped, tuple(columns), shown == trellis.T, notes)


def heads(tokens: Sequence[str] | None, length: int, shown: int) -> list[str]:
    """What stands above the columns."""
    if tokens is None:
        return [str(t) for t in range(shown)]
    if len(tokens) != length:
        raise ShapeError(f"{len(tokens)} tokens given for a trellis of {length} positions")
    return [printable(token) for token in tokens[:shown]]


def _path_ids(trellis: Trellis, path: Sequence[int | str] | None, shown: int) -> list[int]:
    """The ids of the path to highlight, as far as shown; empty when there is none."""
    if path is None:
        try:
            return [int(y) for y in inference.viterbi(trellis).ids[:shown]]
        except ImpossibleError:
            return []
    if len(path) not in {0, trellis.T}:
        raise ShapeError(f"a path of {len(path)} labels given for a trellis of {trellis.T} positions")
    return [trellis.label_set.id(y) for y in path[:shown]]


def chosen_rows(trellis: Trellis, path_ids: Sequence[int], max_labels: int) -> list[int]:
    """The labels to show: those of the path, then the most probable anywhere."""
    if max_labels >= trellis.L:
        return list(range(trellis.L))
    try:
        merit = inference.posterior(trellis).node.max(axis=0, initial=0.0)
    except ImpossibleError:
        merit = trellis.node.max(axis=0, initial=-np.inf)
    by_merit = [int(y) for y in np.argsort(-merit, kind="stable")]
    return sorted(list(dict.fromkeys([*path_ids, *by_merit]))[:max_labels])


def _column(
    trellis: Trellis,
    t: int,
    head: str,
    ids: list[int],
    path_ids: list[int],
    number: Callable[[float], str],
) -> Column:
    cells = survivors(trellis, t, ids)
    came_from = [cell.came_from for cell in cells]
    on_path = ids.index(path_ids[t]) if path_ids and path_ids[t] in ids else None
    if on_path is not None and t:
        came_from[on_path] = path_ids[t - 1]
    return Column(
        head=head,
        values=tuple("" if cell.dead else number(cell.score) for cell in cells),
        came_from=tuple(came_from),
        path=on_path,
        best=_best_row(trellis, t, ids),
    )


def _best_row(trellis: Trellis, t: int, ids: list[int]) -> int | None:
    try:
        best = int(inference.viterbi(prefix(trellis, t + 1)).ids[-1])
    except ImpossibleError:
        return None
    return ids.index(best) if best in ids else None


# ---------------------------------------------------------------- the numbers in the cells


@dataclass(frozen=True, slots=True)
class Cell:
    """The best way into one label at one position; score -inf when there is none."""

    score: float
    came_from: int | None

    @property
    def dead(self) -> bool:
        """True when no path reaches this cell."""
        return self.score == -math.inf


def prefix(trellis: Trellis, length: int) -> Trellis:
    """The first `length` positions of a trellis."""
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
    """The cells of these labels at position t."""
    seen = prefix(trellis, t + 1)
    return [_cell(seen, t, y) for y in rows]


def _cell(seen: Trellis, t: int, y: int) -> Cell:
    if t in seen.allowed and y not in seen.allowed[t]:
        return Cell(-math.inf, None)
    try:
        best = inference.viterbi(seen.constrain(known={t: y}))
    except ImpossibleError:
        return Cell(-math.inf, None)
    return Cell(best.score, int(best.ids[t - 1]) if t else None)
