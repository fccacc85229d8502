"""The journal of a search: a line of JSON for every training that is done, so that a killed search goes on.

The first line says what is searched; a search of something else does not go on from it. A line is written in one piece
and at once, and one that a kill cut short is dropped.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from seqlab.corpus import Corpus
from seqlab.errors import OptionError, StoreError
from seqlab.tuning.running import Outcome, Task
from seqlab.tuning.space import key_of

KIND, VERSION = "seqlab search", 1
PLACE_IN_MEMORY = " at 0x"  # what Python writes for an object that does not say what it is
Place = tuple[str, float, int]


class Journal:
    """Trainings that are done already, and the file where more of them are written down."""

    def __init__(self, path: str | os.PathLike[str], facts: Mapping[str, Any]) -> None:
        self._path = Path(path)
        self._done: dict[Place, Outcome] = {}
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            self._lock()
            self._read({"kind": KIND, "version": VERSION, **facts})
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def done(self, task: Task) -> Outcome | None:
        """Return what came of a training, if it is done."""
        return self._done.get(_place(task))

    def add(self, task: Task, outcome: Outcome) -> None:
        """Write down what came of a training."""
        params, budget, fold = _place(task)
        self._write({"params": params, "budget": budget, "fold": fold, **asdict(outcome)})

    def _lock(self) -> None:
        """Keep another search from writing into this journal, as both would do everything."""
        with contextlib.suppress(ImportError):
            import fcntl

            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreError(f"{self._path}: another search is writing into this journal") from None

    def _read(self, head: Mapping[str, Any]) -> None:
        content = self._path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if not whole and (not content or content.startswith(b'{"kind": "seqlab')):
            os.ftruncate(self._file, 0)
            self._write(head)
            return
        first, *lines = (whole or content).splitlines()
        self._check(first, head)
        for number, line in enumerate(lines, start=2):
            self._remember(line, number)
        os.ftruncate(self._file, len(whole))

    def _check(self, line: bytes, wanted: Mapping[str, Any]) -> None:
        try:
            head = json.loads(line)
            known = isinstance(head, dict) and head.get("kind") == KIND
        except (ValueError, RecursionError):
            head, known = {}, False
        if not known:
            raise StoreError(
                f"{self._path}:1: this is no journal of a search; pass another file, or remove it"
            )
        for name, value in wanted.items():
            if head.get(name) != value:
                raise OptionError(
                    f"{self._path}: the journal is of another search: its {name} is {head.get(name)!r:.80}, "
                    f"now it is {value!r:.80}; pass another file, or remove this one"
                )

    def _remember(self, line: bytes, number: int) -> None:
        try:
            found = json.loads(line)
            score, train = (
                None if found[name] is None else float(found[name]) for name in ("score", "train_score")
            )
            error = None if found["error"] is None else str(found["error"])
            place = (str(found["params"]), float(found["budget"]), int(found["fold"]))
            self._done[place] = Outcome(score, train, float(found["seconds"]), error)
        except (KeyError, TypeError, ValueError, RecursionError):
            raise StoreError(
                f"{self._path}:{number}: this line of the journal is not complete; pass another file, or remove it"
            ) from None

    def _write(self, facts: Mapping[str, Any]) -> None:
        os.write(self._file, (json.dumps(facts, ensure_ascii=True, allow_nan=False) + "\n").encode())
        os.fsync(self._file)


def _place(task: Task) -> Place:
    return key_of(task.params), round(task.budget, 9), task.fold


def check_names(texts: Mapping[str, str]) -> None:
    """Refuse values that another process cannot recognise."""
    for what, text in texts.items():
        if PLACE_IN_MEMORY in text:
            raise OptionError(
                f"resume= needs values that say what they are, but {what} has {text!r:.120}; "
                f"give its class a __repr__, or leave resume out"
            )


def digest(X: Any, y: Any) -> str:
    """Compute a hash that is the same for the same sentences and labels, in any process."""
    found = hashlib.blake2b(digest_size=12)
    for value in (X, y):
        for piece in _pieces(value):
            found.update(piece)
    return found.hexdigest()


def _pieces(value: Any) -> Iterator[bytes]:
    if isinstance(value, Corpus):
        yield from (name.encode() + b"\0" for name in value.columns)
        yield from _pieces([value.column(name) for name in value.columns])
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype}{value.shape}".encode()
        yield (
            repr(value.tolist()).encode() if value.dtype == object else np.ascontiguousarray(value).tobytes()
        )
    elif isinstance(value, str):
        yield value.encode("utf-8", "surrogatepass") + b"\0"
    elif isinstance(value, Mapping):
        yield b"{"
        yield from _pieces(list(value.items()))
    elif isinstance(value, Sequence):
        yield f"[{len(value)}".encode()
        for one in value:
            yield from _pieces(one)
    elif hasattr(value, "toarray"):  # a sparse matrix
        yield from _pieces([value.data, value.nonzero()[0], value.nonzero()[1]])
    else:
        yield repr(value).encode() + b"\0"
