"""What happens between two epochs: history, development set, callbacks, patience, interruption, progress."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from seqlab.arrays import says_no, whole_number
from seqlab.errors import OptionError, TrainingWarning
from seqlab.learning.history import Epoch, History
from seqlab.learning.interrupt import Interruptible
from seqlab.learning.progress import Outcome, Progress, Report, Weights

Callback = Callable[[Epoch], bool | None]


@dataclass(slots=True)
class Monitor:
    """Stands beside a training and decides after every epoch whether it goes on.

    judge      gives the dev score of weights, larger is better; None without a development set
    metric     what the score is called
    patience   epochs without a better score before training ends; None never ends it
    callbacks  each is called with the Epoch; returning False ends training
    bar        shows progress, or None
    """

    judge: Callable[[Weights], float] | None = None
    metric: str | None = None
    patience: int | None = None
    callbacks: Sequence[Callback] = ()
    bar: Any = None
    history: History = field(default_factory=History)
    _best: tuple[float, Weights] | None = None
    _since: float = 0.0
    _interrupt: Interruptible = field(default_factory=Interruptible)

    def over(self, train: Callable[[Report], Outcome]) -> Outcome:
        """Run a training under this watch; the outcome has the weights to keep."""
        self.history.metric = self.metric
        self._since = time.perf_counter()
        try:
            with self._interrupt:
                outcome = train(self._after)
        finally:
            if self.bar is not None:
                self.bar.end()
        if self.interrupted():  # also by a signal that came after the last epoch: it must not be lost
            self.history.reason = "interrupted"
        if not self.history.reason:
            self.history.reason = outcome.reason
        if self.history.reason == "interrupted":
            warnings.warn(
                f"training was interrupted by {self._interrupt.asked} after iteration {outcome.iterations}; "
                f"the model is the best so far",
                TrainingWarning,
                stacklevel=2,
            )
        if self._best is not None:
            return Outcome(self._best[1], self.history.reason, outcome.iterations, outcome.objective)
        self.history.best = self.history.epochs[-1].iteration if self.history.epochs else None
        return Outcome(outcome.theta, self.history.reason, outcome.iterations, outcome.objective)

    def interrupted(self) -> bool:
        """Whether somebody wants training to end: asked by the learner where an epoch takes long."""
        return self._interrupt.asked is not None

    def _after(self, progress: Progress) -> bool:
        score = self._judged(progress)
        now = time.perf_counter()
        epoch = Epoch(
            progress.iteration,
            progress.objective,
            progress.gradient_norm,
            progress.active,
            score,
            now - self._since,
            dict(progress.more),
        )
        self._since = now
        self.history.epochs.append(epoch)
        if self.bar is not None:
            self.bar.advance(epoch)
        wish = [says_no(callback(epoch)) for callback in self.callbacks]  # all of them hear of it
        if self.interrupted():
            self.history.reason = "interrupted"
        elif any(wish):
            self.history.reason = "stopped"
        elif self._out_of_patience():
            self.history.reason = "patience"
        return not self.history.reason

    def _judged(self, progress: Progress) -> float | None:
        if self.judge is None:
            return None
        weights = progress.weights()
        score = self.judge(weights)
        if self._best is None or score > self._best[0]:
            self._best = (score, weights)
            self.history.best = progress.iteration
        return score

    def _out_of_patience(self) -> bool:
        if self.patience is None or self.judge is None or self.history.best is None:
            return False
        return self.history.epochs[-1].iteration - self.history.best >= self.patience


def checked_callbacks(callbacks: Any) -> tuple[Callback, ...]:
    """A tuple of functions, from one function or several."""
    if callbacks is None:
        return ()
    some = (callbacks,) if callable(callbacks) else callbacks
    if not isinstance(some, Iterable) or isinstance(some, str):
        raise OptionError(f"callbacks must be functions of an Epoch, got {callbacks!r}")
    made = tuple(some)
    for one in made:
        if not callable(one):
            raise OptionError(f"callbacks must be functions of an Epoch, got {one!r} among them")
    return made


def checked_patience(patience: Any) -> int | None:
    """A number of epochs, or None."""
    return None if patience is None else whole_number(patience, "patience", 1)
