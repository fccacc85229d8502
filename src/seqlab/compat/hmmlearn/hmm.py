"""hmmlearn.hmm: hidden Markov models of symbols, counts and vectors under hmmlearn's names.

Training is the E step of the core with hmmlearn's priors in the M step; densities and sums are those of seqlab.HMM.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from sklearn.utils.validation import check_random_state

from seqlab.arrays import contiguous
from seqlab.compat.hmmlearn._emissions import (
    COVARIANCE_TYPES,
    BaseCategoricalHMM,
    check_counts,
    symbol_parameters,
)
from seqlab.compat.hmmlearn.base import BaseHMM
from seqlab.compat.hmmlearn.estimator import Stats
from seqlab.compat.hmmlearn.gaussians import GMMHMM, GaussianHMM
from seqlab.errors import CorpusError, OptionError, ShapeError
from seqlab.families.hmm.emissions.base import Floats, VectorRows, divided, normalised
from seqlab.families.hmm.emissions.poisson import Poisson, PoissonDistribution

__all__ = ["COVARIANCE_TYPES", "GMMHMM", "CategoricalHMM", "GaussianHMM", "MultinomialHMM", "PoissonHMM"]

log = logging.getLogger("hmmlearn.hmm")


class CategoricalHMM(BaseCategoricalHMM, BaseHMM):
    """Hidden Markov model of symbols, whole numbers from 0 in one column (T, 1).

    emissionprob_prior   Dirichlet parameters of the rows of emissionprob_, a number or (K, n_features)
    n_features           number of symbols; None to find it in the data
    params, init_params  letters: "s" startprob_, "t" transmat_, "e" emissionprob_
    n_components, startprob_prior, transmat_prior, algorithm, random_state, n_iter, tol, verbose, implementation   as in
                         BaseHMM

    emissionprob_ (K, n_features)   P(symbol | state)
    """

    def __init__(
        self,
        n_components: int = 1,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        *,
        emissionprob_prior: Any = 1.0,
        n_features: int | None = None,
        algorithm: str = "viterbi",
        random_state: Any = None,
        n_iter: int = 10,
        tol: float = 1e-2,
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
        self.random_state = check_random_state(self.random_state)
        if self._needs_init("e", "emissionprob_"):
            drawn = self.random_state.rand(self.n_components, self.n_features)
            self.emissionprob_ = drawn / drawn.sum(axis=1, keepdims=True)

    def _check(self) -> None:
        super()._check()
        self.emissionprob_ = np.atleast_2d(self.emissionprob_)
        if self.n_features is None:
            self.n_features = self.emissionprob_.shape[1]
        self.emissionprob_ = self._distribution("emissionprob_", (self.n_components, self.n_features))

    def _do_mstep(self, stats: Stats) -> None:
        super()._do_mstep(stats)
        if "e" in self.params:
            counts = np.maximum(self.emissionprob_prior - 1 + stats["obs"], 0)
            self.emissionprob_ = normalised(counts, self.emissionprob_, 1)


class MultinomialHMM(BaseHMM):
    """Hidden Markov model of counts: in each row n_trials symbols were drawn, and column j counts symbol j (T, D).

    n_trials             symbols in a row, a number or one for each row; None to find it in the data
    params, init_params  letters: "s" startprob_, "t" transmat_, "e" emissionprob_
    n_components, startprob_prior, transmat_prior, algorithm, random_state, n_iter, tol, verbose, implementation   as in
                         BaseHMM

    emissionprob_ (K, D)   P(symbol | state)
    """

    def __init__(
        self,
        n_components: int = 1,
        n_trials: Any = None,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        algorithm: str = "viterbi",
        random_state: Any = None,
        n_iter: int = 10,
        tol: float = 1e-2,
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
        self.n_trials = n_trials

    def _init(self, X: Any, lengths: Any = None) -> None:
        super()._init(X, lengths)
        self.random_state = check_random_state(self.random_state)
        if self._needs_init("e", "emissionprob_"):
            drawn = self.random_state.rand(self.n_components, self.n_features)
            self.emissionprob_ = drawn / drawn.sum(axis=1, keepdims=True)

    def _check(self) -> None:
        super()._check()
        self.emissionprob_ = np.atleast_2d(self.emissionprob_)
        self.n_features = getattr(self, "n_features", self.emissionprob_.shape[1])
        self.emissionprob_ = self._distribution("emissionprob_", (self.n_components, self.n_features))
        if self.n_trials is None:
            raise OptionError("n_trials must be set: how many symbols a row counts")

    def _check_and_set_n_features(self, X: Any) -> None:
        super()._check_and_set_n_features(X)
        check_counts(X, "counts of symbols")
        if self.n_trials is None:
            self.n_trials = X.sum(axis=1)
        elif not np.array_equal(X.sum(axis=1), np.broadcast_to(self.n_trials, len(X))):
            raise CorpusError(f"every row must sum to n_trials, {self.n_trials!r:.80}")

    def _get_n_fit_scalars_per_param(self) -> dict[str, int]:
        return symbol_parameters(self.n_components, self.n_features)

    def _compute_log_likelihood(self, X: Any) -> Floats:
        from scipy.special import gammaln  # scikit-learn stands on it

        check_counts(X, "counts of symbols")
        never = (X @ (self.emissionprob_ == 0).T) > 0
        ways = gammaln(X.sum(axis=1) + 1) - gammaln(X + 1).sum(axis=1)
        drawn = X @ np.log(np.where(self.emissionprob_ == 0, 1.0, self.emissionprob_)).T
        return np.where(never, -np.inf, ways[:, None] + drawn)

    def _initialize_sufficient_statistics(self) -> Stats:
        stats = super()._initialize_sufficient_statistics()
        return stats | {"obs": np.zeros((self.n_components, self.n_features))}

    def _accumulate_emissions(self, stats: Stats, X: Any, posteriors: Floats) -> None:
        if "e" in self.params:
            stats["obs"] += posteriors.T @ X

    def _do_mstep(self, stats: Stats) -> None:
        super()._do_mstep(stats)
        if "e" in self.params:
            self.emissionprob_ = normalised(stats["obs"], self.emissionprob_, 1)

    def _generate_sample_from_state(self, state: int, random_state: Any = None) -> Any:
        trials = np.unique(self.n_trials)
        if len(trials) != 1:
            raise OptionError(f"a sample needs one n_trials for all rows, got {trials}")
        return check_random_state(random_state).multinomial(int(trials[0]), self.emissionprob_[state])


class PoissonHMM(BaseHMM):
    """Hidden Markov model of counts, each with a Poisson rate in every state (T, D).

    lambdas_prior, lambdas_weight   shape and rate of the Gamma prior of rates, as hmmlearn uses them
    params, init_params             letters: "s" startprob_, "t" transmat_, "l" lambdas_
    n_components, startprob_prior, transmat_prior, algorithm, random_state, n_iter, tol, verbose, implementation   as in
                                    BaseHMM

    lambdas_ (K, D)   rates
    """

    def __init__(
        self,
        n_components: int = 1,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        lambdas_prior: Any = 0.0,
        lambdas_weight: Any = 0.0,
        algorithm: str = "viterbi",
        random_state: Any = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool = False,
        params: str = "stl",
        init_params: str = "stl",
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
        self.lambdas_prior = lambdas_prior
        self.lambdas_weight = lambdas_weight

    def _init(self, X: Any, lengths: Any = None) -> None:
        super()._init(X, lengths)
        self.random_state = check_random_state(self.random_state)
        if self._needs_init("l", "lambdas_"):
            mean, variance = X.mean(), X.var()
            if not (mean > 0 and variance > 0):
                raise CorpusError(
                    f"counts that are all {mean:g} give no start; set lambdas_, and init_params='st'"
                )
            self.lambdas_ = self.random_state.gamma(
                shape=mean**2 / variance, scale=variance / mean, size=(self.n_components, self.n_features)
            )

    def _check(self) -> None:
        super()._check()
        self.lambdas_ = np.atleast_2d(np.asarray(self.lambdas_, dtype=np.float64))
        self.n_features = getattr(self, "n_features", self.lambdas_.shape[1])
        wanted = (self.n_components, self.n_features)
        if self.lambdas_.shape != wanted:
            raise ShapeError(f"lambdas_ must have shape {wanted}, got {self.lambdas_.shape}")

    def _get_n_fit_scalars_per_param(self) -> dict[str, int]:
        k = self.n_components
        return {"s": k - 1, "t": k * (k - 1), "l": k * self.n_features}

    def _compute_log_likelihood(self, X: Any) -> Floats:
        if (X < 0).any() or (np.floor(X) != X).any():
            raise CorpusError("counts must be whole numbers from 0")
        rows = VectorRows(contiguous(X, np.float64))
        return PoissonDistribution(Poisson(), self.lambdas_).scores(rows)

    def _initialize_sufficient_statistics(self) -> Stats:
        stats, k = super()._initialize_sufficient_statistics(), self.n_components
        return stats | {"post": np.zeros(k), "obs": np.zeros((k, self.n_features))}

    def _accumulate_emissions(self, stats: Stats, X: Any, posteriors: Floats) -> None:
        if "l" in self.params:
            stats["post"] += posteriors.sum(axis=0)
            stats["obs"] += posteriors.T @ X

    def _do_mstep(self, stats: Stats) -> None:
        super()._do_mstep(stats)
        if "l" in self.params:
            # hmmlearn weighs the prior against all rows, not against those of the state.
            rows, post = stats["post"].sum(), stats["post"][:, None]
            means = divided(stats["obs"], np.broadcast_to(post, stats["obs"].shape), self.lambdas_)
            self.lambdas_ = (self.lambdas_prior + rows * means) / (self.lambdas_weight + rows)

    def _generate_sample_from_state(self, state: int, random_state: Any = None) -> Any:
        return check_random_state(random_state).poisson(self.lambdas_[state])
