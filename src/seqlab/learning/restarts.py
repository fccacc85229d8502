"""Several runs of one training from different starts, in parallel, and the best of them."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from seqlab.learning.history import History
from seqlab.learning.monitor import Callback, Interruptible, Monitor, Outcome, Report

Train = Callable[[int, int, Report], Outcome]  # (number of the run, threads it may use, report)


class _Shared(Interruptible):
    """What runs on other threads ask: the signals themselves are caught on the main thread."""

    def __init__(self, master: Interruptible) -> None:
        self._master = master

    @property
    def asked(self) -> str | None:  # type: ignore[override]
        return self._master.asked

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """The best run, its number, and the histories of all."""

    outcome: Outcome
    number: int
    histories: tuple[History, ...]

    @property
    def history(self) -> History:
        """Of the best run."""
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
) -> Best:
    """Run so many trainings and keep the one that scores best on dev, or without one by its objective.

    Which thread runs what makes no difference to any of them.
    """
    if runs == 1:
        watch = Monitor(judge, metric, patience, tuple(callbacks), bar)
        outcome = watch.over(lambda report: train(0, threads, report))
        return Best(outcome, 0, (watch.history,))
    at_once = min(threads, runs)
    guard = threading.Lock()
    master = Interruptible()

    def one(i: int) -> tuple[Outcome, Monitor]:
        watch = Monitor(judge, metric, patience, tuple(_guarded(c, guard) for c in callbacks), None)
        watch._interrupt = _Shared(master)
        return watch.over(lambda report: train(i, max(threads // at_once, 1), report)), watch

    with master, ThreadPoolExecutor(at_once) as pool:
        done = list(pool.map(one, range(runs)))
    scores = [_score(outcome, watch) for outcome, watch in done]
    number = max(range(runs), key=lambda i: (scores[i], -i))
    return Best(done[number][0], number, tuple(watch.history for _, watch in done))


def _score(outcome: Outcome, watch: Monitor) -> float:
    if watch._best is not None:
        return watch._best[0]
    return -math.inf if outcome.objective is None else -outcome.objective


def _guarded(callback: Callback, guard: threading.Lock) -> Callback:
    def called(epoch: Any) -> bool | None:
        with guard:
            return callback(epoch)

    return called
