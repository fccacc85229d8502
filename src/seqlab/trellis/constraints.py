"""Forbidden, known and allowed labels: masks on the trellis, not special decoders (eq:masks).

Forbidden transitions become -inf in the edges, forbidden starts and ends -inf in the first and last row of node. Known
and allowed labels become lists of active labels at their positions, which reduces the work of inference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from seqlab.arrays import LabelIds, Scores
from seqlab.errors import LabelError, OptionError, ShapeError
from seqlab.shown import Brief
from seqlab.trellis.checks import Tables
from seqlab.trellis.labels import Label, LabelSet

Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Moves = Iterable[tuple[Label, Label]] | Bools
Some = Iterable[Label] | Bools | None
PerPosition = Mapping[int, Iterable[Label] | None] | Sequence[Iterable[Label] | None] | Bools


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Constraints(Brief):
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
    """Active lists for the core: ids[offset[i]:offset[i + 1]] are the labels allowed at where[i]."""

    where: Numbers
    offset: Numbers
    ids: LabelIds

    @staticmethod
    def none() -> Restrictions:
        """Allow everything everywhere."""
        return Restrictions.frozen(np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int32))

    @staticmethod
    def frozen(where: Numbers, offset: Numbers, ids: LabelIds) -> Restrictions:
        """Make the arrays read-only: the core relies on them."""
        for array in (where, offset, ids):
            array.flags.writeable = False
        return Restrictions(where, offset, ids)

    def at(self, i: int) -> LabelIds:
        """Return the labels allowed at the i-th restricted position."""
        return self.ids[self.offset[i] : self.offset[i + 1]]

    def mask(self, size: int) -> Bools:
        """Make one row of `size` flags for each restricted position."""
        rows = np.zeros((len(self.where), size), dtype=bool)
        rows[np.repeat(np.arange(len(self.where)), np.diff(self.offset)), self.ids] = True
        return rows


def restrictions(rules: Constraints, length: int, labels: LabelSet, before: Restrictions) -> Restrictions:
    """Make the active lists of `rules`, combined with earlier ones."""
    if rules.known is not None and not isinstance(rules.known, Mapping):
        raise OptionError(f"known wants {{position: label}}, got {type(rules.known).__name__}")
    if not rules.known and rules.allowed is None:
        return before
    found = [(before.where, before.mask(labels.size))]
    found += [_listed(t, [label], length, labels, "known") for t, label in (rules.known or {}).items()]
    if isinstance(rules.allowed, np.ndarray):
        if rules.allowed.shape != (length, labels.size) or rules.allowed.dtype != bool:
            raise ShapeError(
                f"allowed is an array of shape {rules.allowed.shape} and dtype {rules.allowed.dtype}, but a boolean "
                f"one of shape {(length, labels.size)} (positions, labels) is wanted"
            )
        limited = np.flatnonzero(~rules.allowed.all(axis=1))
        found.append((limited, rules.allowed[limited]))
    elif rules.allowed is not None:
        if not isinstance(rules.allowed, Mapping) and len(rules.allowed) != length:
            raise ShapeError(
                f"allowed lists labels for {len(rules.allowed)} positions, but the sequence has {length}; "
                f"write None where everything is allowed, or pass {{position: labels}}"
            )
        given = rules.allowed.items() if isinstance(rules.allowed, Mapping) else enumerate(rules.allowed)
        found += [_listed(t, some, length, labels, "allowed") for t, some in given if some is not None]
    return _combined(found, labels.size)


def _listed(
    position: Any, allowed: Iterable[Label], length: int, labels: LabelSet, what: str
) -> tuple[Numbers, Bools]:
    """Make the row of flags of one position."""
    row = np.zeros((1, labels.size), dtype=bool)
    row[0, labels.ids(allowed)] = True
    whole = isinstance(position, (int, np.integer)) and not isinstance(position, bool)
    if not whole or not 0 <= position < length:
        has = f"has positions 0 to {length - 1}" if length else "is empty"
        raise LabelError(f"{what} names position {position!r}, but the sequence {has}")
    return np.array([position], dtype=np.int64), row


def _combined(found: Sequence[tuple[Numbers, Bools]], size: int) -> Restrictions:
    """Intersect rows of flags by position: all rows for one position apply."""
    where = np.unique(np.concatenate([some for some, _ in found]))
    combined = np.ones((len(where), size), dtype=bool)
    for some, rows in found:
        combined[np.searchsorted(where, some)] &= rows
    limited = ~combined.all(axis=1)
    where, combined = where[limited], combined[limited]
    offset = np.concatenate([[0], np.cumsum(combined.sum(axis=1))]).astype(np.int64)
    return Restrictions.frozen(where, offset, np.nonzero(combined)[1].astype(np.int32))


def masked_tables(
    tables: Tables,
    rules: Constraints,
    firsts: npt.ArrayLike,
    lasts: npt.ArrayLike,
    order: int,
    labels: LabelSet,
) -> Tables:
    """Write -inf for forbidden transitions into edges and head, for starts and ends into these rows of node."""
    starts = _flags(rules.forbidden_starts, labels, "forbidden_starts")
    ends = _flags(rules.forbidden_ends, labels, "forbidden_ends")
    if starts.any() or ends.any():
        node = tables.node.copy()
        node[np.ix_(np.asarray(firsts), np.flatnonzero(starts))] = -np.inf
        node[np.ix_(np.asarray(lasts), np.flatnonzero(ends))] = -np.inf
        tables = tables._replace(node=node)
    mask = move_mask(rules.forbidden_moves, labels)
    if mask is None:
        return tables
    head = list(tables.head)
    while len(head) < order - 1:  # created where missing
        head.append(np.zeros((labels.size,) * (len(head) + 2), dtype=tables.node.dtype))
    return tables._replace(
        edge=forbid(tables.edge, mask, order + 1),
        head=tuple(forbid(tensor, mask, tensor.ndim) for tensor in head),
    )


def _flags(some: Some, labels: LabelSet, what: str) -> Bools:
    """Turn labels, or a boolean array, into one row of flags."""
    if isinstance(some, np.ndarray) and some.dtype == bool:
        return _shaped(some, (labels.size,), what)
    row = np.zeros(labels.size, dtype=bool)
    row[labels.ids(() if some is None else some)] = True
    return row


def _shaped(flags: Bools, shape: tuple[int, ...], what: str) -> Bools:
    if flags.shape != shape:
        raise ShapeError(f"{what} is a boolean array of shape {flags.shape}, but {shape} is wanted")
    return flags


def move_mask(moves: Moves, labels: LabelSet) -> Bools | None:
    """Make a boolean (L, L) array of forbidden transitions, or None when there are none."""
    size = labels.size
    if isinstance(moves, np.ndarray) and moves.dtype == bool:
        mask = _shaped(moves, (size, size), "forbidden_moves")
        return mask if mask.any() else None
    mask = np.zeros((size, size), dtype=bool)
    for move in moves:
        try:
            one, other = move
        except (TypeError, ValueError):
            raise LabelError(f"forbidden_moves wants pairs (from, to), got {move!r}") from None
        mask[labels.id(one), labels.id(other)] = True
    return mask if mask.any() else None


def forbid(tensor: Scores, mask: Bools, axes: int) -> Scores:
    """Copy `tensor` with -inf for every forbidden pair of neighbouring labels; labels are its last axes."""
    masked: Scores = tensor.copy()
    for first in range(axes - 1):
        shape = [1] * axes
        shape[first] = shape[first + 1] = mask.shape[0]
        masked[np.broadcast_to(mask.reshape(shape), masked.shape)] = -np.inf
    return masked
