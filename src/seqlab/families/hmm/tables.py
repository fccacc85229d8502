"""A hidden Markov model of order 1 to 3: start, transition and emission probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from seqlab.errors import OptionError
from seqlab.families.hmm import histories
from seqlab.families.hmm.emissions import DISTRIBUTIONS
from seqlab.families.hmm.emissions.base import (
    Distribution,
    Floats,
    Groups,
    Statistics,
    check_shares,
    is_sum,
    logs,
    normalised,
    sum_of_logs,
)
from seqlab.families.hmm.histories import Moves, StoredHead, StoredMoves
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
    """Pseudo-counts that the M step adds: MAP estimates under Dirichlet priors with parameters of these numbers plus 1.

    start         a number or (L,)
    transitions   a number, or (L, L); in order 2 and 3 also an array with as many axes as the transitions
    end           a number or (L,), for models with an end; None for that of `transitions` if it is a number. In order 2
                  and 3 it is also added for each way to go on
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
        return np.hstack([moves, self.of_end(size)[:, None]]) if end else moves

    def of_histories(self, size: int, order: int) -> Moves:
        """Return pseudo-counts of each transition table in order 2 and 3, L = size; an array is for the last only."""
        given, whole = self.transitions, np.ndim(self.transitions) > 2
        shapes = [(size,) * (j + 2) for j in range(order)]
        if whole:
            return (*map(np.zeros, shapes[:-1]), _spread(given, shapes[-1], "transitions"))
        return tuple(np.broadcast_to(self.of_moves(size, end=False), shape) for shape in shapes)

    def of_end(self, size: int) -> Floats:
        """Pseudo-counts of ends, (L,) for L = size."""
        given = self.end
        if given is None:
            given = self.transitions if np.ndim(self.transitions) == 0 else 0.0
        return _spread(given, (size,), "end")


def _spread(value: Any, shape: tuple[int, ...], name: str) -> Floats:
    array = np.asarray(value, dtype=np.float64)
    if array.ndim and array.shape != shape:
        raise OptionError(f"pseudo-counts of {name} have shape {array.shape}, but {shape} is wanted")
    return np.broadcast_to(array, shape)


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """Expected counts of an E step, summed over sequences.

    start (L,), edge (L, ..., L), end (L,)   expected starts, transitions and ends
    emissions                                statistics of the emissions
    log_z (N,)                               log P of each sequence; -inf for an impossible one
    value                                    weighted sum of log_z, without impossible sequences
    head                                     expected transitions of the first positions, for order 2 and 3
    """

    start: Floats
    edge: Floats
    end: Floats
    emissions: Statistics
    log_z: Floats
    value: float
    head: Moves = ()

    def plus(self, other: Expected) -> Expected:
        """Add the counts of the sequences that follow, by the same model, to the arrays of these."""
        sums = {name: array for name, array in self.emissions.items() if is_sum(name)}
        pairs = [(self.start, other.start), (self.edge, other.edge), (self.end, other.end)]
        pairs += zip(self.head, other.head, strict=True)
        pairs += [(array, other.emissions[name]) for name, array in sums.items()]
        for one, more in pairs:
            np.add(one, more, out=one)
        return replace(self, log_z=np.concatenate([self.log_z, other.log_z]), value=self.value + other.value)

    @property
    def occupied(self) -> Floats:
        """(L,) expected count of each state."""
        return np.asarray(histories.leaving((*self.head, self.edge)) + self.end)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HiddenMarkov(Brief):
    """Parameters of a hidden Markov model.

    eq:hmm-joint   P(x, y) = π(y_1) B(x_1 | y_1) Π_t A(y_{t-1}, y_t) B(x_t | y_t)  [· end(y_T)]

    labels      the L states by name
    pi          (L,)   start probabilities
    A           (L, L) from state, to state; in order k (L, ..., L): from the k previous states, oldest first
    end         (L,)   probability to end after a state; None without an end, when rows of A alone sum to 1
    emissions   P(x | y)
    rules       constraints on states
    head        in order 2 and 3: transitions from fewer states, for positions 1 .. k - 1 (eq:order-k-hmm)
    """

    stored_kind: ClassVar[str] = "hidden markov model"

    labels: Annotated[tuple[str, ...], Names("L")]
    pi: Annotated[Floats, Array(np.float64, "L", finite=True)]
    A: Annotated[Floats, StoredMoves()]
    end: Annotated[Floats | None, Array(np.float64, "L", finite=True, optional=True)]
    emissions: Annotated[Distribution, Part(*DISTRIBUTIONS)]
    rules: Annotated[Rules, Inside(Rules, "rules.")] = field(default_factory=lambda: Rules.none(0))
    head: Annotated[Moves, StoredHead()] = ()

    def __post_init__(self) -> None:
        if len(self.rules.no_start) != self.size:
            object.__setattr__(self, "rules", Rules.none(self.size))

    def check(self) -> None:
        """Check that tables from a file are probabilities."""
        histories.check_head(self.head, self.A)
        for table in (self.pi[None], *(histories.exits(one, self.end) for one in self.moves)):
            check_shares(table, -1, "start and transition probabilities")

    @property
    def size(self) -> int:
        """Number of states, L."""
        return len(self.labels)

    @property
    def order(self) -> int:
        """Number k of previous states that a transition depends on."""
        return self.A.ndim - 1

    @property
    def moves(self) -> Moves:
        """Transitions after 1, 2, ..., k states: the head, then A."""
        return (*self.head, self.A)

    @property
    def vocabulary(self) -> frozenset[str] | None:
        """The words of training; None when observations are not words."""
        return self.emissions.vocabulary

    @property
    def parameters(self) -> int:
        """Number of free parameters, without cells that rules forbid."""
        size, ends = self.size, 0 if self.end is None else self.size
        free = size * (size - 1) - int(self.rules.forbidden.sum())
        moves = ends + free * int(sum(size**j for j in range(self.order)))
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

    def head_edges(self) -> list[Floats]:
        """Compute logs of the head; -inf for transitions that the constraints forbid."""
        tables = (logs(one) for one in self.head)
        return [np.where(self.rules.forbidden, -np.inf, one) if self.rules else one for one in tables]

    def batch(self, observed: Any, offsets: Offsets, allowed: Bools | None = None) -> TrellisBatch:
        """Make one trellis for every sequence, with start and end in its first and last row; log Z is log P(x)."""
        start, edge, end = self.edges()
        node, lengths = self.emissions.scores(observed), np.diff(offsets)
        some = lengths > 0
        node[offsets[:-1][some]] += start
        if end is not None:
            node[offsets[1:][some] - 1] += end
        node = node if allowed is None else np.where(allowed, node, -np.inf)
        made = TrellisBatch(node, lengths, edge, order=self.order, head=self.head_edges(), labels=self.labels)
        made.advice = self.advice
        return made

    def advice(self) -> str:
        """Advise on impossible sequences, when zeros of the tables are the reason."""
        open_moves = (np.where(self.rules.forbidden, 1.0, one) if self.rules else one for one in self.moves)
        tables = [logs(self.pi), *map(logs, open_moves), self.emissions.table()]
        tables.append(None if self.end is None else logs(self.end))
        return "" if all(table is None or np.isfinite(table).all() for table in tables) else ZEROS

    # ------------------------------------------------------------------------------------------ learning

    # eq:baum-welch   π ∝ γ_1,  A ∝ Σ_t ξ_t,  B ∝ Σ_t γ_t [x_t = v], each with the pseudo-counts of the prior
    def maximised(
        self, found: Expected, prior: Dirichlet, groups: Groups | None = None, frozen: Sequence[str] = ()
    ) -> Self:
        """Run the M step. Rows with a count of zero stay unchanged."""
        pi, (*head, A), end = self.pi, self.moves, self.end
        if "start" not in frozen:
            pi = normalised(self._starts(found.start + prior.of_start(self.size)), pi, axis=0)
        if "transitions" not in frozen:
            (*head, A), end = self._maximised_moves(found, prior)
        emissions = self.emissions
        if "emissions" not in frozen:
            emissions = emissions.maximised(found.emissions, prior.emissions, groups, frozen)
        return replace(self, pi=pi, A=A, end=end, emissions=emissions, head=tuple(head))

    def _maximised_moves(self, found: Expected, prior: Dirichlet) -> tuple[Moves, Floats | None]:
        size, end = self.size, self.end
        if self.order == 1:
            counts = histories.exits(found.edge, None if end is None else found.end)
            counts = self._moves(counts + prior.of_moves(size, end=end is not None))
            made = normalised(counts, histories.exits(self.A, end), axis=1)
            A = np.ascontiguousarray(made[:, :size])
            return (A,), None if end is None else made[:, size].copy()
        return histories.maximised(
            tuple(map(self._moves, (*found.head, found.edge))),
            tuple(map(self._moves, prior.of_histories(size, self.order))),
            (self._ends(found.end), self._ends(prior.of_end(size))),
            self.moves,
            end,
        )

    def log_prior(self, prior: Dirichlet, groups: Groups | None = None) -> float:
        """Compute the log prior, up to a constant."""
        total = sum_of_logs(self._starts(prior.of_start(self.size)), self.pi)
        size, end = self.size, self.end
        if self.order == 1:
            extra = self._moves(prior.of_moves(size, end=end is not None))
            total += sum_of_logs(extra, histories.exits(self.A, end))
        else:
            going_on = histories.rows(self.moves, end)
            for extra, one in zip(prior.of_histories(size, self.order), going_on, strict=True):
                total += sum_of_logs(self._moves(extra), one)
            if end is not None:
                extra = self._ends(prior.of_end(size))
                total += sum_of_logs(extra, end) + sum_of_logs(size * extra, 1 - end)
        return total + self.emissions.log_prior(prior.emissions, groups)

    def _starts(self, counts: Floats) -> Floats:
        return np.where(self.rules.no_start, 0.0, counts) if self.rules else counts

    def _ends(self, counts: Floats) -> Floats:
        return np.where(self.rules.no_end, 0.0, counts) if self.rules else counts

    def _moves(self, counts: Floats) -> Floats:
        if not self.rules:
            return counts
        forbidden = self.rules.forbidden
        if counts.shape[-1] > self.size:
            forbidden = np.hstack([forbidden, self.rules.no_end[:, None]])
        return np.where(forbidden, 0.0, counts)

    # ------------------------------------------------------------------------------------------ the rest

    def stationary(self) -> Floats:
        """eq:stationary   (L,) the stationary distribution of A: the long-run share of each state.

        If there are several, the one reached from π.
        """
        moves = tuple(one / np.maximum(one.sum(axis=-1, keepdims=True), 1e-300) for one in self.moves)
        if self.order == 1:
            return _stationary(self.pi, moves[0])
        return histories.stationary(self.pi, moves, _stationary)

    def reordered(self, order: npt.NDArray[np.int64]) -> Self:
        """Put state order[i] at place i; the names stay where they are."""
        rules, square = self.rules, np.ix_(order, order)
        rules = Rules(rules.forbidden[square], rules.no_start[order], rules.no_end[order], rules.spelling)
        *head, A = (np.ascontiguousarray(one[np.ix_(*[order] * one.ndim)]) for one in self.moves)
        end, emissions = None if self.end is None else self.end[order], self.emissions.reordered(order)
        pi = self.pi[order]
        return replace(self, pi=pi, A=A, end=end, emissions=emissions, rules=rules, head=tuple(head))


def _stationary(start: Floats, moves: Floats) -> Floats:
    """Solve p = p A for rows that sum to 1; if there are several solutions, the one reached from `start`."""
    size = len(start)
    system = np.vstack([moves.T - np.eye(size), np.ones(size)])
    wanted = np.append(np.zeros(size), 1.0)
    if np.linalg.matrix_rank(system[:-1], tol=1e-12) == size - 1:
        found = np.linalg.lstsq(system, wanted, rcond=None)[0]
    else:
        lazy = 0.5 * (moves + np.eye(size))  # aperiodic
        for _ in range(60):
            lazy = lazy @ lazy
            lazy /= lazy.sum(axis=1, keepdims=True)
        found = start @ lazy
    found = np.maximum(found, 0.0)
    return np.asarray(found / found.sum())
