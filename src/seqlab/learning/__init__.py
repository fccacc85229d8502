"""Learning: objectives walked downhill, by learners that taggers are given and by the optimisers they stand on."""

from __future__ import annotations

from seqlab.learning.counting import Counting
from seqlab.learning.em import BaumWelch, HardEM
from seqlab.learning.history import Epoch, History
from seqlab.learning.learners import LBFGS, ConjugateGradient, GradientAscent
from seqlab.learning.online_learners import AROW, PassiveAggressive, Perceptron, StructuredSVM
from seqlab.learning.optimisers import Iteration, Minimum, minimise
from seqlab.learning.sgd import SGD

__all__ = [
    "AROW",
    "LBFGS",
    "SGD",
    "BaumWelch",
    "ConjugateGradient",
    "Counting",
    "Epoch",
    "GradientAscent",
    "HardEM",
    "History",
    "Iteration",
    "Minimum",
    "PassiveAggressive",
    "Perceptron",
    "StructuredSVM",
    "minimise",
]
