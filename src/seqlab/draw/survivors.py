"""The numbers in the cells of a drawn trellis, asked of the library.

The cell (t, y) holds the score of the best way into it, δ_t(y): the best path of the first t + 1
positions that ends in y. The label before y on that path is the cell's back pointer. (For order 2 or 3
a path is not found by following single back pointers; the pointer is still the best last move.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from seqlab import inference
from seqlab.errors import ImpossibleError
from seqlab.trellis import Constraints, Trellis


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
