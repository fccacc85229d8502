"""What users construct: a model, its options, and every question about sentences.

Each is loaded when it is first used: who tags with a CRF needs no re-ranker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

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
else:  # a type checker would take any name for one of the package
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "base": ("Tagger",),
            "estimator": ("Estimator",),
            "hmm": ("HMM",),
            "linear": ("CRF", "LinearTagger"),
            "local": ("LocalTagger",),
            "markov_chain": ("MarkovChain",),
            "memm": ("MEMM",),
            "mixture": ("GaussianMeans", "MultinomialMixture"),
            "most_frequent": ("MostFrequentTag",),
            "reranker": ("Reranker",),
        },
    )

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
