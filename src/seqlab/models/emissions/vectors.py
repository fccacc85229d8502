"""Numbers of a corpus as arrays, and k-means for a start."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.corpus import Corpus, VectorColumn
from seqlab.errors import CorpusError, OptionError
from seqlab.models.emissions.base import Floats, VectorRows
from seqlab.models.emissions.symbols import place

LLOYD = 100  # rounds of k-means at most


def vector_rows(corpus: Corpus, column: str | None, width: int | None, *, whole: bool = True) -> VectorRows:
    """The vectors of a corpus (T, D); NaN is a missing number.

    width   D of training, or None before
    whole   whether a vector must be there as a whole or not at all
    """
    if not corpus.token_count:
        return VectorRows(np.zeros((0, width or 0)))
    found = None if column is None else corpus.data(column)
    if not isinstance(found, VectorColumn):
        raise CorpusError(f"numbers are wanted for every token, but column {column!r} holds something else")
    values = np.ascontiguousarray(found.vectors, dtype=np.float64)
    if width is not None and values.shape[1] != width:
        raise CorpusError(f"the vectors have {values.shape[1]} numbers, but those of training had {width}")
    infinite = np.isinf(values)
    if infinite.any():
        token, d = np.argwhere(infinite)[0].tolist()
        raise CorpusError(
            f"{place(corpus, token)}: number {d} is {values[token, d]}, but a finite number is wanted"
        )
    missing = np.isnan(values)
    if not missing.any():
        return VectorRows(values)
    partly = missing.any(axis=1) & ~missing.all(axis=1)
    if whole and partly.any():
        token = int(np.argmax(partly))
        raise CorpusError(
            f"{place(corpus, token)}: some numbers of the vector are NaN and some are not; with covariances between "
            f"numbers all must be there, or none: write NaN for all of them, or use covariance='diag'"
        )
    return VectorRows(np.where(missing, 0.0, values), ~missing)


def numbers(value: Any, name: str, shape: tuple[int, ...]) -> Floats:
    """An array of finite numbers of this shape, or an error."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{name} must be numbers, got {value!r:.80}") from None
    if array.shape != shape:
        raise OptionError(f"{name} has shape {array.shape}, but {shape} is wanted")
    if not np.isfinite(array).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise OptionError(f"{name}[{', '.join(map(str, at))}] is {array[at]}, but a finite number is wanted")
    return array


def k_means(rows: VectorRows, size: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """(T,) clusters by Lloyd's rounds after a k-means++ start; -1 for tokens that are missing."""
    there = np.flatnonzero(rows.there)
    x = rows.values[there]
    labels = np.full(len(rows), -1, dtype=np.int64)
    if not len(x):
        raise CorpusError("every observation is missing, so there is nothing to learn from")
    centres = _spread(x, size, rng)
    before: npt.NDArray[np.int64] | None = None
    for _ in range(LLOYD):
        nearest = _distances(x, centres).argmin(axis=1)
        if before is not None and np.array_equal(nearest, before):
            break
        before = nearest
        counts = np.bincount(nearest, minlength=size)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, x)
        some = counts > 0
        centres[some] = sums[some] / counts[some, None]
    labels[there] = _distances(x, centres).argmin(axis=1)
    return labels


def _spread(x: Floats, size: int, rng: np.random.Generator) -> Floats:
    """k-means++: the next centre is drawn with chances by the squared distance to the nearest so far."""
    centres = [x[int(rng.integers(len(x)))]]
    nearest = ((x - centres[0]) ** 2).sum(axis=1)
    for _ in range(size - 1):
        total = float(nearest.sum())
        chances = None if not total > 0 else nearest / total
        centres.append(x[int(rng.choice(len(x), p=chances))])
        nearest = np.minimum(nearest, ((x - centres[-1]) ** 2).sum(axis=1))
    return np.array(centres)


def _distances(x: Floats, centres: Floats) -> Floats:
    return np.stack([((x - centre) ** 2).sum(axis=1) for centre in centres], axis=1)
