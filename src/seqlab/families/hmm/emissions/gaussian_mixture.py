"""Emissions of real vectors: a mixture of Gaussians per state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from seqlab.arrays import number, whole_number
from seqlab.corpus import Corpus
from seqlab.errors import OptionError, StoreError
from seqlab.families.hmm.emissions import covariances as shapes
from seqlab.families.hmm.emissions.base import (
    Chance,
    Distribution,
    Floats,
    Groups,
    Ids,
    Shaped,
    Statistics,
    VectorRows,
    check_shares,
    checked_tables,
    first_of_groups,
    logs,
    normalised,
    pooled,
    sum_of_logs,
)
from seqlab.families.hmm.emissions.gaussian import Gaussian, GaussianDistribution
from seqlab.families.hmm.emissions.symbols import checked_probabilities
from seqlab.families.hmm.emissions.vectors import (
    Spread,
    cluster_means,
    drawn_rows,
    k_means,
    numbers,
    vector_rows,
)
from seqlab.store.fields import Array
from seqlab.store.values import Given

CENTRES = ("after", "before")


@dataclass(frozen=True, slots=True)
class GaussianMixture(Gaussian):
    """M Gaussians for every state, with weights (eq:mixture-emission).

    components     M: n_mix of hmmlearn
    covariance     "full", "diag", "spherical", or "tied": one matrix for the components of a state
    mean_prior, mean_weight, covariance_prior, covariance_weight, min_covariance   as in Gaussian: where means and
                   covariances are pulled to and how many observations that counts; the least variance
    weight_prior   added to the count of every component
    centre         "after": covariances about the new means, which is EM; "before": about the old ones, as hmmlearn does
    """

    components: int = 2
    weight_prior: float = 0.0
    centre: str = "after"

    def __post_init__(self) -> None:
        if isinstance(self.covariance, int):
            raise OptionError(
                f"GaussianMixture takes a kind of covariance first, got {self.covariance!r}; write "
                f"GaussianMixture(components={self.covariance!r})"
            )
        Gaussian.__post_init__(self)
        whole_number(self.components, "components", 1)
        number(self.weight_prior, "weight_prior")
        if self.centre not in CENTRES:
            raise OptionError(f"centre must be 'after' or 'before', got {self.centre!r}")

    def random(self, domain: Spread, observed: VectorRows, size: int, rng: Chance) -> MixtureDistribution:
        """Draw rows observed as the means of `size` states, by rng; every covariance is that of the domain."""
        drawn = drawn_rows(observed, size * self.components, rng)
        return self._mixed(drawn.reshape(size, self.components, -1), domain)

    def clustered(self, domain: Spread, observed: VectorRows, labels: Ids, size: int) -> MixtureDistribution:
        """Make a start by clustering within `size` clusters (labels of rows observed) of the domain."""
        centres = cluster_means(observed, labels, size, domain.mean)
        means = np.repeat(centres[:, None], self.components, axis=1)
        for y in range(size):
            inside = observed.some(labels == y)
            if len(inside):
                parts = k_means(inside, self.components, np.random.default_rng(y))
                means[y] = cluster_means(inside, parts, self.components, centres[y])
        return self._mixed(means, domain)

    def given(self, tables: Any, domain: Spread, size: int) -> MixtureDistribution:
        """Initialise `size` states over the domain by tables, which are checked."""
        if isinstance(tables, MixtureDistribution):
            return replace(tables, options=self, least=domain.least(self.min_covariance))
        tables = checked_tables(tables, "means", "weights", "covariances")
        made = self._mixed(numbers(tables["means"], "means", (size, self.components, domain.width)), domain)
        if tables.get("weights") is not None:
            weights = checked_probabilities(tables["weights"], "weights", (size, self.components))
            made = replace(made, weights=weights)
        if tables.get("covariances") is None:
            return made
        shape = self._shape(size, domain.width)
        return replace(made, covariances=shapes.checked(tables["covariances"], self.covariance, shape))

    def _mixed(self, means: Floats, domain: Spread) -> MixtureDistribution:
        """Make mixtures with these means (L, M, D), equal weights, and the covariance of the data."""
        kind, least = self.covariance, domain.least(self.min_covariance)
        wide = shapes.shaped(domain.covariance[None], "full" if kind == "tied" else kind)
        wide = shapes.floored(wide, kind, max(least, 1e-12))
        shape = self._shape(len(means), domain.width)
        covariances = np.array(np.broadcast_to(wide[0], shape))
        weights = np.full(means.shape[:2], 1.0 / self.components)
        return MixtureDistribution(self, weights, np.ascontiguousarray(means), covariances, least)

    def _shape(self, size: int, width: int) -> tuple[int, ...]:
        """Return the shape of the covariances: a matrix for every state, or an array for every component."""
        if self.covariance == "tied":
            return (size, width, width)
        return (size, self.components, *shapes.shape_of(self.covariance, size, width)[1:])


@dataclass(frozen=True, eq=False, repr=False)
class MixtureDistribution(Distribution):
    """weights (L, M), means (L, M, D), covariances (L, M, D, D), (L, M, D), (L, D, D) for tied, or (L, M)."""

    stored_kind: ClassVar[str] = "gaussian mixture"
    by_state: ClassVar[Mapping[str, int]] = {"weights": 0, "means": 0, "covariances": 0}

    options: Annotated[GaussianMixture, Given(GaussianMixture)]
    weights: Annotated[Floats, Array(np.float64, "L", "components", finite=True)]
    means: Annotated[Floats, Array(np.float64, "L", "components", "numbers", finite=True)]
    covariances: Annotated[Floats, Shaped()]
    least: float = 0.0

    def check(self) -> None:
        """Check that tables from a file are mixtures."""
        components, width = self.means.shape[1:]
        if not components or not width or components != self.options.components:
            raise StoreError("a mixture needs a component and a number at least")
        check_shares(self.weights, 1, "the weights of a mixture")
        shapes.checked(self.covariances, self.options.covariance, self.options._shape(self.size, width))

    @property
    def parameters(self) -> int:
        spread = self.options.free(self.covariances, self.means.shape[2])
        return self.weights.size - self.size + self.means.size + spread

    @cached_property
    def parts(self) -> GaussianDistribution:
        """The L · M Gaussians as separate states."""
        options, width = self.options, self.means.shape[2]
        kind = "full" if options.covariance == "tied" else options.covariance
        covariances = self.covariances
        if options.covariance == "tied":
            covariances = np.repeat(covariances[:, None], self.weights.shape[1], axis=1)
        same = {one.name: getattr(options, one.name) for one in fields(Gaussian)}
        flat = covariances.reshape(-1, *shapes.shape_of(kind, 1, width)[1:])
        means = self.means.reshape(-1, width)
        return GaussianDistribution(Gaussian(**same | {"covariance": kind}), means, flat, self.least)

    @property
    def vector_width(self) -> int:
        return int(self.means.shape[2])

    def observe(self, corpus: Corpus, column: str | None, *, unknown: str) -> VectorRows:  # noqa: ARG002
        return vector_rows(corpus, column, self.means.shape[2], whole=self.options.whole)

    # eq:mixture-emission   P(x | y) = Σ_m w[y, m] N(x; μ[y, m], Σ[y, m])
    def scores(self, observed: VectorRows) -> Floats:
        joint = self._joint(observed)
        top = joint.max(axis=2)
        return np.asarray(top + np.log(np.exp(joint - top[:, :, None]).sum(axis=2)))

    def _joint(self, observed: VectorRows) -> Floats:
        """Compute (T, L, M) log w N(x)."""
        return self.parts.scores(observed).reshape(len(observed), *self.weights.shape) + logs(self.weights)

    def statistics(self, observed: VectorRows, gamma: Floats) -> Statistics:
        """Sum up moments and responsibilities of components."""
        joint = self._joint(observed)
        shares = np.exp(joint - joint.max(axis=2, keepdims=True))
        shares *= (gamma / shares.sum(axis=2))[:, :, None]
        flat = np.ascontiguousarray(shares.reshape(len(observed), self.weights.size))
        found = self.parts.statistics(observed, flat)
        return {**found, "components": shares.sum(axis=0)}

    def comparable(self, found: Statistics) -> Statistics:
        return {**self.parts.comparable(found), "components": found["components"]}

    def added(self, one: Statistics, other: Statistics) -> Statistics:
        return {**self.parts.added(one, other), "components": one["components"] + other["components"]}

    def maximised(self, found: Statistics, prior: Any, groups: Groups | None, frozen: Sequence[str]) -> Self:  # noqa: ARG002
        inner, parts = self._component_groups(groups), self.parts
        moments = parts.grouped({name: found[name] for name in found if name != "components"}, inner)
        weights = self.weights
        if "weights" not in frozen:
            counts = pooled(found["components"], groups) + self.options.weight_prior
            weights = normalised(counts, self.weights, axis=1)
        means = parts.means if "means" in frozen else parts.new_means(moments)
        covariances = self.covariances
        if "covariances" not in frozen:
            about = parts.means if self.options.centre == "before" else None
            covariances = self._new_covariances(parts.squares(moments, means, about), moments["post"], inner)
        return replace(self, weights=weights, means=means.reshape(self.means.shape), covariances=covariances)

    def _new_covariances(self, squares: Floats, post: Floats, inner: Groups | None) -> Floats:
        if self.options.covariance != "tied":
            return self.parts.new_covariances(squares, post, inner).reshape(self.covariances.shape)
        size, components = self.weights.shape
        squares, post = (x.reshape(size, components, *x.shape[1:]).sum(axis=1) for x in (squares, post))
        shared = replace(self.parts, means=self.means[:, 0], covariances=self.covariances)
        return shared.new_covariances(squares, post, None)

    def _component_groups(self, groups: Groups | None) -> Groups | None:
        components = self.weights.shape[1]
        return None if groups is None else (groups[:, None] * components + np.arange(components)).reshape(-1)

    def log_prior(self, prior: Any, groups: Groups | None) -> float:
        inner, parts = self._component_groups(groups), self.parts
        total = sum_of_logs(self.options.weight_prior, self.weights[first_of_groups(groups, self.size)])
        total += parts.log_prior(prior, inner)
        if self.options.covariance != "tied":
            return total
        # Covariances that components share count once.
        once = replace(parts, options=replace(parts.options, mean_weight=0.0)).log_prior(prior, inner)
        return float(total - once * (1 - 1 / self.weights.shape[1]))

    def draw(self, states: Ids, rng: Chance) -> list[Any]:
        cumulated = np.cumsum(self.weights[states], axis=1)
        chosen = (rng.random((len(states), 1)) * cumulated[:, -1:] >= cumulated).sum(axis=1)
        components = self.weights.shape[1]
        return self.parts.draw(states * components + np.minimum(chosen, components - 1), rng)
