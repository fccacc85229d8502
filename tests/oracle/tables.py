"""The numbers of one trellis and the rules on top of them, as plain data.

The enumeration reads the raw numbers and the rules; the clear recursions read `nodes` and `moves`, where the
rules have become -inf; the library gets the same data through its front door. Three readings of one thing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from seqlab import Trellis


@dataclass(frozen=True)
class Tables:
    """Scores (natural logs) and rules of one sequence.

    node  (T, L)
    edge  (L,)*(order+1) shared, or (1 or T-order, L, ...): slab t-order holds the moves arriving at t
    head  (L,)*2, (L,)*3: moves arriving at t = 1, 2 when fewer than `order` labels lie behind
    """

    node: np.ndarray
    edge: np.ndarray
    order: int = 1
    head: tuple[np.ndarray, ...] = ()
    start: np.ndarray | None = None
    stop: np.ndarray | None = None
    forbidden_moves: frozenset[tuple[int, int]] = frozenset()
    forbidden_starts: frozenset[int] = frozenset()
    forbidden_ends: frozenset[int] = frozenset()
    known: dict[int, int] = field(default_factory=dict)
    allowed: dict[int, frozenset[int]] = field(default_factory=dict)
    labels: tuple[str, ...] | None = None
    rules_as_masks: bool = False

    @property
    def T(self) -> int:
        return int(self.node.shape[0])

    @property
    def L(self) -> int:
        return int(self.node.shape[1])

    @property
    def shared(self) -> bool:
        """One slab for every position."""
        return self.edge.ndim == self.order + 1

    def slab(self, t: int) -> np.ndarray | None:
        """The raw scores of the moves arriving at t; None where there are none."""
        if t == 0:
            return None
        if t < self.order:
            return self.head[t - 1] if t <= len(self.head) else None
        if self.shared:
            return self.edge
        return self.edge[0] if len(self.edge) == 1 else self.edge[t - self.order]

    def nodes(self) -> np.ndarray:
        """(T, L) in float64 with start, stop and every rule about single labels folded in."""
        node = self.node.astype(np.float64)
        if not self.T:
            return node
        if self.start is not None:
            node[0] += self.start
        if self.stop is not None:
            node[-1] += self.stop
        for y in range(self.L):
            if y in self.forbidden_starts:
                node[0, y] = -np.inf
            if y in self.forbidden_ends:
                node[-1, y] = -np.inf
            for t in range(self.T):
                if self.known.get(t, y) != y or y not in self.allowed.get(t, {y}):
                    node[t, y] = -np.inf
        return node

    def moves(self, t: int) -> np.ndarray:
        """(L,)*(min(t, order)+1) in float64: the moves arriving at t > 0, forbidden ones at -inf."""
        slab = self.slab(t)
        axes = min(t, self.order) + 1
        move = np.zeros((self.L,) * axes) if slab is None else slab.astype(np.float64)
        for y_from, y in self.forbidden_moves:
            move[..., y_from, y] = -np.inf
        return move

    def prefix(self, length: int) -> Tables:
        """The first `length` positions; the rules about the end stay only where the end stays."""
        whole = length == self.T
        per_position = not self.shared and len(self.edge) > 1
        return replace(
            self,
            node=self.node[:length],
            edge=self.edge[: max(length - self.order, 1)] if per_position else self.edge,
            stop=self.stop if whole else None,
            forbidden_ends=self.forbidden_ends if whole else frozenset(),
            known={t: y for t, y in self.known.items() if t < length},
            allowed={t: ys for t, ys in self.allowed.items() if t < length},
        )

    def trellis(self) -> Trellis:
        """The library's object for the same data."""
        from seqlab import Trellis

        return Trellis(
            self.node,
            self.edge,
            order=self.order,
            head=self.head,
            start=self.start,
            stop=self.stop,
            labels=self.labels,
            constraints=self.constraints(),
        )

    def constraints(self) -> Any:
        """The rules as the library's Constraints, None when there are none."""
        from seqlab import Constraints

        if not (
            self.forbidden_moves or self.forbidden_starts or self.forbidden_ends or self.known or self.allowed
        ):
            return None
        if self.rules_as_masks:
            return Constraints(
                forbidden_moves=_mask(self.forbidden_moves, (self.L, self.L)),
                forbidden_starts=_mask(self.forbidden_starts, (self.L,)),
                forbidden_ends=_mask(self.forbidden_ends, (self.L,)),
                known={t: self.name(y) for t, y in self.known.items()},
                allowed=np.array(
                    [[y in self.allowed.get(t, {y}) for y in range(self.L)] for t in range(self.T)],
                    dtype=bool,
                ).reshape(self.T, self.L),
            )
        return Constraints(
            forbidden_moves=[(self.name(a), self.name(b)) for a, b in sorted(self.forbidden_moves)],
            forbidden_starts=[self.name(y) for y in sorted(self.forbidden_starts)],
            forbidden_ends=[self.name(y) for y in sorted(self.forbidden_ends)],
            known={t: self.name(y) for t, y in self.known.items()},
            allowed={t: [self.name(y) for y in sorted(ys)] for t, ys in self.allowed.items()},
        )

    def name(self, y: int) -> int | str:
        """The label as the user writes it."""
        return y if self.labels is None else self.labels[y]


def _mask(members: frozenset[Any], shape: tuple[int, ...]) -> np.ndarray:
    mask = np.zeros(shape, dtype=bool)
    for index in members:
        mask[index] = True
    return mask
