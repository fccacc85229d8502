"""Stepwise EM: a running mean of expected counts, for data that comes in batches or does not fit in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from seqlab.families.hmm.emissions.base import Groups, Statistics
from seqlab.families.hmm.expectation import Evidence
from seqlab.families.hmm.tables import Dirichlet, Expected, HiddenMarkov


@dataclass(slots=True, eq=False)
class Running:
    """Expected counts a token, averaged over the batches so far, and how many batches and tokens there were."""

    found: Expected | None = None
    batches: int = 0
    tokens: int = 0

    # eq:stepwise-em   s_k = (1 - η_k) s_{k-1} + η_k ŝ(batch k),  η_k = (k + 1)^-forgetting
    def add(self, model: HiddenMarkov, found: Expected, evidence: Evidence, forgetting: float) -> None:
        """Take in what an E step found on another batch."""
        tokens = max(evidence.tokens, 1)
        fresh = scaled(found, 1.0 / tokens)
        if self.found is None:
            self.found = fresh
        else:
            share = float(self.batches + 1) ** -forgetting
            self.found = blended(self.found, fresh, model, share)
        self.batches += 1
        self.tokens += evidence.tokens

    def maximised(
        self, model: HiddenMarkov, prior: Dirichlet, groups: Groups | None, frozen: Sequence[str]
    ) -> HiddenMarkov:
        """The M step on the mean, which counts as much as all tokens so far: pseudo-counts weigh as they should."""
        if self.found is None:
            return model
        whole = scaled(self.found, float(max(self.tokens, 1)))
        return model.maximised(whole, prior, groups=groups, frozen=frozen)


def scaled(found: Expected, factor: float) -> Expected:
    """All counts times a factor."""
    return replace(
        found,
        start=found.start * factor,
        edge=found.edge * factor,
        end=found.end * factor,
        emissions=_times(found.emissions, factor),
    )


def blended(old: Expected, new: Expected, model: HiddenMarkov, share: float) -> Expected:
    """(1 - share) of the old counts and a share of the new."""
    a, b = scaled(old, 1 - share), scaled(new, share)
    emissions = model.emissions.added(a.emissions, b.emissions)
    return replace(new, start=a.start + b.start, edge=a.edge + b.edge, end=a.end + b.end, emissions=emissions)


def _times(statistics: Statistics, factor: float) -> Statistics:
    """Sums times a factor; the means that moments are about are no sums."""
    return {
        name: array if name.rpartition(".")[2] == "about" else np.asarray(array * factor)
        for name, array in statistics.items()
    }
