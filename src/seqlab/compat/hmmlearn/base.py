"""hmmlearn.base: BaseHMM and VariationalBaseHMM, whose emissions a subclass defines by hooks."""

from __future__ import annotations

import math
import string
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, check_random_state

from seqlab.compat.hmmlearn import _kl_divergence as _kl
from seqlab.compat.hmmlearn.estimator import DECODER_ALGORITHMS, Stats, _AbstractHMM
from seqlab.compat.hmmlearn.monitor import ConvergenceMonitor
from seqlab.errors import OptionError, ShapeError
from seqlab.families.hmm.emissions.base import Floats, logs, normalised

__all__ = ["DECODER_ALGORITHMS", "BaseHMM", "ConvergenceMonitor", "VariationalBaseHMM", "_AbstractHMM"]


class BaseHMM(_AbstractHMM):
    """Hidden Markov model with emissions that a subclass defines by hooks, trained by EM.

    n_components      number of states, K
    startprob_prior   Dirichlet parameters of startprob_, a number or (K,); 1 is flat
    transmat_prior    Dirichlet parameters of the rows of transmat_, a number or (K, K)
    algorithm         "viterbi" for the best path, "map" for the best state of each row
    random_state      seed or RandomState of starts and samples
    n_iter, tol       iterations at most; training ends when one gains less than tol
    verbose           True for a line on standard error after each iteration
    params            letters of what training changes: "s" startprob_, "t" transmat_, others of the emissions
    init_params       letters of what fit begins anew; the rest keeps what was set
    implementation    "log" or "scaling": which numbers the hooks get; results are the same

    startprob_ (K,), transmat_ (K, K)   probabilities; set them, or fit
    monitor_                            ConvergenceMonitor of the training

    Hooks: _init, _check, _compute_log_likelihood or _compute_likelihood, _generate_sample_from_state,
    _initialize_sufficient_statistics, _accumulate_sufficient_statistics, _do_mstep, _get_n_fit_scalars_per_param.
    """

    def __init__(
        self,
        n_components: int = 1,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        algorithm: str = "viterbi",
        random_state: Any = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool = False,
        params: str = string.ascii_letters,
        init_params: str = string.ascii_letters,
        implementation: str = "log",
    ) -> None:
        super().__init__(
            n_components, algorithm, random_state, n_iter, tol, verbose, params, init_params, implementation
        )
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior

    def _init(self, X: Any, lengths: Any = None) -> None:
        """Make a start for X: Dirichlet draws for startprob_ and transmat_; subclasses add their own."""
        super()._init(X, lengths)
        chance = check_random_state(self.random_state)
        flat = np.full(self.n_components, 1.0 / self.n_components)
        if self._needs_init("s", "startprob_"):
            self.startprob_ = chance.dirichlet(flat)
        if self._needs_init("t", "transmat_"):
            self.transmat_ = chance.dirichlet(flat, size=self.n_components)
        self._say_degenerate(X)

    def _check(self) -> None:
        """Check startprob_ and transmat_; subclasses add their own."""
        k = self.n_components
        self.startprob_ = self._distribution("startprob_", (k,))
        self.transmat_ = self._distribution("transmat_", (k, k))

    def _do_mstep(self, stats: Stats) -> None:
        """Estimate startprob_ and transmat_ of the sums; what was 0 stays 0."""
        if "s" in self.params:
            counts = np.maximum(self.startprob_prior - 1 + stats["start"], 0)
            counts = np.where(self.startprob_ == 0, 0.0, counts)
            self.startprob_ = normalised(counts, self.startprob_, 0)
        if "t" in self.params:
            counts = np.maximum(self.transmat_prior - 1 + stats["trans"], 0)
            counts = np.where(self.transmat_ == 0, 0.0, counts)
            self.transmat_ = normalised(counts, np.zeros_like(counts), 1)

    def aic(self, X: Any, lengths: Any = None) -> float:
        """Compute Akaike's information criterion on X, lower is better; lengths as in score."""
        return -2 * self.score(X, lengths) + 2 * self._free()

    def bic(self, X: Any, lengths: Any = None) -> float:
        """Compute the Bayesian information criterion on X, lower is better; lengths as in score."""
        parameters: float = self._free() * np.log(len(X))  # NumPy's number, as there
        return -2 * self.score(X, lengths) + parameters

    def _free(self) -> int:
        counts = self._get_n_fit_scalars_per_param()
        if counts is None:
            raise NotImplementedError("_get_n_fit_scalars_per_param must be overridden for aic and bic")
        return sum(counts.values())


_BaseHMM = BaseHMM  # the name that old programs import


class VariationalBaseHMM(_AbstractHMM):
    """Hidden Markov model with distributions over its parameters, trained by variational Bayes (eq:variational-hmm).

    n_components      number of states, K
    startprob_prior   Dirichlet parameters of the start, a number or (K,); None for 1 / K
    transmat_prior    Dirichlet parameters of the rows of moves, a number or (K, K); None for 1 / K
    algorithm         "viterbi" for the best path, "map" for the best state of each row
    random_state      seed or RandomState of starts and samples
    n_iter, tol       iterations at most; training ends when one raises the lower bound by less than tol
    verbose           True for a line on standard error after each iteration
    params            letters of what training changes: "s" start, "t" moves, others of the emissions
    init_params       letters of what fit begins anew; the rest keeps what was set
    implementation    "log" or "scaling": which numbers the hooks get; results are the same

    startprob_prior_, startprob_posterior_ (K,)     Dirichlet parameters; startprob_ is their mean
    transmat_prior_, transmat_posterior_ (K, K)     Dirichlet parameters; transmat_ are their means
    monitor_                                        ConvergenceMonitor of the training, with lower bounds

    Hooks beside those of BaseHMM: _compute_subnorm_log_likelihood or _compute_subnorm_likelihood (expected log
    densities of rows, for training), _estep_begin, _compute_lower_bound.
    """

    _estep_names = (
        "startprob_subnorm_",
        "transmat_subnorm_",
        "_compute_subnorm_log_likelihood",
        "_compute_subnorm_likelihood",
    )

    def __init__(
        self,
        n_components: int = 1,
        startprob_prior: Any = None,
        transmat_prior: Any = None,
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
            n_components, algorithm, random_state, n_iter, tol, verbose, params, init_params, implementation
        )
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior

    def _init(self, X: Any, lengths: Any = None) -> None:
        """Make a start for X: Dirichlet draws, with as much weight as X; subclasses add their own."""
        super()._init(X, lengths)
        k, chance = self.n_components, check_random_state(self.random_state)
        lengths = [len(X)] if lengths is None else lengths
        flat = np.full(k, 1.0 / k)
        if self._needs_any("s", "startprob_posterior_", "startprob_prior_"):
            self.startprob_prior_ = filled(self.startprob_prior, 1.0 / k, (k,), "startprob_prior")
            self.startprob_posterior_ = chance.dirichlet(flat) * len(lengths)
        if self._needs_any("t", "transmat_posterior_", "transmat_prior_"):
            self.transmat_prior_ = filled(self.transmat_prior, 1.0 / k, (k, k), "transmat_prior")
            self.transmat_posterior_ = chance.dirichlet(flat, size=k) * (sum(lengths) / k)
        self._say_degenerate(X)

    def _needs_any(self, code: str, *names: str) -> bool:
        return any(self._needs_init(code, name) for name in names)

    def _check(self) -> None:
        """Check priors and posteriors of start and moves, those that are set; subclasses add their own."""
        k = self.n_components
        self._check_counts("startprob_", (k,))
        self._check_counts("transmat_", (k, k))

    def _check_counts(self, name: str, shape: tuple[int, ...]) -> None:
        """Check the Dirichlet parameters of a table, before data and after."""
        for one in (f"{name}prior_", f"{name}posterior_"):
            if hasattr(self, one) and not self._numbers(one, shape).min() >= 0:
                raise OptionError(f"{one} must be numbers from 0 up, got {getattr(self, one).min()}")

    def _numbers(self, name: str, shape: tuple[int, ...]) -> Floats:
        """Read an attribute as an array of finite numbers of this shape."""
        if not hasattr(self, name):
            check_is_fitted(self, name)
        value = np.asarray(getattr(self, name), dtype=np.float64)
        if value.shape != shape:
            raise ShapeError(f"{name} must have shape {shape}, got {value.shape}")
        if not math.isfinite(value.sum()):
            raise OptionError(f"{name} must be finite numbers, got {value!r:.80}")
        setattr(self, name, value)
        return value

    # eq:variational-hmm   exp E[log π], exp E[log A]: the forward pass runs on them, though they sum to less than 1
    def _estep_begin(self) -> None:
        """Compute geometric means of start and moves under the posterior, which the E step runs on."""
        self.startprob_subnorm_ = np.exp(_kl.expected_logs(self.startprob_posterior_))
        self.transmat_subnorm_ = np.exp(_kl.expected_logs(self.transmat_posterior_))

    def _do_mstep(self, stats: Stats) -> None:
        """Add the sums to the priors; startprob_ and transmat_ are the means of the posteriors."""
        for letter, name, sums in (("s", "startprob", "start"), ("t", "transmat", "trans")):
            self._updated(letter, name, stats[sums])

    def _updated(self, letter: str, name: str, counts: Floats) -> None:
        """Add counts to the Dirichlet prior of a table; the table itself is the mean of the posterior."""
        if letter in self.params:
            setattr(self, f"{name}_posterior_", getattr(self, f"{name}_prior_") + counts)
        if letter in self.params or not hasattr(self, f"{name}_"):
            posterior = getattr(self, f"{name}_posterior_")
            setattr(self, f"{name}_", posterior / posterior.sum(axis=-1, keepdims=True))

    def _compute_lower_bound(self, curr_logprob: float) -> float:
        """Compute the lower bound of the log evidence, before the terms of the emissions.

        curr_logprob   log-likelihood under the tables of _estep_begin
        """
        apart = float(_kl.kl_dirichlet(self.startprob_posterior_, self.startprob_prior_))
        apart += float(_kl.kl_dirichlet(self.transmat_posterior_, self.transmat_prior_).sum())
        return curr_logprob - apart

    def _compute_subnorm_log_likelihood(self, X: Any) -> Floats:
        """Compute E[log P(x_t | state)] (T, K); a hook, or _compute_subnorm_likelihood instead."""
        if type(self)._compute_subnorm_likelihood is VariationalBaseHMM._compute_subnorm_likelihood:
            raise NotImplementedError(
                "_compute_subnorm_log_likelihood or _compute_subnorm_likelihood must be overridden"
            )
        return logs(np.asarray(self._compute_subnorm_likelihood(X), dtype=np.float64))

    def _compute_subnorm_likelihood(self, X: Any) -> Floats:
        """Compute exp E[log P(x_t | state)] (T, K); a hook, or _compute_subnorm_log_likelihood instead."""
        if type(self)._compute_subnorm_log_likelihood is VariationalBaseHMM._compute_subnorm_log_likelihood:
            raise NotImplementedError(
                "_compute_subnorm_log_likelihood or _compute_subnorm_likelihood must be overridden"
            )
        with np.errstate(under="ignore"):
            return np.asarray(np.exp(self._compute_subnorm_log_likelihood(X)))


def filled(value: Any, usual: float, shape: tuple[int, ...], name: str) -> Floats:
    """Spread an option over a table of this shape; the usual number for None."""
    array = np.asarray(usual if value is None else value, dtype=np.float64)
    try:
        return np.array(np.broadcast_to(array, shape))
    except ValueError:
        raise ShapeError(f"{name} must be a number or have shape {shape}, got {array.shape}") from None
