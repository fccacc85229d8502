"""Optimisation, slow and obvious: BFGS with whole matrices, and functions whose lowest point is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]


def inverse_hessian(moves: Vector, changes: Vector, diagonal: Vector) -> Vector:
    """BFGS over all moves, oldest first, from gamma times the diagonal (eq:lbfgs)."""
    size = diagonal.size
    H = np.diag(diagonal)
    if len(moves):
        H *= moves[-1] @ changes[-1] / (changes[-1] @ (diagonal * changes[-1]))
    for s, y in zip(moves, changes, strict=True):
        left = np.eye(size) - np.outer(s, y) / (s @ y)
        H = left @ H @ left.T + np.outer(s, s) / (s @ y)
    return H


def times_inverse_hessian(moves: Vector, changes: Vector, diagonal: Vector, v: Vector) -> Vector:
    """inverse_hessian(...) @ v for vectors too long for a matrix: the same formula, applied from the newest move on."""
    if len(moves) == 0:
        return diagonal * v
    s, y = moves[-1], changes[-1]
    gamma = s @ y / (y @ (diagonal * y))

    def times(k: int, v: Vector) -> Vector:
        if k < 0:
            return gamma * diagonal * v
        s, y = moves[k], changes[k]
        inner = times(k - 1, v - y * (s @ v) / (s @ y))
        return inner - s * (y @ inner) / (s @ y) + s * (s @ v) / (s @ y)

    return times(len(moves) - 1, v)


@dataclass(frozen=True)
class Problem:
    """A function with its gradient, and where it is lowest."""

    function: Callable[[Vector], tuple[float, Vector]]
    lowest: Vector
    start: Vector

    def __call__(self, theta: Vector) -> tuple[float, Vector]:
        return self.function(theta)


def quadratic(seed: int, size: int, condition: float) -> Problem:
    """½ (θ - θ*)' A (θ - θ*), the eigenvalues of A from 1 to `condition`."""
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(size, size)))
    A = turn @ np.diag(np.geomspace(1.0, condition, size)) @ turn.T
    A = (A + A.T) / 2
    lowest = rng.normal(size=size)

    def function(theta: Vector) -> tuple[float, Vector]:
        slope = A @ (theta - lowest)
        return 0.5 * float((theta - lowest) @ slope), slope

    return Problem(function, lowest, rng.normal(size=size))


def logistic(seed: int, rows: int = 60, size: int = 8, l2: float = 1.0) -> tuple[Any, Vector, Vector]:
    """Logistic regression with ½ l2 |θ|², and its data X (rows, size), y of -1 and 1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, size))
    y = np.where(X @ rng.normal(size=size) + rng.normal(size=rows) > 0, 1.0, -1.0)

    def function(theta: Vector) -> tuple[float, Vector]:
        margin = y * (X @ theta)
        value = float(np.logaddexp(0.0, -margin).sum() + 0.5 * l2 * theta @ theta)
        return value, -(X.T @ (y / (1.0 + np.exp(margin)))) + l2 * theta

    return function, X, y


def rosenbrock(theta: Vector) -> tuple[float, Vector]:
    """A curved valley with its lowest point, 0, at all ones."""
    bend, rest = theta[1:] - theta[:-1] ** 2, 1.0 - theta[:-1]
    slope = np.zeros_like(theta)
    slope[1:] += 200.0 * bend
    slope[:-1] -= 400.0 * theta[:-1] * bend + 2.0 * rest
    return float(100.0 * bend @ bend + rest @ rest), slope
