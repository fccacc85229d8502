"""Mistake-driven learners, which change the weights after every sentence: small frozen option objects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from seqlab import _core
from seqlab.arrays import choice, number, switch, whole_number
from seqlab.errors import OptionError, ScoreError
from seqlab.learning.monitor import Outcome, Progress, Report, Weights, resumed
from seqlab.learning.optimisers import LARGEST_PENALTY
from seqlab.store.state import State, to_json

KINDS = (0, 1, 2)
COSTS = ("hamming", "sqrt", "one")  # numbered as in the core
METHODS = ("frank-wolfe", "subgradient")


class Online:
    """Base of learners that visit all sentences `epochs` times, or until an epoch changes nothing.

    content   the reason in the history when an epoch changed nothing
    """

    __slots__ = ()
    content: ClassVar[str] = "no mistakes"
    epochs: int

    def _learner(self, task: _core.Task, theta: Weights, seed: int) -> _core.OnlineLearner:
        """Make the learner of the core."""
        raise NotImplementedError

    def _told(self) -> tuple[str, ...]:
        """Return the numbers of an epoch for Progress.more.

        "mistakes" are wrong tokens, "updates" sentences that changed the weights, "loss" is summed over sentences, each
        with the weights at its visit.
        """
        return "loss", "updates", "mistakes"

    def train(
        self,
        task: _core.Task,
        theta: Weights,
        *,
        threads: int,  # noqa: ARG002 - part of the protocol; each visit needs the one before
        seed: int,
        report: Report,
    ) -> Outcome:
        """Train on a task from theta, which stays; threads, seed as of the tagger; report is called every epoch."""
        learner, told = self._learner(task, theta, seed), self._told()
        weights = partial(weights_of, learner)
        epoch, before = 0, resumed(report)
        if before is not None:
            learner.resume(before.arrays)
            epoch = before.number("epoch", 1)
            if before.number("updates", 0) == 0:
                return Outcome(weights(), self.content, epoch, None)
        while epoch < self.epochs:
            epoch += 1
            mistakes, updates, loss = learner.epoch()
            numbers = {"mistakes": float(mistakes), "updates": float(updates), "loss": loss}
            more = {name: numbers[name] for name in told}
            state = partial(_state, learner, epoch=epoch, updates=updates)
            go_on = report(Progress(epoch, None, None, None, weights, more, state))
            if updates == 0 or not go_on:
                return Outcome(weights(), "stopped" if updates else self.content, epoch, None)
        return Outcome(weights(), "epochs", self.epochs, None)


def weights_of(learner: _core.OnlineLearner) -> Weights:
    """Return a copy of the weights (n,) of a model that stops now."""
    theta = np.empty(learner.size)
    learner.weights(theta)
    if not np.isfinite(theta).all():
        raise _out_of_range()
    return theta


def _state(learner: _core.OnlineLearner, **numbers: Any) -> State:
    """Return the state of a learner after an epoch."""
    return State("online", numbers, learner.snapshot())


def _out_of_range() -> ScoreError:
    return ScoreError(
        "training left the range of numbers: feature values, weights of sentences and labels, or options of "
        "the learner may be too large or too small; scale values and weights to about 1"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Perceptron(Online):
    """The structured perceptron (eq:perceptron): adds features of the gold path, subtracts those of a wrong best path.

    epochs     largest number of passes over the sentences (max_iterations of CRFsuite); one without an error is the
               last
    averaged   True to use the mean of the weights over all steps of training, which is nearly always better
    shuffle    True for a new order in every epoch, from the seed; False for the given order

    The update of a sentence of weight w is multiplied by w; if tokens have weights, by the mean weight of the wrong
    ones. With partial labels, the best path that agrees with them is the gold path.
    """

    epochs: int = 10
    averaged: bool = True
    shuffle: bool = True

    def __post_init__(self) -> None:
        whole_number(self.epochs, "epochs", 1)
        switch(self.averaged, "averaged")
        switch(self.shuffle, "shuffle")

    def _learner(self, task: _core.Task, theta: Weights, seed: int) -> _core.OnlineLearner:
        return _core.perceptron(task, theta, bool(self.averaged), bool(self.shuffle), seed)

    def _told(self) -> tuple[str, ...]:
        return "mistakes", "updates"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassiveAggressive(Online):
    """Passive-aggressive learning (eq:passive-aggressive): the smallest update that gives the gold path enough margin.

    kind       1 and 2: PA-I and PA-II, limited by C; 0: PA, without limit. CRFsuite calls it type
    C          limit of the update for one sentence: c of CRFsuite, C of scikit-learn. None is 1.0; not used by kind 0
    cost       the margin. "hamming": over every path, by the number of its wrong tokens (eq:loss-augmented); "sqrt":
               over the best path, by the square root of that number, as CRFsuite's pa; "one": over the best path, by 1,
               as CRFsuite's pa with error_sensitive=0
    epochs     largest number of passes over the sentences; an epoch without an update is the last
    averaged   True to use the mean of the weights over all steps of training
    shuffle    True for a new order in every epoch, from the seed; False for the given order

    A sentence of weight w has the limit w C; wrong tokens count by their weights relative to that of the sentence.
    """

    kind: int = 1
    C: float | None = None
    cost: str = "hamming"
    epochs: int = 10
    averaged: bool = True
    shuffle: bool = True

    content: ClassVar[str] = "no loss"

    def __post_init__(self) -> None:
        if (
            not isinstance(self.kind, (int, np.integer))
            or isinstance(self.kind, bool)
            or self.kind not in KINDS
        ):
            raise OptionError(
                f"kind must be 1 (PA-I), 2 (PA-II) or 0 (without a limit for a sentence), got {self.kind!r}"
            )
        if self.C is not None:
            number(self.C, "C", above=True)
            if self.kind == 0:
                raise OptionError(f"kind 0 has no C; leave it out, or take kind 1 or 2, got C={self.C!r}")
        choice(self.cost, "cost", COSTS)
        whole_number(self.epochs, "epochs", 1)
        switch(self.averaged, "averaged")
        switch(self.shuffle, "shuffle")

    def _learner(self, task: _core.Task, theta: Weights, seed: int) -> _core.OnlineLearner:
        limit = 1.0 if self.C is None else float(self.C)
        cost, averaged, shuffle = COSTS.index(self.cost), bool(self.averaged), bool(self.shuffle)
        return _core.passive_aggressive(task, theta, int(self.kind), limit, cost, averaged, shuffle, seed)

    def _told(self) -> tuple[str, ...]:
        # The path that is compared includes the cost, so it is not the model's own: its mistakes say little.
        return ("loss", "updates") if self.cost == "hamming" else ("loss", "updates", "mistakes")


@dataclass(frozen=True, slots=True, kw_only=True)
class AROW(Online):
    """Adaptive regularisation of weights (eq:arow): weights that were changed often are changed less.

    r         larger values make smaller updates: CRFsuite's gamma divided by its variance
    epochs    largest number of passes over the sentences; one without an error is the last
    shuffle   True for a new order in every epoch, from the seed; False for the given order

    For a sentence of weight w, r is divided by w; wrong tokens count by their weights relative to that of the sentence.
    """

    r: float = 1.0
    epochs: int = 10
    shuffle: bool = True

    def __post_init__(self) -> None:
        number(self.r, "r", above=True)
        whole_number(self.epochs, "epochs", 1)
        switch(self.shuffle, "shuffle")

    def _learner(self, task: _core.Task, theta: Weights, seed: int) -> _core.OnlineLearner:
        return _core.arow(task, theta, float(self.r), bool(self.shuffle), seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredSVM:
    """The structured support vector machine with Hamming loss (eq:structured-svm), trained to a given duality gap.

    l2            strength of the penalty l2·‖θ‖², as in a CRF. C of an SVM written as |w|²/2 + C Σ loss is 1 / (2 l2),
                  and lambda of one written as lambda |w|²/2 + mean loss is 2 l2 / N for N sentences
    method        "frank-wolfe": block-coordinate, with exact steps and without a learning rate; it stores features of
                  the competing paths of every sentence. "subgradient": falling learning rate, as Pegasos; little memory
    epochs        largest number of passes over the sentences
    tolerance     end when the duality gap (eq:duality-gap), a bound on the distance to the minimum, is at most this
                  share of the objective
    check_every   number of epochs between computations of the gap; each costs about as much as an epoch
    averaged      True to use a mean of the weights, in which later ones count more

    Wrong tokens count by their weights relative to that of the sentence. The minimum does not depend on the start, and
    frank-wolfe begins at 0; subgradient uses a start other than 0, but then has no gap and runs all epochs.
    """

    l2: float = 1.0
    method: str = "frank-wolfe"
    epochs: int = 50
    tolerance: float = 0.01
    check_every: int = 5
    averaged: bool = True

    def __post_init__(self) -> None:
        number(self.l2, "l2", most=LARGEST_PENALTY, above=True)
        choice(self.method, "method", METHODS)
        whole_number(self.epochs, "epochs", 1)
        number(self.tolerance, "tolerance")
        whole_number(self.check_every, "check_every", 1)
        switch(self.averaged, "averaged")

    def train(self, task: _core.Task, theta: Weights, *, threads: int, seed: int, report: Report) -> Outcome:
        """Visit all sentences until the duality gap is at most `tolerance` of the objective, or `epochs` times.

        theta (n,) stays unchanged. Threads share the computation of the gap; visits are sequential. Without a gap (a
        start other than 0, or partial labels without gold paths) only the objective is reported.
        task, theta, threads, seed, report   as for the other learners
        """
        make = _core.frank_wolfe if self.method == "frank-wolfe" else _core.subgradient
        learner = make(task, theta, float(self.l2), bool(self.averaged), seed)
        weights = partial(weights_of, learner)
        theta, gap, epoch, go_on = weights(), _Gap(), 0, True
        before = resumed(report)
        if before is not None:
            learner.resume(before.arrays)
            epoch, gap = before.number("epoch", 1), before.setting("gap", _Gap)
        while True:
            if epoch:  # behind the report of an epoch, which may be that of a checkpoint
                theta = (
                    weights()
                )  # before gold paths are chosen again, which removes their part of the weights
                if gap.objective is not None and learner.renew() == 0 and gap.at_most(self.tolerance):
                    return Outcome(theta, "duality gap", epoch, gap.objective)
                if not go_on:
                    return Outcome(theta, "stopped", epoch, gap.objective)
            if epoch == self.epochs:
                return Outcome(theta, "epochs", self.epochs, gap.objective)
            epoch += 1
            _, updates, _ = learner.epoch()
            if epoch == 1:
                learner.renew()  # by now the weights can choose the gold paths of partial labels
            looks = epoch == self.epochs or epoch % self.check_every == 0
            gap = _Gap.of(learner, threads) if looks else _Gap()
            more = {"updates": float(updates), **gap.numbers()}
            state = partial(_state, learner, epoch=epoch, gap=to_json(gap))
            go_on = report(Progress(epoch, gap.objective, None, None, weights, more, state))


class _Gap(NamedTuple):
    """The objective after an epoch, and the dual; None where nothing was computed, or there is none."""

    objective: float | None = None
    dual: float | None = None

    @staticmethod
    def of(learner: Any, threads: int) -> _Gap:
        objective, dual = learner.check(threads)
        if not np.isfinite(objective):  # weights may be finite when their squares are not
            raise _out_of_range()
        return _Gap(objective, None if np.isnan(dual) else dual)

    def numbers(self) -> dict[str, float]:
        if self.objective is None or self.dual is None:
            return {}
        return {"dual": self.dual, "duality_gap": self.objective - self.dual}

    def at_most(self, tolerance: float) -> bool:
        if self.objective is None or self.dual is None:
            return False
        return self.objective - self.dual <= tolerance * self.objective
