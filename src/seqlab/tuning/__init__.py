"""Hyperparameter search (tune) and comparison of models (compare), scored on held-out sentences."""

from seqlab.tuning.comparison import Comparison, Row, compare
from seqlab.tuning.result import Interrupted, Trial, Tuning
from seqlab.tuning.searching import tune
from seqlab.tuning.space import LogUniform, Uniform

__all__ = ["Comparison", "Interrupted", "LogUniform", "Row", "Trial", "Tuning", "Uniform", "compare", "tune"]
