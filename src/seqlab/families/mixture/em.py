"""EM for mixtures: a mixture is a hidden Markov model of sequences of length one, so its EM is Baum-Welch."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.families.hmm.em import BaumWelch, EMTask, Evidence
from seqlab.families.hmm.emissions import Distribution
from seqlab.families.hmm.tables import Dirichlet, HiddenMarkov
from seqlab.families.mixture.reading import Numbers
from seqlab.learning.restarts import best_of
from seqlab.threads import thread_count

if TYPE_CHECKING:
    from seqlab.families.mixture.tagger import Mixture


@dataclass(frozen=True, slots=True, kw_only=True)
class _EM(BaumWelch):
    """Baum-Welch that ends when an epoch gains less than the tolerance for a weight of 1."""

    weight: float

    def enough(self, gain: float, value: float) -> bool:  # noqa: ARG002
        """Tell whether an epoch gained too little to go on."""
        return gain <= self.tolerance * self.weight


# eq:mixture-em   E: q_il = P(l | x_i).  M: mu_l = Σ_i q_il / n, theta_l = argmax Σ_i q_il log P(x_i | theta)
def best_components(
    mixture: Mixture,
    observed: Any,
    weights: Numbers,
    starts: list[Distribution],
    *,
    frozen: tuple[str, ...] = (),
    smoothing: float = 0.0,
) -> tuple[Distribution, dict[str, Any]]:
    """Run EM from each start and keep the best: the components, and what else a fitted value has."""
    k, n = starts[0].size, len(weights)
    evidence = Evidence(observed, np.arange(n + 1, dtype=np.int64), weights)
    learner = _EM(
        max_iterations=mixture.epochs,
        tolerance=float(mixture.tolerance),
        frozen=("transitions", *frozen),
        weight=float(weights.sum()),
    )
    names = tuple(map(str, range(k)))

    def train(run: int, threads: int, report: Any) -> Any:
        task = EMTask(replace(evidence), Dirichlet(emissions=smoothing))
        model = HiddenMarkov(names, np.full(k, 1.0 / k), np.eye(k), None, starts[run])
        return learner.train(task, model, threads=threads, report=report)

    best = best_of(train, len(starts), threads=thread_count(None))
    model: Any = best.outcome.theta
    values = [-math.inf if value is None else -value for value in best.history.objective]
    converged = best.history.reason in ("value", "fell")
    return model.emissions, {"mu": model.pi, "log_likelihood": np.array(values), "converged": converged}
