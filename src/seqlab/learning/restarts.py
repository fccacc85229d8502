"""Run several trainings side by side, and keep the best."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from seqlab import _core
from seqlab.learning.checkpoint import Directory, Run
from seqlab.learning.history import Epoch, History
from seqlab.learning.monitor import Callback, Interruptible, Monitor, Outcome, Report, say_limit

Train = Callable[[int, int, Report], Outcome]  # (number of the run, threads it may use, report)


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """The best of several runs, its number, and the histories of all."""

    outcome: Outcome
    number: int
    histories: tuple[History, ...]

    @property
    def history(self) -> History:
        """History of the best run."""
        return self.histories[self.number]


def best_of(
    train: Train,
    runs: int,
    *,
    threads: int,
    judge: Callable[[Any], float] | None = None,
    metric: str | None = None,
    patience: int | None = None,
    callbacks: Sequence[Callback] = (),
    bar: Any = None,
    limit: str = "max_iterations",
    checkpoint: Directory | None = None,
    kinds: Sequence[type] = (),
) -> Best:
    """Run several trainings and keep the one with the best dev score, or without a dev set the best objective.

    limit        name of the option that limits iterations, for the warning if the best run reached the limit
    checkpoint   stores every run; kinds are the classes of its models

    The result does not depend on the number of threads.
    """

    def stored(i: int) -> Run | None:
        return None if checkpoint is None else Run(checkpoint, f"run-{i}", kinds)

    if runs == 1:
        monitor = Monitor(judge, metric, patience, tuple(callbacks), bar, stored(0))
        outcome = monitor.over(lambda report: train(0, threads, report))
        say_limit(outcome, limit)
        return Best(outcome, 0, (monitor.history,))
    from concurrent.futures import ThreadPoolExecutor  # imported here, because tagging does not need it

    at_once, guard, shared = min(threads, runs), threading.Lock(), Interruptible()

    def guarded(callback: Callback, epoch: Epoch) -> Any:
        with guard:
            return callback(epoch)

    def one(i: int) -> tuple[Outcome, Monitor] | None:
        told = tuple(partial(guarded, callback) for callback in callbacks)
        monitor = Monitor(judge, metric, patience, told, None, stored(i), _interrupt=shared)
        try:
            return monitor.over(lambda report: train(i, max(threads // at_once, 1), report)), monitor
        except _core.Stopped:
            return None

    def score(i: int) -> float:
        outcome, monitor = done[i]
        if monitor._best is not None:
            return monitor._best[0]
        return -math.inf if outcome.objective is None else -outcome.objective

    with shared, ThreadPoolExecutor(at_once) as pool:
        done = list(filter(None, pool.map(one, range(runs))))
    if not done:
        shared.deliver("there are no weights yet")
        raise _core.Stopped
    number = max(range(len(done)), key=lambda i: (score(i), -i))
    say_limit(done[number][0], limit)
    return Best(done[number][0], number, tuple(monitor.history for _, monitor in done))
