"""OWL-QN ends where the L1 optimum must be."""

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

TIGHT = {"epsilon": 1e-9, "period": 0, "max_iterations": 5000}


def worst_violation(theta, slope, l1):
    """How far the subgradient conditions are from holding, at the worst coordinate (eq:owlqn)."""
    at_zero = np.maximum(np.abs(slope) - l1, 0.0)
    elsewhere = np.abs(slope + l1 * np.sign(theta))
    return np.where(theta == 0, at_zero, elsewhere).max()


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 20.0), st.sampled_from([0.0, 0.1, 1.0]), st.booleans())
def test_owlqn_satisfies_the_conditions_of_the_optimum(seed, l1, l2, float32):  # eq:owlqn
    function, _, _ = logistic(seed, l2=l2)
    best = minimise(
        function, np.zeros(8), "owlqn", l1=l1, memory_dtype="float32" if float32 else "float64", **TIGHT
    )
    value, slope = function(best.theta)
    assert worst_violation(best.theta, slope, l1) < 1e-5
    assert best.value == approx(value + l1 * np.abs(best.theta).sum(), rel=1e-12)
    assert best.history[-1].active == np.count_nonzero(best.theta)


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 10.0))
def test_owlqn_with_a_penalty_for_each(seed, largest):  # eq:owlqn
    function, _, _ = logistic(seed)
    rng = np.random.default_rng(seed)
    l1 = rng.uniform(0.0, largest, size=8) * (rng.random(8) < 0.7)
    best = minimise(function, rng.normal(size=8), "owlqn", l1=l1, **TIGHT)
    _, slope = function(best.theta)
    assert worst_violation(best.theta, slope, l1) < 1e-5


def test_penalty_of_a_range_is_that_of_each_within_it():
    function, _, _ = logistic(5)
    each = np.array([0.0, 0.0, 4.0, 4.0, 4.0, 0.0, 0.0, 0.0])
    of_range = minimise(function, np.zeros(8), "owlqn", l1=4.0, l1_range=(2, 5), **TIGHT)
    of_each = minimise(function, np.zeros(8), "owlqn", l1=each, **TIGHT)
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


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("l1", [0.5, 2.0, 8.0])
def test_owlqn_agrees_with_scipy_on_the_split_problem(seed, l1):
    function, _, _ = logistic(seed, l2=0.0)
    peer = split_optimum(function, 8, l1)
    ours = minimise(function, np.zeros(8), "owlqn", l1=l1, **TIGHT)
    assert ours.theta == approx(peer, abs=1e-5)
    assert set(np.flatnonzero(ours.theta)) == set(np.flatnonzero(np.abs(peer) > 1e-6))


def test_a_large_penalty_leaves_nothing():
    function, _, _ = logistic(6)
    best = minimise(function, np.ones(8), "owlqn", l1=1000.0, **TIGHT)
    assert (best.theta == 0).all()
    assert not np.signbit(best.theta).any()


def test_no_penalty_is_plain_lbfgs():
    function, _, _ = logistic(7)
    plain = minimise(function, np.zeros(8), **TIGHT)
    assert minimise(function, np.zeros(8), "owlqn", l1=0.0, **TIGHT).theta == approx(plain.theta, abs=1e-8)


def test_start_outside_the_right_orthant_comes_home():  # eq:owlqn
    function, _, _ = logistic(8)
    there = minimise(function, np.zeros(8), "owlqn", l1=3.0, **TIGHT)
    back = minimise(function, -5.0 * there.theta + 1.0, "owlqn", l1=3.0, **TIGHT)
    assert back.theta == approx(there.theta, abs=1e-6)
    assert back.value == approx(there.value, rel=1e-10)


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 4100])
def test_separable_problem_is_soft_thresholding(size):  # eq:owlqn
    """½ |θ - a|² + l1 |θ| is lowest where a is shrunk towards 0 by l1, whatever the length of the vector."""
    a = np.random.default_rng(size).normal(size=size) * 3
    best = minimise(
        lambda theta: (0.5 * float((theta - a) @ (theta - a)), theta - a),
        np.zeros(size),
        "owlqn",
        l1=1.0,
        **TIGHT,
    )
    assert best.theta == approx(np.sign(a) * np.maximum(np.abs(a) - 1.0, 0.0), abs=1e-6)
