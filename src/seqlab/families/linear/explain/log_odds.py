"""The log-odds of two labels at a position as a sum over features and moves (eq:log-odds)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from seqlab.families.linear.explain.around import Around, Logs, log_sum
from seqlab.families.linear.explain.explanation import Contribution, MoveContribution
from seqlab.families.linear.explain.move_table import TARGET, MoveTable
from seqlab.families.linear.explain.pieces import Pieces
from seqlab.families.linear.explain.spreading import Spread, spread

Sides = tuple[Logs, Logs]  # for the label, and for the rival


class LogOdds:
    """eq:log-odds   log p(y|x) - log p(r|x) = Σ_a v_a (w(a, y) - w(a, r)) + left(y) - left(r) + right(y) - right(r).

    The messages from the left and from the right are given back to the moves that carry them (eq:message-shares).
    """

    features: list[Contribution]
    moves: list[MoveContribution]
    other_moves: float
    normaliser: float  # what the trellis holds beyond the weights

    def __init__(self, around: Around, pieces: Pieces, label: int, rival: int) -> None:
        self._around, self._pieces = around, pieces
        self._label, self._rival = label, rival
        self._table = MoveTable(pieces.model.labels, label, rival)
        t = around.t
        self.features = pieces.contributions(t, label, rival)
        beyond = around.chain.node[t] - pieces.attributes(t).score
        self.normaliser = float(beyond[label] - beyond[rival])
        if around.through is None:
            self._order_one()
        else:
            self._order_two(around.through)
        self.moves, self.other_moves = self._table.listed()

    @property
    def value(self) -> float:
        """The log-odds, from the messages and not from the account."""
        one, other = self._sides(self._around.scores(), 0)
        return float(one - other)

    @property
    def probabilities(self) -> tuple[float, float]:
        """Of the label and of the rival."""
        scores = self._around.scores()
        one, other = self._sides(np.exp(scores - log_sum(scores)), 0)
        return float(one), float(other)

    # ------------------------------------------------------------------------------------------ the messages

    def _order_one(self) -> None:
        around, t = self._around, self._around.t
        if t > 0:
            self._add(t, (0, TARGET), spread(*self._sides(around.before, 1)))
        if t + 1 < around.chain.T:
            self._add(t + 1, (TARGET, 0), spread(*self._sides(around.after, 0)))

    def _order_two(self, through: Logs) -> None:
        """Over the labels a and b on either side; then, for each of them, over the label beyond it."""
        around, t = self._around, self._around.t
        shape = (through.shape[0], through.shape[2])
        arriving, leaving = self._sides(around.before_by_last, 1), self._sides(around.after_by_first, 0)
        parts: list[tuple[Any, ...]] = [
            tuple(np.broadcast_to(side[:, None], shape) for side in arriving),
            self._sides(through, 1),
            tuple(np.broadcast_to(side[None], shape) for side in leaving),
        ]
        one, other = (sum(part[side] for part in parts) for side in (0, 1))
        outer = spread(np.ravel(one), np.ravel(other)).of(lambda row: row.reshape(shape))
        before, middle, after = (replace(outer, extra=extra) for extra in _extras(outer.extra, parts))
        if t > 0:
            inner = spread(*self._sides(around.before, 2))
            self._add(t, (0, 1, TARGET), inner.within(before.of(lambda cells: cells.sum(axis=1))))
        if t + 1 < around.chain.T:
            self._add(t + 1, (0, TARGET, 1), middle)
        if t + 2 < around.chain.T:
            inner = spread(*(side.T for side in self._sides(around.after, 0)))
            carried = inner.within(after.of(lambda cells: cells.sum(axis=0)))
            self._add(t + 2, (TARGET, 0, 1), carried.of(np.transpose))

    # ------------------------------------------------------------------------------------------ their rows

    def _add(self, t: int, pattern: tuple[int, ...], carried: Spread) -> None:
        """The rows of all moves into t; `carried` has one axis for each neighbour in the pattern."""
        slab = self._around.chain.slab(t)
        if slab.ndim < len(pattern):  # at the beginning of a sentence fewer labels lie behind
            pattern = tuple(TARGET if axis == TARGET else axis - 1 for axis in pattern[1:])
            carried = carried.of(lambda cells: cells[0])
        where = pattern.index(TARGET)
        scores, named = self._sides(slab, where), self._sides(self._pieces.slab(t), where)
        self.normaliser += _beyond(carried.factor, scores, named)
        if slab.ndim == 2:
            self._add_pairs(t, pattern, carried, np.isneginf(slab))
            return
        whole = carried if where == 0 else replace(carried, extra=np.zeros_like(carried.extra))
        triples = self._pieces.model.triples
        assert triples is not None  # noqa: S101  (only order 2 has moves of three labels)
        self._add_rows(t, pattern, whole, self._sides(triples, where))
        if where != 0:  # else the pair does not touch the position
            pair = tuple(TARGET if axis == TARGET else 0 for axis in pattern[1:])
            summed = carried.of(lambda cells: cells.sum(axis=0))
            self._add_pairs(t, pair, summed, np.isneginf(slab).all(axis=0))

    def _add_pairs(self, t: int, pattern: tuple[int, ...], carried: Spread, closed: Any) -> None:
        """Moves between two labels: their own weights, and those of the attributes that see them."""
        where = pattern.index(TARGET)
        open_moves = self._sides(self._pieces.model.moves, where)
        self._add_rows(t, pattern, carried, open_moves, closed=self._sides(closed, where))
        found, plain = self._pieces.edge_attributes(t), replace(carried, extra=np.zeros_like(carried.extra))
        for name, value, table in zip(found.names, found.values.tolist(), found.weights, strict=True):
            self._add_rows(t, pattern, plain, self._sides(table, where), attribute=name, value=value)

    def _add_rows(
        self,
        t: int,
        pattern: tuple[int, ...],
        carried: Spread,
        weights: Sides,
        *,
        closed: tuple[Any, Any] = (False, False),
        attribute: str | None = None,
        value: float = 1.0,
    ) -> None:
        one, other = weights
        difference = carried.factor * value * (one - other) + carried.extra
        shown = (np.where(closed[0], -np.inf, one), np.where(closed[1], -np.inf, other))
        shares = (carried.share, carried.rival_share)
        self._table.add(t, pattern, shown, difference, shares, attribute, value)

    def _sides(self, table: Any, axis: int) -> tuple[Any, Any]:
        return np.take(table, self._label, axis), np.take(table, self._rival, axis)


def _extras(extra: Logs, parts: list[tuple[Any, ...]]) -> list[Logs]:
    """What is due to terms (a, b) that one side lacks, given to the parts that are -inf there: before, through, after.

    A forbidden pair closes every triple that holds it, so that it shows in two parts: a -> y in `before` and in
    `through`, y -> b in `through` and in `after`. The pair y -> b is closed where no a leads through it.
    """
    before, through, after = (np.isneginf(one) != np.isneginf(other) for one, other in parts)
    shut, rival_shut = (np.isneginf(side).all(axis=0) for side in parts[1])
    pair = np.broadcast_to(shut != rival_shut, extra.shape)
    gone = [before, pair | (through & ~before), after & ~pair & ~through]
    count = np.maximum(sum(part.astype(int) for part in gone), 1)
    return [np.where(part, extra / count, 0.0) for part in gone]


def _beyond(factor: Logs, scores: Sides, named: Sides) -> float:
    """What scores have beyond the weights, where both sides are possible."""
    fine = np.isfinite(scores[0]) & np.isfinite(scores[1]) & (factor > 0)
    one, other = (
        np.where(fine, score, 0.0) - np.where(fine, name, 0.0)
        for score, name in zip(scores, named, strict=True)
    )
    return float((factor * (one - other)).sum())
