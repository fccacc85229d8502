"""Hidden Markov models by enumeration: every path of states, its probability, and the counts of EM as plain sums."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np


def joint(pi, A, B, x: Sequence[int | None], path: Sequence[int], end=None) -> float:
    """P(x, y): the product, factor by factor (eq:hmm-joint); None is an observation that is missing."""
    p = 1.0
    for t, y in enumerate(path):
        p *= pi[y] if t == 0 else A[path[t - 1]][y]
        p *= 1.0 if x[t] is None else B[y][x[t]]
    return p * (end[path[-1]] if end is not None and len(path) else 1.0)


def paths(pi, A, B, x, end=None, allowed=None) -> Iterable[tuple[tuple[int, ...], float]]:
    """Every path that `allowed` lets through, with P(x, y)."""
    for path in itertools.product(range(len(pi)), repeat=len(x)):
        if allowed is None or all(path[t] in some for t, some in enumerate(allowed) if some is not None):
            yield path, joint(pi, A, B, x, path, end)


def expected(pi, A, B, sequences, end=None, allowed=None):
    """(starts, moves, ends, emissions, log-likelihood): the E step (eq:baum-welch) as sums over paths."""
    L, V = np.asarray(B).shape
    starts, moves, ends, emitted = np.zeros(L), np.zeros((L, L)), np.zeros(L), np.zeros((L, V))
    total = 0.0
    for s, x in enumerate(sequences):
        if not len(x):
            continue
        found = list(paths(pi, A, B, x, end, None if allowed is None else allowed[s]))
        z = math.fsum(p for _, p in found)
        total += math.log(z)
        for path, p in found:
            share = p / z
            starts[path[0]] += share
            ends[path[-1]] += share
            for t, y in enumerate(path):
                if t:
                    moves[path[t - 1], y] += share
                if x[t] is not None:
                    emitted[y, x[t]] += share
    return starts, moves, ends, emitted, total


def step(pi, A, B, sequences, end=None, allowed=None, prior=0.0):
    """One iteration of Baum-Welch, by enumeration."""
    starts, moves, ends, emitted, _ = expected(pi, A, B, sequences, end, allowed)
    starts, emitted = starts + prior, emitted + prior
    rows = moves + prior if end is None else np.hstack([moves, ends[:, None]]) + prior
    with np.errstate(invalid="ignore"):  # NaN where a state has no count at all
        rows = rows / rows.sum(axis=1, keepdims=True)
        B = emitted / emitted.sum(axis=1, keepdims=True)
    size = len(starts)
    return starts / starts.sum(), rows[:, :size], B, None if end is None else rows[:, size]
