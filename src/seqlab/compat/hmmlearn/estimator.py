"""hmmlearn's estimator over the core: questions, the loop of training, and the hooks that subclasses override."""

from __future__ import annotations

import logging
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_is_fitted, check_random_state

from seqlab.compat.hmmlearn import _hmmc
from seqlab.compat.hmmlearn._utils import split_X_lengths
from seqlab.compat.hmmlearn.monitor import ConvergenceMonitor
from seqlab.compat.hmmlearn.utils import log_normalize, normalize
from seqlab.errors import OptionError, Place, ScoreError, ShapeError
from seqlab.families.hmm.emissions.base import Floats, logs

DECODER_ALGORITHMS = frozenset(("viterbi", "map"))
IMPLEMENTATIONS = ("log", "scaling")
SMALLEST = -690.0  # log of the least number that hmmlearn's scaling takes
Ids = npt.NDArray[np.int64]
Stats = dict[str, Any]

log = logging.getLogger("hmmlearn.base")  # programs that silence hmmlearn do it by this name


class _AbstractHMM(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Hidden Markov model of any kind of training; BaseHMM and VariationalBaseHMM explain the arguments."""

    # What the E step reads: start, moves, and the hooks for logs and for probabilities of rows.
    _estep_names = ("startprob_", "transmat_", "_compute_log_likelihood", "_compute_likelihood")

    startprob_: Any
    transmat_: Any
    n_features: Any

    def __init__(
        self,
        n_components: int,
        algorithm: str,
        random_state: Any,
        n_iter: int,
        tol: float,
        verbose: bool,
        params: str,
        init_params: str,
        implementation: str,
    ) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.random_state = random_state
        self.n_iter = n_iter
        self.tol = tol
        self.verbose = verbose
        self.params = params
        self.init_params = init_params
        self.implementation = implementation
        self.monitor_ = ConvergenceMonitor(self.tol, self.n_iter, self.verbose)

    # ------------------------------------------------------------------------------------------ questions

    def score(self, X: Any, lengths: Any = None) -> float:
        """Compute the log-likelihood of rows X (T, D), of sequences with these lengths; one sequence without."""
        return float(_hmmc.log_likelihoods(self._trellises(X, lengths)).sum())

    def score_samples(self, X: Any, lengths: Any = None) -> tuple[float, Floats]:
        """Compute the log-likelihood of X, and P(state | sequence) for each row (T, K); lengths as in score."""
        log_z, gamma = _hmmc.posteriors(self._trellises(X, lengths))
        return float(log_z.sum()), gamma

    def predict_proba(self, X: Any, lengths: Any = None) -> Floats:
        """Compute P(state | sequence) for each row of X (T, K); lengths as in score."""
        return self.score_samples(X, lengths)[1]

    def decode(self, X: Any, lengths: Any = None, algorithm: str | None = None) -> tuple[float, Ids]:
        """Find the states of each row of X (T,), and their log probability; lengths as in score.

        algorithm   "viterbi" or "map" instead of the model's own; "map" gives the sum of probabilities of its states
        """
        chosen = algorithm or self.algorithm
        if chosen not in DECODER_ALGORITHMS:
            raise OptionError(f"algorithm must be 'viterbi' or 'map', got {chosen!r}")
        rows = self._frames(X, lengths)
        if chosen == "viterbi":
            scores, states = _hmmc.paths(self.startprob_, self.transmat_, *rows)
            return float(scores.sum()), states
        gamma = _hmmc.posteriors(_hmmc.trellises(self.startprob_, self.transmat_, *rows))[1]
        return gamma.max(axis=1).sum(), gamma.argmax(axis=1)  # NumPy's number, as there

    def predict(self, X: Any, lengths: Any = None) -> Ids:
        """Find the states of each row of X (T,); lengths as in score."""
        return self.decode(X, lengths)[1]

    def sample(
        self, n_samples: int = 1, random_state: Any = None, currstate: int | None = None
    ) -> tuple[npt.NDArray[Any], Ids]:
        """Draw a sequence: rows (n_samples, D), and their states (n_samples,).

        random_state   seed or RandomState; None for the model's own
        currstate      the first state; None to draw it
        """
        self._checked()
        chance = check_random_state(self.random_state if random_state is None else random_state)
        moves = np.cumsum(self.transmat_, axis=1)
        state = _drawn(np.cumsum(self.startprob_), chance) if currstate is None else int(currstate)
        states, rows = [state], [self._generate_sample_from_state(state, random_state=chance)]
        for _ in range(n_samples - 1):
            state = _drawn(moves[state], chance)
            states.append(state)
            rows.append(self._generate_sample_from_state(state, random_state=chance))
        return np.atleast_2d(rows), np.array(states, dtype=np.int64)

    def get_stationary_distribution(self) -> Floats:
        """Compute the long-run share of each state (K,): the left eigenvector of transmat_ for the eigenvalue 1."""
        check_is_fitted(self, "transmat_")
        values, vectors = np.linalg.eig(np.asarray(self.transmat_).T)
        vector = np.real(vectors[:, np.argmax(values.real)])
        return np.asarray(vector / vector.sum())

    # ------------------------------------------------------------------------------------------ training

    def fit(self, X: Any, lengths: Any = None) -> Self:
        """Estimate the parameters by EM on rows X (T, D), of sequences with these lengths; one sequence without."""
        X, lengths = self._read(X, lengths)
        if self.implementation not in IMPLEMENTATIONS:
            raise OptionError(f"implementation must be 'log' or 'scaling', got {self.implementation!r}")
        self._init(X, lengths)
        self._check()
        self.monitor_._reset()
        for _ in range(self.n_iter):
            with np.errstate(under="ignore"):  # small probabilities may become 0
                stats, log_prob = self._do_estep(X, lengths)
                bound = self._compute_lower_bound(log_prob)
                self._do_mstep(stats)  # before the question whether it has converged: n_iter=1 is one step
            self.monitor_.report(bound)
            if self.monitor_.converged:
                break
            if (self.transmat_.sum(axis=1) == 0).any():
                log.warning("a row of transmat_ sums to 0: no sequence goes on from its state")
        return self

    def _do_estep(self, X: Any, lengths: Any) -> tuple[Stats, float]:
        """Sum up the statistics of all sequences: in one pass of the core, or one by one for hooks of a subclass."""
        stats = self._initialize_sufficient_statistics()
        self._estep_begin()
        start, moves, *likelihoods = self._estep_names
        if self._has_own(*likelihoods, "_fit_log", "_fit_scaling", "_accumulate_sufficient_statistics"):
            return stats, sum(self._one_by_one(stats, part) for part in split_X_lengths(X, lengths))
        frames = self._scalable(getattr(self, likelihoods[0])(X))
        tables = logs(getattr(self, start)), getattr(self, moves)
        found, gamma = _hmmc.expectation(*tables, frames, lengths)
        stats["nobs"] += len(lengths)
        if "s" in self.params:
            stats["start"] += found.start
        if "t" in self.params:
            stats["trans"] += found.edge
        self._accumulate_emissions(stats, X, gamma)
        return stats, float(found.log_z.sum())

    def _one_by_one(self, stats: Stats, X: Any) -> float:
        found = self._fit_scaling(X) if self.implementation == "scaling" else self._fit_log(X)
        frames, log_prob, posteriors, ahead, behind = found
        self._accumulate_sufficient_statistics(stats, X, frames, posteriors, ahead, behind)
        return float(log_prob)

    def _fit_log(self, X: Any) -> tuple[Any, float, Floats, Floats, Floats]:
        """Run the E step of one sequence in logs: rows, log P(x), posteriors, forward and backward table; a hook."""
        start, moves, log_likelihood, _ = (getattr(self, name) for name in self._estep_names)
        frames = log_likelihood(X)
        log_prob, ahead = _hmmc.forward_log(start, moves, frames)
        _hmmc.refuse_impossible(np.array([log_prob]))
        behind = _hmmc.backward_log(start, moves, frames)
        return frames, log_prob, self._compute_posteriors_log(ahead, behind), ahead, behind

    def _fit_scaling(self, X: Any) -> tuple[Any, float, Floats, Floats, Floats]:
        """Run the E step of one sequence on scaled probabilities, with the answers of _fit_log; a hook."""
        start, moves, _, likelihood = (getattr(self, name) for name in self._estep_names)
        frames = likelihood(X)
        log_prob, ahead, scaling = _hmmc.forward_scaling(start, moves, frames)
        behind = _hmmc.backward_scaling(start, moves, frames, scaling)
        return frames, log_prob, self._compute_posteriors_scaling(ahead, behind), ahead, behind

    def _compute_posteriors_log(self, fwdlattice: Floats, bwdlattice: Floats) -> Floats:
        """Compute P(state | sequence) (T, K) of tables in logs."""
        both = fwdlattice + bwdlattice
        log_normalize(both, axis=1)
        return np.exp(both)

    def _compute_posteriors_scaling(self, fwdlattice: Floats, bwdlattice: Floats) -> Floats:
        """Compute P(state | sequence) (T, K) of scaled tables."""
        both = fwdlattice * bwdlattice
        normalize(both, axis=1)
        return both

    def _estep_begin(self) -> None:
        """Prepare an E step; a hook."""

    def _compute_lower_bound(self, curr_logprob: float) -> float:
        """Return what the monitor sees of an iteration; a hook."""
        return curr_logprob

    def _initialize_sufficient_statistics(self) -> Stats:
        """Make sums of zero: "nobs" sequences, "start" (K,), "trans" (K, K); subclasses add their own."""
        k = self.n_components
        return {"nobs": 0, "start": np.zeros(k), "trans": np.zeros((k, k))}

    def _accumulate_sufficient_statistics(
        self, stats: Stats, X: Any, lattice: Any, posteriors: Any, fwdlattice: Any, bwdlattice: Any
    ) -> None:
        """Add one sequence X to the sums.

        lattice                  P(x_t | state) with implementation="scaling", its log with "log"
        posteriors               P(state | sequence)
        fwdlattice, bwdlattice   forward and backward tables, scaled or in logs
        """
        stats["nobs"] += 1
        if "s" in self.params:
            stats["start"] += posteriors[0]
        if "t" in self.params and len(lattice) > 1:
            moves = getattr(self, self._estep_names[1])
            if self.implementation == "scaling":
                stats["trans"] += _hmmc.compute_scaling_xi_sum(fwdlattice, moves, bwdlattice, lattice)
            else:
                stats["trans"] += np.exp(_hmmc.compute_log_xi_sum(fwdlattice, moves, bwdlattice, lattice))
        self._accumulate_emissions(stats, X, posteriors)

    def _accumulate_emissions(self, stats: Stats, X: Any, posteriors: Floats) -> None:
        """Add rows X, weighted by posteriors, to the sums of the emissions; those of one sequence or of many."""

    def _do_mstep(self, stats: Stats) -> None:
        """Estimate the parameters of the sums; a hook."""
        raise NotImplementedError("_do_mstep must be overridden")

    # ------------------------------------------------------------------------------------------ hooks of the emissions

    def _compute_log_likelihood(self, X: Any) -> Floats:
        """Compute log P(x_t | state) (T, K); a hook, or _compute_likelihood instead."""
        if type(self)._compute_likelihood is _AbstractHMM._compute_likelihood:
            raise NotImplementedError("_compute_log_likelihood or _compute_likelihood must be overridden")
        return logs(np.asarray(self._compute_likelihood(X), dtype=np.float64))

    def _compute_likelihood(self, X: Any) -> Floats:
        """Compute P(x_t | state) (T, K); a hook, or _compute_log_likelihood instead."""
        if type(self)._compute_log_likelihood is _AbstractHMM._compute_log_likelihood:
            raise NotImplementedError("_compute_log_likelihood or _compute_likelihood must be overridden")
        with np.errstate(under="ignore"):
            return np.asarray(np.exp(self._compute_log_likelihood(X)))

    def _generate_sample_from_state(self, state: int, random_state: Any = None) -> Any:  # noqa: ARG002
        """Draw a row from a state; a hook, without which rows are empty."""
        return ()

    def _get_n_fit_scalars_per_param(self) -> dict[str, int] | None:
        """Count free parameters by letter; a hook, None for unknown."""
        return None

    # ------------------------------------------------------------------------------------------ start and checks

    def _init(self, X: Any, lengths: Any = None) -> None:  # noqa: ARG002
        """Make a start for X; subclasses add their own."""
        self._check_and_set_n_features(X)

    def _say_degenerate(self, X: Any) -> None:
        """Log a warning if X has fewer numbers than training is to find."""
        counts = self._get_n_fit_scalars_per_param()
        free = 0 if counts is None else sum(counts.get(letter, 0) for letter in self.params)
        if X.size < free:
            log.warning(
                "%d free numbers are to be learned from %d: that is a degenerate solution",
                free,
                X.size,
            )

    def _needs_init(self, code: str, name: str) -> bool:
        """Tell whether fit makes a start for an attribute: its letter is in init_params, or it is not set."""
        present = hasattr(self, name)
        if code in self.init_params and present:
            log.warning(
                "%r was set, but will be overwritten, since init_params has %r",
                name,
                code,
            )
        return code in self.init_params or not present

    def _check_and_set_n_features(self, X: Any) -> None:
        """Compare the number of columns of X with n_features, or set that."""
        if not hasattr(self, "n_features"):
            self.n_features = X.shape[1]
        elif self.n_features != X.shape[1]:
            raise ShapeError(f"X has {X.shape[1]} columns, but the model has n_features={self.n_features}")

    def _check(self) -> None:
        """Check the parameters; a hook."""
        raise NotImplementedError("_check must be overridden")

    def _distribution(self, name: str, shape: tuple[int, ...]) -> Floats:
        """Return an attribute as probabilities of this shape."""
        value = np.asarray(getattr(self, name), dtype=np.float64)
        if value.shape != shape:
            raise ShapeError(f"{name} must have shape {shape}, got {value.shape}")
        if not (value >= 0).all():
            raise OptionError(f"{name} must be probabilities, from 0 up, got {value.min()}")
        setattr(self, name, value)
        self._check_sum_1(name)
        return value

    def _check_sum_1(self, name: str) -> None:
        """Check that the rows of an attribute sum to 1."""
        sums = getattr(self, name).sum(axis=-1)
        if not (np.abs(sums - 1) <= 1e-5).all():
            raise OptionError(f"{name} must sum to 1 over each row, got {sums}")

    def _checked(self) -> None:
        check_is_fitted(self, "startprob_")
        self._check()

    def _read(self, X: Any, lengths: Any) -> tuple[Any, Ids]:
        """Read what a user gave: rows, and lengths that sum to their number."""
        X = check_array(X)
        lengths = np.atleast_1d(len(X) if lengths is None else lengths)
        if lengths.ndim != 1 or lengths.dtype.kind not in "iu" or (lengths < 0).any():
            raise ShapeError(f"lengths must be a list of whole numbers from 0 up, got {lengths!r:.80}")
        if lengths.sum() != len(X):
            raise ShapeError(f"lengths must sum to the {len(X)} rows of X, but they sum to {lengths.sum()}")
        return X, lengths[lengths > 0].astype(np.int64)

    def _trellises(self, X: Any, lengths: Any) -> Any:
        """Make the trellises of what a user gave."""
        rows = self._frames(X, lengths)
        return _hmmc.trellises(self.startprob_, self.transmat_, *rows)

    def _frames(self, X: Any, lengths: Any) -> tuple[Floats, Ids]:
        """Compute log P(x_t | state) (T, K) of what a user gave, and lengths."""
        self._checked()
        X, lengths = self._read(X, lengths)
        with np.errstate(under="ignore"):
            if self._has_own("_compute_log_likelihood", "_compute_likelihood"):
                parts = [
                    np.asarray(self._compute_log_likelihood(part)) for part in split_X_lengths(X, lengths)
                ]
                frames, lengths = np.concatenate(parts), np.array([len(part) for part in parts])
            else:
                frames = self._scalable(self._compute_log_likelihood(X))
        return frames, lengths

    def _scalable(self, frames: Floats) -> Floats:
        """Refuse rows that scaled numbers cannot hold, with implementation="scaling"; "log" takes them."""
        if self.implementation == "scaling" and (lost := frames.max(axis=1) < SMALLEST).any():
            raise ScoreError(
                "it is so improbable in every state that scaled numbers underflow; implementation='log' takes it",
                place=Place(int(lost.argmax()), unit="row", of="X"),
            )
        return frames

    def _has_own(self, *names: str) -> bool:
        """Tell whether a subclass outside this package has one of these hooks: then sequences go one by one."""
        here = __name__.rpartition(".")[0]
        return any(not getattr(type(self), name).__module__.startswith(here) for name in names)


def _drawn(cumulated: Floats, chance: Any) -> int:
    """Draw the index of a cumulated distribution with one uniform number."""
    return int((cumulated > chance.rand()).argmax())
