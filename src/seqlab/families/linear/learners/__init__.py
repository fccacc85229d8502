"""Learners of linear models: small frozen option objects, each with a `train`. All learners are listed in this file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.families.linear.learners.batch import LBFGS, ConjugateGradient, GradientAscent
    from seqlab.families.linear.learners.mistakes import AROW, PassiveAggressive, Perceptron, StructuredSVM
    from seqlab.families.linear.learners.sgd import SGD


class Listed(NamedTuple):
    """An entry in the list of learners.

    learner   its class
    home      its module in this folder
    models    the models that may use it, by their names on the command line; () when the learner makes the
              model: a LinearTagger, which goes by the learner's name
    help      of that model
    """

    learner: str
    home: str
    models: tuple[str, ...] = ()
    help: str = ""


# By their names on the command line.
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

__all__ = ["AROW", "LBFGS", "SGD", "ConjugateGradient", "GradientAscent", "PassiveAggressive", "Perceptron"]
__all__ += ["StructuredSVM"]

if not TYPE_CHECKING:  # otherwise a type checker would accept any attribute of the package
    _homes: dict[str, list[str]] = {}
    for _listed in LEARNERS.values():
        _homes.setdefault(_listed.home, []).append(_listed.learner)
    __getattr__, __dir__ = when_used(__name__, _homes)
