"""Parameters of CRFsuite's training algorithms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from seqlab.errors import OptionError

UNLIMITED = 2**31 - 1
NUM_MEMORIES = 6  # nobody's choice: L-BFGS then remembers as many moves as our default says
SEARCHES = {
    "MoreThuente": "more-thuente",
    "Backtracking": "backtracking",
    "StrongBacktracking": "strong-backtracking",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an algorithm.

    default   default value
    read      converts a string to a value
    help      its description
    """

    default: Any
    read: Callable[[str], Any]
    help: str


def whole(text: str) -> int:
    """Parse a whole number; 5.5 is read as 5, as in CRFsuite."""
    return int(float(text))


def switch(text: str) -> bool:
    """Read a switch: a number, or True or False."""
    return text.lower() == "true" or (text.lower() != "false" and whole(text) != 0)


def search(text: str) -> str:
    """Read the name of a line search."""
    if text not in SEARCHES:
        raise ValueError(text)
    return text


def _stop(what: str) -> Parameter:
    return Parameter(0.0, float, f"Training ends when {what} is at most this.")


FEATURES = {
    "feature.minfreq": Parameter(0.0, float, "The minimum frequency of features."),
    "feature.possible_states": Parameter(
        False, switch, "Weights for every attribute with every label, also for pairs that were not seen."
    ),
    "feature.possible_transitions": Parameter(
        False, switch, "Weights for every pair of labels, also for those that were not seen."
    ),
}
L2 = Parameter(1.0, float, "Coefficient for L2 regularization.")
PERIOD = Parameter(10, whole, "The number of iterations over which the stopping criterion looks.")
EPOCHS = Parameter(100, whole, "The maximum number of iterations.")


def _delta(default: float) -> Parameter:
    told = "Training ends when the objective improved by less than this share over ${period} iterations."
    return Parameter(default, float, told)


CALIBRATION = {
    "calibration.eta": Parameter(0.1, float, "The first learning rate (eta) that is tried."),
    "calibration.rate": Parameter(2.0, float, "The factor from one learning rate that is tried to the next."),
    "calibration.samples": Parameter(
        1000.0, float, "The number of sequences on which learning rates are tried."
    ),
    "calibration.candidates": Parameter(10, whole, "How many learning rates that lower the loss are tried."),
    "calibration.max_trials": Parameter(20, whole, "The limit of learning rates that are tried."),
}
PARAMETERS: dict[str, dict[str, Parameter]] = {
    "lbfgs": {
        "c1": Parameter(0.0, float, "Coefficient for L1 regularization."),
        "c2": L2,
        "max_iterations": Parameter(UNLIMITED, whole, "The maximum number of iterations."),
        "num_memories": Parameter(NUM_MEMORIES, whole, "The number of moves that L-BFGS remembers."),
        "epsilon": Parameter(1e-5, float, "Training ends when the gradient is this small."),
        "period": PERIOD,
        "delta": _delta(1e-5),
        "linesearch": Parameter("MoreThuente", search, f"The line search: one of {', '.join(SEARCHES)}."),
        "max_linesearch": Parameter(20, whole, "The maximum number of trials of a line search."),
    },
    "l2sgd": {
        "c2": L2,
        "max_iterations": Parameter(1000, whole, "The maximum number of iterations (epochs)."),
        "period": PERIOD,
        "delta": _delta(1e-6),
        **CALIBRATION,
    },
    "averaged-perceptron": {"max_iterations": EPOCHS, "epsilon": _stop("the share of wrong labels")},
    "passive-aggressive": {
        "type": Parameter(1, whole, "0: PA without slack, 1: PA-I, 2: PA-II."),
        "c": Parameter(1.0, float, "How far one sequence may change the weights."),
        "error_sensitive": Parameter(True, switch, "The cost of a path grows with its wrong labels."),
        "averaging": Parameter(True, switch, "The model gets the mean of the weights."),
        "max_iterations": EPOCHS,
        "epsilon": _stop("the mean loss"),
    },
    "arow": {
        "variance": Parameter(1.0, float, "The variance of every weight at the beginning."),
        "gamma": Parameter(1.0, float, "How little one sequence counts against what was learned before."),
        "max_iterations": EPOCHS,
        "epsilon": _stop("the mean loss"),
    },
}
ALIASES = {"ap": "averaged-perceptron", "pa": "passive-aggressive"}


def of_algorithm(algorithm: str) -> dict[str, Parameter]:
    """Return the parameters of an algorithm by name."""
    return {**FEATURES, **PARAMETERS[algorithm]}


def read_value(name: str, parameter: Parameter, value: Any) -> Any:
    """Read the value of a parameter: a number, a bool, or a string that spells one."""
    try:
        return parameter.read(str(int(value)) if isinstance(value, bool) else str(value))
    except (ValueError, OverflowError):
        wanted = f"one of {', '.join(SEARCHES)}" if parameter.read is search else "a number"
        raise OptionError(f"the parameter {name} should be {wanted}, got {value!r:.60}") from None
