"""Covariances of four shapes: log densities, and maximum-likelihood estimates from moments."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqlab import _core
from seqlab.errors import OptionError
from seqlab.families.hmm.emissions.base import Floats
from seqlab.families.hmm.emissions.vectors import numbers

SHAPES = ("full", "diag", "tied", "spherical")
LOG_TWO_PI = float(np.log(2 * np.pi))


def shape_of(kind: str, size: int, width: int) -> tuple[int, ...]:
    """Return the shape of the array that holds the covariances of L states with D numbers."""
    square = (width, width)
    return {"full": (size, *square), "diag": (size, width), "tied": square, "spherical": (size,)}[kind]


def checked(value: Any, kind: str, shape: tuple[int, ...]) -> Floats:
    """Check covariances from a user, of this shape: symmetric, and every variance above 0."""
    array = numbers(value, "covariances", shape)
    if kind in ("diag", "spherical"):
        if (array <= 0).any():
            at = np.argwhere(array <= 0)[0]
            raise OptionError(f"{_cell(at)} is {array[tuple(at)]:g}, but a variance is above 0")
        return array
    for at in np.ndindex(array.shape[:-2]):
        one = array[at]
        if not np.allclose(one, one.T, rtol=1e-9, atol=1e-12):
            raise OptionError(f"{_cell(at)} is not symmetric, so it is no covariance")
        if not (least := np.linalg.eigvalsh(one)[0]) > 0:
            raise OptionError(
                f"{_cell(at)} is not positive definite: its smallest eigenvalue is {least:.3g}; something above "
                f"{abs(least):.3g} added to its diagonal makes it so"
            )
    return array


def _cell(at: Any) -> str:
    return f"covariances[{', '.join(map(str, at))}]" if len(at) else "covariances"


def as_full(covariances: Floats, kind: str, size: int, width: int) -> Floats:
    """Convert covariances of any shape to (L, D, D)."""
    if kind == "full":
        return covariances
    if kind == "tied":
        return np.array(np.broadcast_to(covariances, (size, width, width)))
    variances = np.broadcast_to(covariances[:, None], (size, width)) if kind == "spherical" else covariances
    return np.stack([np.diag(row) for row in variances])


def shaped(full: Floats, kind: str) -> Floats:
    """Find the nearest covariances of this shape to one matrix for every state (L, D, D)."""
    if kind == "full":
        return full
    if kind == "tied":
        return np.asarray(full.mean(axis=0))
    variances = np.einsum("ldd->ld", full)
    return np.array(variances if kind == "diag" else variances.mean(axis=1))


def whitened(x: Floats, means: Floats, covariances: Floats) -> Floats:
    """Compute (T, L) log densities under full covariances (L, D, D)."""
    node = np.empty((len(x), len(means)))
    width = x.shape[1]
    for y, (mean, covariance) in enumerate(zip(means, covariances, strict=True)):
        triangle = np.linalg.cholesky(covariance)
        away = (x - mean) @ np.linalg.inv(triangle).T
        constant = width * LOG_TWO_PI + 2 * np.log(np.diag(triangle)).sum()
        node[:, y] = -0.5 * (constant + np.einsum("td,td->t", away, away))
    return node


def whitened_columns(columns: Floats, means: Floats, covariances: Floats) -> Floats:
    """Compute log densities as `whitened` does, in the core and for vectors as (D, T)."""
    triangles = np.linalg.cholesky(covariances)
    logs = np.log(np.einsum("ldd->ld", triangles)).sum(axis=1)
    constants = -0.5 * len(columns) * LOG_TWO_PI - logs
    node = np.empty((columns.shape[1], len(means)))
    _core.full_scores(columns, means, np.linalg.inv(triangles), constants, node.reshape(-1))
    return node


def floored(covariances: Floats, kind: str, least: float) -> Floats:
    """Estimate covariances without a variance below `least` in any direction: eigenvalues are clipped."""
    if kind in ("diag", "spherical"):
        return np.maximum(covariances, least)
    values, vectors = np.linalg.eigh(0.5 * (covariances + np.swapaxes(covariances, -1, -2)))
    # Rounding must not make a variance of 0 negative.
    bound = np.maximum(least, 1e-13 * values[..., -1:])
    if (values >= bound).all():
        return covariances
    clipped = np.maximum(values, bound)
    return np.asarray(np.einsum("...ij,...j,...kj->...ik", vectors, clipped, vectors))
