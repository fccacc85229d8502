"""Transition tables of order k: estimation, normalisation and storage.

A model of order k has a table for every length of history. moves[j - 1] has shape (L, ..., L): j axes for the previous
labels, oldest first, and one for the next label. moves[:-1], the head, are the tables of the first positions of a
sequence, and moves[-1] is that of all others. The end depends on the last label alone: rows of a table sum to
1 - end(last label).
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
EXPANDED = 512  # largest number of histories whose transition matrix is written out
WALKED, SETTLED = 100_000, 1e-14  # power iteration: largest number of steps, and the change at which it ends


class StoredMoves(Array):
    """Field for a transition table of order 1 to 3: 2 to 4 axes of length L."""

    def __init__(self, *, least: float | None = None) -> None:
        super().__init__(np.float64, finite=True, least=least)

    def get(self, state: State, name: str, sizes: Sizes) -> Floats:
        """Read the table, with as many axes as in the file."""
        axes = state.arrays[name].ndim if name in state.arrays else 2
        found: Floats = state.array(name, self.dtype, (sizes["L"],) * min(max(axes, 2), MOST_ORDER + 1))
        self._check(found, name, sizes)
        return found


class StoredHead(Field):
    """Field for the tables of the first positions; none in order 1."""

    def put(self, state: State, name: str, value: Moves) -> None:
        """Store one array per table."""
        state.arrays |= {f"{name}.{i}": np.ascontiguousarray(one) for i, one in enumerate(value)}

    def get(self, state: State, name: str, sizes: Sizes) -> Moves:
        """Read the tables; check() compares their number with the order."""
        names = [f"{name}.{i}" for i in range(MOST_ORDER - 1) if f"{name}.{i}" in state.arrays]
        return tuple(StoredMoves().get(state, one, sizes) for one in names)


def check_head(head: Moves, whole: Floats) -> None:
    """Reject a stored head whose number of tables does not fit the order."""
    if [one.ndim for one in head] != list(range(2, whole.ndim)):
        raise StoreError(f"order {whole.ndim - 1} wants {whole.ndim - 2} tables for the first positions")


def split(moves: Floats) -> tuple[Floats, Moves]:
    """Split a table (L + 1, ..., L + 1, L), in which previous label L means the start, into starts (L,) and moves."""
    L, order = moves.shape[-1], moves.ndim - 1
    places = ((L,) * (order - t) + (slice(0, L),) * t for t in range(order + 1))
    start, *rest = (np.ascontiguousarray(moves[place]) for place in places)
    return start, tuple(rest)


def counted(
    label_ids: LabelIds, weights: Floats | None, offsets: npt.NDArray[np.int64], order: int, L: int
) -> tuple[Floats, Floats]:
    """Count transitions, in the form that split() takes, and last labels, (L,) (eq:counting)."""
    moves, last = np.zeros((L + 1,) * order + (L,)), np.zeros(L)
    _core.count_moves(label_ids, weights, offsets, order, L, moves.reshape(-1), last)
    return moves, last


def joined(start: Floats, moves: Moves) -> Floats:
    """Join starts and moves into one table, the inverse of split(); impossible histories have zeros."""
    L, order = len(start), len(moves)
    made = np.zeros((L + 1,) * order + (L,))
    for t, table in enumerate((start, *moves)):
        made[(L,) * (order - t) + (slice(0, L),) * t] = table
    return made


def exits(table: Floats, end: Floats | None) -> Floats:
    """Append the end probabilities as the last column of a table."""
    if end is None:
        return table
    return np.concatenate([table, np.broadcast_to(end, table.shape[:-1])[..., None]], axis=-1)


def leaving(moves: Moves) -> Floats:
    """Sum the transitions from each label over all longer histories, (L,)."""
    return np.asarray(
        sum(one.sum(axis=tuple(i for i in range(one.ndim) if i != one.ndim - 2)) for one in moves)
    )


def rows(moves: Moves, end: Floats | None) -> Moves:
    """Compute P(next label | history, no end), whose rows sum to 1; uniform after a label that always ends."""
    if end is None:
        return moves
    even = 1.0 / len(end)
    return tuple(normalised(one, np.full(one.shape, even), axis=-1) for one in moves)


# eq:order-k-hmm   A(h, ·) ∝ Σ ξ(h, ·),  end(y) = ends after y / (ends after y + moves from y)
def maximised(
    counts: Moves, extra: Moves, ends: tuple[Floats, Floats], before: Moves, end: Floats | None
) -> tuple[Moves, Floats | None]:
    """Run the M step of transitions in order 2 and 3.

    counts, extra   expected counts and pseudo-counts of transitions
    ends            expected counts and pseudo-counts of ends, (L,) each
    before, end     the tables so far; rows and ends without counts keep them

    An end is one event and a transition one of L others: each has the pseudo-count of an end.
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
    """Compute a table with one previous label less: the mean over the oldest."""
    return np.asarray(A.mean(axis=0))


def longer(A: Floats, order: int) -> Floats:
    """Expand a table to a higher order by repetition: older labels make no difference."""
    return np.ascontiguousarray(np.broadcast_to(A, (len(A),) * (order + 1)))


def expanded(start: Floats, moves: Moves) -> tuple[Floats, Floats]:
    """Write out the chain over histories of k labels: P(first k labels), (L^k,), and transitions, (L^k, L^k)."""
    L, order = len(start), len(moves)
    for table in moves[:-1]:
        start = start[..., None] * table
    histories = L**order
    matrix = np.zeros((histories, histories))
    places = np.arange(histories)[:, None] % (histories // L) * L + np.arange(L)
    matrix[np.arange(histories)[:, None], places] = moves[-1].reshape(histories, L)
    return start.reshape(-1), matrix


def stationary(start: Floats, moves: Moves, solve: Callable[[Floats, Floats], Floats]) -> Floats:
    """Compute the stationary distribution of labels, (L,): by `solve`, or with many histories by power iteration."""
    size, A = len(start), moves[-1]
    if A[..., 0].size <= EXPANDED:
        return np.asarray(solve(*expanded(start, moves)).reshape(-1, size).sum(axis=0))
    found = start
    for table in moves[:-1]:
        found = found[..., None] * table
    for _ in range(WALKED):
        after = 0.5 * (found + (found[..., None] * A).sum(axis=0))  # also for periodic chains
        if np.abs(after - found).sum() < SETTLED:
            break
        found = after
    return np.asarray(found.reshape(-1, size).sum(axis=0) / found.sum())
