"""Learning: objectives walked downhill, by learners that taggers are given and by the optimisers they stand on.

Each is loaded when it is first used: who tags with a CRF needs no EM.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_HOME = {
    "AROW": lambda: import_module("seqlab.learning.online_learners"),
    "BaumWelch": lambda: import_module("seqlab.learning.em"),
    "ConjugateGradient": lambda: import_module("seqlab.learning.learners"),
    "Counting": lambda: import_module("seqlab.learning.counting"),
    "Epoch": lambda: import_module("seqlab.learning.history"),
    "GradientAscent": lambda: import_module("seqlab.learning.learners"),
    "HardEM": lambda: import_module("seqlab.learning.em"),
    "History": lambda: import_module("seqlab.learning.history"),
    "Iteration": lambda: import_module("seqlab.learning.optimisers"),
    "LBFGS": lambda: import_module("seqlab.learning.learners"),
    "Minimum": lambda: import_module("seqlab.learning.optimisers"),
    "PassiveAggressive": lambda: import_module("seqlab.learning.online_learners"),
    "Perceptron": lambda: import_module("seqlab.learning.online_learners"),
    "SGD": lambda: import_module("seqlab.learning.sgd"),
    "StructuredSVM": lambda: import_module("seqlab.learning.online_learners"),
    "minimise": lambda: import_module("seqlab.learning.optimisers"),
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(_HOME[name](), name)
    raise AttributeError(f"module 'seqlab.learning' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
