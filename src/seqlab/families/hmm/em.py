"""Expectation-maximisation for hidden Markov models: the E step and the runs of Baum-Welch (soft) and hard EM."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import number, whole_number
from seqlab.errors import ImpossibleError, OptionError, Place, TrainingWarning
from seqlab.families.hmm.emissions.base import Floats, Groups, SymbolRows
from seqlab.families.hmm.tables import FROZEN, Dirichlet, Expected, HiddenMarkov
from seqlab.learning.monitor import Outcome, Progress, Report


@dataclass(slots=True, eq=False)
class Evidence:
    """Sequences to learn from.

    observed   what the emissions made of them, T tokens
    offsets    (N + 1,)
    weights    (N,) what each sequence counts, or None
    allowed    (T, L) True for what a token may be: labels known, wholly or in part; None when nothing is known
    """

    observed: Any
    offsets: npt.NDArray[np.int64]
    weights: Floats | None = None
    allowed: npt.NDArray[np.bool_] | None = None
    _passes: dict[int, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def tokens(self) -> int:
        """T."""
        return int(self.offsets[-1])

    def passes(self, size: int) -> Any:
        """The core's own view, made once."""
        if size not in self._passes:
            flags = None if self.allowed is None else np.ascontiguousarray(self.allowed, dtype=np.uint8)
            offsets = np.ascontiguousarray(self.offsets, dtype=np.int64)
            self._passes[size] = _core.Expectation(offsets, size, self.weights, flags)
        return self._passes[size]

    def alone(self) -> Evidence:
        """The same for another thread: a pass keeps rooms of its own."""
        return Evidence(self.observed, self.offsets, self.weights, self.allowed)

    def total(self, log_z: Floats) -> float:
        """The weighted sum over sequences that can be."""
        possible = log_z > -np.inf
        weights = 1.0 if self.weights is None else self.weights[possible]
        return float((weights * log_z[possible]).sum())


# eq:baum-welch   γ_t(y) = P(y_t | x), ξ_t(a, y) = P(y_{t-1} = a, y_t = y | x), summed over sequences
def expect(model: HiddenMarkov, evidence: Evidence, threads: int) -> Expected:
    """Expected counts under the distribution over paths."""
    size = model.size
    start, edge, end = model.edges()
    starts, edges, ends = np.zeros(size), np.zeros(size * size), np.zeros(size)
    log_z = np.empty(len(evidence))
    sums = (starts, edges, ends, log_z, threads)
    table = model.emissions.table()
    rows = evidence.observed
    passes = evidence.passes(size)
    if table is not None and isinstance(rows, SymbolRows):
        counts = np.zeros(table.size)
        passes.over_symbols(
            start, edge, end, rows.begin, rows.ids, rows.values, np.ascontiguousarray(table), counts, *sums
        )
        statistics = {"counts": counts.reshape(table.shape)}
    else:
        node = np.ascontiguousarray(model.emissions.scores(rows)).reshape(-1)
        gamma = np.zeros(node.size)
        passes.over_scores(start, edge, end, node, gamma, *sums)
        statistics = model.emissions.statistics(rows, gamma.reshape(-1, size))
    return Expected(starts, edges.reshape(size, size), ends, statistics, log_z, evidence.total(log_z))


# eq:hard-em   counts of the best path alone: γ_t(y) = [y_t = ŷ_t]
def expect_hard(model: HiddenMarkov, evidence: Evidence, threads: int) -> Expected:
    """Counts of the best path of every sequence; log_z holds the score of that path."""
    size, offsets = model.size, evidence.offsets
    batch = model.batch(evidence.observed, offsets, evidence.allowed)
    ids, log_z = np.zeros(evidence.tokens, dtype=np.int32), np.empty(len(evidence))
    _core.viterbi(batch.batch(), ids, log_z, threads)
    lengths = np.diff(offsets)
    possible = np.repeat(log_z > -np.inf, lengths)
    weights = np.repeat(np.ones(len(evidence)) if evidence.weights is None else evidence.weights, lengths)
    weights = np.where(possible, weights, 0.0)
    gamma = np.zeros((evidence.tokens, size))
    gamma[np.arange(evidence.tokens), np.maximum(ids, 0)] = weights
    some = lengths > 0
    first, last = offsets[:-1][some], offsets[1:][some] - 1
    follows = np.ones(evidence.tokens, dtype=bool)
    follows[first] = False
    later = np.flatnonzero(follows)
    moves = np.bincount(
        ids[later - 1].astype(np.int64) * size + ids[later], weights[later], minlength=size * size
    )
    return Expected(
        gamma[first].sum(axis=0),
        moves.reshape(size, size).astype(np.float64),
        gamma[last].sum(axis=0),
        model.emissions.statistics(evidence.observed, gamma),
        log_z,
        evidence.total(log_z),
    )


SLACK = 1e-9  # share of the objective that rounding may take from it
EMPTY = 1e-8  # a state that is expected less often than this has nobody


@dataclass(frozen=True, slots=True, eq=False)
class EMTask:
    """What EM learns from, and what it must keep to."""

    evidence: Evidence
    prior: Dirichlet
    groups: Groups | None = None
    sentences: Sequence[int] | None = None  # what sequence i is called in messages
    emptied: list[int] = field(default_factory=list)  # iterations that found a state with nothing left for it

    def sentence(self, i: int) -> int:
        """The number a user knows it by."""
        return i if self.sentences is None else int(self.sentences[i])


@dataclass(frozen=True, slots=True, kw_only=True)
class _EM:
    """What both learners share."""

    hidden: ClassVar[bool] = True  # they train models with hidden states, and no others

    max_iterations: int = 100
    tolerance: float = 1e-6
    restarts: int = 1
    frozen: Sequence[str] = ()
    tied: Sequence[Sequence[str]] = ()
    unlabelled_weight: float = 1.0
    forgetting: float = 0.7

    def __post_init__(self) -> None:
        for name in ("frozen", "tied"):
            if isinstance(getattr(self, name), Iterator):  # it can be gone through once
                object.__setattr__(self, name, tuple(getattr(self, name)))
        whole_number(self.max_iterations, "max_iterations", 0)
        whole_number(self.restarts, "restarts", 1)
        number(self.tolerance, "tolerance")
        number(self.unlabelled_weight, "unlabelled_weight")
        number(self.forgetting, "forgetting", most=1.0)
        _check_frozen(self.frozen)
        groups_of(self.tied, None)

    def enough(self, gain: float, value: float) -> bool:
        """Tell whether an iteration gained too little to go on."""
        return gain <= self.tolerance * (1 + abs(value))

    def _train(
        self,
        step: Callable[[HiddenMarkov, Evidence, int], Expected],
        task: EMTask,
        model: HiddenMarkov,
        threads: int,
        report: Report,
    ) -> Outcome:
        return _Run(self, step, task, threads, report).run(model)


@dataclass(frozen=True, slots=True, kw_only=True)
class BaumWelch(_EM):
    """Baum-Welch, soft EM (eq:baum-welch): the likelihood of the observations rises in every iteration.

    max_iterations      M steps at most
    tolerance           ends when an iteration gains less than this share of the objective
    restarts            runs from so many starts, in parallel; the best on dev, or by likelihood, is kept
    frozen              what does not change: "start", "transitions", "emissions"; of Gaussians also "means",
                        "covariances", "weights"
    tied                groups of states that share their emissions: [("N1", "N2"), ...]
    unlabelled_weight   what a sentence without any label counts beside one with labels
    forgetting          of partial_fit: batch k moves the mean of expected counts by a share of k^-forgetting; above 0.5
                        it settles, 1 is the plain mean of all batches
    """

    def train(self, task: EMTask, model: HiddenMarkov, *, threads: int, report: Report) -> Outcome:
        """Learn from one start; the outcome's theta is a HiddenMarkov."""
        return self._train(expect, task, model, threads, report)

    def expect(self, model: HiddenMarkov, evidence: Evidence, threads: int) -> Expected:
        """The E step."""
        return expect(model, evidence, threads)


@dataclass(frozen=True, slots=True, kw_only=True)
class HardEM(_EM):
    """Hard (Viterbi) EM (eq:hard-em): counts along the best path of every sequence. Options of BaumWelch.

    What rises is the probability of observations and best paths together. A state that no best path visits is lost: it
    keeps its tables, and a TrainingWarning names it when training ends.
    """

    def train(self, task: EMTask, model: HiddenMarkov, *, threads: int, report: Report) -> Outcome:
        """Learn from one start; the outcome's theta is a HiddenMarkov."""
        return self._train(expect_hard, task, model, threads, report)

    def expect(self, model: HiddenMarkov, evidence: Evidence, threads: int) -> Expected:
        """The E step."""
        return expect_hard(model, evidence, threads)


class _Run:
    """One run of EM from one start."""

    def __init__(self, options: _EM, step: Any, task: EMTask, threads: int, report: Report) -> None:
        self.options, self.step, self.task = options, step, task
        self.threads, self.report = threads, report
        self.told: set[str] = set()

    def run(self, model: HiddenMarkov) -> Outcome:
        groups = groups_of(self.options.tied, model.labels)
        self.groups = groups if groups is not None else self.task.groups
        kept, best = model, -math.inf
        found = self.step(model, self.task.evidence, self.threads)
        value = self._value(model, found)
        for iteration in range(self.options.max_iterations + 1):
            if iteration:
                model = kept.maximised(found, self.task.prior, groups=self.groups, frozen=self.options.frozen)
                found = self.step(model, self.task.evidence, self.threads)
                value = self._value(model, found)
                if not value > best:  # nothing gained: what was there before stays
                    reason = "value" if value >= best - SLACK * (1 + abs(best)) else "fell"
                    self._say_fell(best, value, iteration) if reason == "fell" else None
                    return Outcome(kept, reason, iteration - 1, -best)  # type: ignore[arg-type]
            gain, kept, best = value - best, model, value
            if (found.occupied < EMPTY).any():
                self.task.emptied.append(iteration)
            goes_on = self.report(self._progress(iteration, model, found, value))
            if not goes_on:
                return Outcome(kept, "stopped", iteration, -best)  # type: ignore[arg-type]
            if iteration and self.options.enough(gain, best):
                return Outcome(kept, "value", iteration, -best)  # type: ignore[arg-type]
        return Outcome(kept, "iterations", self.options.max_iterations, -best)  # type: ignore[arg-type]

    def _value(self, model: HiddenMarkov, found: Expected) -> float:
        self._refuse_impossible(found)
        return found.value + model.log_prior(self.task.prior, self.groups)

    def _progress(self, iteration: int, model: HiddenMarkov, found: Expected, value: float) -> Progress:
        return Progress(
            iteration,
            -value if math.isfinite(value) else None,
            None,
            None,
            lambda: model,  # type: ignore[arg-type,return-value]
            {"log_likelihood": found.value},
        )

    # ------------------------------------------------------------------------------------------ what deserves a word

    def _refuse_impossible(self, found: Expected) -> None:
        impossible = np.flatnonzero(~(found.log_z > -np.inf))
        if not len(impossible):
            return
        first = self.task.sentence(int(impossible[0]))
        if len(impossible) == len(found.log_z):
            raise ImpossibleError(
                "no path can have made it under the tables that training began with, nor any of the others; look at "
                "zeros in init, or add pseudo-counts with smoothing=0.1",
                place=Place(first, 0, item=""),
            )
        self._say(
            "impossible",
            f"{len(impossible)} of {len(found.log_z)} sentences cannot be under the model, sentence {first} first; "
            f"they are left out of training. Pseudo-counts (smoothing=0.1) make them possible",
        )

    def _say_fell(self, best: float, value: float, iteration: int) -> None:
        self._say(
            "fell",
            f"the objective fell from {best:.10g} to {value:.10g} in iteration {iteration}; training ends with the "
            f"model before it",
        )

    def _say(self, what: str, sentence: str) -> None:
        if what not in self.told:
            self.told.add(what)
            warnings.warn(sentence, TrainingWarning, stacklevel=2)


def say_empty(model: HiddenMarkov, occupied: Floats) -> None:
    """Report the states of a trained model that nothing is left for."""
    empty = np.flatnonzero(occupied < EMPTY)
    if not len(empty):
        return
    names = ", ".join(repr(model.labels[i]) for i in empty[:5].tolist())
    one = len(empty) == 1
    more = f" and {len(empty) - 5} more" if len(empty) > 5 else ""
    warnings.warn(
        f"nothing is left for the {'state' if one else 'states'} {names}{more}: {'its' if one else 'their'} "
        f"probabilities stay without data behind them; ask for fewer states than {model.size}, begin elsewhere (init=, "
        f"seed=, restarts=10) or add pseudo-counts (smoothing=0.1); allowed= may also forbid {'it' if one else 'them'} "
        f"everywhere",
        TrainingWarning,
        stacklevel=2,
    )


def _check_frozen(frozen: Any) -> None:
    if isinstance(frozen, str) or not isinstance(frozen, Iterable):
        raise OptionError(f"frozen must be a list such as ['emissions'], got {frozen!r}")
    for name in frozen:
        if name not in FROZEN:
            raise OptionError(f"frozen may name {', '.join(map(repr, FROZEN))}, got {name!r}")


def groups_of(tied: Any, labels: Sequence[str] | None) -> Groups | None:
    """(L,) a number for every state, the same for states that share emissions; None when none do.

    Without labels the shape alone is checked.
    """
    if isinstance(tied, str) or not isinstance(tied, Iterable):
        raise OptionError(f"tied must be groups of states, like [('N1', 'N2')], got {tied!r}")
    groups = [tuple(group) if not isinstance(group, str) else () for group in tied]
    if any(len(group) < 2 for group in groups):
        raise OptionError(f"tied must be groups of two states or more, like [('N1', 'N2')], got {tied!r}")
    named = [name for group in groups for name in group]
    if len(set(named)) != len(named):
        raise OptionError(f"a state can be tied in one group only, got {tied!r}")
    if labels is None or not groups:
        return None
    place = {name: i for i, name in enumerate(labels)}
    for name in named:
        if name not in place:
            raise OptionError(
                f"tied names the state {name!r}, but there are only {', '.join(map(repr, labels))}"
            )
    found = np.arange(len(labels))
    for group in groups:
        found[[place[name] for name in group]] = place[group[0]]
    return np.unique(found, return_inverse=True)[1].astype(np.int64)
