"""Mixtures by EM: eq:mixture-em, eq:mixture-posterior, eq:multinomial-mixture, eq:gaussian-means."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from pytest import approx

from seqlab import GaussianMeans, MultinomialMixture

counts = arrays.arrays(
    np.int64, st.tuples(st.integers(1, 12), st.integers(1, 5)), elements=st.integers(0, 6)
).filter(lambda table: table.sum() > 0)
points = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 3)),
    elements=st.floats(-1e3, 1e3, allow_nan=False).map(lambda x: round(x, 3)),
)


def never_falls(values):
    return all(after >= before for before, after in itertools.pairwise(values))


@given(counts, st.integers(1, 4), st.sampled_from([0, 0.01, 1.0]), st.integers(0, 5))
def test_multinomial_likelihood_never_falls(table, k, smoothing, seed):
    mixture = MultinomialMixture(k, smoothing=smoothing, seed=seed, tolerance=0, epochs=30).fit(table)
    assert never_falls(mixture.history_.log_likelihood)
    assert np.isfinite(mixture.history_.log_likelihood).all()
    assert mixture.weights_.sum() == approx(1)
    assert mixture.probabilities_.sum(axis=1) == approx(np.ones(k))
    q = mixture.predict_proba(table)
    assert q.sum(axis=1) == approx(np.ones(len(table)))
    prior = smoothing * np.log(mixture.probabilities_).sum() if smoothing else 0.0
    assert mixture.score_samples(table).sum() + prior == approx(mixture.history_.log_likelihood[-1])


@given(points, st.integers(1, 4), st.sampled_from([0.01, 1.0, 50.0]), st.integers(0, 5))
def test_gaussian_likelihood_never_falls(some, k, variance, seed):
    mixture = GaussianMeans(k, variance=variance, seed=seed, tolerance=0, epochs=30).fit(some)
    assert never_falls(mixture.history_.log_likelihood)
    assert np.isfinite(mixture.means_).all()
    assert mixture.weights_.sum() == approx(1)
    assert mixture.predict_proba(some).sum(axis=1) == approx(np.ones(len(some)))
    assert mixture.score_samples(some).sum() == approx(mixture.history_.log_likelihood[-1])


def test_one_step_on_two_bags_by_hand():  # eq:mixture-em, eq:multinomial-mixture
    # x_1 = (2, 0), x_2 = (1, 1); theta = (3/4, 1/4) and (1/4, 3/4), mu = 1/2.
    mixture = MultinomialMixture(2, smoothing=0, init=[[0.75, 0.25], [0.25, 0.75]], epochs=1).fit(
        [[2, 0], [1, 1]]
    )
    q1 = (9 / 16) / (9 / 16 + 1 / 16)  # of x_1 for the first component
    q2 = 1 / 2  # of x_2
    assert mixture.weights_ == approx([(q1 + q2) / 2, (2 - q1 - q2) / 2])
    first = np.array([2 * q1 + q2, q2])
    second = np.array([2 * (1 - q1) + (1 - q2), 1 - q2])
    assert mixture.probabilities_[0] == approx(first / first.sum())
    assert mixture.probabilities_[1] == approx(second / second.sum())
    start = math.log(0.5 * 9 / 16 + 0.5 * 1 / 16) + math.log(3 / 16)
    assert mixture.history_.log_likelihood[0] == approx(start)
    smoothed = MultinomialMixture(2, smoothing=1, init=[[0.75, 0.25], [0.25, 0.75]], epochs=1).fit(
        [[2, 0], [1, 1]]
    )
    assert smoothed.probabilities_[0] == approx((first + 1) / (first + 1).sum())


def test_one_step_on_three_points_by_hand():  # eq:gaussian-means, eq:mixture-posterior
    x, variance = np.array([0.0, 1.0, 4.0]), 2.0
    mixture = GaussianMeans(2, variance=variance, init=[[0.0], [3.0]], epochs=1).fit(x[:, None])
    near, far = np.exp(-(x**2) / (2 * variance)), np.exp(-((x - 3) ** 2) / (2 * variance))
    q = near / (near + far)
    assert mixture.weights_ == approx([q.mean(), 1 - q.mean()])
    assert mixture.means_[:, 0] == approx([(q * x).sum() / q.sum(), ((1 - q) * x).sum() / (1 - q).sum()])
    density = (0.5 * near + 0.5 * far) / math.sqrt(2 * math.pi * variance)
    assert mixture.history_.log_likelihood[0] == approx(np.log(density).sum())


def test_bags_are_tables_are_sparse_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    bags = [["a", "b", "a"], ["c"], {"b": 2, "c": 0}, []]
    table = [[2, 1, 0], [0, 0, 1], [0, 2, 0], [0, 0, 0]]
    fitted = [
        MultinomialMixture(2).fit(data)
        for data in (bags, table, sparse.csr_matrix(table), np.array(table, float))
    ]
    assert fitted[0].features_ == ("a", "b", "c")
    for one in fitted[1:]:
        np.testing.assert_array_equal(one.probabilities_, fitted[0].probabilities_)
        np.testing.assert_array_equal(one.weights_, fitted[0].weights_)
    np.testing.assert_array_equal(fitted[0].predict(bags), fitted[1].predict(table))


@given(counts, st.data())
def test_weights_are_as_good_as_copies(table, data):
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(table), max_size=len(table))))
    if not (table.sum(axis=1) * weights).sum():
        return
    init = np.array([[1.0 + (i + j) % 2 for j in range(table.shape[1])] for i in range(2)])
    init /= init.sum(axis=1, keepdims=True)
    options = {"init": init, "epochs": 5, "tolerance": 0}
    weighted = MultinomialMixture(2, **options).fit(table, sample_weight=weights)
    copied = MultinomialMixture(2, **options).fit(np.repeat(table, weights, axis=0))
    # Where the likelihood is flat to its last bit, one of them may end an epoch earlier: half of the digits agree.
    np.testing.assert_allclose(weighted.probabilities_, copied.probabilities_, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(weighted.weights_, copied.weights_, rtol=1e-7, atol=1e-7)
    assert weighted.history_.log_likelihood[-1] == approx(copied.history_.log_likelihood[-1], rel=1e-12)


def test_drawn_data_give_their_components_back():
    chance = np.random.default_rng(0)
    theta = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]])
    component = chance.choice(2, 3000, p=[0.7, 0.3])
    table = np.array([chance.multinomial(20, theta[c]) for c in component])
    mixture = MultinomialMixture(2, restarts=2).fit(table)
    order = np.argsort(-mixture.weights_)
    assert mixture.weights_[order] == approx([0.7, 0.3], abs=0.03)
    assert mixture.probabilities_[order] == approx(theta, abs=0.02)
    means = np.array([[0.0, 0.0], [3.0, 1.0]])
    some = means[component] + chance.normal(0, 0.5, (3000, 2))
    found = GaussianMeans(2, variance=0.25).fit(some)
    order = np.argsort(-found.weights_)
    assert found.means_[order] == approx(means, abs=0.05)
    assert found.score(some) > GaussianMeans(1, variance=0.25).fit(some).score(some)


def test_more_restarts_are_never_worse():
    chance = np.random.default_rng(3)
    table = chance.integers(0, 4, (40, 8))
    values = [MultinomialMixture(4, restarts=r).fit(table).history_.log_likelihood[-1] for r in (1, 3, 6)]
    assert never_falls(values)
    assert values[-1] > values[0]
