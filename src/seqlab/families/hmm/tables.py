"""A first-order hidden Markov model: start, transition and emission probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from seqlab.errors import OptionError
from seqlab.families.hmm.emissions import DISTRIBUTIONS
from seqlab.families.hmm.emissions.base import (
    Distribution,
    Floats,
    Groups,
    Statistics,
    check_shares,
    logs,
    normalised,
    sum_of_logs,
)
from seqlab.learning.smoothing import MLE, AddLambda, smoothing_of
from seqlab.shown import Brief
from seqlab.store.codec import Inside, Part
from seqlab.store.fields import Array, Names
from seqlab.tagging.door.constraints import Rules
from seqlab.trellis import TrellisBatch

Bools = npt.NDArray[np.bool_]
Offsets = npt.NDArray[np.int64]
ZEROS = (
    "this model has probabilities of 0, for what its training did not have: fit with smoothing=0.1 to add to every "
    "count, or write small numbers into tables of your own"
)


@dataclass(frozen=True, slots=True, repr=False)
class Dirichlet(Brief):
    """Pseudo-counts that the M step adds: MAP estimates under Dirichlet priors with these numbers plus 1.

    start         a number or (L,)
    transitions   a number, or (L, L)
    end           a number or (L,), for models with an end state; None for that of `transitions` if it is a number
    emissions     a number, (V,) or (L, V), for symbols and features; {stream: numbers} for streams
    """

    start: Any = 0.0
    transitions: Any = 0.0
    end: Any = None
    emissions: Any = 0.0

    def __post_init__(self) -> None:
        for name in ("start", "transitions", "end", "emissions"):
            given = getattr(self, name)
            for value in given.values() if isinstance(given, dict) else [0.0 if given is None else given]:
                array = np.asarray(value)
                if array.dtype.kind not in "fiu" or not (np.isfinite(array) & (array >= 0)).all():
                    raise OptionError(
                        f"pseudo-counts of {name} must be finite numbers from 0 up, got {value!r:.60}"
                    )

    @staticmethod
    def of(smoothing: Any) -> Dirichlet:
        """Read a smoothing option that a learner can use: None, MLE(), AddLambda(value), a number, or a Dirichlet."""
        if smoothing is None or isinstance(smoothing, Dirichlet):
            return smoothing or Dirichlet()
        found = smoothing_of(smoothing)
        if isinstance(found, MLE):
            return Dirichlet()
        if isinstance(found, AddLambda):
            return Dirichlet(found.value, found.value, found.value, found.value)
        raise OptionError(
            f"smoothing={smoothing!r} is for counting labelled words; EM takes MLE(), AddLambda(value) or Dirichlet()"
        )

    def of_start(self, size: int) -> Floats:
        """Pseudo-counts of starts, (L,) for L = size."""
        return _spread(self.start, (size,), "start")

    def of_moves(self, size: int, *, end: bool) -> Floats:
        """Pseudo-counts of transitions: (L, L) for L = size, or (L, L + 1) with the end as the last column."""
        moves = _spread(self.transitions, (size, size), "transitions")
        if not end:
            return moves
        given = self.end
        if given is None:
            given = self.transitions if np.ndim(self.transitions) == 0 else 0.0
        return np.hstack([moves, _spread(given, (size,), "end")[:, None]])


def _spread(value: Any, shape: tuple[int, ...], name: str) -> Floats:
    array = np.asarray(value, dtype=np.float64)
    if array.ndim and array.shape != shape:
        raise OptionError(f"pseudo-counts of {name} have shape {array.shape}, but {shape} is wanted")
    return np.broadcast_to(array, shape)


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """Expected counts of an E step, all of them sums over sequences.

    start (L,), edge (L, L), end (L,)   expected starts, transitions and ends
    emissions                           statistics of the emissions
    log_z (N,)                          log P of each sequence; -inf for an impossible one
    value                               their weighted sum, without impossible ones
    """

    start: Floats
    edge: Floats
    end: Floats
    emissions: Statistics
    log_z: Floats
    value: float

    @property
    def occupied(self) -> Floats:
        """(L,) expected count of each state."""
        return np.asarray(self.edge.sum(axis=1) + self.end)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HiddenMarkov(Brief):
    """eq:hmm-joint   P(x, y) = π(y_1) B(x_1 | y_1) Π_t A(y_{t-1}, y_t) B(x_t | y_t)  [· end(y_T)].

    labels      the L states by name
    pi          (L,)   start probabilities
    A           (L, L) from state, to state
    end         (L,)   probability to end after a state, or None: then rows of A alone sum to 1
    emissions   P(x | y)
    rules       constraints on states
    """

    stored_kind: ClassVar[str] = "hidden markov model"

    labels: Annotated[tuple[str, ...], Names("L")]
    pi: Annotated[Floats, Array(np.float64, "L", finite=True)]
    A: Annotated[Floats, Array(np.float64, "L", "L", finite=True)]
    end: Annotated[Floats | None, Array(np.float64, "L", finite=True, optional=True)]
    emissions: Annotated[Distribution, Part(*DISTRIBUTIONS)]
    rules: Annotated[Rules, Inside(Rules, "rules.")] = field(default_factory=lambda: Rules.none(0))

    def __post_init__(self) -> None:
        if len(self.rules.no_start) != self.size:
            object.__setattr__(self, "rules", Rules.none(self.size))

    def check(self) -> None:
        """Check that tables from a file are probabilities."""
        for table in (self.pi[None], self._exits):
            check_shares(table, 1, "start and transition probabilities")

    @property
    def size(self) -> int:
        """Number of states, L."""
        return len(self.labels)

    @property
    def _exits(self) -> Floats:
        """Transitions (L, L), or (L, L + 1) with the end as the last column."""
        return self.A if self.end is None else np.hstack([self.A, self.end[:, None]])

    @property
    def vocabulary(self) -> frozenset[str] | None:
        """The words of training; None when observations are not words."""
        return self.emissions.vocabulary

    @property
    def parameters(self) -> int:
        """Number of free parameters, without cells that rules forbid."""
        size = self.size
        moves = size * (size - (self.end is None)) - int(self.rules.forbidden.sum())
        return size - 1 - int(self.rules.no_start.sum()) + moves + self.emissions.parameters

    # ------------------------------------------------------------------------------------------ trellises

    def edges(self) -> tuple[Floats, Floats, Floats | None]:
        """Compute logs of π, A and the end; -inf where rules forbid."""
        start, edge = logs(self.pi), logs(self.A)
        end = None if self.end is None else logs(self.end)
        if self.rules:
            start = np.where(self.rules.no_start, -np.inf, start)
            edge = np.where(self.rules.forbidden, -np.inf, edge)
            end = np.where(self.rules.no_end, -np.inf, np.zeros(self.size) if end is None else end)
        return start, np.ascontiguousarray(edge), end

    def batch(self, observed: Any, offsets: Offsets, allowed: Bools | None = None) -> TrellisBatch:
        """Make one trellis for every sequence, with start and end in its first and last row; log Z is log P(x)."""
        start, edge, end = self.edges()
        node, lengths = self.emissions.scores(observed), np.diff(offsets)
        some = lengths > 0
        node[offsets[:-1][some]] += start
        if end is not None:
            node[offsets[1:][some] - 1] += end
        node = node if allowed is None else np.where(allowed, node, -np.inf)
        made = TrellisBatch(node, lengths, edge, labels=self.labels)
        made.advice = self.advice
        return made

    def advice(self) -> str:
        """Advise on impossible sequences, when zeros of the tables are the reason."""
        open_moves = self.A[~self.rules.forbidden] if self.rules else self.A
        tables = [logs(self.pi), logs(open_moves), self.emissions.table()]
        tables.append(None if self.end is None else logs(self.end))
        return "" if all(table is None or np.isfinite(table).all() for table in tables) else ZEROS

    # ------------------------------------------------------------------------------------------ learning

    # eq:baum-welch   π ∝ γ_1,  A ∝ Σ_t ξ_t,  B ∝ Σ_t γ_t [x_t = v], each with the pseudo-counts of the prior
    def maximised(
        self, found: Expected, prior: Dirichlet, groups: Groups | None = None, frozen: Sequence[str] = ()
    ) -> Self:
        """Run the M step. Rows with a count of zero stay unchanged."""
        pi, A, end = self.pi, self.A, self.end
        if "start" not in frozen:
            pi = normalised(self._starts(found.start + prior.of_start(self.size)), pi, axis=0)
        if "transitions" not in frozen:
            counts = found.edge if end is None else np.hstack([found.edge, found.end[:, None]])
            counts = self._moves(counts + prior.of_moves(self.size, end=end is not None))
            made = normalised(counts, self._exits, axis=1)
            A = np.ascontiguousarray(made[:, : self.size])
            end = None if end is None else made[:, self.size].copy()
        emissions = self.emissions
        if "emissions" not in frozen:
            emissions = emissions.maximised(found.emissions, prior.emissions, groups, frozen)
        return replace(self, pi=pi, A=A, end=end, emissions=emissions)

    def log_prior(self, prior: Dirichlet, groups: Groups | None = None) -> float:
        """Compute the log prior, up to a constant."""
        total = sum_of_logs(self._starts(prior.of_start(self.size)), self.pi)
        total += sum_of_logs(self._moves(prior.of_moves(self.size, end=self.end is not None)), self._exits)
        return total + self.emissions.log_prior(prior.emissions, groups)

    def _starts(self, counts: Floats) -> Floats:
        return np.where(self.rules.no_start, 0.0, counts) if self.rules else counts

    def _moves(self, counts: Floats) -> Floats:
        if not self.rules:
            return counts
        forbidden = self.rules.forbidden
        if counts.shape[1] > self.size:
            forbidden = np.hstack([forbidden, self.rules.no_end[:, None]])
        return np.where(forbidden, 0.0, counts)

    # ------------------------------------------------------------------------------------------ the rest

    def stationary(self) -> Floats:
        """eq:stationary   (L,) the stationary distribution of A: the long-run share of each state.

        If there are several, the one reached from π.
        """
        moves = self.A / np.maximum(self.A.sum(axis=1, keepdims=True), 1e-300)
        system = np.vstack([moves.T - np.eye(self.size), np.ones(self.size)])
        wanted = np.append(np.zeros(self.size), 1.0)
        if np.linalg.matrix_rank(system[:-1], tol=1e-12) == self.size - 1:
            found = np.linalg.lstsq(system, wanted, rcond=None)[0]
        else:
            lazy = 0.5 * (moves + np.eye(self.size))  # aperiodic
            for _ in range(60):
                lazy = lazy @ lazy
                lazy /= lazy.sum(axis=1, keepdims=True)
            found = self.pi @ lazy
        found = np.maximum(found, 0.0)
        return np.asarray(found / found.sum())

    def reordered(self, order: npt.NDArray[np.int64]) -> Self:
        """Put state order[i] at place i; the names stay where they are."""
        rules, square = self.rules, np.ix_(order, order)
        rules = Rules(rules.forbidden[square], rules.no_start[order], rules.no_end[order])
        A, end = np.ascontiguousarray(self.A[square]), None if self.end is None else self.end[order]
        emissions = self.emissions.reordered(order)
        return replace(self, pi=self.pi[order], A=A, end=end, emissions=emissions, rules=rules)
