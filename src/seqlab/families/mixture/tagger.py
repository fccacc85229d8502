"""Mixture models: naive Bayes without labels, and normal distributions of known variance.

A mixture is a hidden Markov model of sequences of length one, so its EM is Baum-Welch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from seqlab.arrays import number, thread_count, whole_number
from seqlab.errors import OptionError, ShapeError
from seqlab.families.hmm.em import BaumWelch, Evidence
from seqlab.families.hmm.emissions import Distribution, Gaussian
from seqlab.families.hmm.emissions.base import Chance, VectorRows, logs
from seqlab.families.hmm.emissions.categorical import BagDistribution
from seqlab.families.hmm.emissions.gaussian import GaussianDistribution
from seqlab.families.hmm.emissions.symbols import Symbols
from seqlab.families.hmm.emissions.vectors import spread
from seqlab.families.hmm.tables import Dirichlet, HiddenMarkov
from seqlab.families.mixture.fit import EMHistory, MixtureFit, MultinomialFit
from seqlab.families.mixture.posterior import log_sum, shares
from seqlab.families.mixture.reading import Bags, Numbers, check_columns, read_bags, read_points, read_weights
from seqlab.families.mixture.sampling import drawn_bags, drawn_points
from seqlab.learning.checkpoint import Directory, checked_checkpoint, opened
from seqlab.learning.history import History
from seqlab.learning.identity import digest, facts_of
from seqlab.learning.monitor import checked_patience, interrupted_later
from seqlab.learning.restarts import best_of
from seqlab.store.state import State
from seqlab.tagging.model import Model, from_fit
from seqlab.tagging.tagger import Sequences
from seqlab.tagging.training import Checkpoints

LEAST = -1e6  # log P of an impossible row of the development set


def _theta(model: Any) -> Numbers:
    """Return the parameters of the components, (k, features)."""
    emissions = model.emissions
    return np.asarray(emissions.B if isinstance(emissions, BagDistribution) else emissions.means)


@dataclass(frozen=True, slots=True, kw_only=True)
class _EM(BaumWelch):
    """Baum-Welch that ends when an epoch gains less than the tolerance for a weight of 1."""

    weight: float

    def enough(self, gain: float, value: float) -> bool:  # noqa: ARG002
        """Return True if an epoch gained too little to continue."""
        return gain <= self.tolerance * self.weight


class Mixture(Model):
    """Base class of mixture models; a subclass reads its data and computes the densities of its components.

    weights_    (k,) the weight of each component
    history_    see EMHistory: its log_likelihood never falls
    restarts_   the histories of all runs
    """

    _fit_class: ClassVar[Any] = MixtureFit
    _own: ClassVar[str]  # the option that only this mixture has
    _nothing: ClassVar[str]  # description of X without data, for messages
    _frozen: ClassVar[tuple[str, ...]] = ("transitions",)
    fit_: Any = None  # a MixtureFit, once there is one

    n_components: int
    init: Any
    restarts: int
    epochs: int
    tolerance: float
    seed: int

    # ------------------------------------------------------------------------------------------ what it has learned

    weights_: Numbers = from_fit("mu", "(k,) the weight of each component.")
    restarts_: tuple[History, ...] = from_fit("restarts", "The histories of all runs.")

    @property
    def history_(self) -> EMHistory:
        """The history of EM."""
        return EMHistory(tuple(self.fit_.log_likelihood.tolist()), self.fit_.converged)

    @property
    def n_features_in_(self) -> int:
        """The number of columns that X had."""
        return int(self.fit_.theta.shape[1])

    # ------------------------------------------------------------------------------------------ answers

    def predict(self, X: Sequences) -> npt.NDArray[np.int64]:
        """Find (n,) the most probable component of each row of X."""
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def predict_proba(self, X: Sequences) -> Numbers:
        """Compute (n, k) P(component | x) for x of X (eq:mixture-posterior); the weights where x is impossible."""
        self._check_fitted("predict_proba")
        return shares(self._joint(X), self.weights_)

    def score_samples(self, X: Sequences) -> Numbers:
        """Compute (n,) log P(x) for x of X."""
        self._check_fitted("score_samples")
        return log_sum(self._joint(X))

    def score(self, X: Sequences, y: Any = None, sample_weight: Any = None) -> float:  # noqa: ARG002  (scikit-learn's signature)
        """Average log P(x) over X, weighed by sample_weight, as scikit-learn's searches want it; y is ignored."""
        logs = self.score_samples(X)
        if not len(logs):
            raise ShapeError("there is no row in X, so a mean has no meaning")
        weights = read_weights(sample_weight, len(logs))
        counted = weights > 0
        return float(np.average(logs[counted], weights=weights[counted]))

    def fit_predict(self, X: Sequences, y: Any = None, *, sample_weight: Any = None) -> npt.NDArray[np.int64]:
        """Call fit(X, y, sample_weight=sample_weight), then predict(X)."""
        return self.fit(X, y, sample_weight=sample_weight).predict(X)

    def _joint(self, X: Any) -> Numbers:
        """Compute (n, k) log of mu_l P(x_i | l)."""
        fit = self.fit_
        known = self.n_features_in_ if fit.features is None else fit.features
        return logs(fit.mu) + self._log_density(self._read(X, known).rows, fit.theta)

    # ------------------------------------------------------------------------------------------ what a subclass knows

    def _read(self, X: Any, known: Any) -> Bags:
        """Read X; `known` are the features of training, names or their number, or None in training."""
        raise NotImplementedError

    def _log_density(self, rows: Any, theta: Numbers) -> Numbers:
        """Compute (n, k) log P(x_i | component)."""
        raise NotImplementedError

    def _drawn(self, data: Bags, weights: Numbers, chance: Chance) -> Numbers:
        """Draw initial components."""
        raise NotImplementedError

    def _emissions(self, theta: Numbers) -> Distribution:
        """Return the components as emissions of states."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------ learning

    def fit(
        self,
        X: Sequences,
        y: Any = None,  # noqa: ARG002  (scikit-learn's signature)
        *,
        dev: Sequences | None = None,
        patience: int | None = None,
        sample_weight: Any = None,
        checkpoint: Checkpoints = None,
    ) -> Self:
        """Find components of X by EM (eq:mixture-em); y is ignored.

        dev             a development set of other rows: the model that makes them most probable is kept
        patience        epochs without a better dev score before a run ends
        sample_weight   (n,) weights of the rows
        checkpoint      a directory, or a Checkpoint, that stores the training: the same call continues after a kill
        """
        checked_checkpoint(checkpoint)
        k = self._check_options()
        if checked_patience(patience) is not None and dev is None:
            raise OptionError("patience looks at a development set; pass one as dev=")
        data = self._read(X, None)
        held_out = None if dev is None else self._read(dev, data.size if data.names is None else data.names)
        if held_out is not None and not len(held_out.rows):
            raise ShapeError("dev has no row; leave it out, or give it some")
        weights = read_weights(sample_weight, len(data.rows))
        counted = weights > 0
        some, weights = replace(data, rows=data.rows.some(counted)), weights[counted]
        if not some.rows.values.size:
            raise ShapeError(
                f"X has {self._nothing.format(len(data.rows))}, so there is nothing to learn from"
            )
        if self.init is not None:
            starts = [self._given_start((k, data.size))]
            impossible = ~np.isfinite(self._log_density(some.rows, starts[0]).max(axis=1))
            if impossible.any():
                raise OptionError(
                    f"row {int(np.argmax(impossible))} of X is impossible under every component of init; "
                    f"give its features a probability above 0 in one of them"
                )
        else:
            chances = (np.random.default_rng([self.seed, run]) for run in range(self.restarts))
            starts = [self._drawn(some, weights, chance) for chance in chances]
        with interrupted_later():
            with opened(checkpoint, lambda: self._facts(some, weights, starts, held_out, patience)) as kept:
                found = self._best(some.rows, weights, starts, held_out, patience, kept)
            self.fit_ = self._fit_class(features=data.names, **found)
        return self

    def _facts(self, rows: Bags, weights: Numbers, starts: Any, dev: Any, patience: Any) -> dict[str, str]:
        """Describe a training, for its checkpoint."""
        seen = {"rows": digest(rows), "weights of rows": digest(weights), "starts": digest(starts)}
        return facts_of(self, **seen, dev=digest(dev), patience=patience)

    # eq:mixture-em   E: q_il = P(l | x_i).  M: mu_l = Σ_i q_il / n, theta_l = argmax Σ_i q_il log P(x_i | theta)
    def _best(
        self,
        rows: Any,
        weights: Numbers,
        starts: list[Numbers],
        held_out: Bags | None,
        patience: int | None,
        checkpoint: Directory | None,
    ) -> dict[str, Any]:
        """Run EM from each start and keep the best; return the fields of a fitted value."""
        k = self.n_components
        evidence = Evidence(rows, np.arange(len(weights) + 1, dtype=np.int64), weights)
        limits: dict[str, Any] = {"max_iterations": self.epochs, "tolerance": float(self.tolerance)}
        learner = _EM(frozen=self._frozen, weight=float(weights.sum()), **limits)
        prior = Dirichlet(emissions=float(getattr(self, "smoothing", 0.0)))
        names = tuple(map(str, range(k)))

        def train(run: int, threads: int, report: Any) -> Any:
            emissions = self._emissions(starts[run])
            model = HiddenMarkov(names, np.full(k, 1.0 / k), np.eye(k), None, emissions)
            return learner.train(model, replace(evidence), prior, threads, report)

        def judged(model: Any) -> float:
            density: Any = self._log_density(held_out.rows, _theta(model))  # type: ignore[union-attr]
            scores = log_sum(logs(model.pi) + density)
            return float(np.maximum(scores, LEAST).mean())

        judge, metric = (None, None) if held_out is None else (judged, "log_likelihood")
        threads = thread_count(None)
        best = best_of(
            train,
            len(starts),
            threads=threads,
            judge=judge,
            metric=metric,
            patience=patience,
            limit="epochs",
            checkpoint=checkpoint,
            kinds=(HiddenMarkov,),
        )
        model: Any = best.outcome.theta
        history, theta = best.history, _theta(model)
        likelihoods = [-math.inf if value is None else -value for value in history.objective]
        return {
            "theta": np.ascontiguousarray(theta),
            "mu": model.pi,
            "log_likelihood": np.array(likelihoods),
            "converged": history.reason in ("value", "fell"),
            "restarts": best.histories,
        }

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


class MultinomialMixture(Mixture):
    """A mixture of multinomials (naive Bayes without labels): each bag of features is drawn from one component.

    n_components   number of components, k
    smoothing      added to every expected count of a feature (eq:multinomial-mixture), 0 for none
    init           (k, V) probabilities of features to begin with; None draws them
    restarts       number of starts; the run with the highest log-likelihood is kept
    epochs         largest number of EM steps
    tolerance      ends when an epoch gains less log-likelihood per bag
    seed           of the random starts

    X is a table of counts (n, V), an array or a sparse matrix of SciPy, or a list of bags: dicts {feature: count}, or
    lists of words. Features that were not in training are ignored. log P(x) is that of the features in one order,
    without the multinomial coefficient.

    weights_         (k,)     the share of each component
    probabilities_   (k, V)   P(feature | component)
    features_        names of the features, sorted; None for tables
    history_         its log_likelihood, with the log of the prior that smoothing corresponds to, never falls
    """

    _kind, _own, _nothing = "multinomial mixture", "smoothing", "{} bags and no feature at all"
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

    probabilities_: Numbers = from_fit("theta", "(k, V) P(feature | component).")
    features_: tuple[str, ...] | None = from_fit(
        "features", "The names of the features, sorted; None for tables."
    )

    def sample(self, n: int = 1, seed: int = 0, *, length: int | None = None) -> list[list[Any]]:
        """Draw n bags of `length` features each; the same seed draws the same ones."""
        self._check_fitted("sample")
        return drawn_bags(self.weights_, self.probabilities_, self.features_, n, seed, length)

    def _read(self, X: Any, known: Any) -> Bags:
        return read_bags(X, known)

    # eq:multinomial-mixture   log P(x | l) = Σ_j x_j log theta_lj
    def _log_density(self, rows: Any, theta: Numbers) -> Numbers:
        return np.asarray(rows.scores(logs(theta.T)))

    def _emissions(self, theta: Numbers) -> Distribution:
        return BagDistribution(Symbols(theta.shape[1]), np.ascontiguousarray(theta.T))

    def _drawn(self, data: Bags, weights: Numbers, chance: Chance) -> Numbers:
        """Draw initial components: half a bag, half all of them, so that nothing is impossible."""
        rows, k = data.rows, self.n_components
        everything = rows.counts(weights[:, None], data.size)[:, 0] + float(self.smoothing)
        full = np.flatnonzero(np.diff(rows.begin))
        one = np.zeros((len(weights), k))
        one[chance.choice(full, k, replace=len(full) < k), np.arange(k)] = 1.0
        single = rows.counts(one, data.size).T
        theta = 0.5 * everything / everything.sum() + 0.5 * single / single.sum(axis=1, keepdims=True)
        # With some noise: two equal components would stay equal for ever.
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


class GaussianMeans(Mixture):
    """A mixture of Gaussians with unknown means and a known variance.

    n_components   number of components, k
    variance       of every component in every dimension
    init           (k, D) initial means; None draws points of X, distant ones more often
    restarts, epochs, tolerance, seed   as for MultinomialMixture

    weights_   (k,)     the share of each component
    means_     (k, D)
    history_   its log_likelihood never falls
    """

    _kind, _own, _nothing = "gaussian means", "variance", "no row"
    _frozen = ("transitions", "covariances")

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

    means_: Numbers = from_fit("theta", "(k, D) the means of the components.")

    def sample(self, n: int = 1, seed: int = 0, *, length: int | None = None) -> Numbers:
        """Draw n points, (n, D); the same seed draws the same ones. Points have no length: it must be None."""
        self._check_fitted("sample")
        return drawn_points(self.weights_, self.means_, self.variance, n, seed, length)

    def _read(self, X: Any, known: Any) -> Bags:
        points = read_points(X)
        check_columns(points.shape[1], known)
        return Bags(VectorRows(points), points.shape[1])

    # eq:gaussian-means   log P(x | l) = -|x - theta_l|² / 2 v - ½ D log 2π v
    def _log_density(self, rows: Any, theta: Numbers) -> Numbers:
        points, variance = rows.values, float(self.variance)
        columns = [((points - mean) ** 2).sum(axis=1) for mean in theta]
        constant = 0.5 * points.shape[1] * math.log(2 * math.pi * variance)
        with np.errstate(over="ignore"):  # a point at infinite distance has probability 0
            return np.asarray(np.array(columns).T / (-2 * variance) - constant)

    def _emissions(self, theta: Numbers) -> Distribution:
        return GaussianDistribution(Gaussian("spherical"), theta, np.full(len(theta), float(self.variance)))

    def _drawn(self, data: Bags, weights: Numbers, chance: Chance) -> Numbers:
        return spread(data.rows.values, self.n_components, chance, weights)
