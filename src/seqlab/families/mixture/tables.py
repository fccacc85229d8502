"""Mixture models and the EM algorithm that fits them, whatever their components are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

ROWS = (
    1 << 18
)  # entries of bags that are looked at together: what they weigh in k components stays in the cache


class Family(Protocol):
    """What EM may know of components: how probable they make the data, and which are best for shared-out data."""

    def log_density(self, theta: Numbers) -> Numbers:
        """(n, k) log P(x_i | component)."""
        ...

    def best(self, q: Numbers, theta: Numbers) -> Numbers:
        """Components for data that belong to component l by q[i, l]; theta where no data do."""
        ...

    def log_prior(self, theta: Numbers) -> float:
        """What the log-likelihood is made up by, so that counts may be smoothed; 0 without."""
        ...


@dataclass(frozen=True, slots=True)
class EMHistory:
    """How EM went.

    log_likelihood   at the start and after every epoch, with the log of the prior if there is one; it never falls
    converged        whether the last epoch gained less than the tolerance
    """

    log_likelihood: tuple[float, ...]
    converged: bool


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Weights mu (k,) of components, their parameters theta (k, ...), and how they were found."""

    mu: Numbers
    theta: Numbers
    history: EMHistory


def log_joint(mu: Numbers, log_density: Numbers) -> Numbers:
    """(n, k) log of mu_l P(x_i | l)."""
    with np.errstate(divide="ignore"):
        joint: Numbers = np.log(mu) + log_density
    return joint


def log_sum(joint: Numbers) -> Numbers:
    """(n,) log Σ_l exp of the rows; -inf where all are."""
    top = joint.max(axis=1)
    shift = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        total: Numbers = shift + np.log(np.exp(joint - shift[:, None]).sum(axis=1))
    return total


def shares(joint: Numbers, mu: Numbers) -> Numbers:
    """(n, k) P(component | x_i) (eq:mixture-posterior); where x_i is impossible, as if nothing were known of it."""
    total = log_sum(joint)
    possible = np.isfinite(total)
    q = np.exp(joint - np.where(possible, total, 0.0)[:, None])
    q[~possible] = mu
    return q


def em(family: Family, weights: Numbers, theta: Numbers, *, epochs: int, tolerance: float) -> Mixture:
    """eq:mixture-em   E: q_il = P(l | x_i).  M: mu_l = Σ_i q_il / n, theta_l = argmax Σ_i q_il log P(x_i | theta).

    weights     (n,) how much each x_i counts
    theta       where to begin; the components begin with equal weights
    tolerance   the gain in log-likelihood for a weight of 1 that is worth another epoch
    """
    mu = np.full(len(theta), 1.0 / len(theta))
    joint = log_joint(mu, family.log_density(theta))
    found = [_objective(joint, weights) + family.log_prior(theta)]
    converged = False
    for _ in range(epochs):
        q = shares(joint, mu) * weights[:, None]
        new_mu = q.sum(axis=0) / weights.sum()
        new_theta = family.best(q, theta)
        joint = log_joint(new_mu, family.log_density(new_theta))
        value = _objective(joint, weights) + family.log_prior(new_theta)
        gain = value - found[-1]
        converged = not gain > tolerance * float(weights.sum())
        if gain < 0:  # the last digits: the components before were as good
            break
        mu, theta = new_mu, new_theta
        found.append(value)
        if converged:
            break
    return Mixture(mu, theta, EMHistory(tuple(found), converged))


def best_of(runs: int, run: Callable[[int], Mixture]) -> Mixture:
    """The run of the highest log-likelihood; among equals the first."""
    return max((run(r) for r in range(runs)), key=lambda one: one.history.log_likelihood[-1])


def _objective(joint: Numbers, weights: Numbers) -> float:
    counted = weights > 0
    return float((log_sum(joint)[counted] * weights[counted]).sum())


# ------------------------------------------------------------------------------------------------ bags of features


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """Counts of features, those of 0 left out.

    indptr   (n + 1,)     bag i has entries indptr[i] .. indptr[i + 1]
    ids      (entries,)   features from 0 to size - 1
    values   (entries,)   their counts, above 0
    """

    indptr: npt.NDArray[np.int64]
    ids: npt.NDArray[np.int64]
    values: Numbers
    size: int

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def rows(self) -> npt.NDArray[np.int64]:
        """(entries,) the bag of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    def sums(self, table: Numbers) -> Numbers:
        """(n, k) Σ_j x_ij table[j, l]."""
        out = np.zeros((len(self), table.shape[1]))
        row = self.rows()
        for begin in range(0, len(self.ids), ROWS):
            part = slice(begin, begin + ROWS)
            for column in range(table.shape[1]):
                terms = self.values[part] * table[self.ids[part], column]
                first = int(row[begin])
                sums = np.bincount(row[part] - first, terms)
                out[first : first + len(sums), column] += sums
        return out

    def totals(self, q: Numbers) -> Numbers:
        """(k, size) Σ_i q[i, l] x_ij."""
        row = self.rows()
        columns = [np.bincount(self.ids, self.values * q[row, c], self.size) for c in range(q.shape[1])]
        return np.array(columns, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Multinomials:
    """Components that draw features one by one: log P(x | l) = Σ_j x_j log theta_lj (eq:multinomial-mixture)."""

    bags: Bags
    smoothing: float

    def log_density(self, theta: Numbers) -> Numbers:
        """(n, k) log P(x_i | component)."""
        with np.errstate(divide="ignore"):
            logs = np.log(theta).T
        return self.bags.sums(logs)

    def best(self, q: Numbers, theta: Numbers) -> Numbers:
        """The components that these shares make most probable."""
        counts = self.bags.totals(q) + self.smoothing
        total = counts.sum(axis=1, keepdims=True)
        return np.where(total > 0, counts / np.where(total > 0, total, 1.0), theta)

    def log_prior(self, theta: Numbers) -> float:
        """The log of the prior, up to a constant."""
        return self.smoothing * float(np.log(theta).sum()) if self.smoothing else 0.0

    def start(self, k: int, weights: Numbers, chance: np.random.Generator) -> Numbers:
        """Half a bag that was drawn, half all of them, so that nothing is impossible."""
        everything = self.bags.totals(weights[:, None])[0] + self.smoothing
        everything = everything / everything.sum()
        full = np.flatnonzero((np.diff(self.bags.indptr) > 0) & (weights > 0))
        chosen = chance.choice(full, k, replace=len(full) < k)
        one = np.zeros((len(self.bags), k))
        one[chosen, np.arange(k)] = 1.0
        bags = self.bags.totals(one)
        # Some chance on top: two components that begin alike would stay alike for ever.
        theta = (0.5 * everything + 0.5 * bags / bags.sum(axis=1, keepdims=True)) * chance.uniform(
            0.9, 1.1, (k, self.bags.size)
        )
        return np.asarray(theta / theta.sum(axis=1, keepdims=True))


# ------------------------------------------------------------------------------------------------ points


@dataclass(frozen=True, slots=True, eq=False)
class Balls:
    """Normal components of one variance, which is known: theta (k, D) are their means (eq:gaussian-means)."""

    points: Numbers
    variance: float

    def log_density(self, theta: Numbers) -> Numbers:
        """(n, k) log P(x_i | component)."""
        columns = [((self.points - mean) ** 2).sum(axis=1) for mean in theta]
        constant = 0.5 * self.points.shape[1] * math.log(2 * math.pi * self.variance)
        with np.errstate(over="ignore"):  # too far away for a number is impossible
            return np.asarray(np.array(columns).T / (-2 * self.variance) - constant)

    def best(self, q: Numbers, theta: Numbers) -> Numbers:
        """The components that these shares make most probable."""
        total = q.sum(axis=0)[:, None]
        # Not q.T @ points: a matrix product of many threads need not give the same bits.
        sums = np.array([(share[:, None] * self.points).sum(axis=0) for share in q.T])
        return np.asarray(np.where(total > 0, sums / np.where(total > 0, total, 1.0), theta))

    def log_prior(self, theta: Numbers) -> float:  # noqa: ARG002  (part of the protocol)
        """Means have none."""
        return 0.0

    def start(self, k: int, weights: Numbers, chance: np.random.Generator) -> Numbers:
        """Points that were drawn, far ones more often: each by its squared distance from those chosen before."""
        chosen = [int(chance.choice(len(self.points), p=weights / weights.sum()))]
        while len(chosen) < k:
            nearest = (
                np.min([((self.points - self.points[c]) ** 2).sum(axis=1) for c in chosen], axis=0) * weights
            )
            p: Any = nearest / nearest.sum() if nearest.sum() > 0 else weights / weights.sum()
            chosen.append(int(chance.choice(len(self.points), p=p)))
        return np.array(self.points[chosen])
