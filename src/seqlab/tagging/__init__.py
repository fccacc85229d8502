"""Taggers in general: the questions that each of them answers, and scikit-learn's contract."""

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.tagging.tagger import Tagger
else:  # a type checker would take any name for one of the package
    __getattr__, __dir__ = when_used(__name__, {"tagger": ("Tagger",)})

__all__ = ["Tagger"]
