"""Vectors of a corpus as arrays, their moments, and k-means for a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus import Corpus, VectorColumn
from seqlab.errors import CorpusError, OptionError
from seqlab.families.hmm.emissions.base import Chance, Floats, Ids, Statistics, VectorRows, as_floats
from seqlab.families.hmm.emissions.symbols import place

LARGEST = 1e100  # sums of squares of larger numbers would overflow
LLOYD = 100  # largest number of rounds of k-means
STILL = 1e-4  # k-means ends when its centres move by less than this share of the variance
SAMPLE = 4_000  # size of the sample on which k-means tries its starts; at least EACH for every cluster
EACH = 100
SHARE = 1e-4  # smallest variance by default, as a share of the data's variance


def vector_rows(corpus: Corpus, column: str | None, width: int | None, *, whole: bool = True) -> VectorRows:
    """Read the vectors of a corpus (T, D); NaN is a missing number.

    width   D of training, or None before
    whole   True if a vector must be complete or missing altogether
    """
    if not corpus.token_count:
        return VectorRows(np.zeros((0, width or 0)))
    found = None if column is None else corpus.data(column)
    if not isinstance(found, VectorColumn):
        raise CorpusError(f"numbers are wanted for every token, but column {column!r} holds something else")
    values = np.ascontiguousarray(found.vectors, dtype=np.float64)
    missing = np.isnan(values)
    if width is not None and values.shape[1] != width:
        if not missing.all():
            raise CorpusError(
                f"the vectors have {values.shape[1]} numbers, but those of training had {width}; give as many"
            )
        missing = np.ones((len(values), width), dtype=bool)  # the width of a missing vector is unknown
        values = np.full(missing.shape, np.nan)
    large = np.abs(values) > LARGEST
    if large.any():
        token, d = np.argwhere(large)[0].tolist()
        raise CorpusError(
            f"number {d} is {values[token, d]}, but a finite number is wanted, of at most "
            f"{LARGEST:g}; NaN or None says that it is missing",
            place=place(corpus, token),
        )
    if not missing.any():
        return VectorRows(values)
    partly = missing.any(axis=1) & ~missing.all(axis=1)
    if whole and partly.any():
        token = int(np.argmax(partly))
        raise CorpusError(
            "some numbers of the vector are NaN and some are not; with covariances between "
            "numbers all must be there, or none: write NaN for all of them, or use covariance='diag'",
            place=place(corpus, token),
        )
    return VectorRows(np.where(missing, 0.0, values), ~missing)


def numbers(value: Any, name: str, shape: tuple[int, ...]) -> Floats:
    """Read an array of finite numbers of this shape."""
    array = as_floats(value, name)
    if array.shape != shape:
        raise OptionError(f"{name} has shape {array.shape}, but {shape} is wanted")
    if not np.isfinite(array).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise OptionError(f"{name}[{', '.join(map(str, at))}] is {array[at]}, but a finite number is wanted")
    return array


def check_prior(value: Any, name: str, *shapes: tuple[int, ...]) -> None:
    """Check that a prior is a number or has one of these shapes."""
    shape = np.shape(value)
    if shape and shape not in shapes:
        wanted = " or ".join(map(str, shapes))
        raise OptionError(f"{name} has shape {shape}, but a number or an array of shape {wanted} is wanted")


def k_means(rows: VectorRows, size: int, rng: Chance, *, runs: int = 1, threads: int = 1) -> Ids:
    """Find the cluster of each token, (T,) (eq:k-means); -1 for a missing one.

    runs   number of starts by k-means++, tried on a sample of the data; the best is continued on all data
    """
    there = rows.there
    x = np.ascontiguousarray(rows.values if rows.present is None else rows.values[there])
    if not len(x):
        raise CorpusError("every observation is missing, so there is nothing to learn from")
    few = max(SAMPLE, EACH * size)
    sample = x if len(x) <= few else x[np.sort(rng.integers(len(x), size=few))]
    chance, still = rng.random((runs, size)), STILL * float(sample.var(axis=0).mean())
    found = np.empty(len(x), dtype=np.int64)
    _core.k_means(x, sample, chance, LLOYD, still, threads, found)
    labels = np.full(len(rows), -1, dtype=np.int64)
    labels[there] = found
    return labels


def drawn_rows(rows: VectorRows, count: int, rng: Chance) -> Floats:
    """Draw this many observed vectors (count, D), without replacement if there are enough."""
    there = np.flatnonzero(rows.there)
    return np.asarray(rows.values[rng.choice(there, size=count, replace=len(there) < count)])


def cluster_means(rows: VectorRows, labels: Ids, size: int, usual: Floats) -> Floats:
    """Compute (size, D) means of the observed numbers; `usual` (D,) where a cluster has none."""
    means = np.tile(usual, (size, 1))
    for y in range(size):
        inside = labels == y
        count = inside.sum() if rows.present is None else rows.present[inside].sum(axis=0)
        means[y] = np.where(count > 0, rows.values[inside].sum(axis=0) / np.maximum(count, 1), usual)
    return means


def spread(x: Floats, size: int, rng: Chance, weights: Floats | None = None) -> Floats:
    """Draw centres by k-means++: with probability proportional to weight times squared distance to the nearest."""
    usual = None if weights is None else weights / weights.sum()
    centres = [x[int(rng.integers(len(x)) if usual is None else rng.choice(len(x), p=usual))]]
    nearest = ((x - centres[0]) ** 2).sum(axis=1)
    for _ in range(size - 1):
        worth = nearest if weights is None else nearest * weights
        total = float(worth.sum())
        centres.append(x[int(rng.choice(len(x), p=worth / total if total > 0 else usual))])
        nearest = np.minimum(nearest, ((x - centres[-1]) ** 2).sum(axis=1))
    return np.array(centres)


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Moments of the training data: D, mean and covariance."""

    width: int
    mean: Floats
    covariance: Floats

    @staticmethod
    def of(rows: VectorRows) -> Spread:
        """Compute the moments of the observed vectors."""
        values = rows.values if rows.present is None else rows.values[rows.there]
        if not len(values):
            raise CorpusError("every observation is missing, so there is nothing to learn from")
        width = values.shape[1]
        if not width:
            raise CorpusError("the vectors have no numbers at all, so there is nothing to learn from")
        if rows.present is None:
            away = values - values.mean(axis=0)
            return Spread(width, values.mean(axis=0), away.T @ away / len(values))
        present = rows.seen[rows.there]
        count = np.maximum(present.sum(axis=0), 1.0)
        mean = values.sum(axis=0) / count
        away = (values - mean) * present
        return Spread(width, mean, away.T @ away / np.sqrt(np.outer(count, count)))

    def least(self, asked: float | None) -> float:
        """Return the smallest allowed variance."""
        if asked is not None:
            return asked
        usual = float(np.diag(self.covariance).mean())
        return SHARE * usual if usual > 0 else 1e-6


def rebased(statistics: Statistics, means: Floats) -> Statistics:
    """Compute the moments about other means."""
    post, first, second = statistics["post"], statistics["first"], statistics["second"]
    move = means - statistics["about"]
    if second.ndim == 3:
        cross = first[:, :, None] * move[:, None, :]
        second = second - cross - np.swapaxes(cross, 1, 2)
        second += post[:, :1, None] * move[:, :, None] * move[:, None, :]
    else:
        second = second - 2 * move * first + post * move**2
    return {"post": post, "first": first - post * move, "second": second, "about": means}
