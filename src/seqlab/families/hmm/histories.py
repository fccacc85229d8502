"""Transitions that depend on the last k labels: their tables, how these are normalised and stored.

A model of order k has a table for every length of history. moves[j - 1] has shape (L, ..., L), j axes for the labels
before, oldest first, and one for the next label: moves[:-1], the head, is for the first positions of a sequence, and
moves[-1] for all others. An end depends on the last label alone: rows of a table sum to 1 - end(last label).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import LabelIds
from seqlab.errors import StoreError
from seqlab.families.hmm.emissions.base import Floats, normalised
from seqlab.store.fields import Array, Field, Sizes
from seqlab.store.state import State

Moves = tuple[Floats, ...]
MOST_ORDER = 3
EXPANDED = 512  # histories whose transitions to each other are written out as a matrix
WALKED, SETTLED = 100_000, 1e-14  # steps to a stationary distribution, and when it is reached


class StoredMoves(Array):
    """A table of transitions as a stored field: 2 to 4 axes of L numbers."""

    def __init__(self, *, least: float | None = None) -> None:
        super().__init__(np.float64, finite=True, least=least)

    def get(self, state: State, name: str, sizes: Sizes) -> Floats:
        """Read the table; its number of axes is that of the file."""
        axes = state.arrays[name].ndim if name in state.arrays else 2
        found: Floats = state.array(name, self.dtype, (sizes["L"],) * min(max(axes, 2), MOST_ORDER + 1))
        self._check(found, name, sizes)
        return found


class StoredHead(Field):
    """The tables of the first positions as a stored field: none for order 1."""

    def put(self, state: State, name: str, value: Moves) -> None:
        """Write one array for each table."""
        state.arrays |= {f"{name}.{i}": np.ascontiguousarray(one) for i, one in enumerate(value)}

    def get(self, state: State, name: str, sizes: Sizes) -> Moves:
        """Read them; check() compares their number with the order."""
        names = [f"{name}.{i}" for i in range(MOST_ORDER - 1) if f"{name}.{i}" in state.arrays]
        return tuple(StoredMoves().get(state, one, sizes) for one in names)


def check_head(head: Moves, whole: Floats) -> None:
    """Reject a head from a file that does not fit the table of all other positions."""
    if [one.ndim for one in head] != list(range(2, whole.ndim)):
        raise StoreError(f"order {whole.ndim - 1} wants {whole.ndim - 2} tables for the first positions")


def split(moves: Floats) -> tuple[Floats, Moves]:
    """Split a table (L + 1, ..., L + 1, L), where L as a label before means the start: starts (L,), then moves."""
    L, order = moves.shape[-1], moves.ndim - 1
    places = ((L,) * (order - t) + (slice(0, L),) * t for t in range(order + 1))
    start, *rest = (np.ascontiguousarray(moves[place]) for place in places)
    return start, tuple(rest)


def counted(
    label_ids: LabelIds, weights: Floats | None, offsets: npt.NDArray[np.int64], order: int, L: int
) -> tuple[Floats, Floats]:
    """Count labels after the labels before them, in the form that split() takes, and last labels (L,) (eq:counting)."""
    moves, last = np.zeros((L + 1,) * order + (L,)), np.zeros(L)
    _core.count_moves(label_ids, weights, offsets, order, L, moves.reshape(-1), last)
    return moves, last


def joined(start: Floats, moves: Moves) -> Floats:
    """Undo split; impossible histories have zeros."""
    L, order = len(start), len(moves)
    made = np.zeros((L + 1,) * order + (L,))
    for t, table in enumerate((start, *moves)):
        made[(L,) * (order - t) + (slice(0, L),) * t] = table
    return made


def exits(table: Floats, end: Floats | None) -> Floats:
    """Append the end as the last column of a table."""
    if end is None:
        return table
    return np.concatenate([table, np.broadcast_to(end, table.shape[:-1])[..., None]], axis=-1)


def leaving(moves: Moves) -> Floats:
    """Sum up (L,): the moves from each label, whatever came before it."""
    return np.asarray(
        sum(one.sum(axis=tuple(i for i in range(one.ndim) if i != one.ndim - 2)) for one in moves)
    )


def rows(moves: Moves, end: Floats | None) -> Moves:
    """Compute P(next label | history, no end), whose rows sum to 1; even after a label that always ends."""
    if end is None:
        return moves
    even = 1.0 / len(end)
    return tuple(normalised(one, np.full(one.shape, even), axis=-1) for one in moves)


# eq:order-k-hmm   A(h, ·) ∝ Σ ξ(h, ·),  end(y) = ends after y / (ends after y + moves from y)
def maximised(
    counts: Moves, extra: Moves, ends: tuple[Floats, Floats], before: Moves, end: Floats | None
) -> tuple[Moves, Floats | None]:
    """Run the M step of order 2 and 3: counts and pseudo-counts of moves, then of ends (L,).

    An end is one event, to go on is L of them: each has the pseudo-count of an end. Rows and ends with a count of
    zero stay unchanged.
    """
    tables = zip(counts, extra, rows(before, end), strict=True)
    made = tuple(normalised(one + more, old, axis=-1) for one, more, old in tables)
    if end is None:
        return made, None
    ended, going = ends[0] + ends[1], leaving(counts) + len(end) * ends[1]
    total = ended + going
    end = np.where(total > 0, ended / np.where(total > 0, total, 1.0), end)
    return tuple(np.ascontiguousarray(one * (1 - end)[:, None]) for one in made), end


def shorter(A: Floats) -> Floats:
    """Compute transitions with one label less behind them: the mean over the oldest one."""
    return np.asarray(A.mean(axis=0))


def longer(A: Floats, order: int) -> Floats:
    """Repeat a table of a lower order: what lies further back makes no difference."""
    return np.ascontiguousarray(np.broadcast_to(A, (len(A),) * (order + 1)))


def expanded(start: Floats, moves: Moves) -> tuple[Floats, Floats]:
    """Write out a chain over histories of k labels: starts (L^k,) after the first k positions, moves (L^k, L^k)."""
    L, order = len(start), len(moves)
    for table in moves[:-1]:
        start = start[..., None] * table
    histories = L**order
    matrix = np.zeros((histories, histories))
    places = np.arange(histories)[:, None] % (histories // L) * L + np.arange(L)
    matrix[np.arange(histories)[:, None], places] = moves[-1].reshape(histories, L)
    return start.reshape(-1), matrix


def stationary(start: Floats, moves: Moves, solve: Callable[[Floats, Floats], Floats]) -> Floats:
    """Compute (L,) the long-run share of each label: of many histories by walking on, of fewer by `solve`."""
    size, A = len(start), moves[-1]
    if A[..., 0].size <= EXPANDED:
        return np.asarray(solve(*expanded(start, moves)).reshape(-1, size).sum(axis=0))
    found = start
    for table in moves[:-1]:
        found = found[..., None] * table
    for _ in range(WALKED):
        after = 0.5 * (found + (found[..., None] * A).sum(axis=0))  # aperiodic
        if np.abs(after - found).sum() < SETTLED:
            break
        found = after
    return np.asarray(found.reshape(-1, size).sum(axis=0) / found.sum())
