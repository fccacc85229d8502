"""What users construct: a model, its options, and every question about sentences."""

from __future__ import annotations

from seqlab.taggers.base import Tagger
from seqlab.taggers.estimator import Estimator

__all__ = ["Estimator", "Tagger"]
