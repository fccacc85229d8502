"""Every path with its score, and each answer as a plain sum over the paths."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from oracle.tables import Tables

Labelling = tuple[int, ...]


def legal(tables: Tables, path: Labelling) -> bool:
    """Whether the rules (not the scores) let the path through."""
    if not path:
        return True
    return (
        path[0] not in tables.forbidden_starts
        and path[-1] not in tables.forbidden_ends
        and all(move not in tables.forbidden_moves for move in itertools.pairwise(path))
        and all(path[t] == y for t, y in tables.known.items())
        and all(path[t] in ys for t, ys in tables.allowed.items())
    )


def path_score(tables: Tables, path: Labelling) -> float:
    """Sum of everything on the path, rounded once (eq:path-score)."""
    if not legal(tables, path):
        return -math.inf
    terms = [float(tables.node[t, y]) for t, y in enumerate(path)]
    for t in range(1, len(path)):
        slab = tables.slab(t)
        if slab is not None:
            terms.append(float(slab[path[max(t - tables.order, 0) : t + 1]]))
    if path and tables.start is not None:
        terms.append(float(tables.start[path[0]]))
    if path and tables.stop is not None:
        terms.append(float(tables.stop[path[-1]]))
    return math.fsum(terms)


def all_paths(tables: Tables) -> Iterator[tuple[Labelling, float]]:
    """Every labelling with its score: slow, obvious, and the truth."""
    for path in itertools.product(range(tables.L), repeat=tables.T):
        yield path, path_score(tables, path)


def first_dead_position(tables: Tables) -> int | None:
    """The first position that no legal prefix reaches; None when the trellis is possible."""
    for length in range(1, tables.T + 1):
        if not Enumeration(tables.prefix(length)).paths:
            return length - 1
    return None


class Enumeration:
    """The distribution over the possible paths of one trellis."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.paths = [(path, score) for path, score in all_paths(tables) if score > -math.inf]

    @cached_property
    def log_z(self) -> float:
        top = max(score for _, score in self.paths)
        return top + math.log(math.fsum(math.exp(score - top) for _, score in self.paths))

    @cached_property
    def distribution(self) -> list[tuple[Labelling, float]]:
        """(path, probability) for every possible path."""
        top = max(score for _, score in self.paths)
        weights = [math.exp(score - top) for _, score in self.paths]
        total = math.fsum(weights)
        return [(path, w / total) for (path, _), w in zip(self.paths, weights, strict=True)]

    @cached_property
    def ranked(self) -> list[tuple[Labelling, float]]:
        """Best first; ties: lowest label at the last position, then at the one before, and so on."""
        return sorted(self.paths, key=lambda pair: (-pair[1], pair[0][::-1]))

    def window(self, first: int, length: int) -> np.ndarray:
        """(L,)*length: probability of each combination of labels at first, first+1, ..."""
        cells: dict[Labelling, list[float]] = {}
        for path, p in self.distribution:
            cells.setdefault(path[first : first + length], []).append(p)
        table = np.zeros((self.tables.L,) * length)
        for cell, parts in cells.items():
            table[cell] = math.fsum(parts)
        return table

    def node(self) -> np.ndarray:
        """(T, L): P(y_t)."""
        T, L = self.tables.node.shape
        return np.array([self.window(t, 1) for t in range(T)]).reshape(T, L)

    def edge(self) -> np.ndarray:
        """(T-k, L, ..., L): P(y_{t-k}, ..., y_t)."""
        k, L = self.tables.order, self.tables.L
        slabs = max(self.tables.T - k, 0)
        return np.array([self.window(t, k + 1) for t in range(slabs)]).reshape((slabs,) + (L,) * (k + 1))

    def head(self, i: int) -> np.ndarray:
        """(L,)*(i+2): P(y_0, ..., y_{i+1}), zeros when the sequence is shorter."""
        if i + 2 > self.tables.T:
            return np.zeros((self.tables.L,) * (i + 2))
        return self.window(0, i + 2)

    def entropy(self) -> float:
        """In nats."""
        return -math.fsum(p * math.log(p) for _, p in self.distribution if p > 0)

    def span(self, i: int, j: int, labels: Labelling) -> float:
        """P(y_i, ..., y_{j-1} = labels)."""
        return math.fsum(p for path, p in self.distribution if path[i:j] == tuple(labels))

    def best(self) -> tuple[Labelling, float]:
        """The best path under the tie rule, with its score."""
        return self.ranked[0]


def filtered(tables: Tables) -> np.ndarray:
    """(T, L): P(y_t | x_1..t), each row from the enumeration of its own prefix."""
    rows = [Enumeration(tables.prefix(t + 1)).node()[-1] for t in range(tables.T)]
    return np.array(rows).reshape(tables.T, tables.L)


def fixed_lag(tables: Tables, lag: int) -> Labelling:
    """The label of t as the best path of the first t + lag + 1 positions has it."""
    decided = []
    for t in range(tables.T):
        path, _ = Enumeration(tables.prefix(min(t + lag + 1, tables.T))).best()
        decided.append(path[t])
    return tuple(decided)
