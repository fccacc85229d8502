"""From the same start, hmmlearn and seqlab find the same tables, for every kind of emissions that both have."""

import logging
import warnings

import numpy as np
import pytest
from pytest import approx

from seqlab import HMM, BaumWelch, Gaussian, GaussianMixture, Poisson

peer = pytest.importorskip("hmmlearn.hmm")
K, D, M = 3, 2, 2
LENGTHS = [40, 1, 70, 25, 64]
T = sum(LENGTHS)
TEN = BaumWelch(max_iterations=10, tolerance=0)
TABLES = 1e-8


@pytest.fixture(autouse=True)
def quiet(caplog):
    caplog.set_level(logging.CRITICAL, logger="hmmlearn")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def start(rng):
    return rng.dirichlet(np.ones(K)), rng.dirichlet(np.ones(K), K)


def vectors(rng):
    return rng.normal(size=(T, D)) + 2 * rng.integers(3, size=(T, 1))


def prepared(model, pi, A, **learned):
    model.n_features = D
    model.startprob_, model.transmat_ = pi, A
    for name, value in learned.items():
        setattr(model, name, value)
    return model


def same_chain(mine, theirs, X):
    assert mine.history_.reason == "iterations"
    history = list(theirs.monitor_.history)
    assert mine.history_.log_likelihood[10 - len(history) : 10] == approx(history, rel=1e-9)
    assert mine.model_.pi == approx(theirs.startprob_, abs=TABLES)
    assert approx(theirs.transmat_, abs=TABLES) == mine.model_.A
    assert mine.log_likelihoods(X, lengths=LENGTHS).sum() == approx(theirs.score(X, LENGTHS), rel=1e-9)


@pytest.mark.parametrize("implementation", ["log", "scaling"])
@pytest.mark.parametrize("prior", [0.0, 0.7])
def test_categorical(rng, implementation, prior):
    pi, A = start(rng)
    B, x = rng.dirichlet(np.ones(7), K), rng.integers(7, size=T)
    theirs = peer.CategoricalHMM(
        K,
        n_iter=10,
        tol=-np.inf,
        init_params="",
        n_features=7,
        implementation=implementation,
        startprob_prior=1 + prior,
        transmat_prior=1 + prior,
        emissionprob_prior=1 + prior,
    )
    prepared(theirs, pi, A, emissionprob_=B)
    theirs.n_features = 7
    theirs.fit(x[:, None], LENGTHS)
    mine = HMM(init=(pi, A, B), learner=TEN, smoothing=prior).fit(x, lengths=LENGTHS)
    same_chain(mine, theirs, x[:, None])
    assert approx(theirs.emissionprob_, abs=TABLES) == mine.model_.emissions.B
    path = theirs.predict(x[:, None], LENGTHS)
    assert [int(name[1:]) for row in mine.predict(x, lengths=LENGTHS) for name in row] == path.tolist()


@pytest.mark.parametrize("kind", ["full", "diag", "tied", "spherical"])
@pytest.mark.parametrize("prior", [0.0, 1e-2])
def test_gaussian(rng, kind, prior):
    pi, A = start(rng)
    X, means = vectors(rng), rng.normal(size=(K, D)) + np.array([[0], [2], [4]])
    covariances = {
        "full": np.stack([np.eye(D) + 0.2 * i for i in range(K)]),
        "diag": np.ones((K, D)) * [[1.0], [2.0], [0.5]],
        "tied": np.eye(D) * 2,
        "spherical": np.array([1.0, 2.0, 0.5]),
    }[kind]
    # hmmlearn adds its number to every cell of a matrix; seqlab, as a prior would, to the diagonal.
    given = prior * np.eye(D) if kind in ("full", "tied") else prior
    theirs = peer.GaussianHMM(
        K, kind, n_iter=10, tol=-np.inf, init_params="", covars_prior=given, covars_weight=1
    )
    prepared(theirs, pi, A, means_=means, covars_=covariances).fit(X, LENGTHS)
    tables = {"start": pi, "transitions": A, "emissions": {"means": means, "covariances": covariances}}
    emissions = Gaussian(kind, covariance_prior=prior, min_covariance=0)
    mine = HMM(emissions=emissions, init=tables, learner=TEN).fit(X, lengths=LENGTHS)
    same_chain(mine, theirs, X)
    learned = theirs._covars_[:, 0] if kind == "spherical" else theirs._covars_
    assert mine.model_.emissions.means == approx(theirs.means_, abs=TABLES)
    assert mine.model_.emissions.covariances == approx(learned, abs=TABLES)


@pytest.mark.parametrize("kind", ["full", "diag", "tied", "spherical"])
def test_gaussian_mixture(rng, kind):
    pi, A = start(rng)
    X, means = vectors(rng), rng.normal(size=(K, M, D)) + 2
    weights = rng.dirichlet(np.ones(M), K)
    covariances = {
        "full": np.tile(np.eye(D), (K, M, 1, 1)),
        "diag": np.ones((K, M, D)),
        "tied": np.tile(np.eye(D), (K, 1, 1)),
        "spherical": np.ones((K, M)),
    }[kind]
    theirs = peer.GMMHMM(K, M, covariance_type=kind, n_iter=10, tol=-np.inf, init_params="", min_covar=0)
    theirs.n_features = D
    theirs._init_covar_priors()
    if kind == "spherical":  # hmmlearn's default prior is flat for the other three only
        theirs.covars_prior = np.full((K, M), -D / 2 - 1.0)
    prepared(theirs, pi, A, means_=means, weights_=weights, covars_=covariances).fit(X, LENGTHS)
    emissions = {"means": means, "covariances": covariances, "weights": weights}
    mine = HMM(
        emissions=GaussianMixture(kind, components=M, min_covariance=0, centre="before"),
        init={"start": pi, "transitions": A, "emissions": emissions},
        learner=TEN,
    ).fit(X, lengths=LENGTHS)
    same_chain(mine, theirs, X)
    assert mine.model_.emissions.weights == approx(theirs.weights_, abs=TABLES)
    assert mine.model_.emissions.means == approx(theirs.means_, abs=TABLES)
    assert mine.model_.emissions.covariances == approx(theirs.covars_, abs=TABLES)


def test_poisson(rng):
    pi, A = start(rng)
    X, rates = rng.poisson(3, size=(T, D)), rng.gamma(3, size=(K, D))
    theirs = peer.PoissonHMM(K, n_iter=10, tol=-np.inf, init_params="")
    prepared(theirs, pi, A, lambdas_=rates).fit(X, LENGTHS)
    tables = {"start": pi, "transitions": A, "emissions": {"rates": rates}}
    mine = HMM(emissions=Poisson(), init=tables, learner=TEN).fit(X, lengths=LENGTHS)
    same_chain(mine, theirs, X)
    assert mine.model_.emissions.rates == approx(theirs.lambdas_, abs=TABLES)
