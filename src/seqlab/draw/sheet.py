"""Contents of drawings of a trellis: which labels, which positions, and the score in each cell.

The cell (t, y) holds the score of the best way into it, δ_t(y): the best path of the first t + 1
positions that ends in y. The label before y on that path is the cell's back pointer. (For order 2 or 3
a path is not found by following single back pointers; the pointer is still the best last move.)
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from seqlab import inference
from seqlab.errors import ImpossibleError, ShapeError
from seqlab.trellis import Constraints, Trellis
from seqlab.views.text import printable


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


class Cell(NamedTuple):
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
