"""Learning to rank: weights under which the right candidate of each list comes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from seqlab.arrays import number, whole_number
from seqlab.errors import OptionError
from seqlab.learning.monitor import Interruptible, say_limit
from seqlab.learning.optimisers import minimise
from seqlab.shown import Brief

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
        """Return (E,) the candidate of each entry."""
        return np.repeat(np.arange(len(self.base)), np.diff(self.indptr))

    def scores(self, theta: Floats) -> Floats:
        """Compute (C,) base + θ·f."""
        terms = self.values * theta[self.ids]
        return self.base + np.bincount(self.rows, terms, minlength=len(self.base))


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Lists to learn from.

    good      (C,)   True for the best candidates, at least one in every list
    weights   (N,)   weights of the lists
    """

    lists: Lists
    good: npt.NDArray[np.bool_]
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Learned(Brief):
    """Weights (K,), and facts of training.

    reason       why training ended
    iterations   of the optimiser, or epochs
    objective    final value of the objective, or None for a perceptron
    """

    theta: Floats
    reason: str
    iterations: int
    objective: float | None


class RankingLearner(Protocol):
    """A learner of a Reranker."""

    def train(self, task: Task) -> Learned:
        """Estimate the weights for these lists."""
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
        number(self.l2, "l2")
        if self.max_iterations is not None:
            whole_number(self.max_iterations, "max_iterations", 1)

    def train(self, task: Task) -> Learned:
        """Maximise the penalised likelihood."""
        objective = RankLikelihood(task, float(self.l2))
        with Interruptible() as stop:
            found = minimise(
                objective,
                np.zeros(task.lists.size),
                max_iterations=self.max_iterations,
                on_iteration=lambda *_: stop.asked is None,
            )
        say_limit(found)
        reason = found.reason if stop.asked is None else "interrupted"
        return Learned(found.theta, reason, found.iterations, found.value)


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
        """Return the weights after the last epoch, or their mean over all steps."""
        with Interruptible() as stop:
            return self._train(task, stop)

    def _train(self, task: Task, stop: Interruptible) -> Learned:
        lists, rng = task.lists, np.random.default_rng(self.seed)
        theta, later = np.zeros(lists.size), np.zeros(lists.size)
        step = epoch = 0
        mistakes = True
        while mistakes and epoch < self.epochs and stop.asked is None:
            mistakes = False
            epoch += 1
            for i in rng.permutation(len(task.weights)).tolist():
                if stop.asked is not None:
                    break
                begin, end = lists.offsets[i : i + 2].tolist()
                spans = [slice(*lists.indptr[c : c + 2].tolist()) for c in range(begin, end)]
                own = [float(theta[lists.ids[span]] @ lists.values[span]) for span in spans]
                scores, good = lists.base[begin:end] + own, task.good[begin:end]
                chosen, wanted = int(scores.argmax()), int(np.where(good, scores, -np.inf).argmax())
                if not good[chosen]:
                    mistakes = True
                    for span, amount in ((spans[wanted], task.weights[i]), (spans[chosen], -task.weights[i])):
                        change = amount * lists.values[span]
                        np.add.at(theta, lists.ids[span], change)
                        # The first `step` sums lack this change: mean = theta - later / steps.
                        np.add.at(later, lists.ids[span], step * change)
                step += 1
        reason = "interrupted" if stop.asked else "iterations" if mistakes else "no mistakes"
        return Learned(theta - later / max(step, 1) if self.averaged else theta, reason, epoch, None)


class RankLikelihood:
    """eq:rerank-likelihood   Σ_i w_i ( log Σ_{c in i} e^{s_c} - log Σ_{c in i, good} e^{s_c} ) + l2 ‖θ‖².

    s = base + F θ
    """

    def __init__(self, task: Task, l2: float) -> None:
        self._task, self._l2 = task, l2
        self._rows, self._starts = task.lists.rows, task.lists.offsets[:-1]
        self._list = np.repeat(np.arange(len(task.weights)), np.diff(task.lists.offsets))

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        """Compute value and gradient."""
        lists, task = self._task.lists, self._task
        terms = lists.values * theta[lists.ids]
        scores = lists.base + np.bincount(self._rows, terms, minlength=len(lists.base))
        all_logs, p = self._softmax(scores)
        good_logs, q = self._softmax(np.where(task.good, scores, -np.inf))
        pull = (p - q) * task.weights[self._list]
        slope = np.bincount(lists.ids, lists.values * pull[self._rows], minlength=lists.size)
        value = float(task.weights @ (all_logs - good_logs)) + self._l2 * float(theta @ theta)
        return value, slope + 2 * self._l2 * theta

    def _softmax(self, scores: Floats) -> tuple[Floats, Floats]:
        """Compute (N,) log-sums of the lists, and (C,) probabilities of their candidates."""
        top = np.maximum.reduceat(scores, self._starts)
        shares = np.exp(scores - top[self._list])
        total = np.add.reduceat(shares, self._starts)
        return top + np.log(total), shares / total[self._list]
