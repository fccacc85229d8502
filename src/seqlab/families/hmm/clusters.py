"""Clusters of words by their neighbours, to initialise EM for words without labels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from seqlab.families.hmm.emissions.base import Chance, Floats, Ids, SymbolRows, VectorRows
from seqlab.families.hmm.emissions.vectors import k_means

FREQUENT = (
    300  # neighbours that are counted one by one; other words are one class, the edge of a sentence another
)
CHOSEN = 1_000  # most frequent words, which define the clusters
WIDTH = 50  # number of principal components
RUNS = 10


# eq:word-clusters   x_w = sqrt( shares of the left and of the right neighbours of w ), then eq:k-means
def word_clusters(
    rows: SymbolRows, offsets: npt.NDArray[np.int64], symbols: int, size: int, rng: Chance, threads: int
) -> Ids:
    """Find the cluster of each token's word by its neighbours, (T,); -1 for a missing word.

    Frequent words define the clusters; other words are assigned to the nearest one.
    """
    words = _one_each(rows)
    often = np.bincount(words[words >= 0], minlength=symbols)
    order = np.argsort(-often, kind="stable")
    chosen = order[: min(CHOSEN, int((often > 0).sum()))]
    vectors = _reduced(_contexts(words, offsets, order, symbols), chosen)
    found = k_means(VectorRows(np.ascontiguousarray(vectors[chosen])), size, rng, runs=RUNS, threads=threads)
    centres = np.stack([vectors[chosen][found == k].mean(axis=0) for k in range(size) if (found == k).any()])
    nearest = (-2 * vectors @ centres.T + (centres**2).sum(axis=1)).argmin(axis=1)
    used = np.unique(found)
    clusters = used[nearest]
    clusters[chosen] = found
    return np.where(words >= 0, clusters[np.maximum(words, 0)], -1)


def named_clusters(found: Ids, allowed: npt.NDArray[np.bool_]) -> Ids:
    """Match clusters (T,) to states, greedily, by how often they agree at tokens that allow one state only.

    allowed   (T, L) the states that each token may have
    """
    size = allowed.shape[1]
    known = (allowed.sum(axis=1) == 1) & (found >= 0)
    met = np.bincount(found[known] * size + allowed[known].argmax(axis=1), minlength=size * size)
    table, state = met.reshape(size, size).astype(np.float64), np.full(size, -1, dtype=np.int64)
    for _ in range(size):
        k, y = np.unravel_index(int(table.argmax()), table.shape)
        state[k] = y
        table[k], table[:, y] = -1.0, -1.0
    return np.where(found >= 0, state[np.maximum(found, 0)], -1)


def _reduced(vectors: Floats, chosen: Ids) -> Floats:
    """Project all vectors on the first principal components of the chosen ones."""
    away = vectors[chosen] - vectors[chosen].mean(axis=0)
    _, axes = np.linalg.eigh(away.T @ away)
    return np.asarray(vectors @ axes[:, -WIDTH:])


def _one_each(rows: SymbolRows) -> Ids:
    """Return the symbol of each token, (T,); -1 for a missing one."""
    words = np.full(len(rows), -1, dtype=np.int64)
    words[np.diff(rows.begin) > 0] = rows.ids
    return words


def _contexts(words: Ids, offsets: npt.NDArray[np.int64], order: Ids, symbols: int) -> Floats:
    """Compute square roots of shares of left and right neighbours, (V, 2 (F + 2)): F words, others, the edge."""
    frequent = min(FREQUENT, symbols)
    place = np.full(symbols + 1, frequent, dtype=np.int64)  # the last entry is for a missing word, -1
    place[order[:frequent]] = np.arange(frequent)
    kinds, edge = frequent + 2, frequent + 1
    here = place[words]
    left, right = np.roll(here, 1), np.roll(here, -1)
    some = np.diff(offsets) > 0
    left[offsets[:-1][some]], right[offsets[1:][some] - 1] = edge, edge
    seen = words >= 0
    sides = []
    for beside in (left, right):
        counts = np.bincount(words[seen] * kinds + beside[seen], minlength=symbols * kinds)
        sides.append(counts.reshape(symbols, kinds).astype(np.float64))
    # Shrink rare words towards the mean, so that they do not form clusters by chance.
    usual = [side.sum(axis=0) / max(side.sum(), 1.0) for side in sides]
    shares = [
        (side + mean) / (side.sum(axis=1, keepdims=True) + 1.0)
        for side, mean in zip(sides, usual, strict=True)
    ]
    return np.asarray(np.sqrt(np.hstack(shares)))
