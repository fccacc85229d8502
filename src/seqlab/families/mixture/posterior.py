"""The posterior over components of a mixture."""

from __future__ import annotations

import numpy as np

from seqlab.families.mixture.reading import Numbers


def log_sum(joint: Numbers) -> Numbers:
    """Compute (n,) log Σ_l exp of the rows; -inf where all are."""
    top = joint.max(axis=1)
    shift = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(shift + np.log(np.exp(joint - shift[:, None]).sum(axis=1)))


# eq:mixture-posterior   P(l | x_i) = mu_l P(x_i | l) / Σ_m mu_m P(x_i | m)
def shares(joint: Numbers, mu: Numbers) -> Numbers:
    """Compute (n, k) P(component | x_i); the weights where x_i is impossible."""
    total = log_sum(joint)
    possible = np.isfinite(total)
    q = np.exp(joint - np.where(possible, total, 0.0)[:, None])
    q[~possible] = mu
    return q
