"""The difference of two log-sums, given back to the terms that make it (eq:message-shares)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from seqlab.families.linear.explain.around import Logs, log_sum


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """log Σ_i e^{x_i} - log Σ_i e^{z_i} = Σ_i ( factor_i (x_i - z_i) + extra_i ), over the first axis.

    factor        shares that add up to 1, over the terms that both sums have
    extra         for terms that only one sum has (the other is -inf), and 0 elsewhere
    share         e^{x_i} / Σ e^{x}
    rival_share   e^{z_i} / Σ e^{z}

    Where a whole column of x or of z is -inf there is no difference to spread: factor and extra are 0.
    """

    factor: Logs
    extra: Logs
    share: Logs
    rival_share: Logs

    def of(self, parts: Callable[[Logs], Logs]) -> Spread:
        """The same with every array put through a function (a sum over an axis, another shape)."""
        return Spread(parts(self.factor), parts(self.extra), parts(self.share), parts(self.rival_share))

    def within(self, outer: Spread) -> Spread:
        """Of a sum whose terms are sums again: this one spreads the inner sums, `outer` the sum of them.

        outer's arrays have one entry for each inner sum (the axes after the first of this one).
        """
        lone = self.share + self.rival_share  # where outer.extra is not 0, one of the two sides is missing
        return Spread(
            outer.factor * self.factor,
            outer.factor * self.extra + outer.extra * lone,
            outer.share * self.share,
            outer.rival_share * self.rival_share,
        )


def spread(logs: Logs, rival: Logs) -> Spread:
    """Shares of each term in log_sum(logs) - log_sum(rival), along the first axis."""
    total, rival_total = log_sum(logs, 0), log_sum(rival, 0)
    share, rival_share = _shares(logs, total), _shares(rival, rival_total)
    both = np.isfinite(logs) & np.isfinite(rival)
    common, rival_common = (np.where(both, side, -np.inf) for side in (logs, rival))
    kept, rival_kept = log_sum(common, 0), log_sum(rival_common, 0)
    factor = _mean_shares(common, rival_common, kept, rival_kept)
    possible = np.isfinite(total) & np.isfinite(rival_total)
    some = possible & np.isfinite(kept)
    extra = np.zeros_like(factor)
    # What only one side has: the log of how much larger it makes that side, in proportion to its terms.
    extra += _one_sided(share, both, np.where(some, _gap(total, kept), 0.0))
    extra -= _one_sided(rival_share, both, np.where(some, _gap(rival_total, rival_kept), 0.0))
    # Nothing in common: no term of one side has a counterpart, so each carries its share of the difference.
    apart = np.where(possible & ~some, _gap(total, rival_total), 0.0)
    extra += apart * (share + rival_share) / 2
    return Spread(factor, extra, share, rival_share)


def _shares(logs: Logs, total: Logs) -> Logs:
    shares: Logs = np.exp(logs - np.where(np.isfinite(total), total, 0.0))
    return shares


def _gap(one: Logs, other: Logs) -> Logs:
    """one - other, and 0 where either is -inf."""
    fine = np.isfinite(one) & np.isfinite(other)
    gap: Logs = np.where(fine, one, 0.0) - np.where(fine, other, 0.0)
    return gap


def _one_sided(share: Logs, both: npt.NDArray[np.bool_], amount: Logs) -> Logs:
    alone = np.where(both, 0.0, share)
    whole = alone.sum(axis=0)
    part: Logs = np.where(whole > 0, amount / np.where(whole > 0, whole, 1.0), 0.0) * alone
    return part


def _mean_shares(logs: Logs, rival: Logs, total: Logs, rival_total: Logs) -> Logs:
    """Logarithmic means (p - q) / (log p - log q) of the two shares of each term, brought to the sum 1."""
    fine = np.isfinite(logs)
    p, q = (
        _gap(side, np.broadcast_to(whole, side.shape))
        for side, whole in ((logs, total), (rival, rival_total))
    )
    gap = np.abs(p - q)
    # (1 - e^-g) / g without cancellation, and 1 at g = 0
    slope = np.where(gap > 0, -np.expm1(-gap) / np.where(gap > 0, gap, 1.0), 1.0)
    means = np.where(fine, np.exp(np.maximum(p, q)) * slope, 0.0)
    whole = means.sum(axis=0)
    shares: Logs = means / np.where(whole > 0, whole, 1.0)
    return shares
