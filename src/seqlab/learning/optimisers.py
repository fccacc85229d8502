"""The lowest point of a smooth function, or of one with an L1 penalty: the thin face of cpp/learn/optimise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import says_no
from seqlab.errors import DtypeError, OptionError, ScoreError, ShapeError
from seqlab.learning.settings import settings_for

Weights = npt.NDArray[np.float64]  # (n,)
Objective = Callable[[Weights], tuple[float, npt.ArrayLike]]


@dataclass(frozen=True, slots=True)
class Iteration:
    """Where the walk stood after one iteration; number 0 is the start.

    trials          evaluations of its line search
    value           the objective, penalty included
    gradient_norm   of the gradient; with an L1 penalty, of the pseudo-gradient (eq:owlqn)
    active          coordinates that are not 0
    """

    iteration: int
    evaluations: int
    trials: int
    value: float
    gradient_norm: float
    theta_norm: float
    step: float
    active: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Minimum:
    """The best point that was found, and how.

    reason   why the walk ended: "gradient" or "value" (converged), "iterations" (the limit), "stopped" (on_iteration
             returned False) or "no progress" (no step finds a lower value)
    history  one Iteration for the start and one for each iteration
    """

    theta: Weights
    value: float
    gradient_norm: float
    iterations: int
    evaluations: int
    reason: str
    history: tuple[Iteration, ...]

    @property
    def converged(self) -> bool:
        """Whether a rule of eq:stopping ended the walk, rather than a limit, the caller or a failed step."""
        return self.reason in {"gradient", "value"}

    def __repr__(self) -> str:
        return (
            f"Minimum(value {self.value:.10g} at {self.theta.size} coordinates, {self.iterations} iterations, "
            f"ended by {self.reason!r})"
        )


def minimise(
    objective: Objective,
    start: npt.ArrayLike,
    method: str = "lbfgs",
    *,
    on_iteration: Callable[[Iteration, Weights], bool | None] | None = None,
    **options: Any,
) -> Minimum:
    """Walk downhill from `start` (n,) and return the best point found.

    objective      takes theta (n,) and returns the value and the gradient (n,). A value or gradient that is not finite
                   counts as a failed step and is never accepted
    method         "lbfgs" (eq:lbfgs), "owlqn" (eq:owlqn), "conjugate-gradient" (eq:conjugate-gradient),
                   "gradient" (eq:gradient-descent)
    on_iteration   called with each Iteration and its theta; returning False ends the walk
    options        all methods: epsilon, delta, period, max_iterations (eq:stopping), max_linesearch, precision.
                   lbfgs and owlqn: memory (moves), memory_dtype ("float32" or "float64"), first_step, and diagonal
                   (n,), a guess at the diagonal of the inverse Hessian. lbfgs: line_search. owlqn: l1 (a number or
                   (n,)), l1_range. conjugate-gradient: line_search, curvature, first_step, restart.
                   gradient: first_step, step (fixed, without line search)

    Exceptions of the objective and Ctrl-C end the walk and pass through.
    """
    theta = _as_start(start)
    settings = settings_for(method, theta.size, options)
    if not callable(objective):
        raise OptionError(
            f"objective must be a function of theta that returns value and gradient, got {objective!r}"
        )
    history: list[Iteration] = []

    def report(*numbers: Any) -> bool:
        history.append(Iteration(*numbers[:-1]))
        return on_iteration is None or not says_no(on_iteration(history[-1], numbers[-1].copy()))

    asked = _checked(objective, theta.size)
    reason, iterations, evaluations, value, norm, _ = _core.minimise(asked, theta, settings, report)
    if reason == _core.Stop.bad_start:
        raise ScoreError(
            f"the objective at the start is {value}, with a gradient of norm {norm}; start where both are finite"
        )
    theta.flags.writeable = False
    return Minimum(theta, value, norm, iterations, evaluations, reason.name.replace("_", " "), tuple(history))


def _as_start(start: npt.ArrayLike) -> Weights:
    try:
        given = np.asarray(start)
    except ValueError as error:
        raise ShapeError("start must be one row of numbers, but its parts differ in length") from error
    if given.size and given.dtype.kind not in "fiub":
        raise DtypeError(f"start has dtype {given.dtype}, but real numbers are wanted")
    if given.ndim != 1:
        raise ShapeError(f"start has shape {given.shape}, but one row of numbers (n,) is wanted")
    theta = np.array(given, dtype=np.float64)  # our own: the walk moves it
    if not np.isfinite(theta).all():
        first = int(np.argmin(np.isfinite(theta)))
        raise ScoreError(f"start[{first}] is {theta[first]}, but a finite number is wanted")
    return theta


def _checked(objective: Objective, size: int) -> Callable[[Weights, Weights], float]:
    """The objective as the core asks it: the gradient is written into the core's memory."""

    def evaluate(theta: Weights, gradient: Weights) -> float:
        answer = objective(theta.copy())
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise ShapeError(f"objective must return the pair (value, gradient), got {answer!r}")
        value, slope = answer
        shape = np.shape(slope)
        if shape != (size,):
            raise ShapeError(f"objective returned a gradient of shape {shape}, but theta has shape ({size},)")
        gradient[:] = slope
        return float(value)

    return evaluate
