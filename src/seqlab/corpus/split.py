"""Which sentences go into which part: by share, by count, by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from seqlab.errors import OptionError


def bounds(parts: Sequence[float], size: int) -> list[int]:
    """Where consecutive parts of `size` sentences begin and end."""
    if not parts:
        raise OptionError("split wants shares (0.8, 0.1, 0.1) or counts (1000, 500), got nothing")
    for part in parts:
        if (
            isinstance(part, bool)
            or not isinstance(part, (int, float, np.integer, np.floating))
            or not part >= 0
        ):
            raise OptionError(f"split wants shares between 0 and 1 or counts from 0 up, got {part!r}")
    if all(isinstance(part, (int, np.integer)) for part in parts):
        return _by_count([int(part) for part in parts], size)
    return _by_share([float(part) for part in parts], size)


def _by_share(shares: Sequence[float], size: int) -> list[int]:
    total = math.fsum(shares)
    if total > 1 + 1e-9:
        raise OptionError(f"shares {tuple(shares)} add up to {total:g}, but 1 is the whole corpus")
    sums = [math.fsum(shares[:i]) for i in range(len(shares) + 1)]
    ends = [min(round(share * size), size) for share in sums]
    return [*ends[:-1], size] if total > 1 - 1e-9 else [*ends, size]


def _by_count(counts: Sequence[int], size: int) -> list[int]:
    total = sum(counts)
    if total > size:
        raise OptionError(f"counts {tuple(counts)} add up to {total}, but the corpus has {size} sentences")
    ends = [sum(counts[:i]) for i in range(len(counts) + 1)]
    return ends if total == size else [*ends, size]


def order(size: int, seed: int) -> npt.NDArray[np.int64]:
    """All numbers below `size` in an order that depends on the seed alone, whatever the version of NumPy."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise OptionError(f"seed must be a whole number from 0 up, got {seed!r}")
    # The raw stream of a bit generator is promised never to change; permutation() is not.
    keys = np.random.PCG64(int(seed)).random_raw(size)
    return np.argsort(keys, kind="stable")


def drawn(n: int, size: int, seed: int) -> npt.NDArray[np.int64]:
    """n of `size` numbers, drawn without replacement, sorted."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 0 <= n <= size:
        raise OptionError(f"sample wants a whole number from 0 to {size} (all sentences), got {n!r}")
    return np.sort(order(size, seed)[: int(n)])
