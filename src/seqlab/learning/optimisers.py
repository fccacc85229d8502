"""Minimise a smooth function, or one with an L1 penalty: the Python interface of cpp/optimise, and its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import choice, number, says_no, whole_number
from seqlab.errors import DtypeError, OptionError, ScoreError, ShapeError

LARGEST_PENALTY = 1e12  # all weights are zero long before, and sums of its multiples are finite
LINE_SEARCHES = ("more-thuente", "backtracking", "strong-backtracking", "armijo")
MOST_MEMORY = 1000


def checked_memory(value: Any, name: str = "memory") -> int:
    """Return the number of steps in the L-BFGS history, or raise an error."""
    if whole_number(value, name, 1) > MOST_MEMORY:
        raise OptionError(f"{name} must be at most {MOST_MEMORY} moves, got {value!r}")
    return int(value)


# Options by name: the field of the core's settings, and the function that checks the value. The core's defaults
# are those of CRFsuite, so that results compare. SHARED options must have a value; for the others None is the default.
SHARED: dict[str, tuple[str, Callable[[Any, str], Any]]] = {
    "epsilon": ("epsilon", number),
    "delta": ("delta", number),
    "period": ("period", partial(whole_number, least=0)),
    "max_iterations": ("max_iterations", lambda n, name: 0 if n is None else whole_number(n, name, 1)),
    "max_linesearch": ("max_linesearch", partial(whole_number, least=1)),
    "precision": ("precision", partial(number, most=1.0)),
}
OWN: dict[str, tuple[str, Callable[[Any, str], Any]]] = {
    "memory": ("memory", checked_memory),
    "memory_dtype": ("float32", lambda dtype, name: choice(dtype, name, ("float32", "float64")) == "float32"),
    "first_step": ("first_step", partial(number, above=True)),
    "line_search": (
        "line_search",
        lambda search, name: getattr(_core.LineSearch, choice(search, name, LINE_SEARCHES).replace("-", "_")),
    ),
    "curvature": ("curvature", partial(number, least=1e-4, most=1.0, above=True)),
    "restart": ("restart", partial(whole_number, least=1)),
    "step": ("fixed_step", partial(number, above=True)),
}
QUASI_NEWTON = ("memory", "memory_dtype", "first_step", "diagonal")
METHODS: dict[str, tuple[str, ...]] = {  # the options of each beside the shared ones
    "lbfgs": (*QUASI_NEWTON, "line_search"),
    "owlqn": (*QUASI_NEWTON, "l1", "l1_range"),
    "proximal": ("memory", "first_step", "diagonal", "l1", "l1_range"),
    "conjugate-gradient": ("line_search", "curvature", "first_step", "restart"),
    "gradient": ("first_step", "step"),
}


def settings_for(method: str, size: int, options: Mapping[str, Any]) -> _core.Settings:
    """Make the settings of the core, with every option checked."""
    if method not in METHODS:
        raise OptionError(f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}")
    known = {*SHARED, *METHODS[method]}
    for name in options:
        if name not in known:
            raise OptionError(f"method {method!r} has no option {name!r}; it has {', '.join(sorted(known))}")
    settings = _core.Settings()
    settings.max_iterations = 1000
    settings.method = getattr(_core.Method, {"owlqn": "lbfgs"}.get(method, method.replace("-", "_")))
    if method == "conjugate-gradient":
        settings.curvature = 0.1
    if method == "gradient":
        settings.line_search, settings.decrease = _core.LineSearch.armijo, 0.3
    for name, value in options.items():
        if name in SHARED or (name in OWN and value is not None):
            field, made = SHARED.get(name) or OWN[name]
            setattr(settings, field, made(value, name))
    if options.get("diagonal") is not None:
        settings.set_diagonal(_vector(options["diagonal"], "diagonal", size, above=True))
    if "l1" in METHODS[method]:
        _set_penalty(settings, options.get("l1", 1.0), options.get("l1_range"), size)
    return settings


def _set_penalty(settings: _core.Settings, l1: Any, span: Any, size: int) -> None:
    if np.ndim(l1) > 0:
        if span is not None:
            raise OptionError(
                f"l1_range is for one l1 for all; with an l1 for each, write 0 where there is none, got {span!r}"
            )
        settings.set_l1_each(_vector(l1, "l1", size, above=False))
        return
    if span is not None and (not isinstance(span, (tuple, list)) or len(span) != 2):
        raise OptionError(f"l1_range must be (begin, end), got {span!r}")
    begin, end = (0, size) if span is None else (whole_number(place, "l1_range", 0) for place in span)
    if not begin <= end <= size:
        raise OptionError(f"l1_range must lie within 0..{size}, begin before end, got {span!r}")
    settings.set_l1(number(l1, "l1"), begin, end)


def _vector(value: Any, name: str, size: int, *, above: bool) -> Any:
    """Return a vector of n finite numbers, from 0 up or above 0."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(f"{name} must be {size} numbers, got {value!r}") from error
    if array.shape != (size,):
        raise ShapeError(f"{name} has shape {array.shape}, but theta has shape ({size},)")
    bad = ~np.isfinite(array) | (array < 0) | (above & (array == 0))
    if bad.any():
        first = int(np.argmax(bad))
        wanted = "above 0" if above else "from 0 up"
        raise OptionError(f"{name}[{first}] is {array[first]}, but a finite number {wanted} is wanted")
    return array


Weights = npt.NDArray[np.float64]  # (n,)
Objective = Callable[[Weights], tuple[float, npt.ArrayLike]]


@dataclass(frozen=True, slots=True)
class Iteration:
    """State of the optimiser after one iteration; number 0 is the start.

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
    """The best point found, and the reason the optimiser ended.

    reason   why it ended: "gradient" or "value" (converged), "iterations" (the limit), "stopped" (on_iteration
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
        """True if a rule of eq:stopping ended the run, rather than a limit, the caller or a failed step."""
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
    """Minimise an objective from `start` (n,) and return the best point found.

    objective      takes theta (n,) and returns the value and the gradient (n,). A value or gradient that is not finite
                   counts as a failed step and is never accepted
    method         "lbfgs" (eq:lbfgs), "owlqn" (eq:owlqn), "proximal" (eq:proximal, with fewer evaluations than owlqn),
                   "conjugate-gradient" (eq:conjugate-gradient), "gradient" (eq:gradient-descent)
    on_iteration   called with each Iteration and its theta; returning False ends the run
    options        all methods: epsilon, delta, period, max_iterations (eq:stopping), max_linesearch, precision.
                   lbfgs, owlqn, proximal: memory (steps), first_step, and diagonal (n,), an estimate of the diagonal of
                   the inverse Hessian. lbfgs, owlqn: memory_dtype ("float32" or "float64"). lbfgs: line_search. owlqn,
                   proximal: l1 (a number or (n,)), l1_range. conjugate-gradient: line_search, curvature, first_step,
                   restart. gradient: first_step, step (fixed, without line search)

    Exceptions of the objective and Ctrl-C end the run and are passed on.
    """
    theta = _as_start(start)
    settings = settings_for(method, theta.size, options)
    if not callable(objective):
        raise OptionError(
            f"objective must be a function of theta that returns value and gradient, got {objective!r}"
        )
    history: list[Iteration] = []

    def report(*numbers: Any) -> bool:
        history.append(Iteration(*numbers[:-2]))
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
    theta = np.array(given, dtype=np.float64)  # a copy: the optimiser changes it
    if not np.isfinite(theta).all():
        first = int(np.argmin(np.isfinite(theta)))
        raise ScoreError(f"start[{first}] is {theta[first]}, but a finite number is wanted")
    return theta


def _checked(objective: Objective, size: int) -> Callable[[Weights, Weights], float]:
    """Wrap the objective for the core: the gradient is written into the core's memory."""

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
