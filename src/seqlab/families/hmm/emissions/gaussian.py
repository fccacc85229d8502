"""Emissions of real vectors: one Gaussian per state, with full, diagonal, tied or spherical covariance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from seqlab import _core
from seqlab.arrays import choice, number
from seqlab.corpus import Corpus
from seqlab.errors import OptionError
from seqlab.families.hmm.emissions import covariances as shapes
from seqlab.families.hmm.emissions.base import (
    TINY,
    Chance,
    Distribution,
    Emission,
    Floats,
    Groups,
    Ids,
    Shaped,
    Statistics,
    VectorRows,
    as_floats,
    checked_tables,
    divided,
    first_of_groups,
    pooled,
)
from seqlab.families.hmm.emissions.vectors import (
    Spread,
    check_prior,
    cluster_means,
    drawn_rows,
    numbers,
    rebased,
    vector_rows,
)
from seqlab.store.fields import Array
from seqlab.store.values import Given

FEW, MANY = 16, 1000  # the core is faster than matrix products up to FEW dimensions and from MANY vectors on
NEAR = 1e4  # squared standard deviations from the centre of the data to a mean: sums about it keep 11 digits


@dataclass(frozen=True, slots=True)
class Gaussian(Emission):
    """A Gaussian for every state over vectors of D numbers (eq:gaussian-emission).

    covariance         "full", "diag", "tied" (one full matrix) or "spherical": covariance_type of hmmlearn
    mean_prior         where means are pulled to, a number or (D,); mean_weight: how many observations that counts
    covariance_prior   added to the sum of squares: a number (times the identity), (D,), or (D, D) for full and tied;
                       covariance_weight: how many observations that counts
    min_covariance     min_covar of hmmlearn: no variance falls below; None for a ten-thousandth of the data's own
    """

    covariance: str = "diag"
    mean_prior: Any = 0.0
    mean_weight: float = 0.0
    covariance_prior: Any = 0.0
    covariance_weight: float = 0.0
    min_covariance: float | None = None

    holds = "vectors"

    def __post_init__(self) -> None:
        choice(self.covariance, "covariance", shapes.SHAPES)
        for name in ("mean_weight", "covariance_weight", "min_covariance"):
            value = getattr(self, name)
            if value is not None or name != "min_covariance":
                number(value, name)
        for name, least in (("mean_prior", -np.inf), ("covariance_prior", 0.0)):
            prior = as_floats(getattr(self, name), name)
            if not np.isfinite(prior).all() or (prior.ndim < 2 and not (prior >= least).all()):
                wanted = "finite numbers" if name == "mean_prior" else "finite numbers from 0 up"
                raise OptionError(f"{name} must be {wanted}, got {getattr(self, name)!r:.80}")
        if np.ndim(self.covariance_prior) == 2:
            matrix = np.asarray(self.covariance_prior, dtype=np.float64)
            square = matrix.shape[0] == matrix.shape[1]
            if not square or not np.allclose(matrix, matrix.T) or np.linalg.eigvalsh(matrix)[0] < -1e-12:
                raise OptionError(
                    f"covariance_prior must be symmetric, with eigenvalues from 0 up, got {self.covariance_prior!r:.80}"
                )

    @property
    def whole(self) -> bool:
        """True if the dimensions of a vector are correlated."""
        return self.covariance in ("full", "tied")

    def free(self, covariances: Floats, width: int) -> int:
        """Number of free parameters of the covariances of a width; matrices are symmetric."""
        return covariances.size // width**2 * (width * (width + 1) // 2) if self.whole else covariances.size

    def first(self, corpus: Corpus, column: str | None) -> tuple[VectorRows, Spread]:
        """Read a column of the training corpus as arrays, and the domain."""
        rows = vector_rows(corpus, column, None, whole=self.whole)
        width = rows.values.shape[1]
        check_prior(self.mean_prior, "mean_prior", (width,))
        check_prior(self.covariance_prior, "covariance_prior", (width,), *[(width, width)] * self.whole)
        return rows, Spread.of(rows)

    def random(self, domain: Spread, observed: VectorRows, size: int, rng: Chance) -> Distribution:
        """Draw `size` rows observed as the means, by rng; every covariance is that of the domain."""
        return self._around(drawn_rows(observed, size, rng), domain)

    def clustered(self, domain: Spread, observed: VectorRows, labels: Ids, size: int) -> Distribution:
        """Take means of `size` clusters (labels of rows observed) and the domain's covariance, as hmmlearn does."""
        return self._around(cluster_means(observed, labels, size, domain.mean), domain)

    def given(self, tables: Any, domain: Spread, size: int) -> Distribution:
        """Initialise `size` states over the domain by tables, which are checked."""
        if isinstance(tables, GaussianDistribution):
            return replace(tables, options=self, least=domain.least(self.min_covariance))
        tables = checked_tables(tables, "means", "covariances")
        means = numbers(tables["means"], "means", (size, domain.width))
        return self._around(means, domain, tables.get("covariances"))

    def _around(self, means: Floats, domain: Spread, given: Any = None) -> Distribution:
        """Make Gaussians with these means, and with given covariances or that of the data."""
        size, width, kind = len(means), domain.width, self.covariance
        if given is None:
            covariances = shapes.shaped(np.broadcast_to(domain.covariance, (size, width, width)), kind)
        else:
            covariances = shapes.checked(given, kind, shapes.shape_of(kind, size, width))
        least = domain.least(self.min_covariance)
        sound = shapes.floored(covariances, kind, max(least, 1e-12))
        return GaussianDistribution(self, np.ascontiguousarray(means), np.ascontiguousarray(sound), least)


@dataclass(frozen=True, eq=False, repr=False)
class GaussianDistribution(Distribution):
    """means (L, D); covariances (L, D, D), (L, D), (D, D) or (L,); least: the smallest allowed variance."""

    stored_kind: ClassVar[str] = "gaussian"
    by_state: ClassVar[Mapping[str, int]] = {"means": 0}

    options: Annotated[Gaussian, Given(Gaussian)]
    means: Annotated[Floats, Array(np.float64, "L", "numbers", finite=True)]
    covariances: Annotated[Floats, Shaped()]
    least: float = 0.0

    def check(self) -> None:
        """Check covariances from a file."""
        kind = self.options.covariance
        shapes.checked(self.covariances, kind, shapes.shape_of(kind, self.size, self.width))

    @property
    def width(self) -> int:
        """Number of dimensions, D."""
        return int(self.means.shape[1])

    @property
    def vector_width(self) -> int:
        return self.width

    @property
    def parameters(self) -> int:
        return self.means.size + self.options.free(self.covariances, self.width)

    @cached_property
    def full(self) -> Floats:
        """Covariances of any shape as (L, D, D)."""
        return shapes.as_full(self.covariances, self.options.covariance, self.size, self.width)

    def observe(self, corpus: Corpus, column: str | None, *, unknown: str) -> VectorRows:  # noqa: ARG002
        return vector_rows(corpus, column, self.width, whole=self.options.whole)

    # eq:gaussian-emission   log N(x; μ, Σ) = -½ (D log 2π + log |Σ| + (x - μ)ᵀ Σ⁻¹ (x - μ))
    def scores(self, observed: VectorRows) -> Floats:
        if self.options.whole:
            if (columns := self._columns(observed)) is not None:
                node = shapes.whitened_columns(columns, self.means, self.full)
            else:
                node = shapes.whitened(observed.values, self.means, self.full)
            if observed.present is not None:
                node[~observed.there] = 0.0
            return node
        variances = self._variances()
        if observed.present is None and self._near(observed):
            means = self.means - observed.centre
            precisions = 1.0 / variances
            constant = (means * means * precisions + np.log(variances) + shapes.LOG_TWO_PI).sum(axis=1)
            weights = np.hstack([-2 * means * precisions, precisions, constant[:, None]])
            return np.asarray(observed.powers @ (-0.5 * weights.T))
        if observed.present is None:
            constants = -0.5 * (self.width * shapes.LOG_TWO_PI + np.log(variances).sum(axis=1))
            node = np.empty(len(observed) * self.size)
            _core.diagonal_scores(observed.columns, self.means, 1.0 / variances, constants, node)
            return node.reshape(-1, self.size)
        node = np.empty((len(observed), self.size))
        for y in range(self.size):
            away = (observed.values - self.means[y]) ** 2 / variances[y]
            logs = (away + np.log(variances[y]) + shapes.LOG_TWO_PI) * observed.seen
            node[:, y] = -0.5 * logs.sum(axis=1)
        return node

    def _columns(self, observed: VectorRows) -> Floats | None:
        """Return the vectors as (D, T) if the core is faster than matrix products: many vectors of few dimensions."""
        return observed.columns if self.width <= FEW and len(observed) >= MANY else None

    def _near(self, observed: VectorRows) -> bool:
        """Return True if squares about the centre of the data are exact: then a matrix product is fastest."""
        ratio = (self.means - observed.centre) ** 2 / self._variances()
        return bool(ratio.max(initial=0.0) < NEAR)

    def _variances(self) -> Floats:
        """Variances (L, D) of shapes without correlations."""
        if self.options.covariance == "diag":
            return self.covariances
        return np.repeat(self.covariances[:, None], self.width, axis=1)

    # ------------------------------------------------------------------------------------------ learning

    def statistics(self, observed: VectorRows, gamma: Floats) -> Statistics:
        """Sum moments about the current means, which are near the new ones, so that no digits cancel."""
        x, width, about = observed.values, self.width, self.means
        first, second = np.empty_like(about), np.empty_like(about)
        if self.options.whole:
            if observed.present is not None:
                gamma = gamma * observed.there[:, None]
            second = np.empty((self.size, width, width))
            if (columns := self._columns(observed)) is not None:
                _core.full_moments(columns, gamma, about, first.reshape(-1), second.reshape(-1))
                post = (np.ones(len(gamma)) @ gamma)[:, None]
                return {"post": post.repeat(width, axis=1), "first": first, "second": second, "about": about}
            for y in range(self.size):
                away = x - about[y]
                first[y] = gamma[:, y] @ away
                second[y] = (away * gamma[:, y, None]).T @ away
            post = gamma.sum(axis=0)[:, None]
        elif observed.present is not None:
            for y in range(self.size):
                away = (x - about[y]) * observed.seen
                first[y], second[y] = gamma[:, y] @ away, gamma[:, y] @ (away * away)
            post = gamma.T @ observed.seen
        elif self._near(observed):
            sums = gamma.T @ observed.powers
            first, second, post = sums[:, :width], sums[:, width:-1], sums[:, -1:]
            about = np.broadcast_to(observed.centre, about.shape)
        else:
            flat = first.reshape(-1), second.reshape(-1)
            _core.diagonal_moments(observed.columns, np.ascontiguousarray(gamma), about, *flat)
            post = gamma.sum(axis=0)[:, None]
        post = np.array(np.broadcast_to(post, about.shape))
        return {"post": post, "first": first, "second": second, "about": about}

    # Priors of Gaussians are their own options: pseudo-counts of symbols do not apply.
    def maximised(self, found: Statistics, prior: Any, groups: Groups | None, frozen: Sequence[str]) -> Self:  # noqa: ARG002
        moments = self.grouped(found, groups)
        means = self.means if "means" in frozen else self.new_means(moments)
        if "covariances" in frozen:
            return replace(self, means=means)
        made = self.new_covariances(self.squares(moments, means), moments["post"], groups)
        return replace(self, means=means, covariances=made)

    def comparable(self, found: Statistics) -> Statistics:
        return rebased(found, self.means)

    def added(self, one: Statistics, other: Statistics) -> Statistics:
        a, b = self.comparable(one), self.comparable(other)
        return {**{name: a[name] + b[name] for name in ("post", "first", "second")}, "about": self.means}

    def squares(self, moments: Statistics, means: Floats, about: Floats | None = None) -> Floats:
        """Compute (L, D) or (L, D, D) sums of squares about the new means (or others), with the prior on means."""
        pull, weight = means - self._centre(), self.options.mean_weight
        squares = rebased(moments, means if about is None else about)["second"]
        return squares + weight * (pull[:, :, None] * pull[:, None, :] if self.options.whole else pull**2)

    def new_means(self, moments: Statistics) -> Floats:
        """Compute (L, D) new means; a state with a count of zero keeps its own."""
        weight = self.options.mean_weight
        count = moments["post"] + weight
        sums = moments["first"] + moments["post"] * moments["about"] + weight * self._centre()
        return divided(sums, count, self.means)

    def new_covariances(self, squares: Floats, post: Floats, groups: Groups | None) -> Floats:
        """Estimate covariances from these sums of squares; a state with a count of zero keeps its own."""
        weight, kind = self.options.covariance_weight, self.options.covariance
        if kind == "tied":
            some = first_of_groups(groups, self.size)
            squares, post = squares[some].sum(axis=0), post[some].sum(axis=0)
        sums, counts = squares + self._extra(), post + weight
        if kind == "spherical":
            sums, counts = sums.sum(axis=1), counts.sum(axis=1)
        elif kind != "diag":
            counts = counts[..., :1, None]
        made = divided(sums, counts, self.covariances)
        sound = shapes.floored(made, kind, max(self.least, 1e-300))
        return np.ascontiguousarray(np.where(counts > TINY, sound, self.covariances))

    def grouped(self, statistics: Statistics, groups: Groups | None) -> Statistics:
        """Add up the statistics of states that share their emissions."""
        if groups is None:
            return statistics
        near = self.means[first_of_groups(groups, self.size)][groups]
        moved = rebased(statistics, near)
        return {name: part if name == "about" else pooled(part, groups) for name, part in moved.items()}

    def _centre(self) -> Floats:
        return np.broadcast_to(np.asarray(self.options.mean_prior, dtype=np.float64), self.means.shape)

    def _extra(self) -> Any:
        """Return the prior's term of the sums of squares."""
        given = np.asarray(self.options.covariance_prior, dtype=np.float64)
        if self.options.whole:
            return given if given.ndim == 2 else given * np.eye(self.width)
        return given

    def log_prior(self, prior: Any, groups: Groups | None) -> float:  # noqa: ARG002
        """Compute -½ Σ_y (w log |Σ| + tr Ψ Σ⁻¹ + mean_weight · (μ - μ0)ᵀ Σ⁻¹ (μ - μ0)), up to a constant."""
        options, some = self.options, first_of_groups(groups, self.size)
        if not (options.covariance_weight or options.mean_weight or np.any(options.covariance_prior)):
            return 0.0
        inverse = np.linalg.inv(self.full)
        pull = self.means - self._centre()
        total = options.mean_weight * float(np.einsum("ld,lde,le->", pull[some], inverse[some], pull[some]))
        once = some[:1] if options.covariance == "tied" else some
        extra = self._extra()
        matrix = extra if np.ndim(extra) == 2 else np.eye(self.width) * extra
        total += float(np.einsum("de,led->", matrix, inverse[once]))
        total += options.covariance_weight * float(np.linalg.slogdet(self.full[once])[1].sum())
        return -0.5 * total

    # ------------------------------------------------------------------------------------------ the rest

    def draw(self, states: Ids, rng: Chance) -> list[Any]:
        triangles = np.linalg.cholesky(self.full)
        noise = rng.standard_normal((len(states), self.width))
        return list(self.means[states] + np.einsum("tde,te->td", triangles[states], noise))

    def reordered(self, order: Ids) -> Self:
        moved = self.covariances if self.options.covariance == "tied" else self.covariances[order]
        return replace(super().reordered(order), covariances=np.ascontiguousarray(moved))
