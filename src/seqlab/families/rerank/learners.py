"""Learning to pick from lists: weights under which the right candidate of each list comes first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from seqlab.arrays import whole_number
from seqlab.errors import OptionError
from seqlab.learning.optimisers import minimise

Floats = npt.NDArray[np.float64]
Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """N lists with C candidates in all, each with features as numbers; no list is empty.

    offsets   (N + 1,)   list i has the candidates offsets[i] .. offsets[i + 1]
    indptr    (C + 1,)   candidate c has the entries indptr[c] .. indptr[c + 1]
    ids       (E,)       feature of each entry, below `size`
    values    (E,)       what it counts
    base      (C,)       score that each candidate comes with
    """

    offsets: Offsets
    indptr: Offsets
    ids: npt.NDArray[np.int32]
    values: Floats
    base: Floats
    size: int

    @property
    def rows(self) -> Offsets:
        """(E,) the candidate of each entry."""
        return np.repeat(np.arange(len(self.base)), np.diff(self.indptr))

    def scores(self, theta: Floats) -> Floats:
        """(C,) base + θ·f."""
        terms = self.values * theta[self.ids]
        return self.base + np.bincount(self.rows, terms, minlength=len(self.base))


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Lists to learn from.

    good      (C,)   the right candidates: at least one of every list
    weights   (N,)   how much each list counts
    """

    lists: Lists
    good: npt.NDArray[np.bool_]
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """Weights (K,), and how they were found.

    reason       why training ended
    iterations   of the optimiser, or epochs
    objective    what was made small, or None for a perceptron
    """

    theta: Floats
    reason: str
    iterations: int
    objective: float | None


class RankingLearner(Protocol):
    """A learner of a Reranker."""

    def train(self, task: Task) -> Learned:
        """The weights for these lists."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLinear:
    """A log-linear model over each list, by L-BFGS on its likelihood (eq:rerank-likelihood).

    l2               multiplies ‖θ‖² in the summed negative log-likelihood
    max_iterations   None for no limit
    """

    l2: float = 1.0
    max_iterations: int | None = 200

    def __post_init__(self) -> None:
        real = isinstance(self.l2, (int, float, np.integer, np.floating)) and not isinstance(self.l2, bool)
        if not real or not math.isfinite(self.l2) or self.l2 < 0:
            raise OptionError(f"l2 must be a finite number from 0 up, got {self.l2!r}")
        if self.max_iterations is not None:
            whole_number(self.max_iterations, "max_iterations", 1)

    def train(self, task: Task) -> Learned:
        """The weights with the largest penalised likelihood."""
        objective = RankLikelihood(task, float(self.l2))
        found = minimise(objective, np.zeros(task.lists.size), max_iterations=self.max_iterations)
        return Learned(found.theta, found.reason, found.iterations, found.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPerceptron:
    """The perceptron on lists: where a wrong candidate comes first, the best right one's features win what its lose.

    epochs     visits to every list, at most; an epoch without a mistake is the last
    averaged   the mean of all weights that training went through, which is nearly always better
    seed       of the order, which is another one in every epoch
    """

    epochs: int = 10
    averaged: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        whole_number(self.epochs, "epochs", 1)
        whole_number(self.seed, "seed", 0)
        if not isinstance(self.averaged, bool):
            raise OptionError(f"averaged must be True or False, got {self.averaged!r}")

    def train(self, task: Task) -> Learned:
        """The weights after the last epoch, or their mean."""
        walk, rng = _Walk(task), np.random.default_rng(self.seed)
        for epoch in range(1, self.epochs + 1):
            if not walk.epoch(rng.permutation(len(task.weights))):
                return Learned(walk.weights(averaged=self.averaged), "no mistakes", epoch, None)
        return Learned(walk.weights(averaged=self.averaged), "iterations", self.epochs, None)


class RankLikelihood:
    """eq:rerank-likelihood   Σ_i w_i ( log Σ_{c in i} e^{s_c} - log Σ_{c in i, good} e^{s_c} ) + l2 ‖θ‖².

    s = base + F θ
    """

    def __init__(self, task: Task, l2: float) -> None:
        self._task, self._l2 = task, l2
        lists = task.lists
        self._rows = lists.rows
        self._starts = lists.offsets[:-1]
        self._list = np.repeat(np.arange(len(task.weights)), np.diff(lists.offsets))

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        """Value and gradient."""
        lists, task = self._task.lists, self._task
        if not len(task.weights):
            return self._l2 * float(theta @ theta), 2 * self._l2 * theta
        terms = lists.values * theta[lists.ids]
        scores = lists.base + np.bincount(self._rows, terms, minlength=len(lists.base))
        all_logs, p = self._softmax(scores)
        good_logs, q = self._softmax(np.where(task.good, scores, -np.inf))
        pull = (p - q) * task.weights[self._list]
        slope = np.bincount(lists.ids, lists.values * pull[self._rows], minlength=lists.size)
        value = float(task.weights @ (all_logs - good_logs)) + self._l2 * float(theta @ theta)
        return value, slope + 2 * self._l2 * theta

    def _softmax(self, scores: Floats) -> tuple[Floats, Floats]:
        """(N,) log-sums of the lists, and (C,) shares of their candidates."""
        top = np.maximum.reduceat(scores, self._starts)
        shares = np.exp(scores - top[self._list])
        total = np.add.reduceat(shares, self._starts)
        return top + np.log(total), shares / total[self._list]


class _Walk:
    """The weights of a perceptron on its way, and their sum over all steps."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._theta, self._later = np.zeros(task.lists.size), np.zeros(task.lists.size)
        self._step = 0

    def epoch(self, order: Any) -> int:
        """Visit every list once; how many had a wrong candidate first."""
        return sum(self._visit(i) for i in order.tolist())

    def weights(self, *, averaged: bool) -> Floats:
        """As they are, or their mean over all steps."""
        return self._theta - self._later / max(self._step, 1) if averaged else self._theta

    def _visit(self, i: int) -> bool:
        lists, task = self._task.lists, self._task
        begin, end = lists.offsets[i : i + 2].tolist()
        scores = np.array([self._score(c) for c in range(begin, end)])
        good = task.good[begin:end]
        chosen, wanted = int(scores.argmax()), int(np.where(good, scores, -np.inf).argmax())
        wrong = not good[chosen]
        if wrong:
            self._add(begin + wanted, task.weights[i])
            self._add(begin + chosen, -task.weights[i])
        self._step += 1
        return wrong

    def _score(self, c: int) -> float:
        entries = self._entries(c)
        return float(self._task.lists.base[c] + self._theta[entries[0]] @ entries[1])

    def _add(self, c: int, amount: float) -> None:
        ids, values = self._entries(c)
        np.add.at(self._theta, ids, amount * values)
        # This change is missing from the `_step` sums so far: mean = theta - later / steps.
        np.add.at(self._later, ids, self._step * amount * values)

    def _entries(self, c: int) -> tuple[Any, Any]:
        lists = self._task.lists
        stretch = slice(lists.indptr[c], lists.indptr[c + 1])
        return lists.ids[stretch], lists.values[stretch]
