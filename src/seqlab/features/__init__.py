"""Features: the template language and its definition, lexicons, presets, and feature functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.corpus.lists import bag, bags
from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.features.lexicon import Lexicon
    from seqlab.features.model import Atom, Boundary, Call, Feature, SentenceLike
    from seqlab.features.own import FeatureFunction, FeatureSum, label_pairs, pairs
    from seqlab.features.template import Template
else:  # otherwise a type checker would accept any attribute
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "lexicon": ("Lexicon",),
            "model": ("Atom", "Boundary", "Call", "Feature", "SentenceLike"),
            "own": ("FeatureFunction", "FeatureSum", "label_pairs", "pairs"),
            "template": ("Template",),
        },
    )

__all__ = ["Atom", "Boundary", "Call", "Feature", "FeatureFunction", "FeatureSum", "Lexicon", "SentenceLike"]
__all__ += ["Template", "bag", "bags", "label_pairs", "pairs"]
