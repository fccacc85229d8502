"""Every step of L-BFGS, which takes its direction from inner products, goes where BFGS with whole matrices would."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle.descent import Vector, inverse_hessian, quadratic, times_inverse_hessian
from oracle.lessons import exercise
from seqlab import _core
from seqlab.learning.optimisers import minimise, settings_for

pytestmark = pytest.mark.usefixtures("kernel")


@dataclass(frozen=True)
class Walk:
    """Where a walk was, (m + 1, n), the gradients there, and the directions between, (m, n)."""

    thetas: Vector
    gradients: Vector
    directions: Vector

    def moves(self, k: int, memory: int, dtype: type = np.float64) -> tuple[Vector, Vector]:
        """What is remembered at step k: the last moves with curvature, and the changes of the gradient."""
        moves, changes = (np.diff(rows[: k + 1], axis=0) for rows in (self.thetas, self.gradients))
        moves, changes = (rows.astype(dtype).astype(np.float64) for rows in (moves, changes))
        sizes = np.linalg.norm(moves, axis=1) * np.linalg.norm(changes, axis=1)
        curved = (moves * changes).sum(axis=1) > 1e-10 * sizes
        return moves[curved][-memory:], changes[curved][-memory:]

    def tolerance(self, k: int) -> float:
        """How well a direction is known that was found as the difference of two points."""
        step = np.linalg.norm(self.thetas[k + 1] - self.thetas[k])
        return 1e-14 * float(np.linalg.norm(self.thetas[k]) / step + 1.0) * np.linalg.norm(self.directions[k])


def walked(function: Any, start: Vector, **options: Any) -> Walk:
    """The steps of minimise, as long as they are long enough to be measured."""
    thetas: list[Vector] = []
    steps: list[float] = []

    def remember(iteration: Any, theta: Vector) -> None:
        thetas.append(theta)
        steps.append(iteration.step)

    options = {"epsilon": 1e-4, "period": 0, "max_iterations": 15} | options
    minimise(function, start, on_iteration=remember, **options)
    points = np.array(thetas)
    directions = np.diff(points, axis=0) / np.array(steps)[1:, None]
    return Walk(points, np.array([function(theta)[1] for theta in thetas]), directions)


def stretched_bowl(size: int) -> tuple[Any, Vector]:
    """A quadratic whose axes are the coordinates, and where to start."""
    h, rng = np.geomspace(1.0, 10.0, size), np.random.default_rng(size)
    lowest = rng.normal(size=size)
    return lambda theta: (0.5 * float(h @ (theta - lowest) ** 2), h * (theta - lowest)), rng.normal(size=size)


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 12), st.booleans())
def test_direction_equals_bfgs_with_whole_matrices(seed, size, memory, with_diagonal):  # eq:lbfgs
    problem = quadratic(seed, size, 30.0)
    rng = np.random.default_rng(seed)
    diagonal = np.exp(rng.normal(size=size)) if with_diagonal else None
    options = {"memory": memory, "memory_dtype": "float64"} | (
        {"diagonal": diagonal} if with_diagonal else {}
    )
    walk = walked(problem, problem.start, **options)
    assert len(walk.directions)
    for k, found in enumerate(walk.directions):
        H = inverse_hessian(*walk.moves(k, memory), np.ones(size) if diagonal is None else diagonal)
        expected = -H @ walk.gradients[k]
        # Moves that nearly coincide make H large; what it does to the slope is then known to fewer digits.
        loss = 1e-9 * np.linalg.norm(H, 2) * np.linalg.norm(walk.gradients[k])
        assert found == approx(expected, rel=1e-6, abs=loss + walk.tolerance(k))


@pytest.mark.parametrize("size", [1, 30, 2047, 2048, 2049, 5000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("with_diagonal", [False, True])
def test_direction_over_blocks_is_that_of_moves_as_kept(size, dtype, with_diagonal):  # eq:lbfgs
    function, start = stretched_bowl(size)
    diagonal = np.exp(np.random.default_rng(size).normal(scale=0.3, size=size))
    options = {"diagonal": diagonal} if with_diagonal else {}
    walk = walked(function, start, memory=4, memory_dtype=dtype, max_iterations=8, **options)
    H0 = diagonal if with_diagonal else np.ones(size)
    for k, found in enumerate(walk.directions):
        expected = -times_inverse_hessian(*walk.moves(k, 4, np.dtype(dtype).type), H0, walk.gradients[k])
        assert found == approx(expected, rel=1e-8, abs=1e-9 * np.linalg.norm(expected) + walk.tolerance(k))


RENEWED = {0: 0.8, 8: 0.6}  # when the diagonal is made anew, and how far it is believed (docs/decisions/0010)


@pytest.mark.parametrize("seed", range(3))
def test_a_diagonal_that_is_renewed_weighs_all_moves_anew(seed):  # eq:lbfgs eq:preconditioner
    task, l2 = exercise(seed, L=3, lengths=[4, 5, 3, 4, 5, 5]), 0.02
    loss = task.loss(_core.Likelihood64)
    options = {"memory_dtype": "float64", "memory": 5, "max_iterations": 11, "period": 0, "epsilon": 1e-7}
    size, thetas, steps = len(task.theta), [], []

    def report(*numbers):
        thetas.append(numbers[-1].copy())
        steps.append(numbers[6])
        return True

    settings = settings_for("lbfgs", size, options)
    loss.descend(None, np.zeros(size), None, l2, True, settings, 1, report)
    assert len(thetas) == 12
    points = np.array(thetas)
    walk = Walk(
        points,
        np.array([gradient(loss, theta, l2) for theta in thetas]),
        np.diff(points, axis=0) / np.array(steps)[1:, None],
    )
    for k, found in enumerate(walk.directions):
        if k in RENEWED:
            curvature = np.empty(size)
            loss.curvature(points[k], curvature, 1)
            diagonal = np.maximum(curvature + 2 * l2, 1e-3) ** -RENEWED[k]
        H = inverse_hessian(*walk.moves(k, 5), diagonal)
        assert found == approx(-H @ walk.gradients[k], rel=1e-6, abs=1e-7 * np.linalg.norm(found))


def gradient(loss, theta, l2):
    slope = np.empty_like(theta)
    loss(theta, slope, 1)
    return slope + 2 * l2 * theta


def test_float32_history_changes_the_direction_in_the_seventh_digit_only():
    function, start = stretched_bowl(300)
    exact, rounded = (
        walked(function, start, memory_dtype=dtype, max_iterations=3) for dtype in ("float64", "float32")
    )
    assert (exact.directions[0] == rounded.directions[0]).all()  # nothing is remembered yet
    apart = np.linalg.norm(rounded.directions[1] - exact.directions[1])
    assert 0 < apart < 1e-5 * np.linalg.norm(exact.directions[1])


@pytest.mark.parametrize("seed", range(5))
def test_moves_without_curvature_are_not_remembered(seed):  # eq:lbfgs
    start = np.random.default_rng(seed).uniform(-0.3, 0.3, size=6)
    hills = lambda theta: (float(np.cos(theta).sum()), -np.sin(theta))  # noqa: E731
    walk = walked(
        hills, start, line_search="armijo", memory_dtype="float64", first_step=0.5, max_iterations=6
    )
    refused = [k - len(walk.moves(k, 100)[0]) for k in range(len(walk.directions))]
    assert max(refused) > 0
    for k, found in enumerate(walk.directions):
        expected = -inverse_hessian(*walk.moves(k, 10), np.ones(6)) @ walk.gradients[k]
        assert found == approx(expected, rel=1e-6, abs=walk.tolerance(k))
