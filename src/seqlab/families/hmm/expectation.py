"""The E step: expected counts of sequences under a hidden Markov model, soft or by the best path."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.families.hmm.emissions.base import Floats, SymbolRows
from seqlab.families.hmm.tables import Expected, HiddenMarkov


@dataclass(slots=True, eq=False)
class Evidence:
    """Sequences to learn from.

    observed   what the emissions made of them, T tokens
    offsets    (N + 1,)
    weights    (N,) what each sequence counts, or None
    allowed    (T, L) True for what a token may be: labels known, wholly or in part; None when nothing is known
    """

    observed: Any
    offsets: npt.NDArray[np.int64]
    weights: Floats | None = None
    allowed: npt.NDArray[np.bool_] | None = None
    _passes: dict[int, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def tokens(self) -> int:
        """T."""
        return int(self.offsets[-1])

    def passes(self, size: int) -> Any:
        """The core's own view, made once."""
        if size not in self._passes:
            flags = None if self.allowed is None else np.ascontiguousarray(self.allowed, dtype=np.uint8)
            offsets = np.ascontiguousarray(self.offsets, dtype=np.int64)
            self._passes[size] = _core.Expectation(offsets, size, self.weights, flags)
        return self._passes[size]

    def alone(self) -> Evidence:
        """The same for another thread: a pass keeps rooms of its own."""
        return Evidence(self.observed, self.offsets, self.weights, self.allowed)

    def total(self, log_z: Floats) -> float:
        """The weighted sum over sequences that can be."""
        possible = log_z > -np.inf
        weights = 1.0 if self.weights is None else self.weights[possible]
        return float((weights * log_z[possible]).sum())


# eq:baum-welch   γ_t(y) = P(y_t | x), ξ_t(a, y) = P(y_{t-1} = a, y_t = y | x), summed over sequences
def expect(model: HiddenMarkov, evidence: Evidence, threads: int) -> Expected:
    """Expected counts under the distribution over paths."""
    size = model.size
    start, edge, end = model.edges()
    starts, edges, ends = np.zeros(size), np.zeros(size * size), np.zeros(size)
    log_z = np.empty(len(evidence))
    sums = (starts, edges, ends, log_z, threads)
    table = model.emissions.table()
    rows = evidence.observed
    passes = evidence.passes(size)
    if table is not None and isinstance(rows, SymbolRows):
        counts = np.zeros(table.size)
        passes.over_symbols(
            start, edge, end, rows.begin, rows.ids, rows.values, np.ascontiguousarray(table), counts, *sums
        )
        statistics = {"counts": counts.reshape(table.shape)}
    else:
        node = np.ascontiguousarray(model.emissions.scores(rows)).reshape(-1)
        gamma = np.zeros(node.size)
        passes.over_scores(start, edge, end, node, gamma, *sums)
        statistics = model.emissions.statistics(rows, gamma.reshape(-1, size))
    return Expected(starts, edges.reshape(size, size), ends, statistics, log_z, evidence.total(log_z))


# eq:hard-em   counts of the best path alone: γ_t(y) = [y_t = ŷ_t]
def expect_hard(model: HiddenMarkov, evidence: Evidence, threads: int) -> Expected:
    """Counts of the best path of every sequence; log_z holds the score of that path."""
    size, offsets = model.size, evidence.offsets
    batch = model.batch(evidence.observed, offsets, evidence.allowed)
    ids, log_z = np.zeros(evidence.tokens, dtype=np.int32), np.empty(len(evidence))
    _core.viterbi(batch.batch(), ids, log_z, threads)
    lengths = np.diff(offsets)
    possible = np.repeat(log_z > -np.inf, lengths)
    weights = np.repeat(np.ones(len(evidence)) if evidence.weights is None else evidence.weights, lengths)
    weights = np.where(possible, weights, 0.0)
    gamma = np.zeros((evidence.tokens, size))
    gamma[np.arange(evidence.tokens), np.maximum(ids, 0)] = weights
    some = lengths > 0
    first, last = offsets[:-1][some], offsets[1:][some] - 1
    follows = np.ones(evidence.tokens, dtype=bool)
    follows[first] = False
    later = np.flatnonzero(follows)
    moves = np.bincount(
        ids[later - 1].astype(np.int64) * size + ids[later], weights[later], minlength=size * size
    )
    return Expected(
        gamma[first].sum(axis=0),
        moves.reshape(size, size).astype(np.float64),
        gamma[last].sum(axis=0),
        model.emissions.statistics(evidence.observed, gamma),
        log_z,
        evidence.total(log_z),
    )
