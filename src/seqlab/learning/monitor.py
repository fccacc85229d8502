"""Monitor a training between two epochs: history, dev set, callbacks, patience, signals, a bar; run several."""

from __future__ import annotations

import contextlib
import math
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import FrameType, TracebackType
from typing import Any, Protocol, Self, TextIO

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import is_iterable, says_no, whole_number
from seqlab.errors import ConvergenceWarning, OptionError, TrainingWarning
from seqlab.learning.history import Epoch, History

# Systems without terminals have no SIGHUP.
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interruptible:
    """Context manager that catches the first signal and remembers it in `asked`; then the old handlers are restored.

    flag   set by the signal; the core then raises _core.Stopped in threads that run within `with flag`

    Only the main thread can catch signals; in other threads, and for ignored signals, this does nothing. Training in
    other threads may share the flag of one that the main thread has opened.
    """

    def __init__(self) -> None:
        self.flag = _core.Flag()
        self._number: int | None = None
        self._before: dict[int, Any] = {}

    @property
    def asked(self) -> str | None:
        """Name of the signal that was caught; None if none was."""
        return None if self._number is None else signal.Signals(self._number).name

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                handler = signal.getsignal(number)
                if handler is not None and handler != signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if threading.current_thread() is threading.main_thread():
            self._restore()
            held: list[Interruptible] | None = getattr(_fits, "held", None)
            if held is not None and self._number is not None:
                held.append(self)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._number = number
        self.flag.set()
        self._restore()  # the next signal has its usual effect

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def deliver(self, what: str) -> None:
        """Raise what the caught signal would have raised, if there was one: KeyboardInterrupt or SystemExit.

        A handler of the user's own is called instead; if it returns, there is a warning. `what` ends the message.
        """
        if self._number is None or threading.current_thread() is not threading.main_thread():
            return
        handler = signal.getsignal(self._number)
        if handler is signal.default_int_handler:
            raise KeyboardInterrupt(f"training was interrupted; {what}")
        if handler == signal.SIG_DFL:
            raise SystemExit(128 + self._number)  # not the signal itself, so that callers can save the model
        signal.raise_signal(self._number)
        warnings.warn(f"training was interrupted by {self.asked}; {what}", TrainingWarning, stacklevel=3)


_fits = threading.local()


@contextlib.contextmanager
def interrupted_later() -> Iterator[None]:
    """Delay the effect of a signal that ended training to the end of this block, after the model is assigned."""
    before, _fits.held = getattr(_fits, "held", None), list[Interruptible]()
    held = _fits.held
    try:
        yield
    finally:
        _fits.held = before
    for one in held[:1]:
        one.deliver("the model has the best weights so far")


Weights = npt.NDArray[np.float64]  # (n,)


@dataclass(frozen=True, slots=True)
class Job:
    """Input of a batch learner.

    quick, exact   the loss in float32 and float64; both float64 when the learner's dtype is float64
    centre         weights that l2 pulls towards; None for 0
    first_guess    computes initial weights, or None
    """

    quick: Any
    exact: Any
    first_guess: Callable[[Weights, int], None] | None
    threads: int
    centre: Weights | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """State of a training after an iteration (of a batch learner) or an epoch (of an online one).

    objective       the objective, penalties included; None for learners without one
    gradient_norm   None for learners without a gradient
    active          weights that are not 0
    weights         gives the weights a model would have if training stopped now, as a copy
    more            further numbers of the learner, by name
    """

    iteration: int
    objective: float | None
    gradient_norm: float | None
    active: int | None
    weights: Callable[[], Weights]
    more: Mapping[str, float] = field(default_factory=dict)


Report = Callable[[Progress], bool]  # False ends training


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Result of a training, and the reason it ended."""

    theta: Weights
    reason: str
    iterations: int
    objective: float | None


Callback = Callable[[Epoch], Any]


class Learner(Protocol):
    """Anything that trains a linear model; docs/guide/training.md says how to write one."""

    def train(self, *args: Any, **kwargs: Any) -> Outcome:
        """Find weights."""
        ...


@dataclass(slots=True)
class Monitor:
    """Monitor of one training: it decides after every epoch if training continues.

    judge      computes the dev score of weights, larger is better; None without a development set
    metric     name of the score
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
    _last: tuple[Weights, Epoch] | None = None
    _since: float = 0.0
    _interrupt: Interruptible = field(default_factory=Interruptible)

    def over(self, train: Callable[[Report], Outcome]) -> Outcome:
        """Run a training under this monitor; the outcome has the weights to keep.

        Training stopped before its first epoch has no weights; it raises _core.Stopped or what the signal raises.
        """
        self.history.metric = self.metric
        self._since = time.perf_counter()
        try:
            with self._interrupt, self._interrupt.flag:
                outcome = train(self._after)
        except _core.Stopped:  # during an epoch
            if self._last is None:
                self._interrupt.deliver("there are no weights yet")
                raise
            theta, epoch = self._last
            outcome = Outcome(theta, "interrupted", epoch.iteration, epoch.objective)
        finally:
            if self.bar is not None:
                self.bar.end()
        if self.interrupted():  # also by a signal after the last epoch, which must not be lost
            self.history.reason = "interrupted"
        if not self.history.reason:
            self.history.reason = outcome.reason
        if self._best is None:
            self.history.best = self.history.epochs[-1].iteration if self.history.epochs else None
        theta = outcome.theta if self._best is None else self._best[1]
        return replace(outcome, theta=theta, reason=self.history.reason)

    def interrupted(self) -> bool:
        """Return True if a signal asked training to end; learners call it within long epochs."""
        return self._interrupt.asked is not None

    def _after(self, progress: Progress) -> bool:
        score, weights = None, progress.weights()
        numbers = (progress.iteration, progress.objective, progress.gradient_norm, progress.active)
        if self._last is None:  # kept in case scoring is interrupted
            self._last = weights, Epoch(*numbers, None, 0.0, {})
        if self.judge is not None:
            score = self.judge(weights)
            if self._best is None or score > self._best[0]:
                self._best = (score, weights)
                self.history.best = progress.iteration
        before, self._since = self._since, time.perf_counter()
        epoch = Epoch(*numbers, score, self._since - before, dict(progress.more))
        self.history.epochs.append(epoch)
        self._last = weights, epoch
        if self.bar is not None:
            self.bar.advance(epoch)
        wish = [says_no(callback(epoch)) for callback in self.callbacks]  # all callbacks are called
        best = self.history.best  # None without a dev set
        if self.interrupted():
            self.history.reason = "interrupted"
        elif any(wish):
            self.history.reason = "stopped"
        elif best is not None and self.patience is not None and epoch.iteration - best >= self.patience:
            self.history.reason = "patience"
        return not self.history.reason


def say_limit(outcome: Any, option: str = "max_iterations") -> None:
    """Warn that training reached its limit of iterations, set by `option`; a limit of 0 is no reason to warn."""
    if outcome.reason == "iterations" and outcome.iterations:
        warnings.warn(
            f"training ended at its limit of {outcome.iterations} iterations, before it converged; a larger {option}= "
            f"lets it go on",
            ConvergenceWarning,
            stacklevel=3,
        )


def checked_callbacks(callbacks: Any) -> tuple[Callback, ...]:
    """Check callbacks and return them as a tuple."""
    if callbacks is None:
        return ()
    some = (callbacks,) if callable(callbacks) else callbacks
    if not is_iterable(some) or isinstance(some, str):
        raise OptionError(f"callbacks must be functions of an Epoch, got {callbacks!r}")
    made = tuple(some)
    for one in made:
        if not callable(one):
            raise OptionError(f"callbacks must be functions of an Epoch, got {one!r} among them")
    return made


def checked_patience(patience: Any) -> int | None:
    """Check a patience: a number of epochs, or None."""
    return None if patience is None else whole_number(patience, "patience", 1)


class Bar:
    """Progress bar: one line on standard error, rewritten after every epoch; plain lines without a terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._began = time.perf_counter()
        self._width = 0

    def advance(self, epoch: Epoch) -> None:
        """Show an epoch."""
        text = self.line(epoch)
        if self._stream.isatty():
            self._stream.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def line(self, epoch: Epoch) -> str:
        """Format the numbers of an epoch."""
        numbers: dict[str, tuple[float | None, str]] = {
            "objective": (epoch.objective, ".6g"),
            "gradient": (epoch.gradient_norm, ".3g"),
            "active": (epoch.active, ""),
            "dev": (epoch.dev_score, ".4f"),
        }
        known = [f"{name} {value:{form}}" for name, (value, form) in numbers.items() if value is not None]
        seconds = f"{time.perf_counter() - self._began:.1f} s"
        return "  ".join([f"iteration {epoch.iteration:>4}", *known, seconds])

    def end(self) -> None:
        """End the line."""
        if self._stream.isatty() and self._width:
            self._stream.write("\n")
            self._stream.flush()


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
) -> Best:
    """Run several trainings and keep the one with the best dev score, or without a dev set the best objective.

    limit   name of the option that limits iterations, for the warning if the best run reached the limit

    The result does not depend on the number of threads.
    """
    if runs == 1:
        monitor = Monitor(judge, metric, patience, tuple(callbacks), bar)
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
        monitor = Monitor(judge, metric, patience, told, None, _interrupt=shared)
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
