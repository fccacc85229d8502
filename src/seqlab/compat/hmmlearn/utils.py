"""Small helpers of hmmlearn.utils, which programs import."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqlab.families.hmm.emissions.base import Floats
from seqlab.families.hmm.emissions.covariances import as_full


def normalize(a: Floats, axis: int | None = None) -> None:
    """Divide an array in place by its sums along an axis (the whole sum for None); a row of zeros stays."""
    total = a.sum(axis=axis, keepdims=True)
    a /= np.where(total == 0, 1.0, total) if axis is not None else total


def log_normalize(a: Floats, axis: int | None = None) -> None:
    """Shift logs in place so that their exponentials sum to 1 along an axis (over all cells for None)."""
    if axis is not None and a.shape[axis] == 1:
        a[:] = 0.0
        return
    top = a.max(axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(under="ignore", divide="ignore"):
        a -= top + np.log(np.exp(a - top).sum(axis=axis, keepdims=True))


def fill_covars(
    covars: Any, covariance_type: str = "full", n_components: int = 1, n_features: int = 1
) -> Floats:
    """Convert covariances (covars) of a type to matrices (n_components, n_features, n_features)."""
    array = np.asarray(covars, dtype=np.float64)
    if covariance_type == "spherical" and array.ndim > 1:
        covariance_type, array = "diag", np.broadcast_to(array, (n_components, n_features))
    return as_full(array, covariance_type, n_components, n_features)
