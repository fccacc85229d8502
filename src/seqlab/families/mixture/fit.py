"""Parameters of fitted mixtures, and the history of their training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from seqlab.errors import StoreError
from seqlab.families.hmm.emissions.base import check_shares
from seqlab.families.mixture.reading import Numbers
from seqlab.learning.history import History
from seqlab.shown import Brief, Table, Tabular
from seqlab.store.fields import Array, Record, Strings


@dataclass(frozen=True, slots=True, repr=False)
class EMHistory(Tabular):
    """The history of EM.

    log_likelihood   at the start and after every epoch, with the log of the prior if there is one; it never falls
    converged        whether the last epoch gained less than the tolerance
    """

    log_likelihood: tuple[float, ...]
    converged: bool

    def _columns(self) -> Table:
        return {"epoch": range(len(self.log_likelihood)), "log_likelihood": self.log_likelihood}


@dataclass(frozen=True, eq=False, repr=False)
class MixtureFit(Brief):
    """A fitted mixture.

    theta            (k, features) the parameters of the components
    mu               (k,) weights of the components
    log_likelihood   log-likelihood after each epoch; see EMHistory
    features         names of the features; None without names
    restarts         histories of all runs
    """

    theta: Annotated[Numbers, Array(np.float64, "components", "features", finite=True)]
    mu: Annotated[Numbers, Array(np.float64, "components", finite=True)]
    log_likelihood: Annotated[Numbers, Array(np.float64, "epochs")]
    converged: bool
    features: Annotated[tuple[str, ...] | None, Strings(optional=True)] = None
    restarts: Annotated[tuple[History, ...], Record(tuple[History, ...])] = ()

    def check(self) -> None:
        """Check values read from a file."""
        check_shares(self.mu[None], 1, "the weights of the components")
        found = self.log_likelihood
        if not self.theta.size or not len(found) or np.isnan(found).any() or (np.diff(found) < 0).any():
            raise StoreError("the log-likelihood should never fall, and there should be components")
        if self.features is not None and len(self.features) != self.theta.shape[1]:
            raise StoreError("every feature needs a name of its own")


class MultinomialFit(MixtureFit):
    """A fitted mixture whose components are probabilities of features."""

    def check(self) -> None:
        """Check that components from a file are probabilities."""
        super().check()
        check_shares(self.theta, 1, "the probabilities of a component")
