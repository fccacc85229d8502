"""Emissions that models of EM and variational ones share: symbols and Gaussians."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils.validation import check_random_state

from seqlab.compat.hmmlearn.estimator import Ids, Stats, _AbstractHMM
from seqlab.compat.hmmlearn.stats import log_multivariate_normal_density
from seqlab.compat.hmmlearn.utils import fill_covars
from seqlab.errors import CorpusError, OptionError, ShapeError
from seqlab.families.hmm.emissions import covariances as shapes
from seqlab.families.hmm.emissions.base import Floats, SymbolRows, logs
from seqlab.families.hmm.emissions.vectors import rebased

COVARIANCE_TYPES = frozenset(("spherical", "diag", "full", "tied"))


class BaseCategoricalHMM(_AbstractHMM):
    """Symbols: whole numbers from 0 in one column (T, 1), with probabilities emissionprob_ (K, n_features)."""

    emissionprob_: Any

    def _read(self, X: Any, lengths: Any) -> tuple[Any, Ids]:
        X, lengths = super()._read(X, lengths)
        if X.shape[1] != 1:
            warnings.warn(
                "symbols in more than one column are deprecated; give X of shape (n_samples, 1)",
                DeprecationWarning,
                stacklevel=3,
            )
            X, lengths = X.reshape(-1, 1), lengths * X.shape[1]
        return X, lengths

    def _check_and_set_n_features(self, X: Any) -> None:
        check_counts(X, "symbols")
        if self.n_features is None:
            kept = None if "e" in self.init_params else getattr(self, "emissionprob_", None)
            self.n_features = int(X.max()) + 1 if kept is None else np.shape(kept)[-1]
        if X.max() >= self.n_features:
            raise CorpusError(
                f"the largest symbol is {X.max()}, but the model emits symbols up to {self.n_features - 1}"
            )

    def _get_n_fit_scalars_per_param(self) -> dict[str, int]:
        return symbol_parameters(self.n_components, self.n_features or 0)

    def _compute_log_likelihood(self, X: Any) -> Floats:
        return symbols(X, self.emissionprob_.shape[1]).scores(logs(self.emissionprob_.T))

    def _initialize_sufficient_statistics(self) -> Stats:
        stats = super()._initialize_sufficient_statistics()
        return stats | {"obs": np.zeros((self.n_components, self.n_features or 0))}

    def _accumulate_emissions(self, stats: Stats, X: Any, posteriors: Floats) -> None:
        if "e" in self.params:
            stats["obs"] += symbols(X, len(stats["obs"].T)).counts(posteriors, len(stats["obs"].T)).T

    def _generate_sample_from_state(self, state: int, random_state: Any = None) -> Any:
        chance = check_random_state(random_state)
        return [int((np.cumsum(self.emissionprob_[state]) > chance.rand()).argmax())]


class BaseGaussianHMM(_AbstractHMM):
    """Gaussians over rows of D numbers: means_ (K, D), and covars_ by covariance_type."""

    means_: Any
    _covars_: Any
    covariance_type: str

    @property
    def covars_(self) -> Floats:
        """Covariances as matrices (K, D, D)."""
        held = self._covars_
        width = held.shape[-1] if held.ndim > 1 else self.n_features
        return fill_covars(held, self.covariance_type, self.n_components, width)

    @covars_.setter
    def covars_(self, covars: Any) -> None:
        value, kind = np.array(covars, dtype=np.float64), known(self.covariance_type)
        if kind == "spherical" and value.size == self.n_components:
            value = value.reshape(-1)
        wide = kind == "spherical" and value.ndim > 1  # the variance once for each number
        width = value.shape[-1] if value.ndim else 1
        self._covars_ = shapes.checked(
            value,
            kind,
            (self.n_components, width) if wide else shapes.shape_of(kind, self.n_components, width),
        )

    @property
    def _whole(self) -> bool:
        """True for matrices, False for variances alone."""
        return self.covariance_type in ("tied", "full")

    def _start_covariances(self, X: Any, least: float) -> None:
        """Begin with the covariance of all rows in every state, and so much more variance."""
        matrix, kind = spread(X, least), self.covariance_type
        if kind == "spherical":  # hmmlearn's mean of all cells
            matrix = np.full(X.shape[1], matrix.mean())
        elif kind == "diag":
            matrix = np.diag(matrix)
        self.covars_ = matrix if kind == "tied" else np.stack([matrix] * self.n_components)

    def _get_n_fit_scalars_per_param(self) -> dict[str, int]:
        k, d = self.n_components, self.n_features
        cells = {"spherical": k, "diag": k * d, "full": k * d * (d + 1) // 2, "tied": d * (d + 1) // 2}
        return {"s": k - 1, "t": k * (k - 1), "m": k * d, "c": cells[known(self.covariance_type)]}

    def _compute_log_likelihood(self, X: Any) -> Floats:
        check_width(X, self.n_features)
        return log_multivariate_normal_density(X, self.means_, self._covars_, self.covariance_type)

    def _initialize_sufficient_statistics(self) -> Stats:
        stats, k, d = super()._initialize_sufficient_statistics(), self.n_components, self.n_features
        stats |= {"post": np.zeros(k), "obs": np.zeros((k, d)), "obs**2": np.zeros((k, d))}
        if self._whole:
            stats["obs*obs.T"] = np.zeros((k, d, d))
        return stats

    def _accumulate_emissions(self, stats: Stats, X: Any, posteriors: Floats) -> None:
        if self._needs_sufficient_statistics_for_mean():
            stats["post"] += posteriors.sum(axis=0)
            stats["obs"] += posteriors.T @ X
        if not self._needs_sufficient_statistics_for_covars():
            return
        if self._whole:
            stats["obs*obs.T"] += np.stack([(X * share[:, None]).T @ X for share in posteriors.T])
        else:
            stats["obs**2"] += posteriors.T @ X**2

    def _needs_sufficient_statistics_for_mean(self) -> bool:
        """Tell whether rows and their sums are counted; a hook."""
        return "m" in self.params or "c" in self.params

    def _needs_sufficient_statistics_for_covars(self) -> bool:
        """Tell whether squares are summed; a hook."""
        return "c" in self.params

    def _squares(self, stats: Stats, centre: Any, weight: Any) -> Floats:
        """Sum squares about means_, (K, D) or (K, D, D), with those of a prior at a centre that counts so many rows."""
        post = np.broadcast_to(stats["post"][:, None], stats["obs"].shape)
        second, zero = stats["obs*obs.T" if self._whole else "obs**2"], np.zeros_like(stats["obs"])
        moments = {"post": post, "first": stats["obs"], "second": second, "about": zero}
        pull = self.means_ - centre
        extra = weight * (outer(pull, pull) if self._whole else pull**2)
        return np.asarray(rebased(moments, self.means_)["second"] + extra)

    def _generate_sample_from_state(self, state: int, random_state: Any = None) -> Any:
        return check_random_state(random_state).multivariate_normal(self.means_[state], self.covars_[state])


def known(kind: str) -> str:
    """Check a covariance_type."""
    if kind not in COVARIANCE_TYPES:
        raise OptionError(f"covariance_type must be one of {sorted(COVARIANCE_TYPES)}, got {kind!r}")
    return kind


def clusters(X: Any, count: int, random_state: Any) -> Any:
    """Fit scikit-learn's k-means with ten starts, as hmmlearn does: the same seed gives the same means."""
    from sklearn.cluster import KMeans

    return KMeans(n_clusters=count, random_state=random_state, n_init=10).fit(X)


def spread(X: Any, least: float) -> Floats:
    """Compute the covariance of all rows (D, D), 0 for one row, with so much more variance."""
    found = np.cov(X.T) if len(X) > 1 else 0.0
    return np.atleast_2d(found) + least * np.eye(X.shape[1])


def check_width(X: Any, width: int) -> None:
    """Reject rows of another width than the model's."""
    if X.shape[1] != width:
        raise ShapeError(f"X has {X.shape[1]} columns, but the model has n_features={width}")


def outer(one: Floats, other: Floats) -> Floats:
    """Compute the products of all pairs of numbers of two vectors (..., D, D)."""
    return one[..., :, None] * other[..., None, :]


def symbol_parameters(states: int, symbols: int) -> dict[str, int]:
    """Count the free parameters of a model of symbols by letter."""
    return {"s": states - 1, "t": states * (states - 1), "e": states * (symbols - 1)}


def check_counts(X: Any, what: str) -> None:
    """Reject an array that is not of whole numbers from 0."""
    if not np.issubdtype(X.dtype, np.integer):
        raise CorpusError(f"{what} must be whole numbers, got an array of {X.dtype}")
    if X.min() < 0:
        raise CorpusError(f"{what} must be from 0 up, got {X.min()}")


def symbols(X: Any, size: int) -> SymbolRows:
    """Read a column of symbols, each below the number of them."""
    check_counts(X, "symbols")
    if X.max() >= size:
        raise CorpusError(f"the largest symbol is {X.max()}, but the model emits symbols up to {size - 1}")
    return SymbolRows(np.arange(len(X) + 1), np.ascontiguousarray(X.reshape(-1), dtype=np.int32))
