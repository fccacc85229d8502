"""Kullback-Leibler divergences KL(q || p) between distributions of one family (eq:kl-divergence)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import digamma, gammaln

from seqlab.families.hmm.emissions.base import Floats


def kl_dirichlet(q: Any, p: Any) -> Any:
    """Compute the divergence of Dirichlet distributions with parameters q and p (..., N).

    An event with a parameter of 0 in both is not there; with one of 0 in one of them the divergence is infinite.
    """
    q, p = np.asarray(q, dtype=np.float64), np.asarray(p, dtype=np.float64)
    some = (q > 0) & (p > 0)
    a, b = np.where(some, q, 1.0), np.where(some, p, 1.0)
    q_sum, p_sum = (np.where(some, one, 0.0).sum(axis=-1) for one in (q, p))
    terms = (a - b) * (digamma(a) - digamma(q_sum)[..., None]) - gammaln(a) + gammaln(b)
    total = gammaln(q_sum) - gammaln(p_sum) + np.where(some, terms, 0.0).sum(axis=-1)
    return np.where(((q > 0) == (p > 0)).all(axis=-1), total, np.inf)[()]


def kl_normal_distribution(mean_q: Any, variance_q: Any, mean_p: Any, variance_p: Any) -> Any:
    """Compute the divergence of normal distributions: mean_q and variance_q, mean_p and variance_p."""
    ratio = np.divide(variance_q, variance_p)
    away = np.subtract(mean_q, mean_p)
    return 0.5 * (away**2 / variance_p + ratio - 1 - np.log(ratio))


def kl_multivariate_normal_distribution(mean_q: Any, covar_q: Any, mean_p: Any, covar_p: Any) -> Any:
    """Compute the divergence of normal distributions of vectors.

    mean_q, mean_p     (..., D)
    covar_q, covar_p   (..., D, D)
    """
    away, covar_q = np.subtract(mean_q, mean_p), np.asarray(covar_q, dtype=np.float64)
    ratio = np.linalg.solve(covar_p, covar_q)  # covar_p⁻¹ covar_q
    distance = (away * np.linalg.solve(covar_p, away[..., None])[..., 0]).sum(axis=-1)
    return 0.5 * (_trace(ratio) + distance - away.shape[-1] - _log_det(covar_q) + _log_det(covar_p))


def kl_gamma_distribution(b_q: Any, c_q: Any, b_p: Any, c_p: Any) -> Any:
    """Compute the divergence of gamma distributions with shapes b_q and b_p, rates c_q and c_p."""
    ratio = np.divide(c_p, c_q)
    shape = np.subtract(b_q, b_p) * digamma(b_q) - gammaln(b_q) + gammaln(b_p)
    return shape - b_p * np.log(ratio) + b_q * (ratio - 1)


def kl_wishart_distribution(dof_q: Any, scale_q: Any, dof_p: Any, scale_p: Any) -> Any:
    """Compute the divergence of Wishart distributions of precision matrices.

    dof_q, dof_p       degrees of freedom, a number or (...)
    scale_q, scale_p   inverse scales (..., D, D): the mean of the precision is dof · scale⁻¹

    Infinite where one of them has too few degrees of freedom for a density.
    """
    dof_q, scale_q = np.asarray(dof_q, dtype=np.float64), np.asarray(scale_q, dtype=np.float64)
    dof_p, scale_p = np.asarray(dof_p, dtype=np.float64), np.asarray(scale_p, dtype=np.float64)
    ratio = np.linalg.solve(scale_q, scale_p)
    with np.errstate(invalid="ignore"):
        found = (
            (dof_q - dof_p) / 2 * (expected_log_det(dof_q, scale_q.shape[-1]) - _log_det(scale_q))
            + dof_q / 2 * (_trace(ratio) - scale_p.shape[-1])
            + _log_constant(dof_p, scale_p)
            - _log_constant(dof_q, scale_q)
        )
    return np.where(np.isnan(found), np.inf, found)[()]


def expected_logs(parameters: Floats) -> Floats:
    """Compute E[log p] for rows of Dirichlet parameters (..., N); -inf for a parameter of 0."""
    return np.asarray(digamma(parameters) - digamma(parameters.sum(axis=-1, keepdims=True)))


def expected_log_det(dof: Any, width: int) -> Floats:
    """Compute E[log det Λ] of (width, width) Wishart matrices with scale 1; -inf if the distribution has no density."""
    found = digamma(_halves(dof, width)).sum(axis=-1) + width * np.log(2)
    return np.where(np.isnan(found), -np.inf, found)[()]


def _log_constant(dof: Any, scale: Floats) -> Floats:
    """Compute the log of what makes a Wishart density sum to 1, without the power of π that all have."""
    width = scale.shape[-1]
    gammas = gammaln(_halves(dof, width)).sum(axis=-1)
    return np.asarray(gammas - dof / 2 * (_log_det(scale) - width * np.log(2)))


def _halves(dof: Any, width: int) -> Floats:
    return np.asarray((np.asarray(dof, dtype=np.float64)[..., None] - np.arange(width)) / 2)


def _trace(matrices: Floats) -> Any:
    return np.trace(matrices, axis1=-2, axis2=-1)


def _log_det(matrices: Any) -> Any:
    return np.linalg.slogdet(matrices)[1]
