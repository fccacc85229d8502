"""What a batch learner is given, what a learner tells while it works, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Weights = npt.NDArray[np.float64]  # (n,)


@dataclass(frozen=True, slots=True)
class Job:
    """What a batch learner works on.

    quick, exact   the loss in float32 and float64; `exact` alone when the learner was asked for float64
    centre         weights that l2 pulls towards; None for 0
    first_guess    gives better weights to begin with, or None where there is no such way
    """

    quick: Any
    exact: Any
    first_guess: Callable[[Weights, int], None] | None
    threads: int
    seed: int
    centre: Weights | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """Where training stands after an iteration (of a batch learner) or an epoch (of an online one).

    objective       what is made small, penalties included; None where a learner has no such number
    gradient_norm   None for learners without a gradient
    active          weights that are not 0
    weights         gives the weights a model would have if training stopped now, as a copy
    more            further numbers of the learner's own, by name
    """

    iteration: int
    objective: float | None
    gradient_norm: float | None
    active: int | None
    weights: Callable[[], Weights]
    more: Mapping[str, float] = field(default_factory=dict)


Report = Callable[[Progress], bool]  # False ends training


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What training gave, and why it ended."""

    theta: Weights
    reason: str
    iterations: int
    objective: float | None
