"""What a maximum-entropy Markov model says, choice by choice: slow, obvious, and the truth."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from seqlab.encode import EncodedCorpus
from seqlab.families.linear.model import LinearModel


class Choices:
    """The log-linear choices of one sentence.

    allowed   for every position the labels that a dictionary leaves, or None
    """

    def __init__(
        self,
        model: LinearModel,
        encoded: EncodedCorpus,
        s: int = 0,
        allowed: Sequence[set[int]] | None = None,
    ) -> None:
        self.model, self.encoded = model, encoded
        self.begin = int(encoded.offsets[s])
        self.T = int(encoded.offsets[s + 1]) - self.begin
        self.allowed = allowed

    def score(self, t: int, before: Sequence[int], y: int) -> float:
        """s_t(a, y), a the labels before; -inf where a rule or the dictionary forbids it."""
        model, rules = self.model, self.model.rules
        if self.allowed is not None and y not in self.allowed[t]:
            return -math.inf
        if t == self.T - 1 and rules.no_end[y]:
            return -math.inf
        if not before:
            return -math.inf if rules.no_start[y] else self._node(t, y)
        if rules.forbidden[before[-1], y]:
            return -math.inf
        row = (*before, y)
        moves = sum(float(table[row[-n:]]) for n, (table, _) in enumerate(model.tables[:t], 2))
        return self._node(t, y) + moves + self._edge(t, before[-1], y)

    def log_choice(self, t: int, before: Sequence[int], y: int) -> float:
        """log p_t(y | a); -inf after labels that nothing may follow."""
        scores = [self.score(t, before, z) for z in range(self.model.L)]
        total = np.logaddexp.reduce(scores)
        return -math.inf if total == -math.inf else scores[y] - float(total)

    def log_prob(self, path: Sequence[int]) -> float:
        """The product of the choices."""
        return math.fsum(self.log_choice(t, path[:t], y) for t, y in enumerate(path))

    def paths(self) -> Iterator[tuple[int, ...]]:
        return itertools.product(range(self.model.L), repeat=self.T)

    def _node(self, t: int, y: int) -> float:
        return sum(
            value * weight
            for a, value in _entries(self.encoded.node, self.begin + t)
            for label, weight in _weights(self.model.begin, self.model.label, self.model.weights, a)
            if label == y
        )

    def _edge(self, t: int, a: int, y: int) -> float:
        edge = self.model.edge
        if edge is None or self.encoded.edge is None:
            return 0.0
        return sum(
            value * weight
            for b, value in _entries(self.encoded.edge, self.begin + t)
            for move, weight in _weights(edge.begin, edge.move, edge.weights, b)
            if move == a * self.model.L + y
        )


def _entries(rows, token):
    for i in range(rows.indptr[token], rows.indptr[token + 1]):
        yield int(rows.ids[i]), 1.0 if rows.values is None else float(rows.values[i])


def _weights(begin, cell, weights, attribute):
    for k in range(begin[attribute], begin[attribute + 1]):
        yield int(cell[k]), float(weights[k])
