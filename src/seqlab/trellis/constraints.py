"""What is forbidden, known or allowed: masks on the trellis, not special decoders (eq:masks).

Forbidden moves become -inf in the edges, forbidden starts and ends -inf in the first and last row of node. Known and
allowed labels become lists of active labels at their positions, and the work of inference shrinks with the lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from seqlab.arrays import LabelIds, Scores
from seqlab.errors import LabelError, OptionError, ShapeError
from seqlab.trellis.labels import Label, LabelSet

Bools = npt.NDArray[np.bool_]
Moves = Iterable[tuple[Label, Label]] | Bools
Some = Iterable[Label] | Bools | None
PerPosition = Mapping[int, Iterable[Label] | None] | Sequence[Iterable[Label] | None] | Bools


@dataclass(frozen=True, slots=True, eq=False)
class Constraints:
    """Rules for the paths of a trellis. Labels may be names or numbers.

    forbidden_moves    pairs (from, to), or a boolean (L, L) array, True for a move that must not happen
    forbidden_starts   labels the first position must not have, or a boolean (L,) array
    forbidden_ends     the same for the last position
    known              {position: label}: that label, nothing else
    allowed            {position: labels}, a list with None or labels for every position, or a boolean (T, L) array,
                       True for what is allowed
    """

    forbidden_moves: Moves = ()
    forbidden_starts: Some = ()
    forbidden_ends: Some = ()
    known: Mapping[int, Label] | None = None
    allowed: PerPosition | None = None


class Restrictions(NamedTuple):
    """Active lists as the core takes them: ids[offset[i]:offset[i + 1]] are the labels allowed at where[i]."""

    where: npt.NDArray[np.int64]
    offset: npt.NDArray[np.int64]
    ids: LabelIds

    @staticmethod
    def none() -> Restrictions:
        """Everything is allowed everywhere."""
        return Restrictions.frozen(np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int32))

    @staticmethod
    def frozen(where: npt.NDArray[np.int64], offset: npt.NDArray[np.int64], ids: LabelIds) -> Restrictions:
        """Read-only arrays: the core trusts them."""
        for array in (where, offset, ids):
            array.flags.writeable = False
        return Restrictions(where, offset, ids)

    def at(self, i: int) -> LabelIds:
        """The labels allowed at the i-th restricted position."""
        return self.ids[self.offset[i] : self.offset[i + 1]]

    def mask(self, size: int) -> Bools:
        """One row of `size` flags for each restricted position."""
        rows = np.zeros((len(self.where), size), dtype=bool)
        rows[np.repeat(np.arange(len(self.where)), np.diff(self.offset)), self.ids] = True
        return rows


@dataclass(slots=True)
class _Collector:
    """Gathers rows of flags by position; several for one position are all to be obeyed."""

    length: int
    labels: LabelSet
    where: list[npt.NDArray[np.int64]] = field(default_factory=list)
    rows: list[Bools] = field(default_factory=list)

    def add(self, where: npt.ArrayLike, rows: Bools) -> None:
        self.where.append(np.asarray(where, dtype=np.int64))
        self.rows.append(rows)

    def add_labels(self, position: Any, labels: Iterable[Label], what: str) -> None:
        row = np.zeros((1, self.labels.size), dtype=bool)
        row[0, self.labels.ids(labels)] = True
        self.add([self.position(position, what)], row)

    def position(self, value: Any, what: str) -> int:
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not whole or not 0 <= value < self.length:
            raise LabelError(
                f"{what} names position {value!r}, but the sequence has positions 0 to {self.length - 1}"
                if self.length
                else f"{what} names position {value!r}, but the sequence is empty"
            )
        return int(value)

    def result(self) -> Restrictions:
        if not self.where:
            return Restrictions.none()
        where = np.unique(np.concatenate(self.where))
        combined = np.ones((len(where), self.labels.size), dtype=bool)
        for some, rows in zip(self.where, self.rows, strict=True):
            combined[np.searchsorted(where, some)] &= rows
        limited = ~combined.all(axis=1)
        where, combined = where[limited], combined[limited]
        offset = np.concatenate([[0], np.cumsum(combined.sum(axis=1))]).astype(np.int64)
        return Restrictions.frozen(where, offset, np.nonzero(combined)[1].astype(np.int32))


def restrictions(
    rules: Constraints, length: int, labels: LabelSet, before: Restrictions | None = None
) -> Restrictions:
    """The active lists that `rules` ask for, on top of those that were there before."""
    collector = _Collector(length, labels)
    if before is not None and len(before.where):
        collector.add(before.where, before.mask(labels.size))
    known = {} if rules.known is None else rules.known
    if not isinstance(known, Mapping):
        raise OptionError(f"known wants {{position: label}}, got {type(known).__name__}")
    for place, label in known.items():
        collector.add_labels(place, [label], "known")
    if rules.allowed is not None:
        _collect_allowed(rules.allowed, collector)
    return collector.result()


def _collect_allowed(allowed: PerPosition, collector: _Collector) -> None:
    if isinstance(allowed, np.ndarray):
        wanted = (collector.length, collector.labels.size)
        if allowed.shape != wanted or allowed.dtype != bool:
            raise ShapeError(
                f"allowed is an array of shape {allowed.shape} and dtype {allowed.dtype}, but a boolean one of shape "
                f"{wanted} (positions, labels) is wanted"
            )
        limited = np.flatnonzero(~allowed.all(axis=1))
        collector.add(limited, allowed[limited])
    elif isinstance(allowed, Mapping):
        for place, labels in allowed.items():
            if labels is not None:
                collector.add_labels(place, labels, "allowed")
    else:
        if len(allowed) != collector.length:
            raise ShapeError(
                f"allowed lists labels for {len(allowed)} positions, but the sequence has {collector.length}; "
                f"write None where everything is allowed, or pass {{position: labels}}"
            )
        for place, some in enumerate(allowed):
            if some is not None:
                collector.add_labels(place, some, "allowed")


def forbid_ends(
    node: Scores, firsts: npt.ArrayLike, lasts: npt.ArrayLike, rules: Constraints, labels: LabelSet
) -> Scores:
    """`node`, or a copy with -inf for forbidden starts in rows `firsts` and forbidden ends in rows `lasts`."""
    starts = _flags(rules.forbidden_starts, labels, "forbidden_starts")
    ends = _flags(rules.forbidden_ends, labels, "forbidden_ends")
    if not starts.any() and not ends.any():
        return node
    masked: Scores = node.copy()
    masked[np.ix_(np.asarray(firsts), np.flatnonzero(starts))] = -np.inf
    masked[np.ix_(np.asarray(lasts), np.flatnonzero(ends))] = -np.inf
    return masked


def _flags(some: Some, labels: LabelSet, what: str) -> Bools:
    """Labels, or a boolean array, as one row of flags."""
    if isinstance(some, np.ndarray) and some.dtype == bool:
        if some.shape != (labels.size,):
            raise ShapeError(
                f"{what} is a boolean array of shape {some.shape}, but ({labels.size},) is wanted"
            )
        return some
    row = np.zeros(labels.size, dtype=bool)
    row[labels.ids(() if some is None else some)] = True
    return row


def move_mask(moves: Moves, labels: LabelSet) -> Bools | None:
    """A boolean (L, L) array of forbidden moves, or None when there are none."""
    size = labels.size
    if isinstance(moves, np.ndarray) and moves.dtype == bool:
        if moves.shape != (size, size):
            raise ShapeError(
                f"forbidden_moves is a boolean array of shape {moves.shape}, but ({size}, {size}) is wanted"
            )
        return moves if moves.any() else None
    mask = np.zeros((size, size), dtype=bool)
    for move in moves:
        try:
            one, other = move
        except (TypeError, ValueError):
            raise LabelError(f"forbidden_moves wants pairs (from, to), got {move!r}") from None
        mask[labels.id(one), labels.id(other)] = True
    return mask if mask.any() else None


def forbid(tensor: Scores, mask: Bools, axes: int) -> Scores:
    """A copy of `tensor` with -inf wherever two neighbouring labels make a forbidden move; labels are its last axes."""
    masked: Scores = tensor.copy()
    for first in range(axes - 1):
        shape = [1] * axes
        shape[first] = shape[first + 1] = mask.shape[0]
        masked[np.broadcast_to(mask.reshape(shape), masked.shape)] = -np.inf
    return masked
