"""Learning: objectives walked downhill. So far the optimisers; learners will stand on them."""

from __future__ import annotations

from seqlab.learning.history import Epoch, History
from seqlab.learning.learners import LBFGS, ConjugateGradient, GradientAscent
from seqlab.learning.optimisers import Iteration, Minimum, minimise

__all__ = [
    "LBFGS",
    "ConjugateGradient",
    "Epoch",
    "GradientAscent",
    "History",
    "Iteration",
    "Minimum",
    "minimise",
]
