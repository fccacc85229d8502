"""CRFsuite's algorithms over our learners: its order of sequences, its stopping rules, its text about them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.compat.pycrfsuite.parameters import NUM_MEMORIES, SEARCHES, UNLIMITED
from seqlab.compat.pycrfsuite.report import TrainingLog
from seqlab.errors import OptionError, ScoreError
from seqlab.families.linear.learners import AROW, LBFGS, SGD, PassiveAggressive, Perceptron
from seqlab.families.linear.learners.mistakes import Online, weights_of
from seqlab.learning.monitor import Job, Outcome, Progress, Report, Weights


def learner_of(algorithm: str, values: Mapping[str, Any], log: TrainingLog, sequences: int) -> Any:
    """Make the learner that an algorithm with these values of its parameters is.

    log         is told of every iteration
    sequences   how many there are in training
    """
    if algorithm == "lbfgs":
        return _lbfgs(values, log)
    if algorithm == "l2sgd":
        return Descent(values, log, sequences)
    return Visiting(algorithm, values, log, sequences)


# ------------------------------------------------------------------------------------------------ L-BFGS


ENDS = {
    "gradient": "L-BFGS resulted in convergence",
    "iterations": "L-BFGS terminated with the maximum number of iterations",
}


class WatchedLBFGS(LBFGS):
    """L-BFGS that tells a log of its iterations."""

    log: TrainingLog

    def train(self, job: Job, theta: Weights, report: Report) -> Outcome:
        """Minimise the objective of the job from theta, in place; report and the log hear of every iteration."""
        self.log.prepared(theta.size)
        start: list[Progress] = []

        def tell(progress: Progress) -> bool:
            known = replace(progress, weights=_once(progress.weights))
            self.log.rank = float(progress.iteration)
            go_on = report(known)  # the holdout group is evaluated there
            if progress.iteration:
                start.clear()
                _tell_iteration(self.log, known)
            else:
                start.append(known)  # of which CRFsuite does not tell; it is told of when no other follows
            return go_on

        outcome = super().train(job, theta, tell)
        for progress in start:
            _tell_iteration(self.log, replace(progress, iteration=1))
        self.log.line(ENDS.get(outcome.reason, "L-BFGS terminated with the stopping criteria"))
        return outcome


def _lbfgs(values: Mapping[str, Any], log: TrainingLog) -> LBFGS:
    iterations = values["max_iterations"]
    made = WatchedLBFGS(
        l1=values["c1"],
        l2=values["c2"],
        memory=values["num_memories"] if values["num_memories"] != NUM_MEMORIES else None,
        epsilon=values["epsilon"],
        period=values["period"],
        delta=values["delta"],
        max_iterations=iterations if 0 < iterations < UNLIMITED else None,
        line_search=SEARCHES[values["linesearch"]],
    )
    object.__setattr__(made, "log", log)  # a frozen dataclass
    return made


def _tell_iteration(log: TrainingLog, progress: Progress) -> None:
    more = progress.more
    log.iteration(
        f"Iteration #{progress.iteration}",
        f"Loss: {progress.objective:f}",
        f"Feature norm: {_norm(progress.weights()):f}",
        f"Error norm: {progress.gradient_norm or 0.0:f}",
        f"Active features: {progress.active}",
        f"Line search trials: {more['trials']:.0f}",
        f"Line search step: {more['step']:f}",
    )


# ------------------------------------------------------------------------------------------------ by mistakes


class Order:
    """The order in which CRFsuite visits sequences, in a process that has just begun.

    sequences   how many there are
    """

    def __init__(self, sequences: int) -> None:
        self._chance, self._order = _core.LibcRandom(), np.arange(sequences)

    def shuffled(self) -> npt.NDArray[np.int64]:
        """Return the order of the next epoch, made from that of the last one."""
        self._chance.shuffle(self._order)
        return self._order


class Visiting:
    """The averaged perceptron, passive-aggressive learning, and AROW, as CRFsuite has them.

    algorithm, values, log, sequences   as for learner_of
    """

    likelihood = False

    def __init__(self, algorithm: str, values: Mapping[str, Any], log: TrainingLog, sequences: int) -> None:
        self._algorithm, self._values, self._log, self._sequences = algorithm, values, log, sequences
        self._learner = _online(algorithm, values)
        self._averaged = algorithm != "arow" and values.get("averaging", True)

    def train(
        self,
        task: _core.Task,
        theta: Weights,
        *,
        threads: int,  # noqa: ARG002 - part of the protocol; each visit needs the one before
        seed: int,
        report: Report,
    ) -> Outcome:
        """Train on a task from theta, which is 0 and stays; seed has no effect, since the order is CRFsuite's."""
        self._log.prepared(theta.size)
        learner, order = self._learner._learner(task, theta, seed), Order(self._sequences)
        weights: Callable[[], Weights] = theta.copy
        epoch, reason = 0, "epochs"
        while epoch < self._values["max_iterations"]:
            epoch += 1
            _, _, loss = learner.epoch(order.shuffled())
            weights = _once(partial(self._weights, learner, epoch))
            self._log.rank = float(epoch)
            go_on = report(Progress(epoch, None, None, None, weights, {"loss": loss}))
            norm = _norm(self._last(learner) if self._algorithm == "passive-aggressive" else weights())
            self._log.iteration(f"Iteration #{epoch}", f"Loss: {loss:f}", f"Feature norm: {norm:f}")
            if self._enough(loss / max(self._sequences, 1)):
                self._log.line("Terminated with the stopping criterion")
                self._log.line("")
                reason = "loss"
            elif not go_on:
                reason = "stopped"
            if reason != "epochs":
                break
        return Outcome(weights(), reason, epoch, None)

    def _enough(self, loss: float) -> bool:
        """Return True when the mean loss ends training; only AROW ends at a loss of 0 if epsilon is 0."""
        epsilon = self._values["epsilon"]
        return loss < epsilon or (self._algorithm == "arow" and loss == epsilon)

    def _weights(self, learner: _core.OnlineLearner, epochs: int) -> Weights:
        """Return the weights of a model; the mean includes the zeros of the start, as in CRFsuite."""
        visits = epochs * self._sequences
        return weights_of(learner) * (visits / (visits + 1) if self._averaged else 1.0)

    def _last(self, learner: _core.OnlineLearner) -> Weights:
        theta = np.empty(learner.size)
        learner.last_weights(theta)
        return theta


def _online(algorithm: str, values: Mapping[str, Any]) -> Online:
    if algorithm == "averaged-perceptron":
        return Perceptron()
    if algorithm == "passive-aggressive":
        kind = values["type"] if values["type"] in (1, 2) else 0
        cost = "sqrt" if values["error_sensitive"] else "one"
        if kind and not values["c"] > 0:
            raise OptionError(f"the parameter c should be a number above 0, got {values['c']!r}")
        return PassiveAggressive(
            kind=kind, C=values["c"] if kind else None, cost=cost, averaged=values["averaging"]
        )
    for name in ("variance", "gamma"):
        if not 0 < values[name] < math.inf:
            raise OptionError(f"the parameter {name} should be a number above 0, got {values[name]!r}")
    return AROW(r=values["gamma"] / values["variance"])


# ------------------------------------------------------------------------------------------------ l2sgd


class Descent:
    """Stochastic gradient descent as CRFsuite has it: its rate, its order, its stop, and the best of its weights.

    values, log, sequences   as for learner_of

    With λ = 2·c2 / N and η_i = η_0 / (1 + λ η_0 i), CRFsuite shrinks the weights by 1 - λ η_i before it takes a
    gradient, eq:sgd afterwards. Since (1 - λ η_{i+1}) η_i = η_{i+1}, its way from η_0 is that of eq:sgd from η_1, but
    for the last shrinking.
    """

    likelihood = True

    def __init__(self, values: Mapping[str, Any], log: TrainingLog, sequences: int) -> None:
        self._values, self._log, self._sequences = values, log, sequences
        self._l2 = float(SGD(l2=values["c2"]).l2)

    def train(self, task: _core.Task, theta: Weights, *, threads: int, seed: int, report: Report) -> Outcome:
        """Train on a task from theta, which is 0 and stays; seed has no effect, since the order is CRFsuite's."""
        self._log.prepared(theta.size)
        schedule = _core.RateSchedule.inverse
        descent = _core.Stochastic(task, theta, self._l2, 1, 1.0, schedule, False, False, False, seed)
        order = Order(self._sequences)
        eta = self._calibrated(descent, order.shuffled(), threads)
        self._restart(descent, eta)
        most, period = self._values["max_iterations"], self._values["period"]
        losses: list[float] = []
        best, kept, reason = math.inf, theta.copy(), "epochs"

        while len(losses) < most:
            loss, squares, rate, active, unshrunk = self._epoch(descent, order.shuffled(), threads)
            loss += self._l2 * squares
            losses.append(loss)
            epoch = len(losses)
            if not math.isfinite(loss):
                raise ScoreError(
                    f"the objective became {loss} in epoch {epoch}, at a rate of {rate:g}: a smaller "
                    f"calibration.eta may help, or feature values of about 1"
                )
            weights = partial(_weights_times, descent, unshrunk)
            if loss < best:
                best, kept = loss, weights()
            self._log.rank = -loss
            go_on = report(Progress(epoch, loss, None, active, _once(weights), {"rate": rate}))
            ratio = (losses[-1 - period] - loss) / loss if 0 < period < epoch and loss else math.inf
            self._log.iteration(
                f"Epoch #{epoch}",
                f"Loss: {loss:f}",
                *([f"Improvement ratio: {ratio:f}"] if 0 < period < epoch else []),
                f"Feature L2-norm: {math.sqrt(squares):f}",
                f"Learning rate (eta): {rate:f}",
                f"Total number of feature updates: {epoch * self._sequences}",
            )
            if ratio < self._values["delta"] or not go_on:
                reason = "value" if go_on else "stopped"
                break
        limit = "stopping criteria" if len(losses) < most else "maximum number of iterations"
        self._log.line(f"SGD terminated with the {limit}")
        self._log.line(f"Loss: {best:f}")
        return Outcome(kept, reason, len(losses), best)

    @property
    def _decay(self) -> float:
        return 2.0 * self._l2 / max(self._sequences, 1)

    def _restart(self, descent: _core.Stochastic, eta: float) -> None:
        descent.restart(eta / (1.0 + self._decay * eta))

    def _epoch(
        self, descent: _core.Stochastic, order: npt.NDArray[np.int64], threads: int
    ) -> tuple[float, float, float, int, float]:
        """Visit sequences: loss, |theta|², the last rate, weights not 0, and the factor against the last shrinking."""
        loss, squares, rate, active = descent.epoch(threads, order)
        unshrunk = 1.0 / (1.0 - self._decay * rate)
        return loss, squares * unshrunk**2, rate * unshrunk, active, unshrunk

    def _calibrated(self, descent: _core.Stochastic, order: npt.NDArray[np.int64], threads: int) -> float:
        """Choose the rate: each is tried in a pass over the first sequences, larger ones first, then smaller ones."""
        rate, factor = self._values["calibration.eta"], self._values["calibration.rate"]
        candidates, most = self._values["calibration.candidates"], self._values["calibration.max_trials"]
        if not 0 < rate < math.inf or not 0 < factor < math.inf:
            raise OptionError(
                f"the parameters calibration.eta and calibration.rate should be numbers above 0, got {rate!r} and "
                f"{factor!r}"
            )
        sample = order[: min(max(int(self._values["calibration.samples"]), 0), len(order))].copy()
        began, share = time.perf_counter(), self._l2 * len(sample) / max(len(order), 1)

        def loss_at(eta: float) -> float:
            self._restart(descent, eta)
            loss, squares, *_ = self._epoch(descent, sample, threads)
            return float(loss + share * squares)

        self._log.calibrating(len(sample))
        start = loss_at(0.0)
        self._log.line(f"Initial loss: {start:f}")
        eta = best = rate
        lowest, left, trials, falling = math.inf, candidates, 1, False
        while left > 0 or not falling:
            loss = loss_at(eta)
            better = loss < start
            self._log.line(f"Trial #{trials} (eta = {eta:f}): {loss:f}{'' if better else ' (worse)'}")
            if loss < lowest:
                lowest, best = loss, eta
            left -= better
            if falling:
                eta /= factor
            elif better and left > 0:
                eta *= factor
            else:
                falling, left, eta = True, candidates, rate / factor
            trials += 1
            if trials >= most:
                break
        self._log.calibrated(best, time.perf_counter() - began)
        return float(best)


def _once(weights: Callable[[], Weights]) -> Callable[[], Weights]:
    """Make a function that computes weights when first called."""
    found: list[Weights] = []

    def again() -> Weights:
        if not found:
            found.append(weights())
        return found[0]

    return again


def _weights_times(descent: _core.Stochastic, factor: float) -> Weights:
    found = np.empty(descent.size)
    descent.weights(found)
    found *= factor
    return found


def _norm(weights: Weights) -> float:
    return float(np.linalg.norm(weights))
