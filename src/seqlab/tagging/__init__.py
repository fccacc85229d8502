"""Taggers: the methods that all of them have, and scikit-learn's interface."""

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.tagging.tagger import Tagger
else:  # otherwise a type checker would accept any attribute
    __getattr__, __dir__ = when_used(__name__, {"tagger": ("Tagger",)})

__all__ = ["Tagger"]
