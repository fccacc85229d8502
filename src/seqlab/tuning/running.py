"""Trainings side by side, in threads: the core works without Python's lock. How many there are changes no result."""

from __future__ import annotations

import copy
import inspect
import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from dataclasses import dataclass
from typing import Any

from seqlab.errors import OptionError, SeqlabError
from seqlab.tagging.sklearn import Estimator
from seqlab.tuning.narrowing import narrow
from seqlab.tuning.parts import Split
from seqlab.tuning.scoring import Scorer


@dataclass(frozen=True, slots=True)
class Task:
    """One training.

    number   of the trial
    budget   the share of sentences, or the number of iterations, that it gets
    fold     which split it is scored on
    """

    number: int
    params: dict[str, Any]
    budget: float
    fold: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a training; score is None when it failed, and then error says why."""

    score: float | None
    train_score: float | None
    seconds: float
    error: str | None


OnDone = Callable[[Task, Outcome], None]


@dataclass(frozen=True)
class Work:
    """How a task is done.

    budget_name   the option that the budget sets; None when it is a share of sentences
    options       further options of every model, as threads
    """

    model: Any
    splits: Sequence[Split]
    scorer: Scorer
    budget_name: str | None
    options: dict[str, Any]
    train_score: bool

    def __call__(self, task: Task, stop: threading.Event) -> Outcome | None:
        """Train and score; return None when it was stopped before or on the way."""
        began = time.perf_counter()
        try:
            scores = None if stop.is_set() else self._scores(task, stop)
        except SeqlabError as error:
            return Outcome(None, None, time.perf_counter() - began, f"{type(error).__name__}: {error}")
        return None if scores is None else Outcome(*scores, time.perf_counter() - began, None)

    def _scores(self, task: Task, stop: threading.Event) -> tuple[float, float | None] | None:
        split = self.splits[task.fold]
        params = {**self.options, **task.params}
        train = split.train
        if self.budget_name is None:
            train = split.beginning(task.budget)
        else:
            params[self.budget_name] = int(task.budget)
        model = fresh(self.model).set_params(**params)
        narrow(model, train, (split.train, split.test))
        fitted(model, train.X, train.y, stop)
        if stop.is_set():
            return None
        score = self.scorer(model, split.test)
        if math.isnan(score):
            raise OptionError(f"{self.scorer.name} has no meaning on these sentences")
        own = self.scorer(model, train) if self.train_score else math.nan
        return score, None if math.isnan(own) else own


def fresh(model: Any) -> Any:
    """Make a model with the same options that has learned nothing; models among its options are made anew too."""
    options = model.get_params(deep=False)
    return type(model)(**{name: _own(value) for name, value in options.items()})


def _own(value: Any) -> Any:
    """Copy what fit would change: a model of ours, or somebody else's estimator, which may hide others."""
    if isinstance(value, Estimator):
        return fresh(value)
    return copy.deepcopy(value) if hasattr(value, "get_params") and not isinstance(value, type) else value


def fitted(model: Any, X: Any, y: Any, stop: threading.Event | None = None) -> Any:
    """Fit a model, which ends early when `stop` is set, if this model can."""
    options: dict[str, Any] = {}
    if stop is not None and "callbacks" in inspect.signature(model.fit).parameters:
        options["callbacks"] = lambda _epoch: not stop.is_set()
    return model.fit(X, **options) if y is None else model.fit(X, y, **options)


def was_interrupted(model: Any) -> bool:
    """Tell whether Ctrl-C ended its training."""
    return getattr(getattr(model, "history_", None), "reason", None) == "interrupted"


def run_all(
    tasks: Sequence[Task], work: Callable[[Task, threading.Event], Outcome | None], jobs: int, done: OnDone
) -> bool:
    """Do all of them; False when Ctrl-C came before the end, and then what is under way ends at its next epoch.

    done   called here, not in the threads, for every task that is done, in the order in which they end
    """
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=max(1, min(jobs, len(tasks)))) as pool:
        left: dict[Future[Outcome | None], Task] = {pool.submit(work, task, stop): task for task in tasks}

        def hand_over(future: Future[Outcome | None]) -> None:
            task, outcome = left.pop(future), future.result()
            if outcome is not None:
                done(task, outcome)

        try:
            for future in as_completed(list(left)):
                hand_over(future)
        except KeyboardInterrupt:
            stop.set()
            for future in wait(left).done:
                hand_over(future)
            return False
        except BaseException:
            stop.set()
            raise
    return True
