"""Stochastic gradient descent as plain loops over slopes: every weight changes at every step."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from oracle.online import fisher_yates
from seqlab import _core

SCHEDULES = {
    "inverse": lambda rate, l2, epochs: rate / (1 + 2 * l2 * rate * epochs),
    "constant": lambda rate, l2, epochs: rate,
    "sqrt": lambda rate, l2, epochs: rate / math.sqrt(1 + epochs),
    "exponential": lambda rate, l2, epochs: rate * 0.85**epochs,
}


class Data:
    """Sequences of order 1, most labels told by the first attribute of the token; a task for all of them or for one."""

    def __init__(self, seed: int, *, L: int = 3, sentences: int = 12, valued: bool = False) -> None:
        rng = np.random.default_rng(seed)
        self.L, attributes = L, 9
        lengths = rng.integers(0, 6, sentences)
        self.offset = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        tokens = int(self.offset[-1])
        self.indptr = np.arange(tokens + 1, dtype=np.int64) * 3
        self.ids = rng.integers(0, attributes, 3 * tokens).astype(np.int32)
        self.values = rng.normal(size=3 * tokens) if valued else None
        chance = rng.integers(0, L, tokens)
        self.labels = np.where(rng.random(tokens) < 0.8, self.ids[::3] % L, chance).astype(np.int32)
        has = rng.random((attributes, L)) < 0.8
        self.begin = np.concatenate([[0], np.cumsum(has.sum(axis=1))]).astype(np.int64)
        self.label = np.nonzero(has)[1].astype(np.int32)
        self.number = np.arange(L * L, dtype=np.int32)
        self.size = len(self.label) + L * L
        self.theta = rng.normal(size=self.size)
        self.usable = np.flatnonzero(lengths).tolist()

    def task(self, only: int | None = None) -> _core.Task:
        task = _core.Task(
            self.L, self.offset, self.labels, self.indptr, self.ids, self.values, self.begin, self.label, self.number
        )  # fmt: skip
        if only is not None:
            weight = np.zeros(len(self.offset) - 1)
            weight[only] = 1.0
            task.set_weights(weight, weight)
        return task

    def slopes(self) -> list[_core.Likelihood64]:
        return [_core.Likelihood64(self.task(s)) for s in range(len(self.offset) - 1)]


def steps(
    data: Data, *, l2: float, rate: float, schedule: str, batch: int, epochs: int, seed: int
) -> Iterator[tuple[int, float, float, list[int]]]:
    """(epoch, rate, share of the penalty, sequences) of every step."""
    seen, N = 0, len(data.usable)
    for epoch in range(epochs):
        order = fisher_yates(data.usable, seed, epoch, 0)
        for first in range(0, N, batch):
            some = order[first : first + batch]
            yield epoch, SCHEDULES[schedule](rate, l2, seen / N), 2 * l2 * len(some) / N, some
            seen += len(some)


class Walk:
    """Weights that take one step after the other, as eq:sgd and eq:adagrad are written."""

    def __init__(self, data: Data, *, adagrad: bool) -> None:
        self.theta = data.theta.copy()
        self.squares = np.zeros(data.size)
        self.loss = 0.0
        self._adagrad, self._slopes = adagrad, data.slopes()

    def step(self, rate: float, decay: float, some: list[int]) -> None:
        slope, one = np.zeros(len(self.theta)), np.empty(len(self.theta))
        for s in some:
            self.loss += self._slopes[s](self.theta, one, 1)
            slope += one
        if not self._adagrad:
            self.theta -= rate * (slope + decay * self.theta)
            return
        self.squares += slope**2
        h = np.sqrt(1 + self.squares)
        self.theta = self.theta * np.exp(-rate * decay / h) - rate * slope / h


def mean_of(snapshots: list[np.ndarray]) -> np.ndarray:
    """The j-th counts j times."""
    return np.average(snapshots, axis=0, weights=np.arange(1, len(snapshots) + 1))
