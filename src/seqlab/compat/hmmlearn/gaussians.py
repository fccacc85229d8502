"""Hidden Markov models of vectors under hmmlearn's names: GaussianHMM and GMMHMM."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from sklearn.utils.validation import check_random_state

from seqlab.arrays import contiguous
from seqlab.compat.hmmlearn._emissions import BaseGaussianHMM, check_width, clusters, known, outer, spread
from seqlab.compat.hmmlearn.base import BaseHMM
from seqlab.compat.hmmlearn.estimator import Stats
from seqlab.compat.hmmlearn.stats import gaussians, log_multivariate_normal_density
from seqlab.errors import OptionError, ShapeError
from seqlab.families.hmm.emissions import covariances as shapes
from seqlab.families.hmm.emissions.base import Floats, VectorRows, divided, logs
from seqlab.families.hmm.emissions.vectors import rebased

log = logging.getLogger("hmmlearn.hmm")


class GaussianHMM(BaseGaussianHMM, BaseHMM):
    """Hidden Markov model with one Gaussian in every state over rows of D numbers.

    covariance_type   "spherical", "diag", "full" or "tied" (one matrix for all states)
    min_covar         added to the variances that training begins with
    means_prior, means_weight     where means are pulled to, and how many rows that counts
    covars_prior, covars_weight   added to sums of squares (to every cell of a matrix), and how many rows that counts
    params, init_params           letters: "s" startprob_, "t" transmat_, "m" means_, "c" covars_
    n_components, startprob_prior, transmat_prior, algorithm, random_state, n_iter, tol, verbose, implementation   as in
                      BaseHMM

    means_ (K, D)
    covars_           read as matrices (K, D, D); set as (K,), (K, D), (K, D, D) or (D, D), by type
    """

    def __init__(
        self,
        n_components: int = 1,
        covariance_type: str = "diag",
        min_covar: float = 1e-3,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        means_prior: Any = 0,
        means_weight: Any = 0,
        covars_prior: Any = 1e-2,
        covars_weight: Any = 1,
        algorithm: str = "viterbi",
        random_state: Any = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool = False,
        params: str = "stmc",
        init_params: str = "stmc",
        implementation: str = "log",
    ) -> None:
        super().__init__(
            n_components,
            startprob_prior=startprob_prior,
            transmat_prior=transmat_prior,
            algorithm=algorithm,
            random_state=random_state,
            n_iter=n_iter,
            tol=tol,
            verbose=verbose,
            params=params,
            init_params=init_params,
            implementation=implementation,
        )
        self.covariance_type = covariance_type
        self.min_covar = min_covar
        self.means_prior = means_prior
        self.means_weight = means_weight
        self.covars_prior = covars_prior
        self.covars_weight = covars_weight

    def _init(self, X: Any, lengths: Any = None) -> None:
        known(self.covariance_type)
        super()._init(X, lengths)
        if self._needs_init("m", "means_"):
            self.means_ = clusters(X, self.n_components, self.random_state).cluster_centers_
        if self._needs_init("c", "covars_"):
            self._start_covariances(X, self.min_covar)

    def _check(self) -> None:
        super()._check()
        known(self.covariance_type)
        self.means_ = np.asarray(self.means_, dtype=np.float64)
        if self.means_.ndim != 2 or len(self.means_) != self.n_components:
            raise ShapeError(
                f"means_ must have shape ({self.n_components}, n_features), got {self.means_.shape}"
            )
        self.n_features = self.means_.shape[1]

    def _do_mstep(self, stats: Stats) -> None:
        super()._do_mstep(stats)
        post = stats["post"][:, None]
        if "m" in self.params:
            sums = self.means_weight * self.means_prior + stats["obs"]
            counts = np.broadcast_to(self.means_weight + post, sums.shape)
            self.means_ = divided(sums, counts, self.means_)
        if "c" in self.params:
            squares = self._squares(stats, self.means_prior, self.means_weight)
            self._covars_ = self._new_covariances(squares, post)

    def _new_covariances(self, squares: Floats, post: Floats) -> Floats:
        """Divide sums of squares by counts (K, 1), with hmmlearn's priors."""
        kind, width = self.covariance_type, self.n_features
        weight = max(self.covars_weight - (width if self._whole else 1), 0)
        if kind == "tied":
            return np.asarray((self.covars_prior + squares.sum(axis=0)) / (weight + post.sum()))
        if kind == "full":
            return divided(self.covars_prior + squares, (weight + post)[..., None], self._covars_)
        made = np.asarray((self.covars_prior + squares) / np.maximum(weight + post, 1e-5))
        return made if kind == "diag" else np.repeat(made.mean(axis=1, keepdims=True), width, axis=1)


class GMMHMM(BaseHMM):
    """Hidden Markov model with a mixture of M Gaussians in every state over rows of D numbers.

    n_mix             Gaussians in a state, M
    min_covar         added to the variances that training begins with
    weights_prior     Dirichlet parameters of weights_, a number or (K, M)
    means_prior, means_weight     where means are pulled to (K, M, D), and how many rows that counts (K, M), or numbers
    covars_prior, covars_weight   inverse gamma (spherical, diag) or inverse Wishart (full, tied); None for flat ones
    covariance_type   "spherical", "diag", "full" or "tied" (one matrix for the Gaussians of a state)
    params, init_params           letters: "s" startprob_, "t" transmat_, "m" means_, "c" covars_, "w" weights_
    n_components, startprob_prior, transmat_prior, algorithm, random_state, n_iter, tol, verbose, implementation   as in
                      BaseHMM

    weights_ (K, M), means_ (K, M, D)
    covars_           (K, M), (K, M, D), (K, M, D, D), or (K, D, D) for tied
    """

    def __init__(
        self,
        n_components: int = 1,
        n_mix: int = 1,
        min_covar: float = 1e-3,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        weights_prior: Any = 1.0,
        means_prior: Any = 0.0,
        means_weight: Any = 0.0,
        covars_prior: Any = None,
        covars_weight: Any = None,
        algorithm: str = "viterbi",
        covariance_type: str = "diag",
        random_state: Any = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool = False,
        params: str = "stmcw",
        init_params: str = "stmcw",
        implementation: str = "log",
    ) -> None:
        super().__init__(
            n_components,
            startprob_prior=startprob_prior,
            transmat_prior=transmat_prior,
            algorithm=algorithm,
            random_state=random_state,
            n_iter=n_iter,
            tol=tol,
            verbose=verbose,
            params=params,
            init_params=init_params,
            implementation=implementation,
        )
        self.n_mix = n_mix
        self.min_covar = min_covar
        self.weights_prior = weights_prior
        self.means_prior = means_prior
        self.means_weight = means_weight
        self.covars_prior = covars_prior
        self.covars_weight = covars_weight
        self.covariance_type = covariance_type

    @property
    def _shape(self) -> tuple[int, ...]:
        """Shape of covars_."""
        k, m, d, kind = self.n_components, self.n_mix, self.n_features, known(self.covariance_type)
        return (k, d, d) if kind == "tied" else (k, m, *shapes.shape_of(kind, k, d)[1:])

    def _init(self, X: Any, lengths: Any = None) -> None:
        known(self.covariance_type)
        super()._init(X, lengths)
        k, m = self.n_components, self.n_mix
        if self._needs_init("w", "weights_"):
            self.weights_ = np.full((k, m), 1 / m)
        if self._needs_init("m", "means_"):
            outer = clusters(X, k, self.random_state)
            parts = [X[outer.labels_ == state] for state in range(k)]
            self.means_ = np.stack([self._centres(part, outer.cluster_centers_, X) for part in parts])
        if self._needs_init("c", "covars_"):
            matrix, kind = spread(X, self.min_covar), self.covariance_type
            cell = {"spherical": matrix.mean(), "diag": np.diag(matrix)}.get(kind, matrix)
            self.covars_ = np.array(np.broadcast_to(cell, self._shape))

    def _centres(self, rows: Any, centres: Floats, X: Any) -> Floats:
        """Find the means of a state's mixture: clusters of its rows, or draws if they are too few."""
        if len(rows) >= self.n_mix:
            return np.asarray(clusters(rows, self.n_mix, self.random_state).cluster_centers_)
        chance, matrix = check_random_state(self.random_state), spread(X, self.min_covar)
        return np.asarray(chance.multivariate_normal(centres.mean(axis=0), matrix, size=self.n_mix))

    def _check(self) -> None:
        super()._check()
        kind = known(self.covariance_type)
        self.means_ = np.array(self.means_, dtype=np.float64)
        if not hasattr(self, "n_features"):
            self.n_features = self.means_.shape[-1]
        wanted = (self.n_components, self.n_mix, self.n_features)
        if self.means_.shape != wanted:
            raise ShapeError(f"means_ must have shape {wanted}, got {self.means_.shape}")
        self.weights_ = self._distribution("weights_", wanted[:2])
        self.covars_ = _degenerate_or_sound(np.array(self.covars_, dtype=np.float64), kind, self._shape)

    def _get_n_fit_scalars_per_param(self) -> dict[str, int]:
        k, m, d = self.n_components, self.n_mix, self.n_features
        full = d * (d + 1) // 2
        spread = {"spherical": k * m, "diag": k * m * d, "full": k * m * full, "tied": k * full}
        counts = {"s": k - 1, "t": k * (k - 1), "m": k * m * d, "c": spread[self.covariance_type]}
        return counts | {"w": m - 1}  # hmmlearn counts the weights of one state

    def _mean_prior(self) -> tuple[Floats, Floats]:
        """Prior means (K, M, D), and the rows that they count (K, M, 1)."""
        k, m, d = self.n_components, self.n_mix, self.n_features
        return np.broadcast_to(self.means_prior, (k, m, d)), np.broadcast_to(self.means_weight, (k, m))[
            ..., None
        ]

    def _covariance_prior(self) -> tuple[Any, Any]:
        """Parameters of the prior of covariances, the flat one where they are None."""
        kind, m, d = self.covariance_type, self.n_mix, self.n_features
        flat = {
            "full": (0.0, -(d + 2.0)),
            "tied": (0.0, -(m + d + 1.0)),
            "diag": (-1.5, 0.0),
            "spherical": (-(m + 2) / 2, 0.0),
        }[kind]
        given = (self.covars_prior, self.covars_weight)
        first, second = (usual if one is None else one for one, usual in zip(given, flat, strict=True))
        counted = {"full": self._shape[:2], "tied": self._shape[:1]}.get(kind, self._shape)
        return np.broadcast_to(first, self._shape), np.broadcast_to(second, counted)

    def _flat(self) -> tuple[Floats, Floats, str]:
        """Means (K M, D), covariances and their type for all Gaussians in one row."""
        kind, covars = self.covariance_type, self.covars_
        if kind == "tied":
            kind, covars = "full", np.repeat(covars, self.n_mix, axis=0)
        else:
            covars = covars.reshape(-1, *covars.shape[2:])
        return self.means_.reshape(-1, self.n_features), covars, kind

    def _joint(self, X: Any) -> Floats:
        """Compute log (weight · density) of each Gaussian (T, K, M)."""
        check_width(X, self.n_features)
        density = log_multivariate_normal_density(X, *self._flat())
        return density.reshape(len(X), *self.weights_.shape) + logs(self.weights_)

    def _compute_log_likelihood(self, X: Any) -> Floats:
        return np.asarray(np.logaddexp.reduce(self._joint(X), axis=2))

    def _initialize_sufficient_statistics(self) -> Stats:
        stats = super()._initialize_sufficient_statistics()
        stats |= {
            "post_mix_sum": np.zeros((self.n_components, self.n_mix)),
            "post_sum": np.zeros(self.n_components),
        }
        if "m" in self.params:
            centre, weight = self._mean_prior()
            stats["m_n"] = weight * centre
        if "c" in self.params:
            stats["c_n"] = np.zeros(self._shape)
        return stats

    def _accumulate_emissions(self, stats: Stats, X: Any, posteriors: Floats) -> None:
        joint = self._joint(X)
        total = np.logaddexp.reduce(joint, axis=2, keepdims=True)
        with np.errstate(under="ignore"):
            shares = posteriors[:, :, None] * np.exp(joint - np.where(np.isfinite(total), total, 0.0))
        stats["post_mix_sum"] += shares.sum(axis=0)
        stats["post_sum"] += posteriors.sum(axis=0)
        if "m" in self.params:
            stats["m_n"] += np.tensordot(shares, X, axes=(0, 0))
        if "c" in self.params:
            stats["c_n"] += self._squares(shares, X)

    def _squares(self, shares: Floats, X: Any) -> Floats:
        """Sum squares about the current means, as hmmlearn does, in the shape of covars_."""
        rows = VectorRows(contiguous(X, np.float64))
        with np.errstate(over="ignore"):  # a variance of nearly 0
            moments = gaussians(*self._flat()).statistics(rows, shares.reshape(len(X), -1))
        made = rebased(moments, self.means_.reshape(-1, self.n_features))["second"]
        sums = made.reshape(*self.weights_.shape, *made.shape[1:])
        axis = {"tied": 1, "spherical": 2}.get(self.covariance_type)
        return sums if axis is None else np.asarray(sums.sum(axis=axis))

    def _do_mstep(self, stats: Stats) -> None:
        super()._do_mstep(stats)
        post, (centre, weight) = stats["post_mix_sum"], self._mean_prior()
        if "w" in self.params:
            extra = np.broadcast_to(np.asarray(self.weights_prior) - 1.0, post.shape)
            total = (stats["post_sum"] + extra.sum(axis=1))[:, None]
            self.weights_ = divided(post + extra, total, self.weights_)
        if "m" in self.params:
            self.means_ = divided(stats["m_n"], post[..., None] + weight, self.means_)
        if "c" in self.params:
            pull = self.means_ - centre
            self.covars_ = divided(*self._new_covariances(stats, pull, weight), self.covars_)

    def _new_covariances(self, stats: Stats, pull: Floats, weight: Floats) -> tuple[Floats, Floats]:
        """Compute sums of squares and what they are divided by, with the priors."""
        (first, second), post, d = self._covariance_prior(), stats["post_mix_sum"], self.n_features
        if self.covariance_type == "diag":
            return weight * pull**2 + 2 * second + stats["c_n"], post[..., None] + 1 + 2 * (first + 1)
        if self.covariance_type == "spherical":
            squares = (weight * pull**2).sum(axis=2)
            return squares + 2 * second + stats["c_n"], d * (post + 1) + 2 * (first + 1)
        squares, prior = weight[..., None] * outer(pull, pull), np.swapaxes(first, -1, -2)
        if self.covariance_type == "full":
            return prior + squares + stats["c_n"], (post + 1 + second + d + 1)[..., None, None]
        rows = stats["post_sum"] + self.n_mix + second + d + 1
        return prior + squares.sum(axis=1) + stats["c_n"], rows[:, None, None]

    def _generate_sample_from_state(self, state: int, random_state: Any = None) -> Any:
        chance = check_random_state(random_state)
        part = chance.choice(self.n_mix, p=self.weights_[state])
        held = self.covars_[state] if self.covariance_type == "tied" else self.covars_[state, part]
        if held.ndim < 2:
            held = np.diag(np.broadcast_to(held, self.n_features))
        return chance.multivariate_normal(self.means_[state, part], held)


def _degenerate_or_sound(covars: Floats, kind: str, shape: tuple[int, ...]) -> Floats:
    """Check covariances that training may have left without any variance, which is logged."""
    if covars.shape != shape:
        raise ShapeError(f"covars_ must have shape {shape}, got {covars.shape}")
    least = covars if kind in ("spherical", "diag") else np.linalg.eigvalsh(covars)
    if kind in ("full", "tied") and not np.allclose(covars, np.swapaxes(covars, -1, -2)):
        raise OptionError("covars_ must be symmetric")
    if not (least > -1e-12).all():
        raise OptionError(f"covars_ must be variances from 0 up, got {least.min():g}")
    if (least <= 0).any():
        log.warning("Degenerate mixture covariance: a variance of covars_ is 0")
    return covars
