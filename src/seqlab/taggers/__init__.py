"""What users construct: a model, its options, and every question about sentences.

Each is loaded when it is first used: who tags with a CRF needs no re-ranker.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqlab.taggers.base import Tagger
    from seqlab.taggers.estimator import Estimator
    from seqlab.taggers.hmm import HMM
    from seqlab.taggers.linear import CRF, LinearTagger
    from seqlab.taggers.local import LocalTagger
    from seqlab.taggers.markov_chain import MarkovChain
    from seqlab.taggers.memm import MEMM
    from seqlab.taggers.mixture import GaussianMeans, MultinomialMixture
    from seqlab.taggers.most_frequent import MostFrequentTag
    from seqlab.taggers.reranker import Reranker

__all__ = [
    "CRF",
    "HMM",
    "MEMM",
    "Estimator",
    "GaussianMeans",
    "LinearTagger",
    "LocalTagger",
    "MarkovChain",
    "MostFrequentTag",
    "MultinomialMixture",
    "Reranker",
    "Tagger",
]

_HOME = {
    "CRF": lambda: import_module("seqlab.taggers.linear"),
    "Estimator": lambda: import_module("seqlab.taggers.estimator"),
    "GaussianMeans": lambda: import_module("seqlab.taggers.mixture"),
    "HMM": lambda: import_module("seqlab.taggers.hmm"),
    "LinearTagger": lambda: import_module("seqlab.taggers.linear"),
    "LocalTagger": lambda: import_module("seqlab.taggers.local"),
    "MEMM": lambda: import_module("seqlab.taggers.memm"),
    "MarkovChain": lambda: import_module("seqlab.taggers.markov_chain"),
    "MostFrequentTag": lambda: import_module("seqlab.taggers.most_frequent"),
    "MultinomialMixture": lambda: import_module("seqlab.taggers.mixture"),
    "Reranker": lambda: import_module("seqlab.taggers.reranker"),
    "Tagger": lambda: import_module("seqlab.taggers.base"),
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(_HOME[name](), name)
    raise AttributeError(f"module 'seqlab.taggers' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
