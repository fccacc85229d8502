"""Filtering: the distribution at t given the observations so far (eq:filter, eq:fixed-lag)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import (
    Probabilities,
    as_scores,
    check_scores,
    contiguous,
    position_of,
    thread_count,
    whole_number,
)
from seqlab.errors import ImpossibleError, ScoreError, ShapeError
from seqlab.inference.questions import LARGEST, Asked, Batched, Doubles, Part, Question, Results
from seqlab.shown import Brief
from seqlab.trellis import Trellis
from seqlab.trellis.constraints import Constraints, Moves, Some, forbid, move_mask
from seqlab.trellis.labels import Label, LabelSet, Named


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Filtered(Brief):
    """P(y_t | x_1..t) for every position: node (T, L); log_z of the whole sequence; label_set has the names."""

    node: Probabilities
    log_z: float
    label_set: LabelSet = field(repr=False)

    def label(self, t: int, y: Label) -> float:
        """P(y_t = y | x_1..t), t from 0."""
        return float(self.node[position_of(t, len(self.node)), self.label_set.id(y)])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FilterStep(Brief):
    """Result of one position.

    position   its number, from 0
    node       (L,)  P(y_t | x_1..t)
    log_z      of everything so far
    label_set  their names
    decided    (position, label) pairs that are now final under the lag: none or one
    """

    position: int
    node: Probabilities
    log_z: float
    decided: tuple[tuple[int, Named], ...]
    label_set: LabelSet = field(repr=False)

    def label(self, y: Label) -> float:
        """P(y_t = y | x_1..t) at this position."""
        return float(self.node[self.label_set.id(y)])


@overload
def filter(asked: Trellis, *, threads: int | None = None) -> Filtered: ...
@overload
def filter(asked: Batched, *, threads: int | None = None) -> Results[Filtered]: ...
def filter(asked: Asked, *, threads: int | None = None) -> Filtered | Results[Filtered]:
    """Compute P(y_t | x_1..t) at every position of sequences asked; threads: None for all. For streams see Filter."""
    question, count = Question(asked), thread_count(threads)

    def filtered(part: Part) -> Iterator[Filtered]:
        node, log_z = np.empty(int((part.lengths * part.sizes).sum())), np.empty(len(part.numbers))
        _core.filtered(part.batch, node, log_z, count)
        question.refuse_impossible(part, log_z)
        answers = zip(part.tables(node), log_z.tolist(), part.numbers.tolist(), strict=True)
        for table, value, number in answers:
            yield Filtered(table, value, question.about(number).label_set)

    return question.answer(filtered)


def _stream(model: Trellis, lag: int) -> _core.Stream:
    """Make the core's stream with the edge scores of a trellis."""
    heads = [contiguous(tensor, dtype=np.float64) for tensor in model.head]
    heads += [np.zeros(0)] * (2 - len(heads))
    shared = contiguous(model.edge, dtype=np.float64)
    return _core.Stream(model.label_set.size, model.order, shared, heads[0], heads[1], lag)


class Filter:
    """A stream of positions: filtered distributions, and Viterbi with a fixed lag.

    Push one row of node scores, get P(y_t | x_1..t) and, `lag` positions later, a label that will not change any more:

        stream = inference.Filter(edge, start=start, labels=names, lag=2)
        for row in rows:
            step = stream.push(row)      # step.node, step.log_z, step.decided
        last = stream.finish()

    edge, head, start, order, labels and forbidden_moves, forbidden_starts are those of a Trellis.
    Memory does not grow with the stream. Arithmetic is log space in float64. A stream can be copied and pickled at any
    position; the copies are independent.
    """

    def __init__(
        self,
        edge: npt.ArrayLike,
        *,
        order: int = 1,
        head: Sequence[npt.ArrayLike] = (),
        start: npt.ArrayLike | None = None,
        labels: Sequence[str] | None = None,
        lag: int = 0,
        forbidden_moves: Moves = (),
        forbidden_starts: Some = (),
    ) -> None:
        size = as_scores(edge, "edge").shape[-1] if np.ndim(edge) else 0
        # One empty position, so that Trellis checks shapes, scores, names and masks.
        rules = Constraints(forbidden_moves=forbidden_moves, forbidden_starts=forbidden_starts)
        model = Trellis(
            np.zeros((1, size)), edge, order=order, head=head, start=start, labels=labels, constraints=rules
        )
        if model.per_position:
            raise ShapeError(
                "a stream shares one edge slab; pass the slab of a single position to push(edge=...)"
            )
        self.label_set = model.label_set
        self.lag = whole_number(lag, "lag", 0)
        self._first = model.node[0]
        self._forbidden = move_mask(forbidden_moves, model.label_set)
        self._model = model
        self._given = 0
        self._stream = _stream(model, self.lag)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_stream": self._stream.memory()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._stream = _stream(self._model, self.lag)
        self._stream.restore(*state["_stream"])

    def push(
        self, node: npt.ArrayLike, edge: npt.ArrayLike | None = None, allowed: Iterable[Label] | None = None
    ) -> FilterStep:
        """Take the next position: node scores (L,), its own edge slab if it has one, allowed labels if restricted."""
        t = self._stream.position
        row = self._row(node, allowed, t)
        grown = self._stream.push(row, self._slab(edge, t))
        if math.isnan(grown):
            raise ScoreError(
                f"the scores of position {t} are too large: every path falls behind by more than {LARGEST:g}, and no "
                "digits are left to tell them apart; the stream is unchanged, so push scaled scores, with -inf for "
                "what is forbidden"
            )
        if grown == -math.inf:
            raise ImpossibleError(
                f"no legal path: nothing is left at position {t}; the stream is unchanged, so push other scores",
                position=t,
            )
        belief = np.empty(self.label_set.size)
        self._stream.filtered(belief)
        decided: tuple[tuple[int, Named], ...] = ()
        if self._stream.decides:
            decided = ((self._given, self.label_set.name(self._stream.decided())),)
            self._given += 1
        return FilterStep(t, belief, self._stream.log_z, decided, self.label_set)

    def finish(self) -> tuple[tuple[int, Named], ...]:
        """Return the undecided labels, on the best path that ends here."""
        first = self._given
        return tuple((first + i, self.label_set.name(y)) for i, y in enumerate(self._stream.rest()))

    def _row(self, node: npt.ArrayLike, allowed: Iterable[Label] | None, t: int) -> Doubles:
        row = np.array(as_scores(node, "node"), dtype=np.float64)
        if row.shape != (self.label_set.size,):
            raise ShapeError(f"one row of {self.label_set.size} node scores is wanted, got shape {row.shape}")
        check_scores(row, f"node of position {t}: node")
        if t == 0:
            row += self._first
        if allowed is not None:
            ruled_out = np.ones(len(row), dtype=bool)
            ruled_out[self.label_set.ids(allowed)] = False
            row[ruled_out] = -np.inf
        return row

    def _slab(self, edge: npt.ArrayLike | None, t: int) -> Doubles:
        if edge is None:
            return np.zeros(0)
        if t == 0:
            raise ShapeError("no move arrives at position 0, so it cannot have an edge slab of its own")
        slab = contiguous(as_scores(edge, "edge"), dtype=np.float64)
        wanted = (self.label_set.size,) * (min(t, self._model.order) + 1)
        if slab.shape != wanted:
            raise ShapeError(
                f"the moves arriving at position {t} need an edge slab of shape {wanted}, got {slab.shape}"
            )
        check_scores(slab, f"edge into position {t}: edge")
        return (
            slab if self._forbidden is None else forbid(slab, self._forbidden, slab.ndim).astype(np.float64)
        )
