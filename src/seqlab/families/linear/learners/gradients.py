"""Further learners that look at all sentences before each step; their options mean what those of LBFGS mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seqlab.arrays import number
from seqlab.families.linear.learners.batch import BatchLearner, outcome_of, told
from seqlab.learning.progress import Job, Outcome, Report, Weights
from seqlab.learning.settings import settings_for


@dataclass(frozen=True)
class ConjugateGradient(BatchLearner):
    """Non-linear conjugate gradients (eq:conjugate-gradient): little memory, more evaluations."""

    def train(self, job: Job, theta: Weights, report: Report) -> Outcome:
        """Walk downhill from theta."""
        return _plain("conjugate-gradient", self, job, theta, report)


@dataclass(frozen=True)
class GradientAscent(BatchLearner):
    """Up the slope of the penalised log-likelihood (eq:gradient-descent): what textbooks begin with, and slow.

    step   a fixed step; None searches along the gradient at every iteration
    """

    step: float | None = None

    def __post_init__(self) -> None:
        BatchLearner.__post_init__(self)
        if self.step is not None:
            number(self.step, "step", above=True)

    def train(self, job: Job, theta: Weights, report: Report) -> Outcome:
        """Walk from theta; the sign is turned, so that it goes down the negative log-likelihood."""
        return _plain("gradient", self, job, theta, report, step=self.step)


def _plain(
    method: str, learner: BatchLearner, job: Job, theta: Weights, report: Report, **more: Any
) -> Outcome:
    settings = settings_for(method, theta.size, {**learner._stopping(), **more})
    answer = job.exact.minimise(theta, job.centre, float(learner.l2), settings, job.threads, told(report))
    return outcome_of(theta, *answer)
