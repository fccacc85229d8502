"""OWL-QN and proximal steps end where the L1 optimum must be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy import optimize

from oracle.descent import logistic
from seqlab.learning.optimisers import minimise

pytestmark = pytest.mark.usefixtures("kernel")

METHODS = ("owlqn", "proximal")
TIGHT = {"epsilon": 1e-9, "period": 0, "max_iterations": 5000}


def worst_violation(theta, slope, l1):
    """How far the subgradient conditions are from holding, at the worst coordinate (eq:owlqn)."""
    at_zero = np.maximum(np.abs(slope) - l1, 0.0)
    elsewhere = np.abs(slope + l1 * np.sign(theta))
    return np.where(theta == 0, at_zero, elsewhere).max()


HOW = st.sampled_from([("owlqn", {"memory_dtype": "float32"}), ("owlqn", {}), ("proximal", {})])


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 20.0), st.sampled_from([0.0, 0.1, 1.0]), HOW)
def test_the_conditions_of_the_optimum_hold(seed, l1, l2, how):  # eq:owlqn eq:proximal
    function, _, _ = logistic(seed, l2=l2)
    best = minimise(function, np.zeros(8), how[0], l1=l1, **how[1], **TIGHT)
    value, slope = function(best.theta)
    assert worst_violation(best.theta, slope, l1) < 1e-5
    assert best.value == approx(value + l1 * np.abs(best.theta).sum(), rel=1e-12)
    assert best.history[-1].active == np.count_nonzero(best.theta)


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 10.0), st.sampled_from(METHODS))
def test_a_penalty_for_each(seed, largest, method):  # eq:owlqn eq:proximal
    function, _, _ = logistic(seed)
    rng = np.random.default_rng(seed)
    l1 = rng.uniform(0.0, largest, size=8) * (rng.random(8) < 0.7)
    best = minimise(function, rng.normal(size=8), method, l1=l1, **TIGHT)
    _, slope = function(best.theta)
    assert worst_violation(best.theta, slope, l1) < 1e-5


@pytest.mark.parametrize("method", METHODS)
def test_penalty_of_a_range_is_that_of_each_within_it(method):
    function, _, _ = logistic(5)
    each = np.array([0.0, 0.0, 4.0, 4.0, 4.0, 0.0, 0.0, 0.0])
    of_range = minimise(function, np.zeros(8), method, l1=4.0, l1_range=(2, 5), **TIGHT)
    of_each = minimise(function, np.zeros(8), method, l1=each, **TIGHT)
    assert of_range.theta == approx(of_each.theta, abs=1e-7)
    assert (of_range.theta[[0, 1, 5, 6, 7]] != 0).all()


def split_optimum(function, size, l1):
    """θ = u - v with u, v >= 0 makes the penalty linear: a smooth problem with bounds, for another program."""

    def split(both):
        value, slope = function(both[:size] - both[size:])
        return value + l1 * both.sum(), np.concatenate([slope + l1, l1 - slope])

    found = optimize.minimize(
        split,
        np.zeros(2 * size),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * (2 * size),
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000},
    )
    return found.x[:size] - found.x[size:]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("l1", [0.5, 2.0, 8.0])
def test_scipy_agrees_on_the_split_problem(seed, l1, method):
    function, _, _ = logistic(seed, l2=0.0)
    peer = split_optimum(function, 8, l1)
    ours = minimise(function, np.zeros(8), method, l1=l1, **TIGHT)
    assert ours.theta == approx(peer, abs=1e-5)
    assert set(np.flatnonzero(ours.theta)) == set(np.flatnonzero(np.abs(peer) > 1e-6))


@pytest.mark.parametrize("method", METHODS)
def test_a_large_penalty_leaves_nothing(method):
    function, _, _ = logistic(6)
    best = minimise(function, np.ones(8), method, l1=1000.0, **TIGHT)
    assert (best.theta == 0).all()
    assert not np.signbit(best.theta).any()


@pytest.mark.parametrize("method", METHODS)
def test_no_penalty_is_plain_lbfgs(method):
    function, _, _ = logistic(7)
    plain = minimise(function, np.zeros(8), **TIGHT)
    assert minimise(function, np.zeros(8), method, l1=0.0, **TIGHT).theta == approx(plain.theta, abs=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_start_outside_the_right_orthant_comes_home(method):  # eq:owlqn
    function, _, _ = logistic(8)
    there = minimise(function, np.zeros(8), method, l1=3.0, **TIGHT)
    back = minimise(function, -5.0 * there.theta + 1.0, method, l1=3.0, **TIGHT)
    assert back.theta == approx(there.theta, abs=1e-6)
    assert back.value == approx(there.value, rel=1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 4100])
def test_separable_problem_is_soft_thresholding(size, method):  # eq:owlqn eq:proximal
    """½ |θ - a|² + l1 |θ| is lowest where a is shrunk towards 0 by l1, whatever the length of the vector."""
    a = np.random.default_rng(size).normal(size=size) * 3
    best = minimise(
        lambda theta: (0.5 * float((theta - a) @ (theta - a)), theta - a),
        np.zeros(size),
        method,
        l1=1.0,
        **TIGHT,
    )
    assert best.theta == approx(np.sign(a) * np.maximum(np.abs(a) - 1.0, 0.0), abs=1e-6)


@pytest.mark.parametrize("memory", [1, 3, 10, 40])
def test_proximal_steps_need_fewer_evaluations(memory):  # eq:proximal
    """A problem with many features that come together, as text has: the cut of OWL-QN costs it iterations."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 12)) @ rng.normal(size=(12, 60)) + 0.3 * rng.normal(size=(300, 60))
    y = np.sign(X[:, :5].sum(axis=1) + rng.normal(size=300))

    def loss(theta):
        margin = y * (X @ theta)
        slope = -(X * (y / (1 + np.exp(np.clip(margin, -500, 500))))[:, None]).sum(axis=0)
        return float(np.logaddexp(0, -margin).sum()) + 0.05 * float(theta @ theta), slope + 0.1 * theta

    exact = minimise(loss, np.zeros(60), "owlqn", l1=1.0, **TIGHT)
    found = minimise(loss, np.zeros(60), "proximal", l1=1.0, memory=memory, **TIGHT)
    assert found.value == approx(exact.value, rel=1e-10)
    if memory >= 10:
        assert found.evaluations < exact.evaluations
