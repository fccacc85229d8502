"""Emissions of hidden Markov models: what a state may say."""

from __future__ import annotations

from seqlab.errors import StoreError
from seqlab.families.hmm.emissions.base import Distribution, Emission, Observed
from seqlab.families.hmm.emissions.categorical import CATEGORICAL, Categorical, SymbolDistribution
from seqlab.families.hmm.emissions.feature_bag import FEATURE_BAG, BagDistribution, FeatureBag
from seqlab.families.hmm.emissions.gaussian import GAUSSIAN, Gaussian, GaussianDistribution
from seqlab.families.hmm.emissions.gaussian_mixture import MIXTURE, GaussianMixture, MixtureDistribution
from seqlab.families.hmm.emissions.poisson import POISSON, Poisson, PoissonDistribution
from seqlab.families.hmm.emissions.streams import STREAMS, Streams, StreamsDistribution
from seqlab.store.state import State

__all__ = [
    "Categorical",
    "Distribution",
    "Emission",
    "FeatureBag",
    "Gaussian",
    "GaussianMixture",
    "Observed",
    "Poisson",
    "Streams",
    "distribution_of",
]

_KINDS: dict[str, type] = {
    CATEGORICAL: SymbolDistribution,
    FEATURE_BAG: BagDistribution,
    GAUSSIAN: GaussianDistribution,
    MIXTURE: MixtureDistribution,
    POISSON: PoissonDistribution,
}


def distribution_of(state: State, size: int) -> Distribution:
    """The emissions of `size` states, from plain data."""
    if state.kind == STREAMS:
        names = state.names("names")
        if not names or len(set(names)) != len(names):
            raise StoreError("streams need names, each of them once")
        parts = (state.any_part(f"stream{i}") for i in range(len(names)))
        return StreamsDistribution(
            {name: distribution_of(part, size) for name, part in zip(names, parts, strict=True)}
        )
    if state.kind not in _KINDS:
        raise StoreError(f"there are no emissions of kind {state.kind!r:.80}")
    found: Distribution = _KINDS[state.kind].from_state(state, size)  # type: ignore[attr-defined]
    return found
