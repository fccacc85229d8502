"""Expectation-maximisation for hidden Markov models: E steps, Baum-Welch and hard EM, and stepwise EM for batches."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import number, whole_number
from seqlab.errors import ImpossibleError, OptionError, Place, TrainingWarning
from seqlab.families.hmm import histories
from seqlab.families.hmm.emissions.base import Floats, Groups, SymbolRows
from seqlab.families.hmm.tables import Dirichlet, Expected, HiddenMarkov
from seqlab.learning.monitor import Outcome, Progress, Report, model_in, resumed
from seqlab.scale.cluster.sums import tree
from seqlab.store.codec import state_of
from seqlab.store.state import State

FROZEN = ("start", "transitions", "emissions", "means", "covariances", "weights")
SLACK = 1e-9  # share of the objective that may be rounding error
EMPTY = 1e-8  # a state with a smaller expected count is empty
_passes = itertools.count(1)


@dataclass(slots=True, eq=False)
class Evidence:
    """Training sequences of EM; a copy may be used on another thread.

    observed   the observations in the form of the emissions, T tokens
    offsets    (N + 1,)
    weights    (N,) weight of each sequence, or None
    allowed    (T, L) True for the allowed labels of a token: known labels, full or partial; None without any
    cuts       (P + 1,) numbers of the sequences between the parts, whose sums are added along a tree; None for one part
    emptied    True once training has found an empty state
    """

    observed: Any
    offsets: npt.NDArray[np.int64]
    weights: Floats | None = None
    allowed: npt.NDArray[np.bool_] | None = None
    cuts: npt.NDArray[np.int64] | None = None
    emptied: bool = field(default=False, init=False)
    _passes: dict[tuple[int, int], Any] = field(default_factory=dict, init=False)
    _parts: list[Evidence] = field(default_factory=list, init=False)
    _beside: Evidence | None = field(default=None, init=False)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def tokens(self) -> int:
        """Number of tokens, T."""
        return int(self.offsets[-1])

    @property
    def weight(self) -> float:
        """Sum of the weights of all tokens; each has the weight of its sequence."""
        if self.weights is None:
            return float(self.tokens)
        return float((self.weights * np.diff(self.offsets)).sum())

    @property
    def parts(self) -> Sequence[Evidence]:
        """The runs of sequences between the cuts, as they would be read alone; parts take turns with one workspace."""
        if self.cuts is None or len(self.cuts) <= 2:
            return (self,)
        if not self._parts:
            self._hold([self._part(*pair) for pair in itertools.pairwise(self.cuts.tolist())])
        return self._parts

    def _part(self, first: int, last: int) -> Evidence:
        begin, end = int(self.offsets[first]), int(self.offsets[last])
        return Evidence(
            _span(self.observed, begin, end),
            self.offsets[first : last + 1] - begin,
            None if self.weights is None else self.weights[first:last],
            None if self.allowed is None else self.allowed[begin:end],
        )

    def copy(self) -> Evidence:
        """Return a copy with workspaces of its own; the data are shared."""
        made = replace(self)
        made._hold([replace(part) for part in self.parts] if len(self.parts) > 1 else [])
        return made

    def _hold(self, parts: list[Evidence]) -> None:
        self._parts = parts
        for part in parts[1:]:
            part._beside = parts[0]

    def passes(self, size: int, order: int = 1) -> Any:
        """Return the core's view, made once: it keeps workspaces."""
        if (size, order) not in self._passes:
            flags = None if self.allowed is None else np.ascontiguousarray(self.allowed, dtype=np.uint8)
            offsets = np.ascontiguousarray(self.offsets, dtype=np.int64)
            beside = None if self._beside is None else self._beside.passes(size, order)
            self._passes[size, order] = _core.Expectation(offsets, size, self.weights, flags, order, beside)
        return self._passes[size, order]

    def total(self, log_z: Floats) -> float:
        """Compute the weighted sum over possible sequences."""
        possible = log_z > -np.inf
        weights = 1.0 if self.weights is None else self.weights[possible]
        return float((weights * log_z[possible]).sum())


def _span(observed: Any, begin: int, end: int) -> Any:
    """Return the observations of the tokens begin .. end, in the form of the emissions."""
    if isinstance(observed, tuple):
        return tuple(one.span(begin, end) for one in observed)
    return observed.span(begin, end)


OfPart = Callable[[Evidence, int], Expected]  # the E step of a part, with a number of threads


def over_parts(
    step: Callable[[HiddenMarkov], OfPart], model: HiddenMarkov, evidence: Evidence, threads: int
) -> Expected:
    """Run an E step part by part, and add the counts along a tree: an order that depends on the data alone."""
    of_part = step(model)

    def counts(part: Evidence) -> Expected:
        found = of_part(part, threads)
        return replace(found, emissions=model.emissions.comparable(found.emissions))

    return tree(((0, counts(part)) for part in evidence.parts), Expected.plus)


def expect(model: HiddenMarkov, evidence: Evidence, threads: int) -> Expected:
    """Compute expected counts under the distribution over paths."""
    return over_parts(all_paths, model, evidence, threads)


# eq:baum-welch   γ_t(y) = P(y_t | x), ξ_t(a, y) = P(y_{t-1} = a, y_t = y | x), summed over sequences
def all_paths(model: HiddenMarkov) -> OfPart:
    """Return the E step of one part: expected counts under the distribution over paths."""
    table, tables, number = model.emissions.table(), (*model.edges(), model.head_edges()), next(_passes)
    logs = None if table is None else np.ascontiguousarray(table)

    def counted(evidence: Evidence, threads: int) -> Expected:
        rows = evidence.observed
        if logs is not None and isinstance(rows, SymbolRows):
            counts, symbols = np.zeros(logs.size), (rows.begin, rows.ids, rows.values)
            found = chain_sums(evidence, tables, (*symbols, logs, counts), threads, number)
            return replace(found, emissions={"counts": counts.reshape(logs.shape)})
        node = np.ascontiguousarray(model.emissions.scores(rows)).reshape(-1)
        gamma = np.zeros(node.size)
        found = chain_sums(evidence, tables, (node, gamma), threads)
        return replace(found, emissions=model.emissions.statistics(rows, gamma.reshape(-1, model.size)))

    return counted


def chain_sums(
    evidence: Evidence, tables: Sequence[Any], emitted: Sequence[Any], threads: int, number: int = 0
) -> Expected:
    """Run the core's E step for starts, transitions and ends.

    tables    logs of start, edge, end (or None) and head
    emitted   (begin, ids, values, log table, counts) of symbols, or (scores, marginals), both flat; the last is written
    number    of the pass, whose parts have the same tables of symbols; 0 for one part alone
    """
    size, order = len(tables[0]), tables[1].ndim - 1
    starts, ends, log_z = np.zeros(size), np.zeros(size), np.empty(len(evidence))
    *heads, edges = (np.zeros((size,) * (j + 2)) for j in range(order))
    passes = evidence.passes(size, order)
    sums = (starts, edges.reshape(-1), ends, [one.reshape(-1) for one in heads], log_z)
    if len(emitted) == 2:
        passes.over_scores(*tables, *emitted, *sums, threads)
    else:
        passes.over_symbols(*tables, *emitted, *sums, threads, number)
    return Expected(starts, edges, ends, {}, log_z, evidence.total(log_z), tuple(heads))


# eq:hard-em   counts of the best path alone: γ_t(y) = [y_t = ŷ_t]
def best_paths(model: HiddenMarkov, evidence: Evidence, threads: int) -> Expected:
    """Count one part along the best paths of the model."""
    size, offsets = model.size, evidence.offsets
    batch = model.batch(evidence.observed, offsets, evidence.allowed)
    ids, log_z = np.zeros(evidence.tokens, dtype=np.int32), np.empty(len(evidence))
    _core.viterbi(batch.batch(), ids, log_z, threads)
    weights = np.ones(len(evidence)) if evidence.weights is None else evidence.weights
    weights = np.repeat(np.where(log_z > -np.inf, weights, 0.0), np.diff(offsets))
    ids = np.maximum(ids, 0)
    gamma = np.zeros((evidence.tokens, size))
    gamma[np.arange(evidence.tokens), ids] = weights
    moves, ends = histories.counted(ids, weights, offsets, model.order, size)
    start, (*head, edge) = histories.split(moves)
    statistics = model.emissions.statistics(evidence.observed, gamma)
    return Expected(start, edge, ends, statistics, log_z, evidence.total(log_z), tuple(head))


@dataclass(frozen=True, slots=True, kw_only=True)
class BaumWelch:
    """Baum-Welch, soft EM (eq:baum-welch): the likelihood of the observations rises in every iteration.

    max_iterations      largest number of M steps: n_iter of hmmlearn
    tolerance           ends when an iteration gains less than this share of the objective (tol of hmmlearn: an amount)
    restarts            number of starts, run in parallel; the best on dev, or by likelihood, is kept (n_init)
    frozen              tables that do not change: "start", "transitions", "emissions"; for Gaussians also "means",
                        "covariances", "weights"
    tied                groups of states that share their emissions: [("N1", "N2"), ...]
    unlabelled_weight   weight of a sentence without any label, relative to one with labels
    forgetting          for partial_fit: batch k has the weight k^-forgetting in the running mean of expected counts;
                        above 0.5 it converges, and 1 is the plain mean of all batches
    """

    hidden: ClassVar[bool] = True  # it trains models with hidden states only

    max_iterations: int = 100
    tolerance: float = 1e-6
    restarts: int = 1
    frozen: Sequence[str] = ()
    tied: Sequence[Sequence[str]] = ()
    unlabelled_weight: float = 1.0
    forgetting: float = 0.7

    def __post_init__(self) -> None:
        for name in ("frozen", "tied"):
            if isinstance(getattr(self, name), Iterator):  # an iterator can be consumed only once
                object.__setattr__(self, name, tuple(getattr(self, name)))
        whole_number(self.max_iterations, "max_iterations", 0)
        whole_number(self.restarts, "restarts", 1)
        number(self.tolerance, "tolerance")
        number(self.unlabelled_weight, "unlabelled_weight")
        number(self.forgetting, "forgetting", most=1.0)
        if isinstance(self.frozen, str) or not isinstance(self.frozen, Iterable):
            raise OptionError(f"frozen must be a list such as ['emissions'], got {self.frozen!r}")
        for name in self.frozen:
            if name not in FROZEN:
                raise OptionError(f"frozen may name {', '.join(map(repr, FROZEN))}, got {name!r}")
        groups_of(self.tied, None)

    def enough(self, gain: float, value: float) -> bool:
        """Return True if an iteration gained too little to continue: the gain, as a share of the value."""
        return gain <= self.tolerance * (1 + abs(value))

    def expect(self, model: HiddenMarkov, evidence: Evidence, threads: int) -> Expected:
        """Run the E step: expected counts of the evidence under the model, with this number of threads."""
        return over_parts(self._step, model, evidence, threads)

    def _step(self, model: HiddenMarkov) -> OfPart:
        return all_paths(model)

    def train(
        self, model: HiddenMarkov, evidence: Evidence, prior: Dirichlet, threads: int, report: Report
    ) -> Outcome:
        """Train from one start (model) on the evidence with a prior, on threads; report is called every iteration."""
        groups = groups_of(self.tied, model.labels)
        kept: Any = model
        found: Expected | None = None
        best, gain, said, first = -math.inf, math.inf, False, 0
        before = resumed(report)
        if before is not None:
            kept = model_in(before.any_part("model"), (HiddenMarkov,))
            done = before.number("iteration", 0)
            best, gain = before.setting("best", float), before.setting("gain", float)
            said, evidence.emptied = before.setting("said", bool), before.setting("emptied", bool)
            if done and self.enough(gain, best):
                return Outcome(kept, "value", done, -best)
            found, first = self.expect(kept, evidence, threads), done + 1
        for iteration in range(first, self.max_iterations + 1):
            if found is not None:
                model = kept.maximised(found, prior, groups, self.frozen)
            found = self.expect(model, evidence, threads)
            said = _say_impossible(found.log_z, said=said)
            value = found.value + model.log_prior(prior, groups)
            if iteration and not value > best:  # no gain: the model before is kept
                fell = not value >= best - SLACK * (1 + abs(best))
                if fell:
                    warnings.warn(
                        f"the objective fell from {best:.10g} to {value:.10g} in iteration {iteration}; training ends "
                        f"with the model before it",
                        TrainingWarning,
                        stacklevel=2,
                    )
                return Outcome(kept, "fell" if fell else "value", iteration - 1, -best)
            gain, kept, best = value - best, model, value
            evidence.emptied |= bool((found.occupied < EMPTY).any())
            numbers = {"best": best, "gain": gain, "said": said, "emptied": evidence.emptied}
            if not report(progress(iteration, model, found, value, numbers)):
                return Outcome(kept, "stopped", iteration, -best)
            if iteration and self.enough(gain, best):
                return Outcome(kept, "value", iteration, -best)
        return Outcome(kept, "iterations", self.max_iterations, -best)


@dataclass(frozen=True, slots=True, kw_only=True)
class HardEM(BaumWelch):
    """Hard (Viterbi) EM (eq:hard-em): counts along the best path of every sequence.

    max_iterations, tolerance, restarts, frozen, tied, unlabelled_weight, forgetting   as for BaumWelch

    The joint probability of observations and best paths rises. A state that is on no best path is lost: it keeps its
    tables, and a TrainingWarning names it when training ends.
    """

    def _step(self, model: HiddenMarkov) -> OfPart:
        return partial(best_paths, model)


def progress(
    iteration: int, model: Any, found: Any, value: float, numbers: Mapping[str, float | bool]
) -> Progress:
    """Make the report of an iteration: the model, its log-likelihood, the objective, and numbers for a checkpoint."""
    objective = -value if math.isfinite(value) else None

    def taken() -> State:
        return State("em", {"iteration": iteration, **numbers}).with_parts({"model": state_of(model)})

    return Progress(iteration, objective, None, None, lambda: model, {"log_likelihood": found.value}, taken)


def _say_impossible(log_z: Floats, *, said: bool) -> bool:
    """Raise an error if all sequences are impossible under a start; warn once of some."""
    lost = np.flatnonzero(~(log_z > -np.inf))
    if len(lost) and len(lost) == len(log_z):
        raise ImpossibleError(
            "no path can have made it under the tables that training began with, nor any of the others; look at "
            "zeros in init, or add pseudo-counts with smoothing=0.1",
            place=Place(int(lost[0]), 0, item=""),
        )
    more = "they are left out of training. Pseudo-counts (smoothing=0.1) make them possible"
    return said or say_lost(log_z, "", more)


def say_lost(log_z: Floats, of: str, more: str) -> bool:
    """Warn of impossible sequences, if there are any."""
    lost = np.flatnonzero(~(log_z > -np.inf))
    if len(lost):
        warnings.warn(
            f"{len(lost)} of {len(log_z)} sentences{of} cannot be under the model, sentence {int(lost[0])} first; "
            f"{more}",
            TrainingWarning,
            stacklevel=4,
        )
    return bool(len(lost))


def say_empty(model: HiddenMarkov, occupied: Floats) -> None:
    """Warn of the empty states of a trained model."""
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


def groups_of(tied: Any, labels: Sequence[str] | None) -> Groups | None:
    """Number the groups of states (L,) that share emissions; None when none do.

    Without labels only the shape is checked.
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
