"""Learning: objectives walked downhill, by learners that taggers are given and by the optimisers they stand on.

Each is loaded when it is first used: who tags with a CRF needs no EM.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.learning.counting import Counting
    from seqlab.learning.em import BaumWelch, HardEM
    from seqlab.learning.gradients import ConjugateGradient, GradientAscent
    from seqlab.learning.history import Epoch, History
    from seqlab.learning.learners import LBFGS
    from seqlab.learning.online_learners import AROW, PassiveAggressive, Perceptron, StructuredSVM
    from seqlab.learning.optimisers import Iteration, Minimum, minimise
    from seqlab.learning.sgd import SGD
else:  # a type checker would take any name for one of the package
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "counting": ("Counting",),
            "em": ("BaumWelch", "HardEM"),
            "gradients": ("ConjugateGradient", "GradientAscent"),
            "history": ("Epoch", "History"),
            "learners": ("LBFGS",),
            "online_learners": ("AROW", "PassiveAggressive", "Perceptron", "StructuredSVM"),
            "optimisers": ("Iteration", "Minimum", "minimise"),
            "sgd": ("SGD",),
        },
    )

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
