"""Weights as they stand in a model file: whole, or rounded to fewer bytes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from seqlab.errors import OptionError, StoreError
from seqlab.store.state import Array, State

Weights = npt.NDArray[np.float64]

DTYPES = ("float64", "float32", "float16", "int8")
STEPS = 127  # of int8, on each side of zero
LARGEST = 1e30  # beyond it a path's score could leave the range of float32
RUN = 256  # weights of a plain list that share a scale; a table has one for each of its rows


def packed(weights: Weights, dtype: str = "float64") -> dict[str, Array]:
    """Weights of any shape as arrays for a State, which unpacked() reads back.

    float64 comes back bit for bit; float32 and float16 come back rounded to the nearest; int8 comes back rounded to
    a 127th of the largest weight of its row (of its run of 256, when the weights are no table). What came back so
    comes back the next time bit for bit.
    """
    check_dtype(dtype)
    largest = _largest(weights)
    if not largest <= (float(np.finfo(np.float16).max) if dtype == "float16" else LARGEST):
        raise StoreError(f"a weight of {largest:.6g} is too large to be stored as {dtype}")
    if dtype == "float64":
        return {"": weights}
    if dtype == "int8":
        return _scaled(weights)
    return {"": weights.astype(dtype)}


def unpacked(state: State, name: str, shape: tuple[int | None, ...]) -> Weights:
    """The weights that packed() was given, as float64 of this shape; None in the shape stands for any length."""
    found = state.arrays.get(name)
    if found is None or str(found.dtype) not in DTYPES:
        what = "is missing" if found is None else f"should hold weights, found {found.dtype}"
        raise StoreError(f"the array {name!r} {what}")
    stored = state.array(name, found.dtype, shape)
    if found.dtype == np.int8:
        return _unscaled(stored, state, name)
    weights: Weights = stored.astype(np.float64, copy=False)
    return _moderate(weights, name)


def named(name: str, arrays: dict[str, Array]) -> dict[str, Array]:
    """The arrays of packed(), with their names in a State."""
    return {f"{name}{own}": array for own, array in arrays.items()}


def check_dtype(dtype: str) -> None:
    """Raise unless weights can be stored so."""
    if dtype not in DTYPES:
        raise OptionError(f"weights are stored as {', '.join(DTYPES)}, got {dtype!r:.80}")


def _scaled(weights: Weights) -> dict[str, Array]:
    rows, of_weight = _rows(weights.shape)
    flat = np.abs(weights.reshape(-1))
    scale = np.zeros(rows, dtype=np.float32)
    if len(flat):
        largest = np.maximum.reduceat(flat, _begins(weights.shape))
        scale[:] = (largest / STEPS).astype(np.float32)
        # Only the tiniest scales are so coarse that the largest weight would leave the range.
        outside = largest > (STEPS + 0.5) * scale.astype(np.float64)
        scale[outside] = np.nextafter(scale[outside], np.float32(np.inf))
    steps = np.divide(
        weights.reshape(-1), scale[of_weight], out=np.zeros(len(flat)), where=scale[of_weight] > 0
    )
    return {"": np.rint(steps).astype(np.int8).reshape(weights.shape), ".scale": scale}


def _unscaled(stored: Array, state: State, name: str) -> Weights:
    rows, of_weight = _rows(stored.shape)
    scale = state.array(f"{name}.scale", np.float32, (rows,))
    if not (np.isfinite(scale).all() and (scale >= 0).all()):
        raise StoreError(f"the array '{name}.scale' should hold numbers from 0 up")
    flat = stored.reshape(-1).astype(np.float64) * scale.astype(np.float64)[of_weight]
    return _moderate(flat.reshape(stored.shape), name)


def _largest(weights: Weights) -> float:
    """The largest absolute value, NaN when there is one; without a copy, since models are large."""
    return max(float(weights.max(initial=0)), -float(weights.min(initial=0)))


def _moderate(weights: Weights, name: str) -> Weights:
    largest = _largest(weights)
    if not largest <= 1.01 * LARGEST:  # it may have been rounded up
        raise StoreError(f"the array {name!r} should hold weights up to {LARGEST:g}, found {largest:.6g}")
    return weights


def _rows(shape: tuple[int, ...]) -> tuple[int, npt.NDArray[np.intp]]:
    """How many scales there are, and the number of each weight's."""
    size, width = int(np.prod(shape)), _width(shape)
    return -(-size // width), np.arange(size) // width


def _begins(shape: tuple[int, ...]) -> npt.NDArray[np.intp]:
    return np.arange(0, int(np.prod(shape)), _width(shape))


def _width(shape: tuple[int, ...]) -> int:
    return RUN if len(shape) < 2 else max(shape[-1], 1)
