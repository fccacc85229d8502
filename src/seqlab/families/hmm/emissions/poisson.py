"""Emissions of counts: independent Poisson rates for D numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from seqlab.corpus import Corpus
from seqlab.errors import CorpusError, OptionError
from seqlab.families.hmm.emissions.base import (
    Chance,
    Distribution,
    Emission,
    Floats,
    Groups,
    Ids,
    Statistics,
    VectorRows,
    checked_tables,
    divided,
    first_of_groups,
    pooled,
)
from seqlab.families.hmm.emissions.symbols import place
from seqlab.families.hmm.emissions.vectors import Spread, check_prior, cluster_means, numbers, vector_rows
from seqlab.store.fields import Array
from seqlab.store.values import Given

LEAST_RATE = 1e-300  # a rate of 0 makes counts practically impossible, without NaN


def count_rows(corpus: Corpus, column: str | None, width: int | None) -> VectorRows:
    """Read vectors of whole numbers from 0 up."""
    rows = vector_rows(corpus, column, width, whole=False)
    bad = (rows.values < 0) | (rows.values != np.floor(rows.values))
    if bad.any():
        token, d = np.argwhere(bad)[0].tolist()
        raise CorpusError(
            f"number {d} is {rows.values[token, d]:g}, but Poisson() wants whole numbers from 0",
            place=place(corpus, token),
        )
    return rows


@dataclass(frozen=True, slots=True)
class Poisson(Emission):
    """Poisson emissions: D counts for every token, each with its own rate in every state (eq:poisson-emission).

    rate_prior, rate_weight   a Gamma prior: pseudo-counts of events, and of observations in which they were seen
    """

    rate_prior: Any = 0.0
    rate_weight: float = 0.0

    holds = "vectors"

    def __post_init__(self) -> None:
        for name in ("rate_prior", "rate_weight"):
            value = np.asarray(getattr(self, name))
            if value.dtype.kind not in "fiu" or not (np.isfinite(value) & (value >= 0)).all():
                raise OptionError(f"{name} must be finite numbers from 0 up, got {getattr(self, name)!r}")

    def first(self, corpus: Corpus, column: str | None) -> tuple[VectorRows, Spread]:
        """Read a column of the training corpus as arrays, and the domain."""
        rows = count_rows(corpus, column, None)
        for name in ("rate_prior", "rate_weight"):
            check_prior(getattr(self, name), name, (rows.values.shape[1],))
        return rows, Spread.of(rows)

    def random(self, domain: Spread, observed: VectorRows, size: int, rng: Chance) -> PoissonDistribution:  # noqa: ARG002
        """Draw a random start of `size` states by rng: mean counts observed in the domain, each times a factor."""
        factors = rng.gamma(2.0, 0.5, size=(size, domain.width))
        return PoissonDistribution(self, np.maximum(domain.mean * factors, 1e-3))

    def clustered(self, domain: Spread, observed: VectorRows, labels: Ids, size: int) -> PoissonDistribution:
        """Initialise `size` states over the domain by clusters, given as labels of the observed tokens."""
        rates = cluster_means(observed, labels, size, domain.mean)
        return PoissonDistribution(self, np.maximum(rates, 1e-3))

    def given(self, tables: Any, domain: Spread, size: int) -> PoissonDistribution:
        """Initialise `size` states over the domain by tables, which are checked."""
        if isinstance(tables, PoissonDistribution):
            return replace(tables, options=self)
        if isinstance(tables, (Mapping, Distribution)):
            tables = checked_tables(tables, "rates")["rates"]
        made = numbers(tables, "rates", (size, domain.width))
        if (made < 0).any():
            y, d = np.argwhere(made < 0)[0].tolist()
            raise OptionError(f"rates[{y}, {d}] is {made[y, d]:g}, but a rate is from 0 up")
        return PoissonDistribution(self, made)


@dataclass(frozen=True, eq=False, repr=False)
class PoissonDistribution(Distribution):
    """rates (L, D): events per token."""

    stored_kind: ClassVar[str] = "poisson"
    by_state: ClassVar[Mapping[str, int]] = {"rates": 0}

    options: Annotated[Poisson, Given(Poisson)]
    rates: Annotated[Floats, Array(np.float64, "L", "numbers", least=0, finite=True)]

    @property
    def parameters(self) -> int:
        return self.rates.size

    def observe(self, corpus: Corpus, column: str | None, *, unknown: str) -> VectorRows:  # noqa: ARG002
        return count_rows(corpus, column, self.rates.shape[1])

    # eq:poisson-emission   log P(x | y) = Σ_d (x_d log λ - λ - log x_d!)
    def scores(self, observed: VectorRows) -> Floats:
        rates = np.maximum(self.rates, LEAST_RATE)
        x, seen = observed.values, observed.seen
        values, where = np.unique(x, return_inverse=True)
        logs = np.array([math.lgamma(value + 1) for value in values.tolist()])[where].reshape(
            x.shape
        )  # of x!
        return np.asarray(x @ np.log(rates).T - seen @ rates.T - (logs * seen).sum(axis=1)[:, None])

    def statistics(self, observed: VectorRows, gamma: Floats) -> Statistics:
        """Sum up the counts, and the number of observed ones."""
        return {"post": gamma.T @ observed.seen, "sums": gamma.T @ observed.values}

    def maximised(self, found: Statistics, prior: Any, groups: Groups | None, frozen: Sequence[str]) -> Self:  # noqa: ARG002
        count = pooled(found["post"], groups) + self.options.rate_weight
        sums = pooled(found["sums"], groups) + self.options.rate_prior
        return replace(self, rates=divided(sums, count, self.rates))

    def log_prior(self, prior: Any, groups: Groups | None) -> float:  # noqa: ARG002
        rates = np.maximum(self.rates[first_of_groups(groups, self.size)], LEAST_RATE)
        return float((self.options.rate_prior * np.log(rates) - self.options.rate_weight * rates).sum())

    def draw(self, states: Ids, rng: Chance) -> list[Any]:
        return list(rng.poisson(self.rates[states]))
