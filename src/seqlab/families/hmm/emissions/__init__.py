"""Emission distributions of hidden Markov models."""

from __future__ import annotations

from seqlab.families.hmm.emissions.base import Distribution, Emission, Observed
from seqlab.families.hmm.emissions.categorical import Categorical, FeatureBag
from seqlab.families.hmm.emissions.gaussian import Gaussian
from seqlab.families.hmm.emissions.gaussian_mixture import GaussianMixture
from seqlab.families.hmm.emissions.poisson import Poisson
from seqlab.families.hmm.emissions.streams import PLAIN, Streams, StreamsDistribution

DISTRIBUTIONS = (*PLAIN, StreamsDistribution)

__all__ = ["DISTRIBUTIONS", "Categorical", "Distribution", "Emission", "FeatureBag", "Gaussian"]
__all__ += ["GaussianMixture", "Observed", "Poisson", "Streams"]
