"""Means and squares: of training data as a whole, and of the tokens of each state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seqlab.errors import CorpusError
from seqlab.families.hmm.emissions.base import Floats, Statistics, VectorRows

SHARE = 1e-4  # of the data's own variance: below it no variance falls, unless asked


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """What training data as a whole look like: D, their mean and covariance."""

    width: int
    mean: Floats
    covariance: Floats

    @staticmethod
    def of(rows: VectorRows) -> Spread:
        """Of the vectors that are there."""
        values = rows.values[rows.there]
        if not len(values):
            raise CorpusError("every observation is missing, so there is nothing to learn from")
        width = values.shape[1]
        if not width:
            raise CorpusError("the vectors have no numbers at all, so there is nothing to learn from")
        present = np.ones_like(values) if rows.present is None else rows.present[rows.there].astype(float)
        count = np.maximum(present.sum(axis=0), 1.0)
        mean = values.sum(axis=0) / count
        away = (values - mean) * present
        return Spread(width, mean, away.T @ away / np.sqrt(np.outer(count, count)))

    def least(self, asked: float | None) -> float:
        """The smallest variance that is allowed."""
        if asked is not None:
            return asked
        usual = float(np.diag(self.covariance).mean())
        return SHARE * usual if usual > 0 else 1e-6


def rebased(statistics: Statistics, means: Floats) -> Statistics:
    """The same moments about other means."""
    post, first, second = statistics["post"], statistics["first"], statistics["second"]
    move = means - statistics["about"]
    if second.ndim == 3:
        cross = first[:, :, None] * move[:, None, :]
        second = (
            second
            - cross
            - np.swapaxes(cross, 1, 2)
            + post[:, :1, None] * move[:, :, None] * move[:, None, :]
        )
    else:
        second = second - 2 * move * first + post * move**2
    return {"post": post, "first": first - post * move, "second": second, "about": means}
