"""Sequences of one array: the helper of hmmlearn._utils that subclasses import."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqlab.errors import ShapeError


def split_X_lengths(X: Any, lengths: Any) -> list[Any]:
    """Cut rows X into sequences of these lengths; all rows are one sequence for None."""
    if lengths is None:
        return [X]
    ends = np.cumsum(lengths)
    if ends[-1] != len(X):
        raise ShapeError(f"lengths must sum to the {len(X)} rows of X, but they sum to {ends[-1]}")
    return np.split(X, ends[:-1])
