"""Mixture models: naive Bayes without labels, and normal distributions of known variance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from seqlab.arrays import number, whole_number
from seqlab.errors import OptionError, ShapeError
from seqlab.families.hmm.emissions import Distribution, Gaussian
from seqlab.families.hmm.emissions.base import VectorRows, logs
from seqlab.families.hmm.emissions.categorical import BagDistribution
from seqlab.families.hmm.emissions.gaussian import GaussianDistribution
from seqlab.families.hmm.emissions.symbols import Symbols
from seqlab.families.hmm.emissions.vectors import spread
from seqlab.families.mixture.em import best_components
from seqlab.families.mixture.fit import EMHistory, MixtureFit, MultinomialFit
from seqlab.families.mixture.reading import Bags, Numbers, read_bags, read_points, read_weights
from seqlab.store.state import State
from seqlab.tagging.model import Model

Chance = np.random.Generator


def log_sum(joint: Numbers) -> Numbers:
    """(n,) log Σ_l exp of the rows; -inf where all are."""
    top = joint.max(axis=1)
    shift = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        total: Numbers = shift + np.log(np.exp(joint - shift[:, None]).sum(axis=1))
    return total


# eq:mixture-posterior   P(l | x_i) = mu_l P(x_i | l) / Σ_m mu_m P(x_i | m)
def shares(joint: Numbers, mu: Numbers) -> Numbers:
    """(n, k) P(component | x_i); where x_i is impossible, as if nothing were known of it."""
    total = log_sum(joint)
    possible = np.isfinite(total)
    q = np.exp(joint - np.where(possible, total, 0.0)[:, None])
    q[~possible] = mu
    return q


class Mixture(Model):
    """What both mixtures share; a subclass reads its data and knows its components.

    weights_   (k,) the share of each component
    history_   see EMHistory: its log_likelihood never falls
    """

    _fit_class: ClassVar[Any] = MixtureFit
    _own: ClassVar[str]  # the option that only this mixture has
    fit_: MixtureFit | None = None

    n_components: int
    init: Any
    restarts: int
    epochs: int
    tolerance: float
    seed: int

    # ------------------------------------------------------------------------------------------ what it has learned

    @property
    def _fit(self) -> MixtureFit:
        """The fitted value, which is there."""
        fit: MixtureFit = self.fit_  # type: ignore[assignment]
        return fit

    @property
    def weights_(self) -> Numbers:
        """(k,) the share of each component."""
        self._check_fitted("weights_")
        return self._fit.mu

    @property
    def history_(self) -> EMHistory:
        """How EM went."""
        self._check_fitted("history_")
        return EMHistory(tuple(self._fit.log_likelihood.tolist()), self._fit.converged)

    @property
    def n_features_in_(self) -> int:
        """How many columns X had."""
        self._check_fitted("n_features_in_")
        return int(self._fit.theta.shape[1])

    # ------------------------------------------------------------------------------------------ answers

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """(n,) the most probable component of each."""
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def predict_proba(self, X: Any) -> Numbers:
        """(n, k) P(component | x) (eq:mixture-posterior); the weights where x is impossible."""
        self._check_fitted("predict_proba")
        return shares(self._joint(X), self.weights_)

    def score_samples(self, X: Any) -> Numbers:
        """(n,) log P(x)."""
        self._check_fitted("score_samples")
        return log_sum(self._joint(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:  # noqa: ARG002  (scikit-learn's signature)
        """Average log P(x), as scikit-learn's searches want it."""
        logs = self.score_samples(X)
        if not len(logs):
            raise ShapeError("there is no row in X, so a mean has no meaning")
        weights = read_weights(sample_weight, len(logs))
        counted = weights > 0
        return float(np.average(logs[counted], weights=weights[counted]))

    def fit_predict(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> npt.NDArray[np.int64]:
        """Call fit(X), then predict(X)."""
        return self.fit(X, y, sample_weight=sample_weight).predict(X)

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Self:
        """Find components by EM; y is ignored."""
        raise NotImplementedError

    def _joint(self, X: Any) -> Numbers:
        """(n, k) log of mu_l P(x_i | l)."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------ learning

    def _starts(self, shape: tuple[int, int], drawn: Callable[[Chance], Numbers]) -> list[Numbers]:
        """Return components to begin with: those that were given, or some drawn for every restart."""
        if self.init is not None:
            return [self._given_start(shape)]
        return [drawn(np.random.default_rng([self.seed, run])) for run in range(self.restarts)]

    def _check_options(self) -> int:
        """Return the number of components, everything checked."""
        whole_number(self.epochs, "epochs", 1)
        whole_number(self.restarts, "restarts", 1)
        whole_number(self.seed, "seed", 0)
        number(self.tolerance, "tolerance")
        number(getattr(self, self._own), self._own, above=self._own == "variance")
        return whole_number(self.n_components, "n_components", 1)

    def _given_start(self, shape: tuple[int, int]) -> Numbers:
        theta = read_points(self.init, "init")
        if theta.shape != shape:
            raise ShapeError(
                f"init has shape {theta.shape}, but {shape} is wanted: a row for every component"
            )
        return theta

    @classmethod
    def _upgraded(cls, state: State) -> State:
        if "options" in state.settings:
            return state
        names = ("n_components", cls._own, "restarts", "epochs", "tolerance", "seed")
        options = {name: state.settings[name] for name in names if name in state.settings}
        if state.settings.get("started"):
            options["init"] = {"tensor": "init"}
        settings = {"options": options, "features": state.settings.get("named", False)}
        return state.replaced(settings={**settings, "converged": state.setting("converged", bool)})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.input_tags.two_d_array = True
        return tags


def _check_possible(density: Numbers) -> None:
    """Refuse data that no given component can have made."""
    impossible = ~np.isfinite(density.max(axis=1))
    if impossible.any():
        raise OptionError(
            f"row {int(np.argmax(impossible))} of X is impossible under every component of init; "
            f"give its features a probability above 0 in one of them"
        )


class MultinomialMixture(Mixture):
    """Naive Bayes without labels: every bag of features comes from one component, which draws them one by one.

    n_components   how many components, k
    smoothing      added to every expected count of a feature (eq:multinomial-mixture), 0 for none
    init           (k, V) probabilities of features to begin with; None draws them
    restarts       how often to begin anew; the run of the highest log-likelihood counts
    epochs         steps of EM, at most
    tolerance      the gain in log-likelihood per bag that is worth another epoch
    seed           of what is drawn

    X is a table of counts (n, V), an array or a sparse matrix of SciPy, or a list of bags: dicts {feature: count}, or
    lists of words. Features that training has not seen say nothing about a bag. log P(x) is that of the features in
    one order: without the number of orders.

    weights_         (k,)     the share of each component
    probabilities_   (k, V)   P(feature | component)
    features_        names of the features, sorted; None for tables
    history_         its log_likelihood, with the log of the prior that smoothing stands for, never falls
    """

    _kind, _own = "multinomial mixture", "smoothing"
    _fit_class = MultinomialFit

    def __init__(
        self,
        n_components: int = 2,
        *,
        smoothing: float = 0.01,
        init: npt.ArrayLike | None = None,
        restarts: int = 1,
        epochs: int = 200,
        tolerance: float = 1e-6,
        seed: int = 0,
    ) -> None:
        self.n_components = n_components
        self.smoothing = smoothing
        self.init = init
        self.restarts = restarts
        self.epochs = epochs
        self.tolerance = tolerance
        self.seed = seed

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Self:  # noqa: ARG002  (scikit-learn's signature)
        """Find components by EM (eq:mixture-em); y is ignored.

        sample_weight   (n,) how much each bag counts
        """
        k = self._check_options()
        bags = read_bags(X, None)
        weights = read_weights(sample_weight, len(bags.rows))
        counted = weights > 0
        some, weights = bags.some(counted), weights[counted]
        if not len(some.rows.ids):
            raise ShapeError(
                f"X has {len(bags.rows)} bags and no feature at all, so there is nothing to learn from"
            )
        starts = self._starts((k, bags.size), lambda chance: self._drawn(some, weights, k, chance))
        if self.init is not None:
            _check_possible(bags.rows.scores(logs(starts[0].T))[counted])
        symbols = Symbols(bags.size)
        made: list[Distribution] = [
            BagDistribution(symbols, np.ascontiguousarray(theta.T)) for theta in starts
        ]
        found, more = best_components(self, some.rows, weights, made, smoothing=float(self.smoothing))
        assert isinstance(found, BagDistribution)  # noqa: S101
        self.fit_ = MultinomialFit(np.ascontiguousarray(found.B), features=bags.names, **more)
        return self

    @property
    def probabilities_(self) -> Numbers:
        """(k, V) P(feature | component)."""
        self._check_fitted("probabilities_")
        return self._fit.theta

    @property
    def features_(self) -> tuple[str, ...] | None:
        """The names of the features, sorted; None for tables."""
        self._check_fitted("features_")
        return self._fit.features

    def _drawn(self, bags: Bags, weights: Numbers, k: int, chance: Chance) -> Numbers:
        """Draw components: half a bag, half all of them, so that nothing is impossible."""
        rows, n = bags.rows, len(weights)
        everything = rows.counts(weights[:, None], bags.size)[:, 0] + float(self.smoothing)
        full = np.flatnonzero(np.diff(rows.begin))
        one = np.zeros((n, k))
        one[chance.choice(full, k, replace=len(full) < k), np.arange(k)] = 1.0
        single = rows.counts(one, bags.size).T
        theta = 0.5 * everything / everything.sum() + 0.5 * single / single.sum(axis=1, keepdims=True)
        # Some chance on top: two components that begin alike would stay alike for ever.
        theta = theta * chance.uniform(0.9, 1.1, theta.shape)
        return np.asarray(theta / theta.sum(axis=1, keepdims=True))

    def _given_start(self, shape: tuple[int, int]) -> Numbers:
        theta = super()._given_start(shape)
        off = np.abs(theta.sum(axis=1) - 1) > 1e-6
        if (theta < 0).any() or off.any():
            row = int(np.argmax((theta < 0).any(axis=1) | off))
            raise OptionError(
                f"row {row} of init sums to {theta[row].sum():.6g}, but probabilities that sum to 1 are wanted"
            )
        if self.smoothing and (theta == 0).any():
            theta = theta + 1e-12  # under the prior of smoothing, no feature is impossible
        return np.asarray(theta / theta.sum(axis=1, keepdims=True))

    # eq:multinomial-mixture   log P(x | l) = Σ_j x_j log theta_lj
    def _joint(self, X: Any) -> Numbers:
        fit = self._fit
        bags = read_bags(X, self.n_features_in_ if fit.features is None else fit.features)
        return logs(fit.mu) + bags.rows.scores(logs(fit.theta.T))


class GaussianMeans(Mixture):
    """A mixture of normal distributions round means that are sought, with a variance that is known.

    n_components   how many components, k
    variance       of every component in every direction
    init           (k, D) means to begin with; None takes points of X, far ones more often
    restarts, epochs, tolerance, seed   as for MultinomialMixture

    weights_   (k,)     the share of each component
    means_     (k, D)
    history_   its log_likelihood never falls
    """

    _kind, _own = "gaussian means", "variance"

    def __init__(
        self,
        n_components: int = 2,
        *,
        variance: float = 1.0,
        init: npt.ArrayLike | None = None,
        restarts: int = 1,
        epochs: int = 200,
        tolerance: float = 1e-6,
        seed: int = 0,
    ) -> None:
        self.n_components = n_components
        self.variance = variance
        self.init = init
        self.restarts = restarts
        self.epochs = epochs
        self.tolerance = tolerance
        self.seed = seed

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Self:  # noqa: ARG002  (scikit-learn's signature)
        """Find means by EM (eq:mixture-em); y is ignored.

        sample_weight   (n,) how much each point counts
        """
        k = self._check_options()
        points = read_points(X)
        if not len(points):
            raise ShapeError("X has no row, so there is nothing to learn from")
        weights = read_weights(sample_weight, len(points))
        counted = weights > 0
        some, weights = points[counted], weights[counted]
        starts = self._starts((k, points.shape[1]), lambda chance: spread(some, k, chance, weights))
        if self.init is not None:
            _check_possible(self._log_density(some, starts[0]))
        variances = np.full(k, float(self.variance))
        made: list[Distribution] = [
            GaussianDistribution(Gaussian("spherical"), theta, variances) for theta in starts
        ]
        found, more = best_components(self, VectorRows(some), weights, made, frozen=("covariances",))
        assert isinstance(found, GaussianDistribution)  # noqa: S101
        self.fit_ = MixtureFit(found.means, **more)
        return self

    @property
    def means_(self) -> Numbers:
        """(k, D) the means of the components."""
        self._check_fitted("means_")
        return self._fit.theta

    # eq:gaussian-means   log P(x | l) = -|x - theta_l|² / 2 v - ½ D log 2π v
    def _log_density(self, points: Numbers, means: Numbers) -> Numbers:
        """(n, k) log P(x_i | component)."""
        variance = float(self.variance)
        columns = [((points - mean) ** 2).sum(axis=1) for mean in means]
        constant = 0.5 * points.shape[1] * math.log(2 * math.pi * variance)
        with np.errstate(over="ignore"):  # too far away for a number is impossible
            return np.asarray(np.array(columns).T / (-2 * variance) - constant)

    def _joint(self, X: Any) -> Numbers:
        points = read_points(X)
        if points.shape[1] != self.n_features_in_:
            raise ShapeError(f"X has {points.shape[1]} columns, but in training it had {self.n_features_in_}")
        return logs(self._fit.mu) + self._log_density(points, self._fit.theta)
