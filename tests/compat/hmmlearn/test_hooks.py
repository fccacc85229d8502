"""Subclasses of BaseHMM and of our models train through their hooks."""

import numpy as np
import pytest
from pytest import approx

from seqlab.compat.hmmlearn import base, hmm

X = np.random.default_rng(0).exponential(size=(120, 1)) * np.repeat([[1.0], [8.0], [1.0]], 40, axis=0)
LENGTHS = [50, 1, 69]


def exponential(Base):  # noqa: C901  (hooks, not branches)
    """A model of waiting times, written as users of hmmlearn write one."""

    class ExponentialHMM(Base):
        seen = None

        def _init(self, X, lengths=None):
            super()._init(X, lengths)
            if self._needs_init("r", "rates_"):
                self.rates_ = np.linspace(0.2, 2, self.n_components) / X.mean()

        def _check(self):
            super()._check()
            if not (np.asarray(self.rates_) > 0).all():
                raise ValueError("rates_ must be positive")

        def _get_n_fit_scalars_per_param(self):
            k = self.n_components
            return dict.fromkeys(self.params, 0) | {"s": k - 1, "t": k * (k - 1), "r": k}

        def _compute_log_likelihood(self, X):
            return np.log(self.rates_) - X * self.rates_

        def _initialize_sufficient_statistics(self):
            stats = super()._initialize_sufficient_statistics()
            return stats | {"post": np.zeros(self.n_components), "sum": np.zeros(self.n_components)}

        def _accumulate_sufficient_statistics(self, stats, X, lattice, posteriors, fwdlattice, bwdlattice):
            super()._accumulate_sufficient_statistics(
                stats=stats,
                X=X,
                lattice=lattice,
                posteriors=posteriors,
                fwdlattice=fwdlattice,
                bwdlattice=bwdlattice,
            )
            stats["post"] += posteriors.sum(axis=0)
            stats["sum"] += (posteriors * X).sum(axis=0)
            self.seen = lattice, posteriors, fwdlattice, bwdlattice

        def _do_mstep(self, stats):
            super()._do_mstep(stats)
            if "r" in self.params:
                self.rates_ = stats["post"] / stats["sum"]

        def _generate_sample_from_state(self, state, random_state):
            return [random_state.exponential(1 / self.rates_[state])]

    return ExponentialHMM


@pytest.mark.parametrize("implementation", ["log", "scaling"])
def test_a_subclass_trains_as_with_hmmlearn(implementation):
    peer = pytest.importorskip("hmmlearn.base")
    options = {"n_iter": 20, "tol": 1e-4, "random_state": 1, "implementation": implementation}
    theirs, mine = (exponential(one)(2, **options).fit(X, LENGTHS) for one in (peer.BaseHMM, base.BaseHMM))
    assert list(mine.monitor_.history) == approx(list(theirs.monitor_.history), rel=1e-8)
    assert mine.rates_ == approx(theirs.rates_, rel=1e-8)
    assert mine.transmat_ == approx(theirs.transmat_, abs=1e-8)
    for ours, other in zip(mine.seen, theirs.seen, strict=True):  # what the hook was given
        assert ours == approx(other, rel=1e-7, abs=1e-9)
    assert mine.predict(X, LENGTHS).tolist() == theirs.predict(X, LENGTHS).tolist()
    assert mine.sample(5, random_state=2)[0] == approx(theirs.sample(5, random_state=2)[0], rel=1e-7)
    assert mine.bic(X) == approx(theirs.bic(X), rel=1e-8)


def test_likelihoods_in_place_of_logs_do_too():
    class Stub(base.BaseHMM):
        def _compute_likelihood(self, X):
            return np.array([[0.9, 0.2], [0.1, 0.8], [0.9, 0.2]])

    model = Stub(2)
    model.startprob_, model.transmat_ = [0.5, 0.5], [[0.7, 0.3], [0.3, 0.7]]
    A, B = np.array(model.transmat_), np.array([[0.9, 0.2], [0.1, 0.8], [0.9, 0.2]])
    paths = {
        (i, j, k): 0.5 * B[0, i] * A[i, j] * B[1, j] * A[j, k] * B[2, k]
        for i in (0, 1)
        for j in (0, 1)
        for k in (0, 1)
    }
    assert model.score(np.zeros((3, 1))) == approx(np.log(sum(paths.values())))
    assert tuple(model.predict(np.zeros((3, 1)))) == max(paths, key=paths.get)
    middle = sum(p for path, p in paths.items() if path[1] == 1) / sum(paths.values())
    assert model.predict_proba(np.zeros((3, 1)))[1, 1] == approx(middle)


def test_no_likelihood_at_all_is_said():
    model = base.BaseHMM(2)
    model.startprob_, model.transmat_ = [0.5, 0.5], np.full((2, 2), 0.5)
    assert model.sample(4)[1].shape == (4,)
    with pytest.raises(NotImplementedError, match="_compute_log_likelihood"):
        model.score(np.zeros((3, 1)))


def test_a_hook_on_a_ready_model_sees_every_sequence():
    class Watching(hmm.GaussianHMM):
        seen = ()

        def _accumulate_sufficient_statistics(self, stats, X, lattice, posteriors, fwdlattice, bwdlattice):
            super()._accumulate_sufficient_statistics(stats, X, lattice, posteriors, fwdlattice, bwdlattice)
            self.seen = (*self.seen, len(X))

    watched = Watching(2, n_iter=4, tol=-np.inf, random_state=0).fit(X, LENGTHS)
    plain = hmm.GaussianHMM(2, n_iter=4, tol=-np.inf, random_state=0).fit(X, LENGTHS)
    assert watched.seen == (50, 1, 69) * 4
    assert watched.means_ == approx(plain.means_, abs=1e-10)
    assert watched.transmat_ == approx(plain.transmat_, abs=1e-10)


def test_a_monitor_of_ones_own_decides_when_to_stop():
    class Threshold(base.ConvergenceMonitor):
        @property
        def converged(self):
            return self.iter == 3

    model = hmm.GaussianHMM(2, n_iter=50, random_state=0)
    model.monitor_ = Threshold(model.monitor_.tol, model.monitor_.n_iter, model.monitor_.verbose)
    assert model.fit(X).monitor_.iter == 3


@pytest.mark.parametrize("implementation", ["log", "scaling"])
def test_the_e_step_of_a_sequence_is_a_hook(implementation):
    """A subclass that sharpens posteriors between forward-backward and the sums, as with hmmlearn."""
    peer = pytest.importorskip("hmmlearn.hmm")

    def hardened(Base):
        class Hardened(Base):
            def _fit_log(self, X):
                lattice, log_prob, posteriors, ahead, behind = super()._fit_log(X)
                assert posteriors == approx(self._compute_posteriors_log(ahead, behind))
                return lattice, log_prob, np.round(posteriors), ahead, behind

            def _fit_scaling(self, X):
                lattice, log_prob, posteriors, ahead, behind = super()._fit_scaling(X)
                assert posteriors == approx(self._compute_posteriors_scaling(ahead, behind))
                return lattice, log_prob, np.round(posteriors), ahead, behind

            def _check(self):
                super()._check()
                self._check_sum_1("transmat_")

        return Hardened(2, n_iter=5, tol=-np.inf, random_state=0, implementation=implementation).fit(
            X, LENGTHS
        )

    theirs, mine = hardened(peer.GaussianHMM), hardened(hmm.GaussianHMM)
    assert mine.means_ == approx(theirs.means_, rel=1e-8)
    assert list(mine.monitor_.history) == approx(list(theirs.monitor_.history), rel=1e-8)
    plain = hmm.GaussianHMM(2, n_iter=5, tol=-np.inf, random_state=0).fit(X, LENGTHS)
    assert plain.means_ != approx(mine.means_, rel=1e-6)
