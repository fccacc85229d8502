"""The online learners as plain loops over every labelling."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from oracle.training import Problem


class TieError(Exception):
    """Two labellings are so near each other that rounding decides which is best."""


class Enumeration:
    """Best labellings by looking at all of them.

    rounding   how near two scores may come before it is chance which is larger; 0 where all sums are exact
    """

    def __init__(self, problem: Problem, *, rounding: float) -> None:
        self.problem, self.rounding = problem, rounding
        self._all = [self._labellings(s) for s in range(len(problem.lengths))]

    def _labellings(self, s: int) -> tuple[list[tuple[int, ...]], np.ndarray, np.ndarray]:
        """Legal ones in the order of ties (the last label counts first), with their features and costs."""
        problem = self.problem
        found = [
            labelling[::-1]
            for labelling in itertools.product(range(problem.L), repeat=problem.lengths[s])
            if problem.legal(s, labelling[::-1])
        ]
        features = np.array([problem.features(s, y) for y in found])
        return found, features, np.array([problem.cost(s, y) for y in found])

    def best(
        self, s: int, theta: np.ndarray, cost: float = 0.0, fitting: bool = False
    ) -> tuple[tuple[int, ...], np.ndarray, float]:
        """argmax_y cost · Δ(y) + θ·F(y): the labelling, its features and its Δ."""
        found, features, costs = self._all[s]
        scores = features @ theta + cost * costs
        if fitting:
            fits = [all(self.problem.fits(s, t, y) for t, y in enumerate(path)) for path in found]
            scores = np.where(fits, scores, -np.inf)
        i = int(np.argmax(scores))
        if self.rounding:
            near = scores > scores[i] - self.rounding * (1 + abs(scores[i]))
            same = (features == features[i]).all(axis=1) & (costs == costs[i])
            if (near & ~same).any():
                raise TieError
        return found[i], features[i], float(costs[i])

    def gold(self, s: int, theta: np.ndarray) -> np.ndarray:
        """The features of the labels given, or of the best labelling that fits what is known of them."""
        return self.best(s, theta, fitting=True)[1]

    def wrong(self, s: int, path: tuple[int, ...]) -> int:
        return sum(not self.problem.fits(s, t, y) for t, y in enumerate(path))


def shuffled(items: list[int], seed: int, epoch: int) -> list[int]:
    """The order that an epoch visits its sequences in: blocks of 32 neighbours shuffled, then each block."""
    blocks = [items[i : i + 32] for i in range(0, len(items), 32)]
    numbers = fisher_yates(list(range(len(blocks))), seed, epoch, 0)
    return [s for b in numbers for s in fisher_yates(blocks[b], seed, epoch, b + 1)]


def fisher_yates(items: list[int], seed: int, epoch: int, draw: int) -> list[int]:
    """Fisher and Yates with hashed numbers."""
    key = _mix(_mix(_mix(seed) ^ epoch) ^ draw)
    order = list(items)
    for i in range(len(order) - 1, 0, -1):
        chance = (_mix(key ^ _mix(i)) >> 11) * 2.0**-53
        j = math.floor(chance * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order


def _mix(x: int) -> int:
    mask = 2**64 - 1
    x = (x + 0x9E3779B97F4A7C15) & mask
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    return x ^ (x >> 31)


class Twin:
    """Weights that change after each visit; the mean of all of them on the side, as the definition has it."""

    def __init__(
        self, problem: Problem, *, shuffle: bool = True, seed: int = 0, rounding: float = 1e-8
    ) -> None:
        self.problem, self.seed, self.shuffle = problem, seed, shuffle
        self.all = Enumeration(problem, rounding=rounding)
        self.theta = problem.theta.copy()
        self.sum, self.visits, self.epochs = np.zeros(problem.size), 0, 0
        self.mistakes = self.updates = 0

    def epoch(self) -> None:
        order = self.problem.visited()
        if self.shuffle:
            order = shuffled(order, self.seed, self.epochs)
        self.epochs += 1
        self.mistakes = self.updates = 0
        for s in order:
            self.visit(s)
            self.sum += self.theta
            self.visits += 1

    def mean(self) -> np.ndarray:
        return self.sum / self.visits if self.visits else self.theta

    def visit(self, s: int) -> None:
        raise NotImplementedError


class PerceptronTwin(Twin):
    def visit(self, s: int) -> None:
        path, features, cost = self.all.best(s, self.theta)
        wrong = self.all.wrong(s, path)
        self.mistakes += wrong
        if cost > 0:
            self.updates += 1
            step = self.problem.weight_of(s) * cost / wrong
            self.theta = self.theta + step * (self.all.gold(s, self.theta) - features)


class PassiveAggressiveTwin(Twin):
    def __init__(self, problem: Problem, *, kind: int, C: float, cost: str, **options: Any) -> None:
        super().__init__(problem, **options)
        self.kind, self.C, self.cost = kind, C, cost

    def visit(self, s: int) -> None:
        path, features, cost = self.all.best(s, self.theta, cost=float(self.cost == "hamming"))
        self.mistakes += self.all.wrong(s, path)
        if cost == 0:
            return
        psi = self.all.gold(s, self.theta) - features
        loss = {"hamming": cost, "sqrt": math.sqrt(cost), "one": 1.0}[self.cost] - self.theta @ psi
        if loss <= 0 or not psi.any():
            return
        self.updates += 1
        limit = self.C * self.problem.weight_of(s)
        tau = {
            0: loss / (psi @ psi),
            1: min(limit, loss / (psi @ psi)),
            2: loss / (psi @ psi + 1 / (2 * limit)),
        }[self.kind]
        self.theta = self.theta + tau * psi


class ArowTwin(Twin):
    def __init__(self, problem: Problem, *, r: float, **options: Any) -> None:
        super().__init__(problem, **options)
        self.r, self.variance = r, np.ones(problem.size)

    def visit(self, s: int) -> None:
        path, features, cost = self.all.best(s, self.theta)
        self.mistakes += self.all.wrong(s, path)
        if cost == 0:
            return
        self.updates += 1
        r = self.r / self.problem.weight_of(s)
        psi = self.all.gold(s, self.theta) - features
        alpha = (cost - self.theta @ psi) / (r + psi @ (self.variance * psi))
        self.theta = self.theta + alpha * self.variance * psi
        self.variance = 1 / (1 / self.variance + psi**2 / r)


def svm_objective(problem: Problem, theta: np.ndarray, l2: float) -> float:
    """P(θ) of eq:structured-svm by looking at all labellings."""
    every = Enumeration(problem, rounding=0)
    total = l2 * float(theta @ theta)
    for s in problem.visited():
        _, features, cost = every.best(s, theta, cost=1.0)
        gold = every.gold(s, theta)
        total += problem.weight_of(s) * max(0.0, cost - float(theta @ (gold - features)))
    return total
