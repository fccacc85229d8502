"""The journal of a search: a line of JSON for every training that is done, so that a killed search goes on.

The first line says what is searched; a search of something else does not go on from it. A line is written in one piece
and at once, and one that a kill cut short is dropped.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqlab.errors import OptionError, StoreError
from seqlab.tuning.running import Run, Task

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

KIND, VERSION = "seqlab search", 1
PLACE_IN_MEMORY = " at 0x"  # what Python writes for an object that does not say what it is


class Journal:
    """What is done already, and where more of it is written down; without a path it remembers nothing."""

    def __init__(self, path: str | os.PathLike[str] | None, facts: Mapping[str, Any]) -> None:
        self._kept, self._path = path is not None, Path(path or "")
        self._facts = dict(facts)
        self._done: dict[str, Run] = {}
        self._file = -1

    def __enter__(self) -> Self:
        if self._kept:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                self._lock()
                self._read()
            except BaseException:
                os.close(self._file)
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._kept:
            os.close(self._file)

    def done(self, task: Task) -> Run | None:
        """What came of a training, if it is done."""
        return self._done.get(_key(task))

    def add(self, run: Run) -> None:
        """Write down what came of a training."""
        if not self._kept:
            return
        facts = {**json.loads(_key(run.task)), "score": run.score, "train_score": run.train_score}
        self._write({**facts, "seconds": run.seconds, "error": run.error})

    def _lock(self) -> None:
        """Two searches that write into one journal would both do everything."""
        with contextlib.suppress(ImportError):
            import fcntl

            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreError(f"{self._path}: another search is writing into this journal") from None

    def _read(self) -> None:
        content = self._path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if not whole:
            if content and not content.startswith(b'{"kind": "seqlab'):
                raise StoreError(f"{self._path}:1: this is no journal of a search")
            os.ftruncate(self._file, 0)
            self._write({"kind": KIND, "version": VERSION, **self._facts})
            return
        for number, line in enumerate(whole.splitlines(), start=1):
            found = self._parsed(line, number)
            if number == 1:
                self._check(found)
            else:
                self._remember(found, number)
        if whole != content:
            os.ftruncate(self._file, len(whole))

    def _parsed(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or (number == 1 and found.get("kind") != KIND):
            what = "this is no journal of a search" if number == 1 else "this line is no JSON object"
            raise StoreError(f"{self._path}:{number}: {what}; pass another file, or remove it")
        return found

    def _check(self, head: Mapping[str, Any]) -> None:
        if head.get("version") != VERSION:
            raise StoreError(
                f"{self._path}:1: the journal has version {head.get('version')!r:.20}, {VERSION} is wanted"
            )
        for name, value in self._facts.items():
            if head.get(name) != value:
                raise OptionError(
                    f"{self._path}: the journal is of another search: its {name} is {head.get(name)!r:.80}, "
                    f"now it is {value!r:.80}; pass another file, or remove this one"
                )

    def _remember(self, found: Mapping[str, Any], number: int) -> None:
        try:
            key = _key_of(str(found["params"]), float(found["budget"]), int(found["fold"]))
            score, train = (
                None if found[name] is None else float(found[name]) for name in ("score", "train_score")
            )
            error = None if found["error"] is None else str(found["error"])
            self._done[key] = Run(Task(0, {}, "", 1.0, 0), score, train, float(found["seconds"]), error)
        except (KeyError, TypeError, ValueError):
            raise StoreError(f"{self._path}:{number}: this line of the journal is not complete") from None

    def _write(self, facts: Mapping[str, Any]) -> None:
        os.write(self._file, (json.dumps(facts, ensure_ascii=True, allow_nan=False) + "\n").encode())
        os.fsync(self._file)


def check_names(keys: Mapping[str, Any]) -> None:
    """Refuse values that another process cannot recognise."""
    for what, text in keys.items():
        if PLACE_IN_MEMORY in str(text):
            raise OptionError(
                f"resume= needs values that say what they are, but {what} has {str(text)!r:.120}; "
                f"give its class a __repr__, or leave resume out"
            )


def _key(task: Task) -> str:
    return _key_of(task.key, task.budget, task.fold)


def _key_of(params: str, budget: float, fold: int) -> str:
    return json.dumps({"params": params, "budget": round(budget, 9), "fold": fold})
