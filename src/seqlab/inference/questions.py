"""Convert arguments (one trellis, a batch, a list) to core batches, and flat results back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.errors import ImpossibleError, Place, ScoreError
from seqlab.trellis import Trellis, TrellisBatch

Batched = TrellisBatch | Sequence[Trellis]
Asked = Trellis | Batched
Doubles = npt.NDArray[np.float64]
Answer = TypeVar("Answer")

# Largest log Z with digits left for probabilities (eq:lost-digits); the same number as in cpp/inference/path_sum.hpp.
LARGEST = 1e12


class Part(NamedTuple):
    """Sequences of one dtype: a core batch, and their indices in the argument."""

    batch: Any
    numbers: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]  # L of each
    dtype: np.dtype[Any]

    def starts(self, sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Compute the offset of each sequence in a flat result with `sizes` entries per sequence."""
        return np.concatenate([[0], np.cumsum(sizes)])

    def split(self, flat: npt.NDArray[Any], sizes: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[Any]]:
        """Split a flat result with `sizes` entries per sequence."""
        return (flat[begin:end] for begin, end in pairwise(self.starts(sizes).tolist()))

    def tables(self, flat: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
        """Split a flat result into tables (T, L)."""
        pieces = self.split(flat, self.lengths * self.sizes)
        return (piece.reshape(-1, size) for piece, size in zip(pieces, self.sizes.tolist(), strict=True))


class Question:
    """One call: its parts, and the trellis of each sequence."""

    def __init__(self, asked: Asked) -> None:
        self.single = isinstance(asked, Trellis)
        self._trellises: Sequence[Trellis]
        if isinstance(asked, Trellis):
            self._trellises = (asked,)
            self.parts = [_part(asked.batch(), np.zeros(1, np.int64), [asked.T], [asked.L], asked.dtype)]
        elif isinstance(asked, TrellisBatch):
            self._trellises = asked
            sizes = np.full(len(asked), asked.L)
            self.parts = [_part(asked.batch(), np.arange(len(asked)), asked.lengths, sizes, asked.dtype)]
        else:
            self._trellises = _checked_list(asked)
            self.parts = list(_list_parts(self._trellises))

    def __len__(self) -> int:
        return len(self._trellises)

    def trellis(self, i: int) -> Trellis:
        """Return the trellis of sequence i."""
        return self._trellises[i]

    def about(self, i: int) -> Trellis | TrellisBatch:
        """Return an object with labels, order and advice of sequence i, without making a trellis."""
        return self._trellises if isinstance(self._trellises, TrellisBatch) else self._trellises[i]

    def answer(self, compute: Callable[[Part], Iterable[Answer]]) -> Answer | Results[Answer]:
        """Compute the results of all parts: a single one for a single trellis, otherwise a sequence in order."""
        found: dict[int, Answer] = {}
        for part in self.parts:
            found.update(zip(part.numbers.tolist(), compute(part), strict=True))
        return found[0] if self.single else Results(len(found), found.__getitem__)

    def refuse_impossible(self, part: Part, log_z: npt.NDArray[np.float64]) -> None:
        """Raise an error for the first sequence of the part whose result is -inf or NaN."""
        if (lost := np.flatnonzero(np.isnan(log_z))).size:
            raise self._lost(int(part.numbers[lost[0]]))
        if (dead := np.flatnonzero(np.isneginf(log_z))).size:
            first = int(dead[0])
            position = int(_core.first_dead(part.batch, first))
            self.raise_impossible(int(part.numbers[first]), position, int(part.lengths[first]))

    def refuse_large(self, log_z: Doubles) -> None:
        """Raise an error for the first sequence whose log Z is so large that log-probabilities have no digits left."""
        if (large := np.flatnonzero(np.abs(log_z) > LARGEST)).size:
            raise self._lost(int(large[0]))

    def _lost(self, number: int) -> ScoreError:
        """Return the error for a sequence whose sums are NaN or too large."""
        return lost_digits(self.trellis(number), Place(None if self.single else number, unit="sequence"))

    def raise_impossible(self, number: int, position: int, length: int) -> None:
        """Raise an error for sequence `number` without a legal path, with the position."""
        advice = self.about(number).advice
        said = advice() if advice else ""
        raise ImpossibleError(
            f"no legal path: nothing is left at position {position} (of {length}); every label there is ruled "
            f"out by its own score of -inf, by the moves that lead to it, or by a constraint; allow one of them"
            f"{said and f'; {said}'}",
            place=self.place(number, position),
        )

    def place(self, number: int, position: int) -> Place:
        """Describe the position where all paths end; a single trellis has no number."""
        return Place(None if self.single else number, position, unit="sequence", item="")


class Results(Sequence[Answer], Generic[Answer]):
    """Results of a batch, in order; each object is made on access."""

    __slots__ = ("_count", "_make")

    def __init__(self, count: int, make: Callable[[int], Answer]) -> None:
        self._count = count
        self._make = make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, i: int) -> Answer: ...
    @overload
    def __getitem__(self, i: slice) -> list[Answer]: ...
    def __getitem__(self, i: int | slice) -> Answer | list[Answer]:
        if isinstance(i, slice):
            return [self._make(j) for j in range(*i.indices(self._count))]
        if not -self._count <= i < self._count:
            raise IndexError(f"answer {i} of {self._count}")
        return self._make(int(i) % self._count)

    def __iter__(self) -> Iterator[Answer]:
        return map(self._make, range(self._count))

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)

    def __repr__(self) -> str:
        shown = ", ".join(repr(one) for one in self[:3])
        return f"[{shown}{', ...' if self._count > 3 else ''}] ({self._count} answers)"


def lost_digits(trellis: Trellis, place: Place) -> ScoreError:
    """Return an error about scores that are too large for probabilities, or that were changed to NaN."""
    scans = [_core.scan(np.asarray(table)) for table in (trellis.node, trellis.edge, *trellis.head)]
    if any(bad >= 0 for bad, _ in scans):
        return ScoreError(
            "the sum of scores is NaN; the arrays were changed after the trellis was made, so make it anew from "
            "the new scores",
            place=place,
        )
    largest = max(most for _, most in scans)
    return ScoreError(
        f"probabilities cannot be computed from scores as large as {largest:.3g}: where paths differ by more than "
        f"{LARGEST:g} and still compete, no digits are left to tell them apart; scale the scores down, and write -inf "
        "(not a large negative number) for what is forbidden",
        place=place,
    )


def _part(batch: Any, numbers: Any, lengths: Any, sizes: Any, dtype: np.dtype[Any]) -> Part:
    numbers, lengths, sizes = (np.asarray(x, dtype=np.int64) for x in (numbers, lengths, sizes))
    return Part(batch, numbers, lengths, sizes, dtype)


def _checked_list(asked: Any) -> Sequence[Trellis]:
    if isinstance(asked, Sequence) and not isinstance(asked, str):
        for i, one in enumerate(asked):
            if not isinstance(one, Trellis):
                raise TypeError(
                    f"item {i} of the list is {type(one).__name__}, but every item must be a seqlab.Trellis"
                )
        return asked
    raise TypeError(
        f"a seqlab.Trellis, a TrellisBatch or a list of trellises is wanted, got {type(asked).__name__}; "
        f"make one with seqlab.Trellis(node, edge)"
    )


def _list_parts(trellises: Sequence[Trellis]) -> Iterator[Part]:
    """Group trellises by dtype: each keeps its own precision."""
    for dtype, batch in ((np.float32, _core.Batch32()), (np.float64, _core.Batch64())):
        numbers = [i for i, one in enumerate(trellises) if one.dtype == dtype]
        if not numbers:
            continue
        some = [trellises[i] for i in numbers]
        for one in some:
            one.add_to(batch)
        yield _part(batch, numbers, [one.T for one in some], [one.L for one in some], np.dtype(dtype))
