"""From one start, and from one random_state, hmmlearn and seqlab.compat.hmmlearn give the same numbers and shapes."""

import logging
import warnings

import numpy as np
import pytest
from pytest import approx

from seqlab.compat.hmmlearn import hmm

peer = pytest.importorskip("hmmlearn.hmm")

K, D, M = 3, 2, 2
LENGTHS = [40, 1, 70, 25, 64]
T = sum(LENGTHS)
KINDS = ["spherical", "diag", "full", "tied"]
SAME = 1e-8


@pytest.fixture(autouse=True)
def quiet(caplog):
    caplog.set_level(logging.CRITICAL, logger="hmmlearn")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def vectors(rng):
    return rng.normal(size=(T, D)) + 3 * rng.integers(3, size=(T, 1))


def covariances(kind, *, mixed=False):
    rng = np.random.default_rng(7)
    made = {
        "spherical": rng.uniform(0.5, 2, size=(K, M)),
        "diag": rng.uniform(0.5, 2, size=(K, M, D)),
        "full": np.stack([[np.eye(D) * (1 + i + j) + 0.2 for j in range(M)] for i in range(K)]),
    }
    if kind == "tied":
        return made["full"][:, 0] if mixed else made["full"][0, 0]
    return made[kind] if mixed else made[kind][:, 0]


def case(name, rng):
    """Options, data, and the emissions of a start of one model."""
    kind = name.partition(" ")[2]
    if name == "CategoricalHMM":
        return {}, rng.integers(7, size=(T, 1)), {"emissionprob_": rng.dirichlet(np.ones(7), K)}
    if name == "MultinomialHMM":
        X = rng.multinomial(5, [0.2, 0.3, 0.5], size=T)
        return {"n_trials": 5}, X, {"emissionprob_": rng.dirichlet(np.ones(3), K)}
    if name == "PoissonHMM":
        return {}, rng.poisson(3, size=(T, D)), {"lambdas_": rng.gamma(3, size=(K, D))}
    if name.startswith("GaussianHMM"):
        means = rng.normal(size=(K, D)) + np.array([[0], [2], [4]])
        return {"covariance_type": kind}, vectors(rng), {"means_": means, "covars_": covariances(kind)}
    start = {"means_": rng.normal(size=(K, M, D)) * 2, "weights_": rng.dirichlet(np.ones(M), K)}
    return (
        {"covariance_type": kind, "n_mix": M},
        vectors(rng),
        start | {"covars_": covariances(kind, mixed=True)},
    )


NAMES = ["CategoricalHMM", "MultinomialHMM", "PoissonHMM"]
NAMES += [f"{one} {kind}" for one in ("GaussianHMM", "GMMHMM") for kind in KINDS]
PRIORS = {
    "CategoricalHMM": {"emissionprob_prior": 1.3},
    "MultinomialHMM": {},
    "PoissonHMM": {"lambdas_prior": 2.0, "lambdas_weight": 0.5},
    "GaussianHMM": {"means_prior": 1.0, "means_weight": 2.0, "covars_prior": 0.3, "covars_weight": 4.0},
    "GMMHMM": {"weights_prior": 1.5, "means_prior": 1.0, "means_weight": 2.0},
}
LEARNED = ("startprob_", "transmat_", "emissionprob_", "lambdas_", "means_", "_covars_", "weights_")


def pair(name, start=None, **options):
    """One model of hmmlearn and one of ours with these options, both at the start."""
    made = [getattr(module, name.split()[0])(K, **options) for module in (peer, hmm)]
    for model in made if start is not None else ():
        for key, value in start.items():
            setattr(model, key, np.array(value))
    return made


def same(theirs, mine, X, lengths):
    assert list(mine.monitor_.history) == approx(list(theirs.monitor_.history), rel=SAME)
    assert mine.monitor_.iter == theirs.monitor_.iter
    for name in LEARNED:
        if hasattr(theirs, name):
            assert np.shape(getattr(mine, name)) == np.shape(getattr(theirs, name)), name
            assert getattr(mine, name) == approx(getattr(theirs, name), abs=SAME), name
    assert mine.score(X, lengths) == approx(theirs.score(X, lengths), rel=SAME)
    assert mine.predict_proba(X, lengths) == approx(theirs.predict_proba(X, lengths), abs=SAME)
    for way in ("viterbi", "map"):
        one, other = theirs.decode(X, lengths, algorithm=way), mine.decode(X, lengths, algorithm=way)
        assert other[0] == approx(one[0], rel=SAME)
        assert other[1].tolist() == one[1].tolist()
        assert other[1].shape == one[1].shape
    assert mine.aic(X, lengths) == approx(theirs.aic(X, lengths), rel=SAME)
    assert mine.bic(X, lengths) == approx(theirs.bic(X, lengths), rel=SAME)
    assert mine.get_stationary_distribution() == approx(theirs.get_stationary_distribution(), abs=SAME)
    assert mine.n_features == theirs.n_features


@pytest.mark.parametrize("priors", [False, True], ids=["flat", "priors"])
@pytest.mark.parametrize("implementation", ["log", "scaling"])
@pytest.mark.parametrize("name", NAMES)
def test_same_numbers_from_the_same_start(name, implementation, priors):
    rng = np.random.default_rng(0)
    start = {"startprob_": rng.dirichlet(np.ones(K)), "transmat_": rng.dirichlet(np.ones(K), K)}
    options, X, emissions = case(name, rng)
    options |= PRIORS[name.split()[0]] | {"startprob_prior": 1.7, "transmat_prior": 0.9} if priors else {}
    options |= {"n_iter": 12, "tol": -np.inf, "init_params": "", "implementation": implementation}
    theirs, mine = pair(name, start | emissions, **options)
    theirs.fit(X, LENGTHS)
    assert mine.fit(X, LENGTHS) is mine
    same(theirs, mine, X, LENGTHS)
    one, other = theirs.sample(20, random_state=3), mine.sample(20, random_state=3)
    assert other[1].tolist() == one[1].tolist()
    if name != "GaussianHMM spherical":  # hmmlearn draws from the matrix of another state there
        assert other[0] == approx(one[0], abs=1e-6)
        assert other[0].shape == one[0].shape


@pytest.mark.parametrize("name", NAMES)
def test_the_same_random_state_gives_the_same_start_and_stop(name):
    options, X, _ = case(name, np.random.default_rng(1))
    theirs, mine = pair(name, **options, n_iter=30, tol=0.5, random_state=5)
    theirs.fit(X, LENGTHS)
    mine.fit(X, LENGTHS)
    same(theirs, mine, X, LENGTHS)


@pytest.mark.parametrize("params", ["s", "t", "st", "stm", "stmc", "stc", "mc"])
def test_only_the_letters_of_params_change(params):
    options, X, emissions = case("GaussianHMM diag", rng := np.random.default_rng(2))
    start = {"startprob_": rng.dirichlet(np.ones(K)), "transmat_": rng.dirichlet(np.ones(K), K)} | emissions
    theirs, mine = pair("GaussianHMM", start, **options, params=params, init_params="", n_iter=3)
    mine.fit(X)
    for letter, name in {"s": "startprob_", "t": "transmat_", "m": "means_", "c": "_covars_"}.items():
        assert np.array_equal(getattr(mine, name), start[name.replace("_c", "c")]) == (letter not in params)
    if not ("c" in params and "m" not in params):  # hmmlearn counts no rows then, and its variances are wrong
        theirs.fit(X)
        assert mine._covars_ == approx(theirs._covars_, abs=SAME)


def test_one_sequence_without_lengths_and_one_number():
    X = np.random.default_rng(3).normal(size=(50, 1))
    theirs, mine = pair("GaussianHMM", random_state=0, covariance_type="full")
    same(theirs.fit(X), mine.fit(X), X, None)


@pytest.mark.parametrize("rows", [60, 2000])
@pytest.mark.parametrize("states", [2, 4, 11])
def test_of_equally_good_paths_it_is_the_same(rows, states):
    """The same symbols and moves in another order have the same probability: rounding and the last state decide."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        tables = [rng.dirichlet(np.ones(6), states), rng.dirichlet(np.full(states, 0.5), states)]
        start = {
            "emissionprob_": tables[0],
            "transmat_": tables[1],
            "startprob_": rng.dirichlet(np.ones(states)),
        }
        made = [module.CategoricalHMM(states, n_features=6) for module in (peer, hmm)]
        X = rng.integers(6, size=(rows, 1))
        for model in made:
            for key, value in start.items():
                setattr(model, key, value)
        theirs, mine = (model.predict(X, [rows - 9, 9]) for model in made)
        assert mine.tolist() == theirs.tolist()


def test_equally_good_paths_are_chosen_alike():
    chance = np.random.default_rng(0)

    def table(*shape):
        allowed = (chance.random(shape) < 0.5) * 1.0
        allowed[..., 0] += allowed.sum(axis=-1) == 0
        return allowed / allowed.sum(axis=-1, keepdims=True)

    compared = 0
    for _ in range(300):
        k = int(chance.integers(1, 5))
        start, moves, symbols = table(k), table(k, k), table(k, 3)
        rows, found = chance.integers(0, 3, size=(6, 1)), []
        for package in (hmm, peer):
            model = package.CategoricalHMM(k)
            model.startprob_, model.transmat_, model.emissionprob_ = start, moves, symbols
            model.n_features = 3
            found += [model.decode(rows[:2]), model.decode(rows, [1, 2, 3])]
        for (score, states), (wanted, path) in zip(found[:2], found[2:], strict=True):
            assert score == approx(wanted, abs=1e-9)
            if np.isfinite(score) and score == wanted:  # otherwise rounding has decided between them
                assert states.tolist() == path.tolist()
                compared += 1
    assert compared > 100
