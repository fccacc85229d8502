"""Model families: a folder for each, with its parameters, its training and its tagger.

Each tagger is loaded when it is first used: who tags with a CRF needs no re-ranker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.families.chain.tagger import MarkovChain
    from seqlab.families.hmm.tagger import HMM
    from seqlab.families.linear.memm import MEMM
    from seqlab.families.linear.tagger import CRF, LinearTagger
    from seqlab.families.local.baseline import MostFrequentTag
    from seqlab.families.local.tagger import LocalTagger
    from seqlab.families.mixture.tagger import GaussianMeans, MultinomialMixture
    from seqlab.families.rerank.tagger import Reranker
else:  # a type checker would take any name for one of the package
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "chain.tagger": ("MarkovChain",),
            "hmm.tagger": ("HMM",),
            "linear.memm": ("MEMM",),
            "linear.tagger": ("CRF", "LinearTagger"),
            "local.baseline": ("MostFrequentTag",),
            "local.tagger": ("LocalTagger",),
            "mixture.tagger": ("GaussianMeans", "MultinomialMixture"),
            "rerank.tagger": ("Reranker",),
        },
    )

__all__ = [
    "CRF",
    "HMM",
    "MEMM",
    "GaussianMeans",
    "LinearTagger",
    "LocalTagger",
    "MarkovChain",
    "MostFrequentTag",
    "MultinomialMixture",
    "Reranker",
]
