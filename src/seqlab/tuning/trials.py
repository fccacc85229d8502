"""Parallel trainings in threads, and the journal from which an interrupted search resumes.

The core runs without Python's lock; the number of threads changes no result. The journal has a line of JSON for every
completed training. Its first line describes the search; a different search does not resume from it. A line
is written atomically, and an incomplete last line is dropped.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import json
import math
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from seqlab import _core
from seqlab.errors import ConvergenceWarning, OptionError, Place, SeqlabError, StoreError
from seqlab.files import checked_name
from seqlab.learning.checkpoint import Checkpoint
from seqlab.learning.identity import digest
from seqlab.tagging.sklearn import Estimator
from seqlab.tuning.data import Scorer, Split, narrow
from seqlab.tuning.space import key_of

KIND, VERSION = "seqlab search", 1


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
    """Scores of a training; `score` is None when it failed, and then `error` says why."""

    score: float | None
    train_score: float | None
    seconds: float
    error: str | None


@dataclass(frozen=True)
class Work:
    """Settings that all trials of a search share.

    budget_name   the option that the budget sets; None when it is a share of sentences
    options       further options of every model, as threads
    checkpoint    stores each training while it runs; None without
    """

    model: Any
    splits: Sequence[Split]
    scorer: Scorer
    budget_name: str | None
    options: dict[str, Any]
    train_score: bool
    checkpoint: Checkpoint | None = None

    def __call__(self, task: Task, stop: _core.Flag) -> Outcome | None:
        """Train and score; return None when it was stopped."""
        began = time.perf_counter()
        try:
            with stop:  # the core checks it during an epoch
                scores = None if stop.is_set() else self._scores(task, stop)
        except _core.Stopped:
            return None
        except SeqlabError as error:
            if self.checkpoint is not None and (
                isinstance(error, StoreError) or error.option == "checkpoint"
            ):
                raise  # no fault of the trial, which the journal would record as failed
            return Outcome(None, None, time.perf_counter() - began, f"{type(error).__name__}: {error}")
        return None if scores is None else Outcome(*scores, time.perf_counter() - began, None)

    def _scores(self, task: Task, stop: _core.Flag) -> tuple[float, float | None] | None:
        split = self.splits[task.fold]
        params = {**self.options, **task.params}
        train = split.train
        if self.budget_name is None:
            train = split.beginning(task.budget)
        else:
            params[self.budget_name] = int(task.budget)
        model = fresh(self.model).set_params(**params)
        narrow(model, train, (split.train, split.test))
        fitted(model, train.X, train.y, stop, self.place(task))
        if stop.is_set():
            return None
        score = self.scorer(model, split.test)
        if math.isnan(score):
            raise OptionError(f"{self.scorer.name} has no meaning on these sentences")
        own = self.scorer(model, train) if self.train_score else math.nan
        return score, None if math.isnan(own) else own

    def place(self, task: Task) -> Checkpoint | None:
        """Return the checkpoint of one training, in a directory of its own; None without."""
        if self.checkpoint is None:
            return None
        name = digest(key_of(task.params), round(task.budget, 9), task.fold)
        return self.checkpoint.below(f"trial-{name}")

    def forget(self, task: Task) -> None:
        """Remove the checkpoint of a training that the journal has."""
        place = self.place(task)
        if place is not None:
            place.remove()


def fresh(model: Any) -> Any:
    """Make an unfitted model with the same options.

    Everything that fit would change is copied: models among the options, and estimators of others.
    """

    def own(value: Any) -> Any:
        if isinstance(value, Estimator):
            return fresh(value)
        return copy.deepcopy(value) if hasattr(value, "get_params") and not isinstance(value, type) else value

    return type(model)(**{name: own(value) for name, value in model.get_params(deep=False).items()})


def fitted(
    model: Any, X: Any, y: Any, stop: _core.Flag | None = None, checkpoint: Checkpoint | None = None
) -> Any:
    """Fit a model, which ends early when `stop` is set, and stores its state, if the model supports it."""
    options: dict[str, Any] = {}
    known = inspect.signature(model.fit).parameters

    def heed(_epoch: Any) -> None:
        if stop is not None and stop.is_set():
            raise _core.Stopped

    if stop is not None and "callbacks" in known:
        options["callbacks"] = heed
    if checkpoint is not None and "checkpoint" in known:
        options["checkpoint"] = checkpoint
    return model.fit(X, **options) if y is None else model.fit(X, y, **options)


def was_interrupted(model: Any) -> bool:
    """Return True if Ctrl-C ended its training."""
    return getattr(getattr(model, "history_", None), "reason", None) == "interrupted"


def run_all(tasks: Sequence[Task], work: Work, jobs: int, done: Callable[[Task, Outcome], None]) -> bool:
    """Run all tasks; return False if Ctrl-C ended them, unfinished ones without an outcome.

    done   called in this thread for every finished task, in the order in which they finish
    """
    stop = _core.Flag()
    with _no_limits_said(), ThreadPoolExecutor(max_workers=max(1, min(jobs, len(tasks)))) as pool:
        left: dict[Future[Outcome | None], Task] = {pool.submit(work, task, stop): task for task in tasks}

        def hand_over(futures: Iterable[Future[Outcome | None]]) -> None:
            for future in futures:
                task, outcome = left.pop(future), future.result()
                if outcome is not None:
                    done(task, outcome)

        try:
            hand_over(as_completed(list(left)))
        except BaseException as error:
            stop.set()
            if not isinstance(error, KeyboardInterrupt):
                raise
            hand_over(wait(left).done)
            return False
    return True


@contextlib.contextmanager
def _no_limits_said() -> Iterator[None]:
    """Suppress warnings about limits of iterations, which trials often set on purpose, in all threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


class Journal:
    """Completed trainings, and the file that records them; without a path, neither."""

    def __init__(self, path: str | os.PathLike[str] | None, facts: Mapping[str, Any]) -> None:
        self._done: dict[tuple[str, float, int], Outcome] = {}
        self._file: int | None = None
        if path is None:
            return
        self._path = Path(checked_name(path))
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            with contextlib.suppress(ImportError):  # two searches with one journal would both do everything
                import fcntl

                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read(self._file, {"kind": KIND, "version": VERSION, **facts})
        except BaseException as error:
            self.close()
            if isinstance(error, BlockingIOError):
                raise StoreError(f"{path}: another search is writing into this journal") from None
            if isinstance(error, OSError):
                raise self._unusable(error) from error
            raise

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with contextlib.suppress(OSError):  # every line is on disk already
                os.close(self._file)
            self._file = None

    def done(self, task: Task) -> Outcome | None:
        """Return the outcome of a training, if it is recorded."""
        return self._done.get((key_of(task.params), round(task.budget, 9), task.fold))

    def add(self, task: Task, outcome: Outcome) -> None:
        """Record the outcome of a training."""
        place = {"params": key_of(task.params), "budget": round(task.budget, 9), "fold": task.fold}
        self._write({**place, **asdict(outcome)})

    def _read(self, file: int, wanted: Mapping[str, Any]) -> None:
        content = self._path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if not whole and (not content or content.startswith(b'{"kind": "seqlab')):
            os.ftruncate(file, 0)
            self._write(wanted)
            return
        first, *lines = (whole or content).splitlines()
        head: Any = None
        with contextlib.suppress(ValueError, RecursionError):
            head = json.loads(first)
        if not isinstance(head, dict) or head.get("kind") != KIND:
            raise StoreError(
                f"{self._path}:1: this is no journal of a search; pass another file, or remove it"
            )
        for name, value in wanted.items():
            if head.get(name) != value:
                raise OptionError(
                    f"{self._path}: the journal is of another search: its {name} is {head.get(name)!r:.80}, "
                    f"now it is {value!r:.80}; pass another file, or remove this one"
                )
        for number, line in enumerate(lines, start=2):
            try:
                found = json.loads(line)
                place = (str(found["params"]), float(found["budget"]), int(found["fold"]))
                score, train = (
                    None if found[name] is None else float(found[name]) for name in ("score", "train_score")
                )
                error = None if found["error"] is None else str(found["error"])
                self._done[place] = Outcome(score, train, float(found["seconds"]), error)
            except (KeyError, TypeError, ValueError, RecursionError):
                raise StoreError(
                    f"{self._path}:{number}: this line of the journal is not complete; pass another file, or remove it"
                ) from None
        os.ftruncate(file, len(whole))

    def _write(self, facts: Mapping[str, Any]) -> None:
        """Append a line, whole or not at all."""
        if self._file is None:
            return
        rest = memoryview((json.dumps(facts, ensure_ascii=True, allow_nan=False) + "\n").encode())
        try:
            before = os.fstat(self._file).st_size
            try:
                while rest:
                    rest = rest[os.write(self._file, rest) :]
                os.fsync(self._file)
            except OSError:
                os.ftruncate(self._file, before)
                raise
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> StoreError:
        return StoreError(
            f"the journal cannot be written ({error.strerror or error}); the trainings that it has are kept",
            place=Place(path=str(self._path)),
        )
