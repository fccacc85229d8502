"""How probable a span of a type is, as in `span(2, 4, "PER")`, where labels are tags such as B-PER.

eq:typed-span   P(span) = Σ_w Σ_a Σ_b P(y_{i-1} = a, y_i .. y_{j-1} = w, y_j = b) over the labels w of the type
                without a border inside, a with a border to w, and b with a border from w
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from seqlab.errors import LabelError
from seqlab.tags.coding import parse
from seqlab.tags.reading import Pairs
from seqlab.tags.schemes import Role

Stretch = Callable[[int, int, Sequence[int]], float]  # P of labels at positions i .. j - 1
Bools = npt.NDArray[np.bool_]
SMALL_REST = 1e-3  # a difference this far below its terms has lost digits


@dataclass(frozen=True, slots=True, eq=False)
class Types:
    """Labels taken apart by conlleval's rules.

    of        {type: label numbers}
    borders   (L, L)   whether no span runs from one label to the next
    """

    of: dict[str, list[int]]
    borders: Bools

    @staticmethod
    def among(labels: Sequence[str]) -> Types:
        """The types that labels speak of."""
        table = parse(labels, None)
        role, kind = table.roles, table.types
        inside = table.readable & (role != int(Role.OUTSIDE))
        of = {name: np.flatnonzero(inside & (kind == i)).tolist() for i, name in enumerate(table.type_names)}
        return Types(of, Pairs(role[:, None], kind[:, None], role[None, :], kind[None, :]).border())

    def labellings(self, kind: str, length: int) -> Iterator[tuple[int, ...]]:
        """Every way to write one span of this type: a few, because inside a span there is little choice."""
        started: list[tuple[int, ...]] = [(y,) for y in self.of[kind]]
        for _ in range(length - 1):
            started = [(*w, y) for w in started for y in self.of[kind] if not self.borders[w[-1], y]]
        yield from started


def typed_span(
    labels: Sequence[str] | None, length: int, i: int, j: int, kind: str, stretch: Stretch
) -> float:
    """P that exactly the positions i .. j - 1 form a span of the type."""
    types = _types(tuple(labels or ()))
    if kind not in types.of:
        known = ", ".join(map(repr, types.of)) or "none: labels are no tags such as B-PER"
        raise LabelError(
            f"span({i}, {j}, {kind!r}) asks for a type of span, but the types are {known}; for labels, write a list"
        )
    if i >= j:
        raise LabelError(f"span({i}, {j}, {kind!r}) covers no position; a span has at least one")
    total = 0.0
    for w in types.labellings(kind, j - i):
        before = types.borders[:, w[0]] if i > 0 else None
        after = types.borders[w[-1], :] if j < length else None
        total += _bordered(i, w, before, after, stretch)
    return min(total, 1.0)


@lru_cache(maxsize=16)
def _types(labels: tuple[str, ...]) -> Types:
    return Types.among(labels)


def _bordered(
    i: int, w: tuple[int, ...], before: Bools | None, after: Bools | None, stretch: Stretch
) -> float:
    """P of the labels w from i on, with a border on both sides.

    Nearly every label borders on a span, so it is quicker to take away those that do not: a few terms instead of L * L.
    Where that would leave a small rest of large numbers, the terms are added up after all.
    """

    def summed(*, quick: bool) -> float:
        sides = itertools.product(_beside(before, quick=quick), _beside(after, quick=quick))
        return sum(
            one * two * stretch(i - len(a), i + len(w) + len(b), (*a, *w, *b)) for (one, a), (two, b) in sides
        )

    found = summed(quick=True)
    return found if found > SMALL_REST * stretch(i, i + len(w), w) else max(summed(quick=False), 0.0)


def _beside(border: Bools | None, *, quick: bool) -> list[tuple[int, tuple[int, ...]]]:
    """(sign, labels) of the terms for one side; one empty choice where any label may stand, or the sequence ends."""
    if border is None or border.all():
        return [(1, ())]
    there, away = np.flatnonzero(border).tolist(), np.flatnonzero(~border).tolist()
    if quick and len(away) + 1 < len(there):
        return [(1, ()), *((-1, (y,)) for y in away)]
    return [(1, (y,)) for y in there]
