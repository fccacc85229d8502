"""What a fitted mixture is: one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from seqlab.errors import StoreError
from seqlab.families.hmm.emissions.base import check_shares
from seqlab.families.mixture.reading import Numbers
from seqlab.store.codec import Array, Strings


@dataclass(frozen=True, slots=True)
class EMHistory:
    """How EM went.

    log_likelihood   at the start and after every epoch, with the log of the prior if there is one; it never falls
    converged        whether the last epoch gained less than the tolerance
    """

    log_likelihood: tuple[float, ...]
    converged: bool


@dataclass(frozen=True, eq=False)
class MixtureFit:
    """A fitted mixture.

    theta            (k, features) the parameters of the components
    mu               (k,) their weights
    log_likelihood   how they were found: see EMHistory
    features         names of the features, if they have any
    """

    theta: Annotated[Numbers, Array(np.float64, "components", "features", finite=True)]
    mu: Annotated[Numbers, Array(np.float64, "components", finite=True)]
    log_likelihood: Annotated[Numbers, Array(np.float64, "epochs")]
    converged: bool
    features: Annotated[tuple[str, ...] | None, Strings(optional=True)] = None

    def check(self) -> None:
        """Refuse what a file may say and training never does."""
        check_shares(self.mu[None], 1, "the weights of the components")
        found = self.log_likelihood
        if not self.theta.size or not len(found) or np.isnan(found).any() or (np.diff(found) < 0).any():
            raise StoreError("the log-likelihood should never fall, and there should be components")
        if self.features is not None and len(self.features) != self.theta.shape[1]:
            raise StoreError("every feature needs a name of its own")


class MultinomialFit(MixtureFit):
    """A fitted mixture whose components are probabilities of features."""

    def check(self) -> None:
        """Refuse components of a file that are no probabilities."""
        super().check()
        check_shares(self.theta, 1, "the probabilities of a component")
