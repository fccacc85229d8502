"""Features: the template language, what it means, lexicons, presets, and features of one's own."""

from __future__ import annotations

from seqlab.corpus.items import bag, bags
from seqlab.features.lexicon import Lexicon
from seqlab.features.model import Atom, Boundary, Call, Feature, SentenceLike
from seqlab.features.own import FeatureFunction
from seqlab.features.template import Template

__all__ = [
    "Atom",
    "Boundary",
    "Call",
    "Feature",
    "FeatureFunction",
    "Lexicon",
    "SentenceLike",
    "Template",
    "bag",
    "bags",
]
