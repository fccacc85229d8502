"""Learning: objectives walked downhill, and learners that learn from mistakes."""

from __future__ import annotations

from seqlab.learning.history import Epoch, History
from seqlab.learning.learners import LBFGS, ConjugateGradient, GradientAscent
from seqlab.learning.online_learners import AROW, PassiveAggressive, Perceptron, StructuredSVM
from seqlab.learning.optimisers import Iteration, Minimum, minimise

__all__ = [
    "AROW",
    "LBFGS",
    "ConjugateGradient",
    "Epoch",
    "GradientAscent",
    "History",
    "Iteration",
    "Minimum",
    "PassiveAggressive",
    "Perceptron",
    "StructuredSVM",
    "minimise",
]
