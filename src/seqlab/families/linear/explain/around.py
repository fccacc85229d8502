"""Everything around one position of a trellis of order 1 or 2, cut where its neighbours are.

The messages come from seqlab.inference; here they are put together with the moves that carry them, in float64 and log
space, so that every part of a sum can be looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import inference
from seqlab.inference import Semiring
from seqlab.trellis import Trellis

Logs = npt.NDArray[np.float64]


def log_sum(logs: Logs, axis: Any = None) -> Logs:
    """Log of the sum of exp along an axis (or several); -inf where there is nothing but -inf."""
    top = np.max(logs, axis=axis, keepdims=True)
    with np.errstate(divide="ignore"):
        total = np.log(np.sum(np.exp(logs - np.where(np.isfinite(top), top, 0.0)), axis=axis, keepdims=True))
    found: Logs = np.squeeze(total + np.where(np.isfinite(top), top, 0.0), axis=axis)
    return found


def best_scores(trellis: Trellis, t: int) -> Logs:
    """Compute (L,): the score of the best path with each label at t; -inf for what cannot stand there."""
    alpha, beta = (
        message(trellis, semiring=Semiring.max) for message in (inference.forward, inference.backward)
    )
    best: Logs = (alpha[t] + beta[t]).reshape(-1, trellis.L).max(axis=0)
    return best


class Chain:
    """The scores of a trellis in float64, with masks folded in and one way to ask for the moves that arrive at t."""

    def __init__(self, trellis: Trellis) -> None:
        self.T, self.L, self.order = trellis.T, trellis.L, trellis.order
        self.node: Logs = np.array(trellis.node, dtype=np.float64)
        for t, labels in trellis.allowed.items():
            keep = np.zeros(self.L, dtype=bool)
            keep[labels] = True
            self.node[t, ~keep] = -np.inf
        self._edge = np.asarray(trellis.edge, dtype=np.float64)
        self._head = [np.asarray(table, dtype=np.float64) for table in trellis.head]
        self._per_position = trellis.per_position

    def slab(self, t: int) -> Logs:
        """(L, L), or (L, L, L) for order 2 from position 2 on: scores of the moves that arrive at t."""
        if t < self.order:
            missing = len(self._head) < t
            return np.zeros((self.L,) * (t + 1)) if missing else self._head[t - 1]
        slab: Logs = self._edge[t - self.order] if self._per_position else self._edge
        return slab


class Around:
    """All that surrounds position t, as arrays with one axis per neighbour.

    Order 1, neighbours a (before) and b (after); an axis that would reach outside the sentence has length 1:

    before   (L, L)       [a, y]        prefixes that end in a, and the move a -> y
    after    (L, L)       [y, b]        the move y -> b, and what follows

    Order 2, neighbours a', a (before) and b, c (after):

    before   (L, L, L)    [a', a, y]    prefixes that end in a', a, and the move to y
    through  (L, L, L)    [a, y, b]     the move a, y -> b
    after    (L, L, L)    [y, b, c]     the move y, b -> c, and what follows
    """

    def __init__(self, trellis: Trellis, t: int) -> None:
        self.chain, self.t, self.order = Chain(trellis), t, trellis.order
        self._alpha, self._beta = inference.forward(trellis), inference.backward(trellis)
        if self.order == 1:
            self.before, self.after = self._of_one()
            self.through: Logs | None = None
        else:
            self.before, self.through, self.after = self._of_two()

    def _of_one(self) -> tuple[Logs, Logs]:
        chain, t, L = self.chain, self.t, self.chain.L
        before, after = np.zeros((1, L)), np.zeros((L, 1))
        if t > 0:
            before = self._alpha[t - 1][:, None] + chain.slab(t)
        if t + 1 < chain.T:
            after = chain.slab(t + 1) + chain.node[t + 1] + self._beta[t + 1]
        return before, after

    def _of_two(self) -> tuple[Logs, Logs, Logs]:
        chain, t, L = self.chain, self.t, self.chain.L
        before, through, after = np.zeros((1, 1, L)), np.zeros((1, L, 1)), np.zeros((L, 1, 1))
        if t > 0:
            prefixes = (
                self._alpha[t - 1] if t > 1 else self._alpha[0, :1]
            )  # one label alone lies behind position 1
            before = prefixes[..., None] + chain.slab(t)
            through = np.zeros((L, L, 1))
        if t + 1 < chain.T:
            through = chain.slab(t + 1).reshape(-1, L, L)
            after = np.broadcast_to(chain.node[t + 1][None, :, None], (L, L, 1))
        if t + 2 < chain.T:
            beyond = chain.node[t + 2] + self._beta[t + 2]
            after = after + chain.slab(t + 2) + beyond[None]
        return before, through, after

    @property
    def before_by_last(self) -> Logs:
        """(a, y) for order 2: `before` without its oldest label."""
        return log_sum(self.before, 0)

    @property
    def after_by_first(self) -> Logs:
        """(y, b) for order 2: `after` without its last label."""
        return log_sum(self.after, -1)

    def scores(self) -> Logs:
        """Compute (L,): the sum of all paths with each label at t; -inf for what cannot stand there."""
        return log_sum((self._alpha[self.t] + self._beta[self.t]).reshape(-1, self.chain.L), 0)
