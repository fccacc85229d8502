"""Learners of linear models: small frozen options, each with a `train`. This list is the only one that names them."""

from __future__ import annotations

from seqlab.families.linear.learners.batch import LBFGS
from seqlab.families.linear.learners.gradients import ConjugateGradient, GradientAscent
from seqlab.families.linear.learners.mistakes import AROW, PassiveAggressive, Perceptron, StructuredSVM
from seqlab.families.linear.learners.sgd import SGD

__all__ = [
    "AROW",
    "LBFGS",
    "SGD",
    "ConjugateGradient",
    "GradientAscent",
    "PassiveAggressive",
    "Perceptron",
    "StructuredSVM",
]
