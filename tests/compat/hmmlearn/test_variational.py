"""Variational models: their laws, and the numbers of hmmlearn.vhmm from the same start."""

import logging
import warnings

import numpy as np
import pytest
from pytest import approx
from scipy import integrate, special, stats

from seqlab.compat.hmmlearn import _kl_divergence as kl
from seqlab.compat.hmmlearn import base, vhmm

KINDS = ["spherical", "diag", "full", "tied"]
LENGTHS = [60, 1, 100, 139]
T = sum(LENGTHS)
SAME = 1e-8


def vectors(seed=0, width=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(T, width)) + 3 * rng.integers(3, size=(T, 1))


def symbols(seed=0):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(T) < 0.5, np.arange(T) // 20 % 3, rng.integers(5, size=T)).reshape(-1, 1)


# ------------------------------------------------------------------------------------------------ laws


def integral(q, p, points):
    """KL by quadrature over one number."""
    return integrate.quad(lambda x: q.pdf(x) * (q.logpdf(x) - p.logpdf(x)), 0, points, limit=200)[0]


def test_divergences_are_the_integrals():  # eq:kl-divergence
    q, p = [2.5, 4.0], [1.5, 1.2]
    assert kl.kl_dirichlet(q, p) == approx(integral(stats.beta(*q), stats.beta(*p), 1), rel=1e-7)
    shapes = stats.gamma(2.5, scale=1 / 3.0), stats.gamma(1.5, scale=1 / 0.7)
    assert kl.kl_gamma_distribution(2.5, 3.0, 1.5, 0.7) == approx(integral(*shapes, 60), rel=1e-7)
    # A Wishart matrix of one number is a gamma variable with half the degrees of freedom and half the scale.
    one = kl.kl_wishart_distribution(5.0, [[6.0]], 3.0, [[1.4]])
    assert one == approx(kl.kl_gamma_distribution(2.5, 3.0, 1.5, 0.7), rel=1e-12)
    single = kl.kl_normal_distribution(1.0, 2.0, 0.5, 3.0)
    assert kl.kl_multivariate_normal_distribution([1.0], [[2.0]], [0.5], [[3.0]]) == approx(single)
    assert single == approx(0.5 * (0.25 / 3 + 2 / 3 - 1 - np.log(2 / 3)))


def test_divergences_of_vectors_are_means_over_draws():  # eq:kl-divergence
    S, R = np.array([[3.0, 0.5], [0.5, 2.0]]), np.array([[1.0, -0.2], [-0.2, 2.0]])
    q, p = stats.wishart(9, np.linalg.inv(S)), stats.wishart(5, np.linalg.inv(R))
    draws = np.moveaxis(q.rvs(20000, random_state=0), 0, -1)
    assert kl.kl_wishart_distribution(9, S, 5, R) == approx(
        (q.logpdf(draws) - p.logpdf(draws)).mean(), abs=0.02
    )
    a, b = stats.multivariate_normal([1, 0], S), stats.multivariate_normal([0, 1], R)
    x = a.rvs(20000, random_state=1)
    found = kl.kl_multivariate_normal_distribution([1, 0], S, [0, 1], R)
    assert found == approx((a.logpdf(x) - b.logpdf(x)).mean(), abs=0.05)


def test_divergences_know_their_borders():
    assert kl.kl_dirichlet([1.0, 0.0, 2.0], [3.0, 0.0, 1.0]) == approx(
        kl.kl_dirichlet([1.0, 2.0], [3.0, 1.0])
    )
    assert kl.kl_dirichlet([1.0, 0.0], [1.0, 1.0]) == np.inf
    assert kl.kl_wishart_distribution(1.0, np.eye(4), 4.0, np.eye(4)) == np.inf
    several = kl.kl_dirichlet([[1.0, 2.0], [3.0, 1.0]], np.ones((2, 2)))
    assert several == approx(
        [kl.kl_dirichlet([1.0, 2.0], [1.0, 1.0]), kl.kl_dirichlet([3.0, 1.0], [1.0, 1.0])]
    )


def test_the_bound_of_one_state_is_the_evidence():  # eq:variational-hmm
    X = symbols()
    model = vhmm.VariationalCategoricalHMM(1, emissionprob_prior=0.7, random_state=0).fit(X, LENGTHS)
    counts = np.bincount(X[:, 0])
    evidence = special.gammaln(0.7 * 5) - special.gammaln(0.7 * 5 + T)
    evidence += (special.gammaln(0.7 + counts) - special.gammaln(0.7)).sum()
    assert model.monitor_.history[-1] == approx(evidence, rel=1e-10)
    assert model.emissionprob_[0] == approx((counts + 0.7) / (T + 3.5))


def test_the_bound_of_one_gaussian_is_the_evidence():  # eq:expected-gaussian
    x = np.random.default_rng(0).normal(2.0, 1.5, size=(12, 1))
    options = {"means_prior": [[1.0]], "beta_prior": [0.5], "dof_prior": [3.0], "scale_prior": [[[2.0]]]}
    model = vhmm.VariationalGaussianHMM(1, **options, random_state=0).fit(x)
    # With mean and precision integrated out, each row has a Student distribution given those before.
    m, beta, dof, scale, evidence = 1.0, 0.5, 3.0, 2.0, 0.0
    for (one,) in x:
        spread = np.sqrt(scale * (beta + 1) / (beta * dof))
        evidence += stats.t.logpdf(one, dof, m, spread)
        scale += beta / (beta + 1) * (one - m) ** 2
        m, beta, dof = (beta * m + one) / (beta + 1), beta + 1, dof + 1
    assert model.monitor_.history[-1] - 0.5 * len(x) * np.log(2 * np.pi) == approx(evidence, rel=1e-10)
    assert (model.means_posterior_[0, 0], model.scale_posterior_[0, 0, 0]) == approx((m, scale))


@pytest.mark.parametrize("kind", ["full", "tied", "diag"])
def test_expected_log_densities_are_means_over_draws(kind):  # eq:expected-gaussian
    model = vhmm.VariationalGaussianHMM(2, kind, random_state=0, n_iter=3, tol=-np.inf).fit(vectors())
    x, rng = np.array([[0.5, 1.0], [3.0, 2.0]]), np.random.RandomState(0)
    if kind == "diag":  # hmmlearn's: the expectation under a full matrix whose scale is diagonal
        scales = [np.diag(row) for row in model.scale_posterior_]
    else:
        scales = np.broadcast_to(model.scale_posterior_, (2, 2, 2))
    dofs = np.broadcast_to(model.dof_posterior_, 2)
    found = model._compute_subnorm_log_likelihood(x) - np.log(2 * np.pi)
    for state in (0, 1):
        draws = stats.wishart(dofs[state], np.linalg.inv(scales[state])).rvs(4000, random_state=rng)
        noise = rng.normal(size=(4000, 2))
        roots = np.linalg.cholesky(np.linalg.inv(draws * model.beta_posterior_[state]))
        means = model.means_posterior_[state] + np.einsum("nij,nj->ni", roots, noise)
        away = x[:, None] - means
        logs = np.linalg.slogdet(draws)[1] / 2 - np.einsum("tni,nij,tnj->tn", away, draws, away) / 2
        assert found[:, state] == approx(logs.mean(axis=1) - np.log(2 * np.pi), abs=0.05)


@pytest.mark.parametrize("kind", KINDS)
def test_the_bound_never_falls(kind):  # eq:variational-hmm
    history = vhmm.VariationalGaussianHMM(4, kind, random_state=1).fit(vectors(), LENGTHS).monitor_.history
    assert (np.diff(history) > -1e-7 * abs(history[-1])).all()
    assert history[-1] > history[0]
    history = vhmm.VariationalCategoricalHMM(4, random_state=1).fit(symbols(), LENGTHS).monitor_.history
    assert (np.diff(history) > -1e-9 * abs(history[-1])).all()


# ------------------------------------------------------------------------------------------------ beside hmmlearn


@pytest.fixture
def peer(caplog):
    caplog.set_level(logging.CRITICAL, logger="hmmlearn")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield pytest.importorskip("hmmlearn.vhmm")


def same(theirs, mine, X):
    learned = [name for name in vars(theirs) if name.endswith("_") and name != "monitor_"]
    assert {"startprob_", "transmat_", "startprob_posterior_"} < set(learned)
    for name in learned:
        assert np.shape(getattr(mine, name)) == np.shape(getattr(theirs, name)), name
        assert getattr(mine, name) == approx(getattr(theirs, name), rel=SAME, abs=SAME), name
    assert list(mine.monitor_.history) == approx(list(theirs.monitor_.history), rel=SAME)
    assert mine.monitor_.iter == theirs.monitor_.iter
    assert mine.score(X, LENGTHS) == approx(theirs.score(X, LENGTHS), rel=SAME)
    assert mine.predict_proba(X, LENGTHS) == approx(theirs.predict_proba(X, LENGTHS), abs=SAME)
    for way in ("viterbi", "map"):
        one, other = (model.decode(X, LENGTHS, algorithm=way) for model in (theirs, mine))
        assert other[0] == approx(one[0], rel=SAME)
    one, other = (model.sample(20, random_state=3) for model in (theirs, mine))
    assert other[0] == approx(one[0], abs=1e-6)
    assert other[1].tolist() == one[1].tolist()
    assert mine.get_stationary_distribution() @ mine.transmat_ == approx(mine.get_stationary_distribution())


PRIORS = {
    "spherical": {"dof_prior": [3.0, 4.0, 5.0], "scale_prior": [0.5, 0.6, 0.7]},
    "diag": {"dof_prior": [3.0, 4.0, 5.0], "scale_prior": np.full((3, 2), 0.4)},
    "full": {"dof_prior": [3.0, 4.0, 5.0], "scale_prior": np.stack([np.eye(2) + 0.3 * i for i in range(3)])},
    "tied": {"dof_prior": 4, "scale_prior": np.eye(2) + 0.2},
}


@pytest.mark.parametrize("priors", [False, True], ids=["usual", "priors"])
@pytest.mark.parametrize("implementation", ["log", "scaling"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_gaussians(kind, implementation, priors, peer):
    options = {
        "n_components": 3,
        "covariance_type": kind,
        "implementation": implementation,
        "random_state": 4,
    }
    if priors:
        options |= PRIORS[kind] | {"means_prior": np.ones((3, 2)), "beta_prior": [0.5, 1.0, 2.0]}
        options |= {"startprob_prior": [0.5, 0.6, 0.7], "transmat_prior": 0.8}
    X = vectors()
    same(*(one.VariationalGaussianHMM(**options, n_iter=30).fit(X, LENGTHS) for one in (peer, vhmm)), X)


@pytest.mark.parametrize("prior", [None, 0.6])
@pytest.mark.parametrize("implementation", ["log", "scaling"])
def test_the_same_symbols(implementation, prior, peer):
    options = {"implementation": implementation, "emissionprob_prior": prior, "startprob_prior": prior}
    models = (
        one.VariationalCategoricalHMM(3, random_state=2, n_iter=40, **options).fit(symbols(), LENGTHS)
        for one in (peer, vhmm)
    )
    same(*models, symbols())


def test_the_same_from_a_start_of_ones_own(peer):
    X, made = vectors(width=1), []
    for module in (peer, vhmm):
        model = module.VariationalGaussianHMM(2, "full", init_params="", n_iter=20, tol=-np.inf)
        start = {
            "startprob": ([0.5, 0.5], [1.0, 3.0]),
            "transmat": (np.ones((2, 2)), [[90.0, 20], [20, 170]]),
            "means": ([[1.0], [2.0]], [[0.0], [4.0]]),
            "beta": ([1.0, 1.0], [100.0, 200.0]),
            "dof": ([1.0, 1.0], [100.0, 200.0]),
            "scale": ([[[1.0]]] * 2, [[[100.0]], [[300.0]]]),
        }
        for name, (before, after) in start.items():
            setattr(model, f"{name}_prior_", np.array(before))
            setattr(model, f"{name}_posterior_", np.array(after))
        made.append(model.fit(X, LENGTHS))
    same(*made, X)


@pytest.mark.parametrize("name", ["VariationalGaussianHMM", "VariationalCategoricalHMM"])
def test_signatures_and_public_names_are_those_of_hmmlearn(name, peer):
    import inspect

    theirs, mine = getattr(peer, name), getattr(vhmm, name)
    assert list(inspect.signature(mine).parameters) == list(inspect.signature(theirs).parameters)
    assert mine().get_params() == theirs().get_params()
    assert [one for one in dir(theirs) if not one.startswith("_") and not hasattr(mine, one)] == []


# ------------------------------------------------------------------------------------------------ where hmmlearn fails


def test_a_state_with_too_few_degrees_of_freedom_waits(caplog):
    """K-means leaves an outlier alone: its Wishart has no density, and hmmlearn's numbers become NaN."""
    X = np.random.default_rng(0).normal(size=(60, 5))
    X[7] += 100
    model = vhmm.VariationalGaussianHMM(2, random_state=0, n_iter=5).fit(X)
    assert "at most n_features - 1" in caplog.text
    assert np.isfinite(model.scale_posterior_).all()
    assert model.monitor_.history[0] == -np.inf
    assert np.isfinite(model.score(X))


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_fewer_clusters_than_states_are_said():
    with pytest.raises(ValueError, match="1 clusters in X, too few for n_components=2"):
        vhmm.VariationalGaussianHMM(2, random_state=0).fit(np.ones((20, 2)))


def test_a_table_of_priors_for_symbols():
    prior = np.array([[5.0, 1, 1, 1, 1], [1, 1, 1, 1, 5.0]])
    model = vhmm.VariationalCategoricalHMM(2, emissionprob_prior=prior, random_state=0, n_iter=3).fit(
        symbols()
    )
    assert model.emissionprob_prior_.tolist() == prior.tolist()
    assert np.isfinite(model.monitor_.history[-1])


@pytest.mark.parametrize("params", ["s", "t", "m", "c", "st", "stc"])
def test_only_the_letters_of_params_change(params):
    first = vhmm.VariationalGaussianHMM(2, random_state=0, n_iter=1).fit(vectors())
    again = vhmm.VariationalGaussianHMM(2, params=params, init_params="", n_iter=3)
    for name in [one for one in vars(first) if one.endswith(("prior_", "posterior_"))]:
        setattr(again, name, np.array(getattr(first, name)))
    again.fit(vectors())
    names = {"s": "startprob", "t": "transmat", "m": "means", "c": "scale"}
    for letter, name in names.items():
        kept = np.array_equal(getattr(again, f"{name}_posterior_"), getattr(first, f"{name}_posterior_"))
        assert kept == (letter not in params), name
    assert np.isfinite(again.score(vectors()))


def test_moves_that_are_forbidden_before_and_after_stay_so():
    model = vhmm.VariationalCategoricalHMM(2, init_params="se", random_state=0)
    model.transmat_prior_ = model.transmat_posterior_ = [[1.0, 1.0], [0.0, 1.0]]
    model.fit(symbols())
    assert model.transmat_[1].tolist() == [0.0, 1.0]
    assert np.isfinite(model.monitor_.history[-1])


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("startprob_posterior_", [1.0], r"startprob_posterior_ must have shape \(2,\)"),
        ("transmat_prior_", [[1.0, -1.0], [1.0, 1.0]], "transmat_prior_ must be numbers from 0 up"),
        ("means_posterior_", [[np.nan, 0], [0, 0]], "means_posterior_ must be finite"),
        ("beta_prior_", [0.0, 1.0], "beta_prior_ must be above 0"),
        ("scale_posterior_", -np.ones((2, 2, 2)), "scale_posterior_ must be symmetric and positive definite"),
    ],
)
def test_wrong_parameters_are_refused(name, value, said):
    model = vhmm.VariationalGaussianHMM(2, random_state=0, n_iter=1).fit(vectors())
    setattr(model, name, value)
    with pytest.raises(ValueError, match=said):
        model.score(vectors())


def test_a_subclass_has_the_hooks_of_variational_models():
    class Coins(base.VariationalBaseHMM):
        """Two known coins; only start and moves are learned."""

        def _compute_likelihood(self, X):
            return np.where(X > 0, [[0.9, 0.2]], [[0.1, 0.8]])

        def _compute_subnorm_likelihood(self, X):
            return self._compute_likelihood(X)

    X = (symbols() > 1).astype(int)
    scaled, logs = (
        Coins(2, random_state=0, params="st", implementation=i).fit(X) for i in ("scaling", "log")
    )
    assert list(scaled.monitor_.history) == approx(list(logs.monitor_.history))
    assert (np.diff(logs.monitor_.history) > -1e-9).all()
    assert logs.transmat_.sum(axis=1) == approx(np.ones(2))
    with pytest.raises(NotImplementedError, match="_compute_subnorm_log_likelihood"):
        base.VariationalBaseHMM(2, params="st", random_state=0).fit(X)
