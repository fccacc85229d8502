"""The log-odds of two labels at a position as a sum over features and transitions (eq:log-odds).

The messages come from seqlab.inference; here they are combined with the transitions, in float64 and log
space, so that every term of a sum is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from seqlab import inference
from seqlab.families.linear.explain.accounts import Logs, Pieces
from seqlab.families.linear.explain.explanation import Explanation, MoveContribution

MOST_MOVES = 1000  # rows of an explanation; more would not be read
TARGET = -1  # in a pattern: the label of the position that is explained

Sides = tuple[Any, Any]  # for the label, and for the rival
Pattern = tuple[int, ...]  # axes of the labels of a transition: TARGET, or the axis that holds the label


# ------------------------------------------------------------------------------------------------ shares


def log_sum(logs: Logs, axis: Any = None) -> Logs:
    """Compute the log of the sum of exp along an axis; -inf if all terms are -inf."""
    top = np.max(logs, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        total = np.log(np.sum(np.exp(logs - top), axis=axis, keepdims=True))
    found: Logs = np.squeeze(total + top, axis=axis)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """log Σ_i e^{x_i} - log Σ_i e^{z_i} = Σ_i ( factor_i (x_i - z_i) + extra_i ), over the first axis.

    factor        shares that add up to 1, over the terms that both sums have
    extra         for terms that only one sum has (the other is -inf), and 0 elsewhere
    share         e^{x_i} / Σ e^{x}
    rival_share   e^{z_i} / Σ e^{z}

    Where a whole column of x or of z is -inf there is no difference to distribute: factor and extra are 0.
    """

    factor: Logs
    extra: Logs
    share: Logs
    rival_share: Logs

    def of(self, parts: Callable[[Logs], Logs]) -> Spread:
        """Apply a function to every array (a sum over an axis, another shape)."""
        return Spread(parts(self.factor), parts(self.extra), parts(self.share), parts(self.rival_share))

    def plain(self) -> Spread:
        """Drop the contributions of terms that one side lacks."""
        return replace(self, extra=np.zeros_like(self.extra))

    def within(self, outer: Spread) -> Spread:
        """Combine two levels of a nested sum: this one distributes each inner sum, `outer` distributes the sum of them.

        The arrays of outer have one entry per inner sum, that is per position on the axes after the first of this one.
        """
        lone = self.share + self.rival_share  # where outer.extra is not 0, one of the two sides is missing
        return Spread(
            outer.factor * self.factor,
            outer.factor * self.extra + outer.extra * lone,
            outer.share * self.share,
            outer.rival_share * self.rival_share,
        )


def spread(logs: Logs, rival: Logs) -> Spread:
    """Distribute the difference of two log-sums along the first axis over their terms (eq:message-shares)."""
    both = np.isfinite(logs) & np.isfinite(rival)
    total, rival_total = log_sum(logs, 0), log_sum(rival, 0)
    kept, rival_kept = (log_sum(np.where(both, side, -np.inf), 0) for side in (logs, rival))
    share, rival_share = (
        np.exp(side - np.where(np.isfinite(whole), whole, 0.0))
        for side, whole in ((logs, total), (rival, rival_total))
    )
    possible = np.isfinite(total) & np.isfinite(rival_total)
    some = possible & np.isfinite(kept)
    with np.errstate(invalid="ignore", divide="ignore"):  # -inf minus -inf, which is not used
        # Logarithmic means (p - q) / (log p - log q) of the two shares of each term, brought to the sum 1:
        # (1 - e^-g) / g without cancellation, and 1 at g = 0.
        p, q = logs - kept, rival - rival_kept
        gap = np.abs(p - q)
        slope = np.where(gap > 0, -np.expm1(-gap) / gap, 1.0)
        means = np.where(both, np.exp(np.maximum(p, q)) * slope, 0.0)
        whole = means.sum(axis=0)
        # Terms of one side only: the log of the factor by which they enlarge its sum, shared in proportion to them.
        extra = _one_sided(share, both, np.where(some, total - kept, 0.0))
        extra -= _one_sided(rival_share, both, np.where(some, rival_total - rival_kept, 0.0))
        # Nothing in common: no term of one side has a counterpart, so each carries its share of the difference.
        extra += np.where(possible & ~some, total - rival_total, 0.0) * (share + rival_share) / 2
    return Spread(means / np.where(whole > 0, whole, 1.0), extra, share, rival_share)


def _one_sided(share: Logs, both: Any, amount: Logs) -> Logs:
    alone = np.where(both, 0.0, share)
    whole = alone.sum(axis=0)
    part: Logs = np.where(whole > 0, amount / np.where(whole > 0, whole, 1.0), 0.0) * alone
    return part


# ------------------------------------------------------------------------------------------------ the account


def log_odds_account(
    pieces: Pieces, words: tuple[str, ...], t: int, label: int, rival: int, scores: Logs
) -> Explanation:
    """Explain the log-odds of two labels at t; scores (L,) are the sums over all paths with each label there."""
    account, names = LogOdds(pieces, t, label, rival), pieces.model.labels
    moves, other_moves = account.listed()
    probabilities = np.exp(scores - log_sum(scores))
    return Explanation(
        words,
        t,
        names[label],
        names[rival],
        float(scores[label] - scores[rival]),  # from the messages and not from the contributions
        None,
        tuple(pieces.contributions(t, label, rival)),
        tuple(moves),
        other_moves,
        account.normaliser,
        float(probabilities[label]),
        float(probabilities[rival]),
    )


class LogOdds:
    """eq:log-odds   log p(y|x) - log p(r|x) = Σ_a v_a (w(a, y) - w(a, r)) + left(y) - left(r) + right(y) - right(r).

    The messages from the left and from the right are distributed over transitions (eq:message-shares). Transitions
    are collected as arrays, and only the largest become objects.

    normaliser   the part of the trellis scores not due to weights
    """

    def __init__(self, pieces: Pieces, t: int, label: int, rival: int) -> None:
        self._pieces, self._t, self._label, self._rival = pieces, t, label, rival
        self._T, self._L = pieces.trellis.T, pieces.trellis.L
        self._parts: list[tuple[int, Pattern, Sides, Logs, Spread, str | None, float]] = []
        beyond = pieces.node[t] - pieces.attributes(t).score
        self.normaliser = float(beyond[label] - beyond[rival])
        alpha, beta = inference.forward(pieces.trellis), inference.backward(pieces.trellis)
        if pieces.trellis.order == 1:
            self._order_one(alpha, beta)
        else:
            self._order_two(alpha, beta)

    def _sides(self, table: Any, axis: int) -> Sides:
        return np.take(table, self._label, axis), np.take(table, self._rival, axis)

    def _order_one(self, alpha: Logs, beta: Logs) -> None:
        """Distribute the log-odds over transitions into the position (with prefixes) and out of it (with suffixes)."""
        t, slab, node = self._t, self._pieces.slab, self._pieces.node
        if t > 0:
            before = alpha[t - 1][:, None] + slab(t)
            self._add(t, (0, TARGET), spread(*self._sides(before, 1)))
        if t + 1 < self._T:
            after = slab(t + 1) + node[t + 1] + beta[t + 1]
            self._add(t + 1, (TARGET, 0), spread(*self._sides(after, 0)))

    def _order_two(self, alpha: Logs, beta: Logs) -> None:
        """Distribute over the labels a and b on either side; then, for each of them, over the label beyond it.

        before   (L, L, L)   [a', a, y]   prefixes that end in a', a, and the transition to y
        through  (L, L, L)   [a, y, b]    the transition a, y -> b
        after    (L, L, L)   [y, b, c]    the transition y, b -> c, and its suffixes

        An axis that would reach outside the sentence has length 1.
        """
        t, T, L, slab, node = self._t, self._T, self._L, self._pieces.slab, self._pieces.node
        before, through, after = np.zeros((1, 1, L)), np.zeros((1, L, 1)), np.zeros((L, 1, 1))
        if t > 0:
            prefixes = alpha[t - 1] if t > 1 else alpha[0, :1]  # only one label precedes position 1
            before = prefixes[..., None] + slab(t)
            through = np.zeros((L, L, 1))
        if t + 1 < T:
            through = slab(t + 1).reshape(-1, L, L)
            after = np.broadcast_to(node[t + 1][None, :, None], (L, L, 1))
        if t + 2 < T:
            after = after + slab(t + 2) + (node[t + 2] + beta[t + 2])[None]
        shape = (through.shape[0], through.shape[2])
        arriving, leaving = self._sides(log_sum(before, 0), 1), self._sides(log_sum(after, -1), 0)
        parts: list[Any] = [
            tuple(np.broadcast_to(side[:, None], shape) for side in arriving),
            self._sides(through, 1),
            tuple(np.broadcast_to(side[None], shape) for side in leaving),
        ]
        one, other = (sum(part[side] for part in parts) for side in (0, 1))
        outer = spread(np.ravel(one), np.ravel(other)).of(lambda row: row.reshape(shape))
        of_before, of_middle, of_after = (replace(outer, extra=some) for some in _extras(outer.extra, parts))
        if t > 0:
            inner = spread(*self._sides(before, 2))
            self._add(t, (0, 1, TARGET), inner.within(of_before.of(lambda cells: cells.sum(axis=1))))
        if t + 1 < T:
            self._add(t + 1, (0, TARGET, 1), of_middle)
        if t + 2 < T:
            inner = spread(*(side.T for side in self._sides(after, 0)))
            carried = inner.within(of_after.of(lambda cells: cells.sum(axis=0)))
            self._add(t + 2, (TARGET, 0, 1), carried.of(np.transpose))

    # ------------------------------------------------------------------------------------------ their rows

    def _add(self, t: int, pattern: Pattern, carried: Spread) -> None:
        """Add the rows of all transitions into t; `carried` has one axis for each neighbour in the pattern."""
        slab, model = self._pieces.slab(t), self._pieces.model
        if slab.ndim < len(pattern):  # at the beginning of a sentence there are fewer previous labels
            pattern = tuple(TARGET if axis == TARGET else axis - 1 for axis in pattern[1:])
            carried = carried.of(lambda cells: cells[0])
        where = pattern.index(TARGET)
        scores, named = self._sides(slab, where), self._sides(self._pieces.weights(t), where)
        self.normaliser += _beyond(carried.factor, scores, named)
        closed: Any = np.isneginf(slab)
        if slab.ndim == 3:
            whole = carried if where == 0 else carried.plain()
            self._add_rows(t, pattern, whole, self._sides(model.triples, where))
            if where == 0:  # the pair does not include the position
                return
            pattern = tuple(TARGET if axis == TARGET else 0 for axis in pattern[1:])
            carried, closed = carried.of(lambda cells: cells.sum(axis=0)), closed.all(axis=0)
            where = pattern.index(TARGET)
        # Transitions between two labels: their own weights, and those of edge attributes.
        shut = self._sides(closed, where)
        self._add_rows(t, pattern, carried, self._sides(model.moves, where), closed=shut)
        found = self._pieces.edge_attributes(t)
        for name, value, table in zip(found.names, found.values.tolist(), found.weights, strict=True):
            self._add_rows(t, pattern, carried.plain(), self._sides(table, where), name, value)

    def _add_rows(
        self,
        t: int,
        pattern: Pattern,
        carried: Spread,
        weights: Sides,
        attribute: str | None = None,
        value: float = 1.0,
        closed: Sides = (False, False),
    ) -> None:
        one, other = weights
        difference = carried.factor * value * (one - other) + carried.extra
        shown = np.where(closed[0], -np.inf, one), np.where(closed[1], -np.inf, other)
        self._parts.append((t, pattern, shown, difference, carried, attribute, value))

    def listed(self) -> tuple[list[MoveContribution], float]:
        """List the transitions that contribute, at most MOST_MOVES of them, and sum up the others."""
        sizes = np.concatenate([np.zeros(0), *(np.abs(part[3]).ravel() for part in self._parts)])
        floor = np.sort(sizes)[-MOST_MOVES] if len(sizes) > MOST_MOVES else 0.0
        names, rows, rest = self._pieces.model.labels, [], []
        for t, pattern, (one, other), difference, carried, attribute, value in self._parts:
            wanted = (difference != 0) & (np.abs(difference) >= floor)
            rest += difference[~wanted].tolist()
            for cell in map(tuple, np.argwhere(wanted).tolist()):
                labels, rival_labels = (
                    tuple(names[target if axis == TARGET else cell[axis]] for axis in pattern)
                    for target in (self._label, self._rival)
                )
                weights = float(one[cell]), float(other[cell])
                shares = float(carried.share[cell]), float(carried.rival_share[cell])
                adds = float(difference[cell])
                rows.append(
                    MoveContribution(labels, rival_labels, *weights, adds, t, *shares, attribute, value)
                )
        return rows, math.fsum(rest)


def _extras(extra: Logs, parts: list[Any]) -> list[Logs]:
    """Assign terms (a, b) that one side lacks to the parts that are -inf there: before, through, after.

    A forbidden pair forbids every triple that contains it, so that it appears in two parts: a -> y in `before` and in
    `through`, y -> b in `through` and in `after`. The pair y -> b is forbidden if no a allows it.
    """
    before, through, after = (np.isneginf(one) != np.isneginf(other) for one, other in parts)
    shut, rival_shut = (np.isneginf(side).all(axis=0) for side in parts[1])
    pair = np.broadcast_to(shut != rival_shut, extra.shape)
    gone = [before, pair | (through & ~before), after & ~pair & ~through]
    count = np.maximum(sum(part.astype(int) for part in gone), 1)
    return [np.where(part, extra / count, 0.0) for part in gone]


def _beyond(factor: Logs, scores: Sides, named: Sides) -> float:
    """Compute the part of the scores not due to weights, where both sides are possible."""
    fine = np.isfinite(scores[0]) & np.isfinite(scores[1]) & (factor > 0)
    beyond = np.where(fine, scores[0], 0.0) - np.where(fine, named[0], 0.0)
    rival_beyond = np.where(fine, scores[1], 0.0) - np.where(fine, named[1], 0.0)
    return float((factor * (beyond - rival_beyond)).sum())
