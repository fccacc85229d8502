"""Choose which sentences go into which part: by share, by count, by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from seqlab.errors import OptionError

WHOLE = (int, np.integer)


def bounds(parts: Sequence[float], size: int) -> list[int]:
    """Find where consecutive parts of `size` sentences begin and end."""
    if not parts:
        raise OptionError("split wants shares (0.8, 0.1, 0.1) or counts (1000, 500), got nothing")
    for part in parts:
        real = isinstance(part, (*WHOLE, float, np.floating)) and not isinstance(part, bool)
        if not real or not part >= 0:
            raise OptionError(f"split wants shares between 0 and 1 or counts from 0 up, got {part!r}")
    sums = [math.fsum(parts[:i]) for i in range(len(parts) + 1)]
    total = sums[-1]
    if all(isinstance(part, WHOLE) for part in parts):
        if total > size:
            counts = tuple(map(int, parts))
            raise OptionError(f"counts {counts} add up to {sum(counts)}, but the corpus has {size} sentences")
        ends, whole = list(map(int, sums)), total == size
    else:
        if total > 1 + 1e-9:
            shares = tuple(map(float, parts))
            raise OptionError(f"shares {shares} add up to {total:g}, but 1 is the whole corpus")
        ends, whole = [min(round(share * size), size) for share in sums], total > 1 - 1e-9
    return [*(ends[:-1] if whole else ends), size]


def order(size: int, seed: int) -> npt.NDArray[np.int64]:
    """Shuffle the numbers below `size`, in an order that depends on the seed alone, whatever the version of NumPy."""
    if isinstance(seed, bool) or not isinstance(seed, WHOLE) or seed < 0:
        raise OptionError(f"seed must be a whole number from 0 up, got {seed!r}")
    # The raw stream of a bit generator is promised never to change; permutation() is not.
    keys = np.random.PCG64(int(seed)).random_raw(size)
    return np.argsort(keys, kind="stable")


def drawn(n: int, size: int, seed: int) -> npt.NDArray[np.int64]:
    """Draw n of `size` numbers without replacement, and sort them."""
    if isinstance(n, bool) or not isinstance(n, WHOLE) or not 0 <= n <= size:
        raise OptionError(f"sample wants a whole number from 0 to {size} (all sentences), got {n!r}")
    return np.sort(order(size, seed)[: int(n)])
