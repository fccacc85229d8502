"""All methods end at the same lowest point, keep their word about it, and survive bad ground."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy import optimize

from oracle.descent import logistic, quadratic, rosenbrock
from seqlab.learning.optimisers import minimise

pytestmark = pytest.mark.usefixtures("kernel")

TIGHT = {"epsilon": 1e-8, "period": 0, "max_iterations": 20_000}
QUASI_NEWTON = [
    *({"line_search": name} for name in ("more-thuente", "backtracking", "strong-backtracking", "armijo")),
    {"memory_dtype": "float64"},
    {"memory": 1},
    {"memory": 20},
]
FAST = [
    *(("lbfgs", options) for options in QUASI_NEWTON),
    ("owlqn", {"l1": 0.0}),
    ("proximal", {"l1": 0.0}),
    ("conjugate-gradient", {}),
    ("conjugate-gradient", {"restart": 5}),
]
ALL = [*FAST, ("gradient", {})]


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 30), st.sampled_from([1.0, 10.0, 1e3]), st.sampled_from(FAST)
)
def test_fast_methods_find_the_lowest_point_of_a_quadratic(seed, size, condition, how):
    # eq:lbfgs eq:conjugate-gradient
    problem = quadratic(seed, size, condition)
    method, options = how
    found = minimise(problem, problem.start, method, **TIGHT, **options)
    assert found.reason == "gradient"
    assert found.theta == approx(problem.lowest, abs=1e-5)


@pytest.mark.parametrize("condition", [1e4, 1e6])
@pytest.mark.parametrize(
    "how", [("lbfgs", {}), ("lbfgs", {"memory_dtype": "float64"}), ("conjugate-gradient", {})]
)
def test_ill_conditioned_quadratic_is_survived(condition, how):  # eq:lbfgs eq:conjugate-gradient
    problem = quadratic(7, 40, condition)
    found = minimise(problem, problem.start, how[0], **TIGHT, **how[1])
    assert found.value < 1e-9 * problem(problem.start)[0]
    assert found.theta == approx(problem.lowest, abs=1e-3)


@given(st.integers(0, 2**32 - 1), st.integers(1, 10), st.sampled_from([1.0, 10.0]))
def test_gradient_descent_finds_the_lowest_point_of_a_quadratic(seed, size, condition):  # eq:gradient-descent
    problem = quadratic(seed, size, condition)
    searched = minimise(problem, problem.start, "gradient", **TIGHT)
    fixed = minimise(problem, problem.start, "gradient", step=1.0 / condition, **TIGHT)
    assert searched.theta == approx(problem.lowest, abs=1e-5)
    assert fixed.theta == approx(problem.lowest, abs=1e-5)
    assert fixed.history[-1].trials == 1


def test_exact_diagonal_makes_a_stretched_bowl_round():  # eq:lbfgs
    h = np.geomspace(1.0, 1e8, 50)
    bowl = lambda theta: (0.5 * float((theta - 1.0) @ (h * (theta - 1.0))), h * (theta - 1.0))  # noqa: E731
    plain = minimise(bowl, np.zeros(50), **TIGHT)
    helped = minimise(bowl, np.zeros(50), diagonal=1.0 / h, **TIGHT)
    assert helped.reason == "gradient"
    assert helped.evaluations <= 8 < plain.evaluations
    assert helped.theta == approx(np.ones(50), abs=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_all_methods_agree_with_scipy_on_logistic_regression(seed):
    # eq:lbfgs eq:owlqn eq:conjugate-gradient eq:gradient-descent
    function, _, _ = logistic(seed)
    peer = optimize.minimize(function, np.zeros(8), jac=True, method="BFGS", options={"gtol": 1e-9})
    for method, options in ALL:
        found = minimise(function, np.zeros(8), method, **TIGHT, **options)
        assert found.theta == approx(peer.x, abs=1e-5), (method, options)
        assert found.value == approx(peer.fun, rel=1e-10), (method, options)


@pytest.mark.parametrize("size", [2, 10, 60])
@pytest.mark.parametrize(
    "how", [*(("lbfgs", options) for options in QUASI_NEWTON[:6]), ("conjugate-gradient", {})]
)
def test_curved_valley_is_walked_to_its_end(size, how):  # eq:lbfgs eq:wolfe
    found = minimise(rosenbrock, np.tile([-1.2, 1.0], size // 2), how[0], **TIGHT, **how[1])
    assert found.reason == "gradient"
    assert found.theta == approx(np.ones(size), abs=1e-5)


@given(st.integers(0, 2**32 - 1), st.sampled_from(ALL))
def test_values_never_rise_and_the_answer_is_the_last_of_them(seed, how):
    problem = quadratic(seed, 6, 50.0)
    found = minimise(problem, problem.start, how[0], max_iterations=15, **how[1])
    values = [step.value for step in found.history]
    assert all(later <= earlier for earlier, later in itertools.pairwise(values))
    assert found.value == values[-1] == problem(found.theta)[0]
    assert found.gradient_norm == approx(np.linalg.norm(problem(found.theta)[1]), rel=1e-9)
    assert [step.iteration for step in found.history] == list(range(found.iterations + 1))


def test_a_fixed_step_that_is_too_long_still_returns_the_best():  # eq:gradient-descent
    problem = quadratic(3, 4, 10.0)
    found = minimise(problem, problem.start, "gradient", step=0.5, max_iterations=50, period=0)
    values = [step.value for step in found.history]
    assert values[-1] > values[0]
    assert found.value == min(values) == problem(found.theta)[0]


@pytest.mark.parametrize("kind", ["more-thuente", "backtracking", "strong-backtracking", "armijo"])
def test_accepted_steps_satisfy_the_conditions_of_their_search(kind):  # eq:wolfe
    function, _, _ = logistic(11)
    walk = []
    minimise(
        function, np.full(8, 3.0), line_search=kind, on_iteration=lambda _, theta: walk.append(theta), **TIGHT
    )
    for here, there in itertools.islice(itertools.pairwise(walk), 10):
        (value, slope), (next_value, next_slope), way = function(here), function(there), there - here
        assert next_value <= value + 1e-4 * (slope @ way) + 1e-12
        if kind != "armijo":
            assert next_slope @ way >= 0.9 * (slope @ way)
        if kind in {"more-thuente", "strong-backtracking"}:
            assert abs(next_slope @ way) <= 0.9 * abs(slope @ way)


# ---------------------------------------------------------------- bad ground


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("where", ["value", "gradient"])
@pytest.mark.parametrize(
    "how", [*ALL, ("gradient", {"step": 0.9}), ("owlqn", {"l1": 0.1}), ("proximal", {"l1": 0.1})]
)
def test_what_is_not_finite_is_never_accepted(bad, where, how):
    """A bowl around 1 that ends at |θ - 1| > 2: the first steps, of length 1 and more, run over the border."""

    def bowl(theta):
        value, slope = 4.0 * float((theta - 1.0) @ (theta - 1.0)), 8.0 * (theta - 1.0)
        if np.linalg.norm(theta - 1.0) > 2.0:
            value, slope = (bad, slope) if where == "value" else (-1e9, np.full_like(slope, bad))
        return value, slope

    options = {"first_step": 1e3} if "step" not in how[1] else {}
    found = minimise(bowl, [-0.9, 1.1], how[0], **TIGHT, **options, **how[1])
    assert all(math.isfinite(step.value) for step in found.history)
    assert found.theta == approx([1.0, 1.0], abs=0.02)


def test_a_function_that_only_falls_ends():
    found = minimise(
        lambda theta: (-float(theta.sum()), -np.ones_like(theta)), np.zeros(3), max_iterations=200
    )
    assert math.isfinite(found.value)
    assert np.isfinite(found.theta).all()


def test_a_wrong_gradient_ends_without_harm():
    found = minimise(lambda theta: (float(theta @ theta), -2.0 * theta), np.ones(3))
    assert found.reason == "no progress"
    assert found.value == 3.0
    assert (found.theta == 1.0).all()


def test_a_value_that_is_only_noise_ends():
    rng = np.random.default_rng(0)
    found = minimise(
        lambda theta: (1.0 + 1e-9 * rng.random(), 1e-3 * np.ones_like(theta)), np.zeros(5), **TIGHT
    )
    assert found.reason == "no progress"


# ---------------------------------------------------------------- ends


def test_gradient_rule():  # eq:stopping
    problem = quadratic(1, 5, 10.0)
    found = minimise(problem, problem.start, epsilon=0.1, period=0)
    norms = [step.gradient_norm / max(1.0, step.theta_norm) for step in found.history]
    assert found.reason == "gradient"
    assert found.converged
    assert norms[-1] <= 0.1 < min(norms[:-1])


def test_value_rule():  # eq:stopping
    problem = quadratic(2, 30, 1e4)
    shifted = lambda theta: (problem(theta)[0] + 5.0, problem(theta)[1])  # noqa: E731
    found = minimise(shifted, problem.start, epsilon=0.0, delta=0.01, period=4)
    values = [step.value for step in found.history]
    falls = [(values[k - 4] - values[k]) / values[k] for k in range(4, len(values))]
    assert found.reason == "value"
    assert falls[-1] < 0.01 <= min(falls[:-1])


def test_limit_of_iterations():  # eq:stopping
    problem = quadratic(3, 30, 1e4)
    found = minimise(problem, problem.start, max_iterations=7)
    assert (found.reason, found.iterations, found.converged) == ("iterations", 7, False)


@pytest.mark.parametrize("how", [*ALL, ("gradient", {"step": 0.01})])
def test_callback_ends_the_walk_with_the_best(how):
    problem = quadratic(4, 10, 100.0)
    seen = []

    def until_third(step, theta):
        seen.append((step.value, theta))
        return step.iteration < 3

    found = minimise(problem, problem.start, how[0], on_iteration=until_third, **how[1])
    assert (found.reason, found.iterations) == ("stopped", 3)
    assert found.value == min(value for value, _ in seen)
    assert (found.theta == seen[-1][1]).all()


def test_start_at_the_lowest_point_is_the_end():
    problem = quadratic(5, 5, 10.0)
    found = minimise(problem, problem.lowest)
    assert (found.reason, found.iterations, found.evaluations) == ("gradient", 0, 1)


# ---------------------------------------------------------------- small, and always the same


@pytest.mark.parametrize("how", [*ALL, ("gradient", {"step": 0.1})])
def test_no_coordinates_and_one(how):
    empty = minimise(lambda theta: (3.0, theta), [], how[0], **how[1])
    assert (empty.value, empty.theta.shape, empty.reason) == (3.0, (0,), "gradient")
    one = minimise(
        lambda theta: (float((theta[0] - 2.0) ** 2), 2.0 * (theta - 2.0)), [9.0], how[0], **TIGHT, **how[1]
    )
    assert one.theta == approx([2.0], abs=1e-6)


@pytest.mark.parametrize("how", [*ALL, ("owlqn", {"l1": 0.5}), ("proximal", {"l1": 0.5})])
def test_same_bits_twice(how):
    function, _, _ = logistic(9, size=8)
    first, second = (minimise(function, np.zeros(8), how[0], **how[1]) for _ in range(2))
    assert first.theta.tobytes() == second.theta.tobytes()
    assert first.history == second.history
