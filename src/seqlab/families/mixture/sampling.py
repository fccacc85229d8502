"""Draw observations from a mixture: a component first, then features or a point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from seqlab.arrays import whole_number
from seqlab.errors import OptionError
from seqlab.families.mixture.reading import Numbers


def drawn_bags(
    mu: Numbers, theta: Numbers, names: Sequence[str] | None, n: Any, seed: Any, length: Any
) -> list[list[Any]]:
    """Draw n bags of `length` features, each in the order of drawing."""
    n, rng = whole_number(n, "n", 0), np.random.default_rng(whole_number(seed, "seed", 0))
    if length is None:
        raise OptionError("length says how many features a bag has: a mixture has no probability of lengths")
    size = whole_number(length, "length", 0)
    known = range(theta.shape[1]) if names is None else names
    components = rng.choice(len(mu), n, p=mu / mu.sum())
    rows = (rng.choice(theta.shape[1], size, p=theta[k] / theta[k].sum()) for k in components.tolist())
    return [[known[i] for i in row.tolist()] for row in rows]


def drawn_points(mu: Numbers, means: Numbers, variance: float, n: Any, seed: Any, length: Any) -> Numbers:
    """Draw (n, D) points."""
    n, rng = whole_number(n, "n", 0), np.random.default_rng(whole_number(seed, "seed", 0))
    if length is not None:
        raise OptionError("length is for bags of features; a point has as many numbers as those of training")
    components = rng.choice(len(mu), n, p=mu / mu.sum())
    noise = rng.normal(size=(n, means.shape[1]))
    return np.asarray(means[components] + noise * np.sqrt(float(variance)))
