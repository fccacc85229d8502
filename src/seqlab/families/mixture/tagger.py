"""Mixture models by EM: naive Bayes without labels, and normal distributions of known variance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from seqlab.arrays import number, whole_number
from seqlab.errors import OptionError, ShapeError
from seqlab.families.mixture.reading import read_bags, read_points, read_weights
from seqlab.families.mixture.stored import mixture_from_state, mixture_state
from seqlab.families.mixture.tables import (
    Balls,
    EMHistory,
    Family,
    Mixture,
    Multinomials,
    Numbers,
    best_of,
    em,
    log_joint,
    log_sum,
    shares,
)
from seqlab.tagging.sklearn import Estimator
from seqlab.tagging.storing import Storable

if TYPE_CHECKING:
    from typing_extensions import Self

    from seqlab.store.state import State


class _Mixture(Storable, Estimator):
    """What both mixtures share; a subclass reads its data and knows its components.

    weights_   (k,) the share of each component
    history_   see EMHistory: its log_likelihood never falls
    """

    _kind: ClassVar[str]
    _theta: ClassVar[str]  # the attribute of the components
    _own: ClassVar[str]  # the option that only this mixture has

    n_components: int
    init: Any
    restarts: int
    epochs: int
    tolerance: float
    seed: int

    weights_: Numbers
    history_: EMHistory
    n_features_in_: int

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
        """The mean of log P(x), as scikit-learn's searches want it."""
        logs = self.score_samples(X)
        if not len(logs):
            raise ShapeError("there is no row in X, so a mean has no meaning")
        weights = read_weights(sample_weight, len(logs))
        counted = weights > 0
        return float(np.average(logs[counted], weights=weights[counted]))

    def fit_predict(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> npt.NDArray[np.int64]:
        """fit(X), then predict(X)."""
        return self.fit(X, y, sample_weight=sample_weight).predict(X)

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Self:
        """Find components by EM; y is ignored."""
        raise NotImplementedError

    def _joint(self, X: Any) -> Numbers:
        raise NotImplementedError

    def _run(self, family: Multinomials | Balls, weights: Numbers, shape: tuple[int, int]) -> Mixture:
        """The best of all restarts."""
        given = self._given_start(shape)

        def one(r: int) -> Mixture:
            chance = np.random.default_rng([whole_number(self.seed, "seed", 0), r])
            theta = family.start(shape[0], weights, chance) if given is None else given
            return em(family, weights, theta, epochs=self.epochs, tolerance=float(self.tolerance))

        if given is not None:
            self._check_possible(family, weights, given)
        return best_of(1 if given is not None else self.restarts, one)

    def _check_options(self) -> int:
        """The number of components, everything checked."""
        whole_number(self.epochs, "epochs", 1)
        whole_number(self.restarts, "restarts", 1)
        whole_number(self.seed, "seed", 0)
        number(self.tolerance, "tolerance")
        number(getattr(self, self._own), self._own, above=self._own == "variance")
        return whole_number(self.n_components, "n_components", 1)

    def _given_start(self, shape: tuple[int, int]) -> Numbers | None:
        if self.init is None:
            return None
        theta = read_points(self.init, "init")
        if theta.shape != shape:
            raise ShapeError(
                f"init has shape {theta.shape}, but {shape} is wanted: a row for every component"
            )
        return theta

    @staticmethod
    def _check_possible(family: Family, weights: Numbers, theta: Numbers) -> None:
        impossible = ~np.isfinite(family.log_density(theta).max(axis=1)) & (weights > 0)
        if impossible.any():
            raise OptionError(
                f"row {int(np.argmax(impossible))} of X is impossible under every component of init; "
                f"give its features a probability above 0 in one of them"
            )

    def state(self) -> State:
        """What it was made with and has learned, for a model file."""
        self._check_fitted("state")
        return mixture_state(self)

    @classmethod
    def from_state(cls, state: State) -> Self:
        """The mixture that state() was asked of."""
        mixture = cls()
        mixture_from_state(mixture, state)
        mixture._check_options()
        return mixture

    def _remember(self, found: Mixture, features: int) -> None:
        self.weights_, self.history_, self.n_features_in_ = found.mu, found.history, features

    def _fitted(self) -> bool:
        return "weights_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.input_tags.two_d_array = True
        return tags


class MultinomialMixture(_Mixture):
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

    _kind, _theta, _own = "multinomial mixture", "probabilities_", "smoothing"

    probabilities_: Numbers
    features_: tuple[str, ...] | None

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
        bags, names = read_bags(X, None)
        weights = read_weights(sample_weight, len(bags))
        if not (weights[bags.rows()] > 0).any():
            raise ShapeError(
                f"X has {len(bags)} bags and no feature at all, so there is nothing to learn from"
            )
        found = self._run(Multinomials(bags, float(self.smoothing)), weights, (k, bags.size))
        self.probabilities_, self.features_ = found.theta, names
        self._remember(found, bags.size)
        return self

    def _given_start(self, shape: tuple[int, int]) -> Numbers | None:
        theta = super()._given_start(shape)
        if theta is not None:
            off = np.abs(theta.sum(axis=1) - 1) > 1e-6
            if (theta < 0).any() or off.any():
                row = int(np.argmax((theta < 0).any(axis=1) | off))
                raise OptionError(
                    f"row {row} of init sums to {theta[row].sum():.6g}, but probabilities that sum to 1 are wanted"
                )
            if self.smoothing and (theta == 0).any():
                theta = theta + 1e-12  # under the prior of smoothing, no feature is impossible
            theta = theta / theta.sum(axis=1, keepdims=True)
        return theta

    def _joint(self, X: Any) -> Numbers:
        bags, _ = read_bags(X, self.n_features_in_ if self.features_ is None else self.features_)
        return log_joint(self.weights_, Multinomials(bags, 0.0).log_density(self.probabilities_))


class GaussianMeans(_Mixture):
    """A mixture of normal distributions round means that are sought, with a variance that is known.

    n_components   how many components, k
    variance       of every component in every direction
    init           (k, D) means to begin with; None takes points of X, far ones more often
    restarts, epochs, tolerance, seed   as for MultinomialMixture

    weights_   (k,)     the share of each component
    means_     (k, D)
    history_   its log_likelihood never falls
    """

    _kind, _theta, _own = "gaussian means", "means_", "variance"

    means_: Numbers

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
        found = self._run(Balls(points, float(self.variance)), weights, (k, points.shape[1]))
        self.means_ = found.theta
        self._remember(found, points.shape[1])
        return self

    def _joint(self, X: Any) -> Numbers:
        points = read_points(X)
        if points.shape[1] != self.n_features_in_:
            raise ShapeError(f"X has {points.shape[1]} columns, but in training it had {self.n_features_in_}")
        return log_joint(self.weights_, Balls(points, float(self.variance)).log_density(self.means_))
