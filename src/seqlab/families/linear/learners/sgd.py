"""Stochastic gradient descent: a step after every few sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from seqlab import _core
from seqlab.arrays import choice, number, switch, whole_number
from seqlab.errors import ScoreError
from seqlab.families.linear.learners.batch import DTYPES
from seqlab.learning.monitor import Outcome, Progress, Report, Weights, resumed
from seqlab.learning.optimisers import LARGEST_PENALTY
from seqlab.shown import Brief
from seqlab.store.state import State

SCHEDULES = ("inverse", "constant", "sqrt", "exponential")


@dataclass(frozen=True, kw_only=True, repr=False)
class SGD(Brief):
    """Stochastic gradient descent on the likelihood of a CRF (eq:sgd): minimises loss(θ) + l2 ‖θ‖².

    l2          strength of the penalty, as in LBFGS: c2 of CRFsuite
    epochs      largest number of passes over the sentences: max_iterations of CRFsuite's l2sgd
    batch       sentences per step. Their gradients are summed, so a larger batch needs a smaller rate; several threads
                help only with batches of many sentences
    rate        initial learning rate (eta0 of Wapiti); None tries several
    schedule    how the rate falls with e, the number of epochs done. "inverse": rate / (1 + 2·l2·rate·e), which suits a
                penalised likelihood and is constant without a penalty; "sqrt": rate / √(1 + e);
                "exponential": rate · 0.85ᵉ, as Wapiti; "constant". None is "inverse", and "constant" with adagrad
    adagrad     True for a rate per weight, which falls with its gradients so far (eq:adagrad), besides the schedule
    averaged    True to use the mean of the weights at eight times per epoch, the j-th with weight j
    tolerance   training ends when the objective changes by less than this share in an epoch; 0 never ends it
    dtype       "float32" or "float64": number type of weights and scores

    The objective that is told after an epoch is an estimate: the losses of all sentences, each as it was just before
    the step that it took part in, and the penalty at the end. So it speaks of the weights on the way, not of their
    mean. The exact one would cost as much as another epoch.

    The penalty pulls towards 0, in partial_fit too: with new sentences only, a small l2 keeps what was learned before.
    """

    l2: float = 0.1
    epochs: int = 30
    batch: int = 1
    rate: float | None = None
    schedule: str | None = None
    adagrad: bool = False
    averaged: bool = False
    tolerance: float = 1e-4
    dtype: str = "float32"

    likelihood: ClassVar[bool] = True

    def __post_init__(self) -> None:
        number(self.l2, "l2", most=LARGEST_PENALTY)
        whole_number(self.epochs, "epochs", 1)
        whole_number(self.batch, "batch", 1)
        if self.rate is not None:
            number(self.rate, "rate", above=True)
        if self.schedule is not None:
            choice(self.schedule, "schedule", SCHEDULES)
        switch(self.adagrad, "adagrad")
        switch(self.averaged, "averaged")
        number(self.tolerance, "tolerance")
        choice(self.dtype, "dtype", DTYPES)

    def train(self, task: _core.Task, theta: Weights, *, threads: int, seed: int, report: Report) -> Outcome:
        """Train on a task from theta, which stays; threads, seed as of the tagger; report is called every epoch."""
        schedule = self.schedule or ("constant" if self.adagrad else "inverse")
        descent = _core.Stochastic(
            task,
            theta,
            float(self.l2),
            int(self.batch),
            0.0 if self.rate is None else float(self.rate),
            getattr(_core.RateSchedule, schedule),
            bool(self.adagrad),
            bool(self.averaged),
            self.dtype == "float32",
            seed,
        )

        def weights() -> Weights:
            found = np.empty(descent.size)
            descent.weights(found)
            return found

        before, reason, epoch, objective = math.inf, "epochs", 0, 0.0

        def taken() -> State:
            return State(
                "sgd", {"epoch": epoch, "before": before, "objective": objective}, descent.snapshot()
            )

        def settled() -> bool:
            return abs(before - objective) < self.tolerance * abs(objective)

        earlier = resumed(report)
        if earlier is not None:
            descent.resume(earlier.arrays)
            epoch = earlier.number("epoch", 1)
            before, objective = (earlier.setting(name, float) for name in ("before", "objective"))
            if settled():
                return Outcome(weights(), "value", epoch, objective)
            before = objective
        while epoch < self.epochs:
            epoch += 1
            loss, squares, rate, active = descent.epoch(threads)
            objective = loss + self.l2 * squares
            if not math.isfinite(objective):
                raise ScoreError(
                    f"the objective became {objective} in epoch {epoch}, at a rate of {rate:g}: give SGD a smaller "
                    f"rate, or scale feature values to about 1"
                )
            if not report(Progress(epoch, objective, None, active, weights, {"rate": rate}, taken)):
                reason = "stopped"
                break
            if settled():
                reason = "value"
                break
            before = objective
        return Outcome(weights(), reason, epoch, objective)
