"""Larger random trellises, by seed: what the agreement tests run on."""

from __future__ import annotations

import numpy as np

from oracle.tables import Tables
from seqlab import TrellisBatch


def random_tables(
    seed: int,
    T: int,
    L: int,
    *,
    order: int = 1,
    dtype: type = np.float64,
    per_position: bool = False,
    scale: float = 2.0,
    whole: bool = False,
    holes: float = 0.0,
) -> Tables:
    """Normal scores (whole=True: small whole numbers, so that sums are exact); holes never touch label 0."""
    rng = np.random.default_rng(seed)

    def scores(*shape: int) -> np.ndarray:
        values = rng.integers(-9, 10, shape) if whole else rng.normal(scale=scale, size=shape)
        values = values.astype(dtype)
        gaps = rng.random(shape) < holes
        gaps[..., 0] = False
        values[gaps] = -np.inf
        return values

    stack = (T - order,) if per_position and order < T else ()
    head = tuple(scores(*(L,) * (i + 2)) for i in range(order - 1))
    return Tables(scores(T, L), scores(*stack, *(L,) * (order + 1)), order, head)


def random_batch(
    seed: int,
    lengths: list[int],
    L: int,
    *,
    order: int = 1,
    dtype: type = np.float64,
    per_position: bool = False,
    whole: bool = False,
) -> TrellisBatch:
    """A ragged batch, with one shared edge tensor or with slabs for every position."""
    longest = random_tables(
        seed, max(sum(lengths), order + 2), L, order=order, dtype=dtype, per_position=True, whole=whole
    )
    slabs = sum(max(T - order, 0) for T in lengths)
    edge = longest.edge[:slabs] if per_position else longest.edge[0]
    return TrellisBatch(longest.node[: sum(lengths)], lengths, edge, order=order, head=longest.head)


def ragged(seed: int, N: int, longest: int = 30) -> list[int]:
    """N lengths, an empty sequence among them as soon as there is room for one."""
    lengths = np.random.default_rng(seed).integers(1, longest + 1, N)
    if N > 1:
        lengths[N // 2] = 0
    return [int(T) for T in lengths]
