"""Learners of linear models: small frozen options, each with a `train`. This file is the only one that lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.families.linear.learners.batch import LBFGS, ConjugateGradient, GradientAscent
    from seqlab.families.linear.learners.mistakes import AROW, PassiveAggressive, Perceptron, StructuredSVM
    from seqlab.families.linear.learners.sgd import SGD


class Listed(NamedTuple):
    """A learner in the list.

    learner   its class
    home      the module of this folder where it is
    models    the models that may learn by it, by the names that a shell has for them; () when the learner makes the
              model: a LinearTagger, which goes by the learner's name
    help      of that model
    """

    learner: str
    home: str
    models: tuple[str, ...] = ()
    help: str = ""


# By the names that a shell has for them.
LEARNERS = {
    "lbfgs": Listed("LBFGS", "batch", ("crf", "memm")),
    "sgd": Listed("SGD", "sgd", ("crf",)),
    "cg": Listed("ConjugateGradient", "batch", ("crf", "memm")),
    "gradient": Listed("GradientAscent", "batch", ("crf", "memm")),
    "perceptron": Listed("Perceptron", "mistakes", help="averaged structured perceptron"),
    "pa": Listed("PassiveAggressive", "mistakes", help="passive-aggressive"),
    "arow": Listed("AROW", "mistakes", help="adaptive regularisation of weights"),
    "svm": Listed("StructuredSVM", "mistakes", help="structured support vector machine"),
}

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

if not TYPE_CHECKING:  # a type checker would take any name for one of the package
    _homes: dict[str, list[str]] = {}
    for _listed in LEARNERS.values():
        _homes.setdefault(_listed.home, []).append(_listed.learner)
    __getattr__, __dir__ = when_used(__name__, _homes)
