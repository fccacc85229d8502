"""How probable a span of a type is, as in `span(2, 4, "PER")`, where labels are tags such as B-PER.

eq:typed-span   P(span) = Σ_w Σ_a Σ_b P(y_{i-1} = a, y_i .. y_{j-1} = w, y_j = b) over the labels w of the type
                without a border inside, a with a border to w, and b with a border from w
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from seqlab.errors import LabelError
from seqlab.tags.parsing import parse
from seqlab.tags.reading import Pairs
from seqlab.tags.schemes import Role

Stretch = Callable[[int, int, Sequence[int]], float]  # P of labels at positions i .. j - 1
Bools = npt.NDArray[np.bool_]


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
    types = Types.among(labels or ())
    if kind not in types.of:
        known = ", ".join(map(repr, types.of)) or "none: labels are no tags such as B-PER"
        raise LabelError(
            f"span({i}, {j}, {kind!r}) asks for a type of span, but the types are {known}; for labels, write a list"
        )
    if i >= j:
        raise LabelError(f"span({i}, {j}, {kind!r}) covers no position; a span has at least one")
    total = 0.0
    for w in types.labellings(kind, j - i):
        before = _beside(types.borders[:, w[0]], exists=i > 0)
        after = _beside(types.borders[w[-1], :], exists=j < length)
        for a, b in itertools.product(before, after):
            total += stretch(i - len(a), j + len(b), (*a, *w, *b))
    return min(total, 1.0)


def _beside(border: Bools, *, exists: bool) -> list[tuple[int, ...]]:
    """The labels that may stand beside a span; one empty choice where any may, or where the sequence ends."""
    if not exists or border.all():
        return [()]
    return [(int(y),) for y in np.flatnonzero(border)]
