"""Monitor a training between two epochs: history, dev set, callbacks, patience, signals, checkpoints, a bar."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType, TracebackType
from typing import Any, Protocol, Self, TextIO

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import is_iterable, says_no, whole_number
from seqlab.errors import ConvergenceWarning, OptionError, StoreError, TrainingWarning
from seqlab.learning.checkpoint import Run
from seqlab.learning.history import Epoch, History
from seqlab.store.codec import put_part, state_of, value_of
from seqlab.store.reading import misfits_told
from seqlab.store.state import State

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
    state           gives what the learner needs to go on from here, as `resumed` of its report; for checkpoints
    """

    iteration: int
    objective: float | None
    gradient_norm: float | None
    active: int | None
    weights: Callable[[], Weights]
    more: Mapping[str, float] = field(default_factory=dict)
    state: Callable[[], State] | None = None


Report = Callable[[Progress], bool]  # False ends training


def resumed(report: Report) -> State | None:
    """Return the state from which a learner goes on: what Progress.state gave before the training was killed."""
    found: State | None = getattr(report, "resumed", None)
    return found


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
    run        stores the training after an epoch, when it is time; None without checkpoints

    A learner calls it after every epoch. `resumed` is the state that the learner goes on from, or None.
    """

    judge: Callable[[Weights], float] | None = None
    metric: str | None = None
    patience: int | None = None
    callbacks: Sequence[Callback] = ()
    bar: Any = None
    run: Run | None = None
    history: History = field(default_factory=History)
    resumed: State | None = None
    _best: tuple[float, Weights] | None = None
    _last: tuple[Weights, Epoch] | None = None
    _since: float = 0.0
    _interrupt: Interruptible = field(default_factory=Interruptible)
    _cut_short: bool = False

    def over(self, train: Callable[[Report], Outcome]) -> Outcome:
        """Run a training under this monitor; the outcome has the weights to keep.

        Training stopped before its first epoch has no weights; it raises _core.Stopped or what the signal raises.
        Training that is finished according to its checkpoint is not run again.
        """
        self.history.metric = self.metric
        finished = self._restored()
        if finished is not None:
            return finished
        self._since = time.perf_counter()
        try:
            with self._interrupt, self._interrupt.flag:
                outcome = train(self)
        except _core.SnapshotMismatch as error:
            raise StoreError(f"the checkpoint does not fit this training: {error}") from error
        except _core.Stopped:  # during an epoch
            if self._last is None:
                self._interrupt.deliver("there are no weights yet")
                raise
            theta, epoch = self._last
            outcome = Outcome(theta, "interrupted", epoch.iteration, epoch.objective)
        finally:
            if self.bar is not None:
                self.bar.end()
        if self._interrupt.asked:  # also by a signal after the last epoch, which must not be lost
            self.history.reason = "interrupted"
        if not self.history.reason:
            self.history.reason = outcome.reason
        if self._best is None:
            self.history.best = self.history.epochs[-1].iteration if self.history.epochs else None
        theta = outcome.theta if self._best is None else self._best[1]
        outcome = replace(outcome, theta=theta, reason=self.history.reason)
        if self.run is not None and outcome.reason != "interrupted":
            self._store_outcome(self.run, outcome)
        return outcome

    def interrupted(self) -> bool:
        """Return True if a signal asked training to end; a learner that then cuts an epoch short is not stored."""
        self._cut_short |= self._interrupt.asked is not None
        return self._cut_short

    def __call__(self, progress: Progress) -> bool:
        """Take in an epoch; False ends training."""
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
        if any(wish):
            self.history.reason = "stopped"
        elif best is not None and self.patience is not None and epoch.iteration - best >= self.patience:
            self.history.reason = "patience"
        if self._interrupt.asked:
            if not self.history.reason:
                self.keep(progress.state, progress.iteration, now=True)
            self.history.reason = "interrupted"
        elif not self.history.reason:
            self.keep(progress.state, progress.iteration)
        return not self.history.reason

    # ------------------------------------------------------------------------------------------ checkpoints

    def keep(self, state: Callable[[], State] | None, iteration: int = 0, *, now: bool = False) -> None:
        """Store the training with this state of its learner, if it is time or must be now.

        Learners call it themselves for a part of the training that has no epochs of its own.
        """
        if self.run is None or self._cut_short:
            return
        if state is None:
            raise OptionError(
                "checkpoint= needs a learner that can go on from where it was: one of your own gives its state to "
                "Progress(..., state=) and goes on from resumed(report)"
            )
        if not (now or self.run.due):
            return
        stored = State(STORED, {"history": self.history.to_dict()})
        if self._best is not None:
            stored.settings["best_score"] = self._best[0]
            _put(stored, "best", self._best[1])
        put_part(stored, "learner", state())
        self.run.save(stored, iteration)

    def _store_outcome(self, run: Run, outcome: Outcome) -> None:
        numbers = {"iterations": outcome.iterations, "objective": outcome.objective}
        stored = State(STORED, {"history": self.history.to_dict(), "done": numbers})
        if self._best is not None:
            stored.settings["best_score"] = self._best[0]
        _put(stored, "theta", outcome.theta)
        run.save(stored, outcome.iterations, done=True)

    def _restored(self) -> Outcome | None:
        """Take over what the checkpoint has, if anything; return the outcome of a finished training."""
        stored = None if self.run is None else self.run.load()
        if self.run is None or stored is None:
            return None
        with misfits_told(None):
            self.history = History.from_dict(stored.setting("history", dict))
            score = stored.settings.get("best_score")
            done = stored.settings.get("done")
            if done is not None:
                theta = _get(stored, "theta", self.run.kinds)
                self._best = None if score is None else (float(score), theta)
                return Outcome(theta, self.history.reason, done["iterations"], done["objective"])
            if score is not None:
                self._best = float(score), _get(stored, "best", self.run.kinds)
            self.resumed = stored.any_part("learner")
        return None


STORED = "training"  # the kind of a stored training


def _put(state: State, name: str, value: Any) -> None:
    """Write weights, or a model."""
    if isinstance(value, np.ndarray):
        state.arrays[name] = value
    else:
        put_part(state, name, state_of(value))


def _get(state: State, name: str, kinds: Sequence[Any]) -> Any:
    """Read weights, or a model of one of these kinds."""
    if name in state.arrays:
        return np.array(state.arrays[name])
    return model_in(state.any_part(name), kinds)


def model_in(state: State, kinds: Sequence[Any]) -> Any:
    """Read a model of one of these kinds."""
    kind = next((one for one in kinds if one.stored_kind == state.kind), None)
    if kind is None:
        raise StoreError(f"a model of kind {state.kind!r:.80} is not wanted here")
    return value_of(kind, state)


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
    """Progress bar: one line on standard error, rewritten after every epoch; plain lines without a terminal.

    limit   largest number of epochs, for an estimate of the time left; None if unknown
    """

    def __init__(self, stream: TextIO | None = None, limit: int | None = None) -> None:
        self._stream, self._limit = sys.stderr if stream is None else stream, limit
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
        passed = time.perf_counter() - self._began
        seconds = f"{passed:.1f} s"
        if self._limit and 0 < epoch.iteration < self._limit:
            seconds += f", at most {passed * (self._limit - epoch.iteration) / epoch.iteration:.0f} s left"
        return "  ".join([f"iteration {epoch.iteration:>4}", *known, seconds])

    def end(self) -> None:
        """End the line."""
        if self._stream.isatty() and self._width:
            self._stream.write("\n")
            self._stream.flush()
