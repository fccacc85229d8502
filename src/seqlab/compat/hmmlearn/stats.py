"""Log densities of Gaussians under hmmlearn's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqlab.arrays import contiguous
from seqlab.errors import ScoreError
from seqlab.families.hmm.emissions.base import Floats, VectorRows
from seqlab.families.hmm.emissions.covariances import SHAPES
from seqlab.families.hmm.emissions.gaussian import Gaussian, GaussianDistribution

LEAST = float(np.finfo(float).tiny)  # no variance counts as less
OPTIONS = {kind: Gaussian(kind) for kind in SHAPES}
REPAIR = 1e-7  # added to the diagonal of a matrix that is not positive definite


def log_multivariate_normal_density(X: Any, means: Any, covars: Any, covariance_type: str = "diag") -> Floats:
    """Compute log densities (T, K) of rows X (T, D) under Gaussians.

    means             (K, D)
    covars            (K,), (K, D), (K, D, D) or (D, D), by type
    covariance_type   "spherical", "diag", "full" or "tied"
    """
    rows, means = VectorRows(contiguous(X, np.float64)), np.asarray(means)
    try:
        with np.errstate(over="ignore"):  # a variance of nearly 0: densities of nearly 0 beside it
            return gaussians(means, covars, covariance_type).scores(rows)
    except np.linalg.LinAlgError:
        try:
            repaired = np.asarray(covars) + REPAIR * np.eye(means.shape[1])
            return gaussians(means, repaired, covariance_type).scores(rows)
        except np.linalg.LinAlgError:
            raise ScoreError("a matrix of covars is not positive definite, so it has no density") from None


def gaussians(means: Any, covars: Any, covariance_type: str) -> GaussianDistribution:
    """Make seqlab's Gaussians of hmmlearn's means and covars; spherical ones have a variance for each number."""
    means, covars = contiguous(means, np.float64), np.asarray(covars, dtype=np.float64)
    if covariance_type in ("spherical", "diag"):
        wide = covars[:, None] if covars.ndim == 1 else covars
        covariance_type, covars = "diag", np.maximum(np.broadcast_to(wide, means.shape), LEAST)
    return GaussianDistribution(OPTIONS[covariance_type], means, covars)
