"""Batch learners, which process all sentences before each step: small frozen option objects with a `train`.

They minimise  loss(θ) + l2 ‖θ‖² + l1 ‖θ‖₁,  where the loss is summed over sentences (CRFsuite's c2 and c1).
Conversions: Wapiti's rho2 = 2·l2 and rho1 = l1; CRF++'s C = 1 / (2·l2); a Gaussian prior of variance σ² = 1 / (2·l2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from seqlab import _core
from seqlab.arrays import choice, number, switch, whole_number
from seqlab.errors import ScoreError
from seqlab.learning.monitor import Job, Outcome, Progress, Report, Weights, resumed
from seqlab.learning.optimisers import LARGEST_PENALTY, LINE_SEARCHES, checked_memory, settings_for
from seqlab.shown import Brief
from seqlab.store.state import State

DTYPES = ("float32", "float64")
DESCENT = "descent"  # the kind of state that an optimiser goes on from


@dataclass(frozen=True, repr=False)
class BatchLearner(Brief):
    """Base class of batch learners: the l2 penalty (regularisation), and the stopping rules (eq:stopping).

    l2               strength of the penalty l2·‖θ‖²: c2 of CRFsuite; 1 / (2 C) for C of CRF++ and scikit-learn,
                     1 / (2 σ²) for a Gaussian prior of deviation σ (sigma), rho2 / 2 of Wapiti
    epsilon          stop when the gradient's norm is at most epsilon · max(1, ‖θ‖)
    delta, period    stop when the objective fell by less than `delta` of itself over `period` iterations; None: 1e-5
    max_iterations   largest number of iterations; None for no limit
    """

    l2: float = 0.1
    epsilon: float = 1e-5
    delta: float | None = None
    period: int = 10
    max_iterations: int | None = 1000

    likelihood: ClassVar[bool] = True

    @property
    def _delta(self) -> float:
        return 1e-5

    def train(self, job: Job, theta: Weights, report: Report) -> Outcome:
        """Minimise the objective of the job from theta, in place; report is called after every iteration."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        number(self.l2, "l2", most=LARGEST_PENALTY)
        number(self.epsilon, "epsilon")
        if self.delta is not None:
            number(self.delta, "delta")
        whole_number(self.period, "period", 0)
        if self.max_iterations is not None:
            whole_number(self.max_iterations, "max_iterations", 1)

    def _stopping(self, settings: _core.Settings) -> _core.Settings:
        """Write the stopping rules into the settings of the core."""
        settings.epsilon, settings.period = float(self.epsilon), self.period
        settings.delta = float(self._delta if self.delta is None else self.delta)
        settings.max_iterations = self.max_iterations or 0
        return settings


@dataclass(frozen=True, repr=False)
class LBFGS(BatchLearner):
    """Limited-memory BFGS (eq:lbfgs), with proximal steps when l1 > 0 (eq:proximal): the default, and the fastest.

    l2             strength of the penalty l2·‖θ‖² beside the summed negative log-likelihood: c2 of CRFsuite;
                   1 / (2 C) for C of CRF++ and scikit-learn, 1 / (2 σ²) for a prior of deviation σ, rho2 / 2 of Wapiti
    l1             strength of the penalty l1·‖θ‖₁, which makes most weights exactly 0: c1 of CRFsuite, rho1 of Wapiti
    epsilon        end when the gradient's norm is at most epsilon · max(1, ‖θ‖): epsilon of CRFsuite, tol elsewhere
    delta, period  end when the objective fell by less than `delta` of itself over `period` iterations, as in CRFsuite;
                   None: 1e-5, with l1 5e-4 (since weights become 0 and come back long after the objective is stable)
    max_iterations iterations at most, None for no limit: max_iterations of CRFsuite, max_iter of scikit-learn
    memory         number of past steps that estimate the Hessian: num_memories of CRFsuite; None: 20, with l1 10
    start_epochs   epochs of averaged stochastic gradient descent for the initial weights (eq:averaged-sgd), with l1 up
                   to four times as many while they help; 0 begins with all weights 0
    precondition   True to scale the first directions by the curvature (eq:preconditioner)
    dtype          "float32" evaluates in float32 until that no longer helps, and finishes in float64; "float64"
                   evaluates in float64 throughout
    line_search    method of the line search; not used with l1, where steps are halved (as by OWL-QN in CRFsuite and
                   Wapiti)

    Plain L-BFGS, as in CRFsuite or Wapiti, is LBFGS(start_epochs=0, precondition=False).
    """

    l1: float = 0.0
    memory: int | None = None
    start_epochs: int = 6
    precondition: bool = True
    dtype: str = "float32"
    line_search: str = "more-thuente"

    def __post_init__(self) -> None:
        BatchLearner.__post_init__(self)
        number(self.l1, "l1", most=LARGEST_PENALTY)
        if self.memory is not None:
            checked_memory(self.memory)
        whole_number(self.start_epochs, "start_epochs", 0)
        switch(self.precondition, "precondition")
        choice(self.dtype, "dtype", DTYPES)
        choice(self.line_search, "line_search", LINE_SEARCHES)

    @property
    def _delta(self) -> float:
        return 5e-4 if self.l1 > 0 else 1e-5

    @property
    def _memory(self) -> int:
        return 10 if self.l1 > 0 else 20

    def train(self, job: Job, theta: Weights, report: Report) -> Outcome:
        """Minimise the objective of the job from theta, in place; report is called after every iteration."""
        if self.start_epochs and job.first_guess is not None and not theta.any() and not _arrays(report):
            job.first_guess(theta, self.start_epochs)
        settings, l2 = self._stopping(_core.Settings()), float(self.l2)
        settings.memory = self._memory if self.memory is None else self.memory
        if self.l1 > 0:
            settings.set_l1(float(self.l1), 0, theta.size)
            if job.centre is not None:
                return _near(job.centre, job, theta, l2, settings, report)
        else:
            settings.line_search = getattr(_core.LineSearch, self.line_search.replace("-", "_"))
        exact = None if job.quick is job.exact else job.exact
        precondition = bool(self.precondition)
        answer = job.quick.descend(
            exact, theta, job.centre, l2, precondition, settings, job.threads, told(report), _arrays(report)
        )
        return outcome_of(theta, *answer)


def _near(
    centre: Weights, job: Job, theta: Weights, l2: float, settings: _core.Settings, report: Report
) -> Outcome:
    """Run proximal steps on weights minus centre, so that l1 pulls the weights towards the centre and not to 0."""
    away = theta - centre
    tell = told(report)

    def objective(at: Weights, gradient: Weights) -> float:
        value = float(job.exact(centre + at, gradient, job.threads))
        gradient += 2 * l2 * at
        return value + l2 * float(at @ at)

    def tell_weights(*numbers: Any) -> bool:
        there = centre + numbers[-1]
        return tell(*numbers[:-3], int(np.count_nonzero(there)), numbers[-2], there)

    settings.method = _core.Method.proximal
    answer = _core.minimise(objective, away, settings, tell_weights, _arrays(report))
    theta[:] = centre + away
    return outcome_of(theta, *answer)


def told(report: Report) -> Callable[..., bool]:
    """Wrap `report` as a callback of the core."""

    def tell(*numbers: Any) -> bool:
        iteration, evaluations, trials, value, gradient_norm, theta_norm, step, active, snapshot, theta = (
            numbers
        )
        more = {"evaluations": evaluations, "trials": trials, "theta_norm": theta_norm, "step": step}

        def taken() -> State:
            return State(DESCENT, {}, snapshot())

        return report(Progress(iteration, value, gradient_norm, active, theta.copy, more, taken))

    return tell


def _arrays(report: Report) -> dict[str, Any] | None:
    """Return the arrays that an optimiser goes on from, if it had begun."""
    state = resumed(report)
    return state.arrays if state is not None and state.kind == DESCENT else None


def outcome_of(
    theta: Weights, reason: Any, iterations: int, _evaluations: int, value: float, norm: float, _active: int
) -> Outcome:
    """Translate the result of the core; a bad starting point is an error."""
    if reason == _core.Stop.bad_start or not math.isfinite(value):
        raise ScoreError(
            f"the objective at the start is {value} with a gradient of norm {norm}: feature values or weights of "
            f"sentences and labels may be too large; scale them to about 1"
        )
    return Outcome(theta, reason.name.replace("_", " "), iterations, value)


@dataclass(frozen=True, repr=False)
class ConjugateGradient(BatchLearner):
    """Non-linear conjugate gradients (eq:conjugate-gradient): little memory, more evaluations.

    l2               strength of the penalty l2·‖θ‖², as in LBFGS: c2 of CRFsuite, 1 / (2 C) for C of CRF++
    epsilon          end when the gradient's norm is at most epsilon · max(1, ‖θ‖)
    delta, period    end when the objective fell by less than `delta` of itself over `period` iterations; None: 1e-5
    max_iterations   iterations at most, None for no limit
    """

    def train(self, job: Job, theta: Weights, report: Report) -> Outcome:
        """Minimise the objective of the job from theta, in place; report is called after every iteration."""
        return _plain("conjugate-gradient", self, job, theta, report)


@dataclass(frozen=True, repr=False)
class GradientAscent(BatchLearner):
    """Gradient ascent on the penalised log-likelihood (eq:gradient-descent): the textbook method, and slow.

    l2               strength of the penalty l2·‖θ‖², as in LBFGS: c2 of CRFsuite, 1 / (2 C) for C of CRF++
    epsilon          end when the gradient's norm is at most epsilon · max(1, ‖θ‖)
    delta, period    end when the objective fell by less than `delta` of itself over `period` iterations; None: 1e-5
    max_iterations   iterations at most, None for no limit
    step             a fixed step size; None for a line search at every iteration
    """

    step: float | None = None

    def __post_init__(self) -> None:
        BatchLearner.__post_init__(self)
        if self.step is not None:
            number(self.step, "step", above=True)

    def train(self, job: Job, theta: Weights, report: Report) -> Outcome:
        """Minimise the negative log-likelihood of the job from theta, in place; report hears of iterations."""
        return _plain("gradient", self, job, theta, report, step=self.step)


def _plain(
    method: str, learner: BatchLearner, job: Job, theta: Weights, report: Report, **more: Any
) -> Outcome:
    settings = learner._stopping(settings_for(method, theta.size, more))
    answer = job.exact.minimise(
        theta, job.centre, float(learner.l2), settings, job.threads, told(report), _arrays(report)
    )
    return outcome_of(theta, *answer)
