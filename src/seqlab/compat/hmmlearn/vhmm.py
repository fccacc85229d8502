"""hmmlearn.vhmm: hidden Markov models of symbols and vectors, trained by variational Bayes (eq:variational-hmm).

A posterior distribution over the parameters takes the place of one estimate. The E step is the core's on expected
logs, the M step adds sums to the parameters of conjugate priors.
"""

from __future__ import annotations

import logging
import numbers
from typing import Any

import numpy as np
from sklearn.utils.validation import check_random_state

from seqlab.compat.hmmlearn import _kl_divergence as _kl
from seqlab.compat.hmmlearn._emissions import (
    BaseCategoricalHMM,
    BaseGaussianHMM,
    check_width,
    clusters,
    known,
    symbols,
)
from seqlab.compat.hmmlearn.base import VariationalBaseHMM, filled
from seqlab.compat.hmmlearn.estimator import Stats
from seqlab.compat.hmmlearn.stats import log_multivariate_normal_density
from seqlab.compat.hmmlearn.utils import fill_covars
from seqlab.errors import CorpusError, OptionError
from seqlab.families.hmm.emissions.base import Floats
from seqlab.families.hmm.emissions.covariances import LOG_TWO_PI, shape_of

__all__ = ["VariationalCategoricalHMM", "VariationalGaussianHMM"]

log = logging.getLogger("hmmlearn.vhmm")


class VariationalCategoricalHMM(BaseCategoricalHMM, VariationalBaseHMM):
    """Hidden Markov model of symbols, whole numbers from 0 in one column (T, 1), with Dirichlet distributions over it.

    emissionprob_prior   Dirichlet parameters of the symbols, a number or (K, n_features); None for 1 / n_features
    n_features           number of symbols; None to find it in the data
    params, init_params  letters: "s" start, "t" moves, "e" symbols
    n_components, startprob_prior, transmat_prior, algorithm, random_state, n_iter, tol, verbose, implementation   as in
                         VariationalBaseHMM

    emissionprob_prior_, emissionprob_posterior_ (K, n_features)   Dirichlet parameters; emissionprob_ are their means
    """

    def __init__(
        self,
        n_components: int = 1,
        startprob_prior: Any = None,
        transmat_prior: Any = None,
        emissionprob_prior: Any = None,
        n_features: int | None = None,
        algorithm: str = "viterbi",
        random_state: Any = None,
        n_iter: int = 100,
        tol: float = 1e-6,
        verbose: bool = False,
        params: str = "ste",
        init_params: str = "ste",
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
        self.emissionprob_prior = emissionprob_prior
        self.n_features = n_features

    def _init(self, X: Any, lengths: Any = None) -> None:
        super()._init(X, lengths)
        chance, size = check_random_state(self.random_state), self.n_features
        if self._needs_any("e", "emissionprob_posterior_", "emissionprob_prior_"):
            prior = filled(
                self.emissionprob_prior, 1.0 / size, (self.n_components, size), "emissionprob_prior"
            )
            drawn = np.stack([chance.dirichlet(row) for row in prior])
            self.emissionprob_prior_, self.emissionprob_posterior_ = prior, drawn * len(X) / self.n_components

    def _check(self) -> None:
        super()._check()
        if self.n_features is None:
            self.n_features = np.shape(self.emissionprob_posterior_)[-1]
        self._check_counts("emissionprob_", (self.n_components, self.n_features))

    def _estep_begin(self) -> None:
        super()._estep_begin()
        self.emissionprob_log_subnorm_ = _kl.expected_logs(self.emissionprob_posterior_)

    def _compute_subnorm_log_likelihood(self, X: Any) -> Floats:
        table = self.emissionprob_log_subnorm_.T
        return symbols(X, len(table)).scores(table)

    def _do_mstep(self, stats: Stats) -> None:
        super()._do_mstep(stats)
        self._updated("e", "emissionprob", stats["obs"])

    def _compute_lower_bound(self, curr_logprob: float) -> float:
        apart = _kl.kl_dirichlet(self.emissionprob_posterior_, self.emissionprob_prior_)
        return super()._compute_lower_bound(curr_logprob) - float(apart.sum())


class VariationalGaussianHMM(BaseGaussianHMM, VariationalBaseHMM):
    """Hidden Markov model of rows of D numbers, with normal-Wishart distributions over its Gaussians.

    covariance_type   "spherical", "diag", "full" or "tied" (one matrix for all states)
    means_prior       expected means (K, D); None for the mean of all rows
    beta_prior        how many rows that counts (K,); None for 1
    dof_prior         degrees of freedom of precisions (K,), a number for tied; None for D
    scale_prior       their inverse scale, (K,), (K, D), (K, D, D) or (D, D) by type; None for a thousandth
    params, init_params   letters: "s" start, "t" moves, "m" means and beta, "c" dof and scale
    n_components, startprob_prior, transmat_prior, algorithm, random_state, n_iter, tol, verbose, implementation   as in
                      VariationalBaseHMM

    means_prior_, beta_prior_, dof_prior_, scale_prior_                   parameters before data
    means_posterior_, beta_posterior_, dof_posterior_, scale_posterior_   and after
    means_, covars_   those that questions are answered with: means_posterior_, scale_posterior_ / dof_posterior_
    """

    def __init__(
        self,
        n_components: int = 1,
        covariance_type: str = "full",
        startprob_prior: Any = None,
        transmat_prior: Any = None,
        means_prior: Any = None,
        beta_prior: Any = None,
        dof_prior: Any = None,
        scale_prior: Any = None,
        algorithm: str = "viterbi",
        random_state: Any = None,
        n_iter: int = 100,
        tol: float = 1e-6,
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
        self.means_prior = means_prior
        self.beta_prior = beta_prior
        self.dof_prior = dof_prior
        self.scale_prior = scale_prior

    @property
    def means_(self) -> Any:
        """Expected means (K, D): means_posterior_."""
        return self.means_posterior_

    def _init(self, X: Any, lengths: Any = None) -> None:
        kind, k = known(self.covariance_type), self.n_components
        super()._init(X, lengths)
        means = self._needs_any("m", "means_prior_", "means_posterior_", "beta_prior_", "beta_posterior_")
        spreads = self._needs_any("c", "dof_prior_", "dof_posterior_", "scale_prior_", "scale_posterior_")
        if not (means or spreads):
            return
        found, width = clusters(X, k, self.random_state), X.shape[1]
        rows = np.bincount(found.labels_, minlength=k).astype(np.float64)
        if not rows.all():
            raise CorpusError(
                f"k-means found {np.count_nonzero(rows)} clusters in X, too few for n_components={k}; ask for fewer"
            )
        if means:
            self.means_prior_ = _or(self.means_prior, np.tile(X.mean(axis=0), (k, 1)))
            self.beta_prior_ = _or(self.beta_prior, np.ones(k))
            self.means_posterior_, self.beta_posterior_ = found.cluster_centers_, rows
        if spreads:
            tied, shape = kind == "tied", shape_of(kind, k, width)
            self.dof_prior_ = _or(self.dof_prior, width if tied else np.full(k, float(width)))
            self.dof_posterior_ = rows.sum() if tied else rows
            small = 1e-3 * np.eye(width) if self._whole else np.full(shape, 1e-3)
            self.scale_prior_ = _or(self.scale_prior, np.array(np.broadcast_to(small, shape)))
            self._start_covariances(X, 1e-3)
            held = self._covars_.reshape(k, -1).mean(axis=1) if kind == "spherical" else self._covars_
            self.scale_posterior_ = held * _beside(self.dof_posterior_, held)

    def _check(self) -> None:
        super()._check()
        kind, k = known(self.covariance_type), self.n_components
        if not hasattr(self, "n_features"):
            self.n_features = np.shape(self.means_posterior_)[-1]
        width = self.n_features
        for one in ("prior_", "posterior_"):
            self._numbers(f"means_{one}", (k, width))
            self._check_positive(f"beta_{one}", (k,))
            if kind != "tied":
                self._check_positive(f"dof_{one}", (k,))
            elif not isinstance(dof := getattr(self, f"dof_{one}"), numbers.Number):
                raise OptionError(f"dof_{one} of tied covariances must be a number, got {dof!r:.80}")
            self._check_positive(f"scale_{one}", shape_of(kind, k, width))
        if not hasattr(self, "_covars_"):
            self._covars_ = self._expected_covariances()

    def _check_positive(self, name: str, shape: tuple[int, ...]) -> None:
        """Check numbers above 0, or matrices whose eigenvalues are."""
        value = self._numbers(name, shape)
        matrices = self._whole and name.startswith("scale")
        if not (np.linalg.eigvalsh(value) if matrices else value).min() > 0:
            wanted = "symmetric and positive definite" if matrices else "above 0"
            raise OptionError(f"{name} must be {wanted}, got {value!r:.80}")

    def _get_n_fit_scalars_per_param(self) -> dict[str, int]:
        counts, k = super()._get_n_fit_scalars_per_param(), self.n_components
        counts["m"] += k
        counts["c"] += 1 if self.covariance_type == "tied" else k
        return counts

    def _expected_covariances(self) -> Floats:
        """Compute the inverse of the expected precisions, by type."""
        return np.asarray(self.scale_posterior_ / _beside(self.dof_posterior_, self.scale_posterior_))

    # eq:expected-gaussian   E[log N(x)] is the log density under expected parameters and a constant of each state
    def _compute_subnorm_log_likelihood(self, X: Any) -> Floats:
        check_width(X, self.n_features)
        dof, width = np.asarray(self.dof_posterior_, dtype=np.float64), self.n_features
        constants = LOG_TWO_PI - np.log(dof) - 1 / self.beta_posterior_
        constants = 0.5 * (_kl.expected_log_det(dof, width) + width * constants)
        if (lost := np.isneginf(constants)).any():
            log.warning(
                "dof_posterior_ is at most n_features - 1 in states %s: they take no rows in this iteration",
                np.flatnonzero(lost).tolist(),
            )
        covars = self._expected_covariances()
        density = log_multivariate_normal_density(X, self.means_, covars, self.covariance_type)
        return np.asarray(density + constants)

    def _do_mstep(self, stats: Stats) -> None:
        super()._do_mstep(stats)
        before, kind = self.beta_prior_[:, None], self.covariance_type
        if "m" in self.params:
            self.beta_posterior_ = self.beta_prior_ + stats["post"]
            sums = before * self.means_prior_ + stats["obs"]
            self.means_posterior_ = sums / self.beta_posterior_[:, None]
        if "c" in self.params:
            squares = self._squares(stats, self.means_prior_, before[..., None] if self._whole else before)
            post = stats["post"]
            if kind == "tied":
                squares, post = squares.sum(axis=0), post.sum()
            elif kind == "spherical":
                squares = squares.mean(axis=1)
            self.dof_posterior_ = self.dof_prior_ + post
            self.scale_posterior_ = self.scale_prior_ + squares
            self._covars_ = self._expected_covariances()

    def _compute_lower_bound(self, curr_logprob: float) -> float:
        k, width, kind = self.n_components, self.n_features, self.covariance_type
        dof, dof_before = np.asarray(self.dof_posterior_), np.asarray(self.dof_prior_)
        scale, before = self.scale_posterior_, self.scale_prior_
        if not self._whole:
            scale, before = (fill_covars(one, kind, k, width) for one in (scale, before))
        covars = np.broadcast_to(scale / _beside(dof, scale), (k, width, width))
        apart = _kl.kl_multivariate_normal_distribution(
            self.means_posterior_,
            covars / self.beta_posterior_[:, None, None],
            self.means_prior_,
            covars / self.beta_prior_[:, None, None],
        ).sum()
        apart += _kl.kl_wishart_distribution(dof, scale, dof_before, before).sum()
        return super()._compute_lower_bound(curr_logprob) - float(apart)


def _or(given: Any, usual: Any) -> Any:
    return usual if given is None else given


def _beside(dof: Any, scale: Floats) -> Floats:
    """Shape degrees of freedom so that scales are divided by them: (K, 1, ...), or one number."""
    array = np.asarray(dof, dtype=np.float64)
    return array.reshape(array.shape + (1,) * (scale.ndim - array.ndim))
