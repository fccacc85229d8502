"""What users construct: a model, its options, and every question about sentences."""

from __future__ import annotations

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
