"""Checkpoints: the state of a training in a directory, from which the same training goes on after it was killed.

A directory has, beside anything of the user's:

    seqlab-checkpoint.json         the manifest: facts of the training, and the file and checksum of each run
    seqlab-checkpoint.lock         locked while a training uses the directory
    seqlab-RUN.a.safetensors       the state of a run, or .b

A new state is written beside the old one, then the manifest that names it replaces the old manifest, then the old
state is removed. So whenever the program is killed, the manifest names complete files.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from seqlab import store
from seqlab.arrays import number
from seqlab.errors import OptionError, StoreError, TrainingWarning
from seqlab.files import checked_name, locked, write_whole
from seqlab.learning.identity import differences
from seqlab.store.state import State

KIND, VERSION = "seqlab checkpoint", 1
MANIFEST, LOCK = "seqlab-checkpoint.json", "seqlab-checkpoint.lock"
PREFIX, SUFFIX = "seqlab-", ".safetensors"
SHARE = 0.05  # of the time that checkpoints may take when nothing is said
FIRST = 1.0  # seconds before the first one, whose cost is not known yet


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A directory that stores the state of a training, and how often: fit(..., checkpoint=Checkpoint("dir", every=60)).

    path    a directory; it is made if there is none. Files of yours in it are left alone
    every   seconds from one checkpoint to the next, 0 for one after every iteration; None: as often as costs at most
            5 % of the time
    """

    path: str | os.PathLike[str]
    every: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.path, (str, os.PathLike)) or not os.fspath(self.path):
            raise OptionError(f"checkpoint must be the path of a directory, got {self.path!r:.80}")
        if self.every is not None:
            number(self.every, "every")

    def below(self, name: str) -> Checkpoint:
        """Return a checkpoint in a directory of this name inside."""
        return Checkpoint(Path(self.path) / name, self.every)

    def file(self, name: str) -> Path:
        """Return the path of a file of this name inside; the directory is made if there is none."""
        path = Path(checked_name(self.path))
        with _failures_told(path):
            path.mkdir(parents=True, exist_ok=True)
        return path / name

    def remove(self) -> None:
        """Remove the files of the checkpoint, and the directory if nothing else is in it."""
        path = Path(self.path)
        with contextlib.suppress(OSError):
            (path / MANIFEST).unlink(missing_ok=True)  # first: without it, states are nothing
            for file in (*path.glob(f"{PREFIX}*{SUFFIX}"), path / LOCK):
                file.unlink(missing_ok=True)
            path.rmdir()


def checked_checkpoint(given: Any) -> Checkpoint | None:
    """Read the argument checkpoint= of fit: a path, a Checkpoint, or None."""
    return given if given is None or isinstance(given, Checkpoint) else Checkpoint(given)


@contextlib.contextmanager
def opened(given: Any, facts: Callable[[], Mapping[str, str]]) -> Iterator[Directory | None]:
    """Open the directory of a checkpoint for a training with these facts; None without one.

    facts   computes them, which reads all of the data
    """
    chosen = checked_checkpoint(given)
    if chosen is None:
        yield None
        return
    with Directory(chosen) as directory:
        directory.begin(dict(facts()))
        yield directory


class Directory:
    """The directory of a checkpoint while a training uses it; another one is refused."""

    def __init__(self, chosen: Checkpoint) -> None:
        self.every = chosen.every
        self._path = Path(checked_name(chosen.path))
        self._guard = threading.Lock()
        self._manifest: dict[str, Any] = {}
        self._lock: int | None = None

    def __enter__(self) -> Self:
        with _failures_told(self._path):
            self._path.mkdir(parents=True, exist_ok=True)
            handle = os.open(self._path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        if not locked(handle) and os.name != "nt":  # which has no such locks
            user = os.read(handle, 200).decode("utf-8", "replace").strip()
            os.close(handle)
            raise StoreError(
                f"{str(self._path)!r} is in use by another training{f' ({user})' if user else ''}; wait for it, or "
                f"give this one a directory of its own",
                path=str(self._path),
            )
        self._lock = handle
        with contextlib.suppress(OSError):  # for the message above only
            os.ftruncate(handle, 0)
            os.write(handle, f"process {os.getpid()} on {socket.gethostname()}".encode())
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            os.close(self._lock)  # which unlocks it
            self._lock = None

    def begin(self, facts: dict[str, str]) -> None:
        """Compare the facts of this training with those of the directory, or write them into a new one."""
        found = self._read()
        if found is None:
            self._manifest = {"kind": KIND, "version": VERSION, "facts": facts, "runs": {}}
            self._write()
            return
        other = differences(facts, found["facts"])
        if other:
            more = f"; and {len(other) - 4} more" if len(other) > 4 else ""
            raise OptionError(
                f"{str(self._path)!r} has the checkpoint of another training: {'; '.join(other[:4])}{more}. Repeat "
                f"that training as it was, or give this one another directory",
                option="checkpoint",
            )
        self._manifest = found

    # ------------------------------------------------------------------------------------------ files

    def load(self, name: str) -> State | None:
        """Read the state of a run, checked against the manifest; None when there is none."""
        entry = self._manifest["runs"].get(name)
        if entry is None:
            return None
        try:
            return store.read(self._path / entry["file"], verify=entry["sha256"], mapped=False)
        except StoreError as error:
            raise error.at(within=("the checkpoint is damaged, and is not used",)) from error.__cause__

    def save(self, name: str, state: State, iteration: int, *, done: bool) -> None:
        """Write the state of a run, then the manifest that names it, then remove the state before it."""
        before = self._manifest["runs"].get(name, {}).get("file")
        ways = [f"{PREFIX}{name}.{way}{SUFFIX}" for way in "ab"]
        file = ways[ways.index(before) - 1] if before in ways else ways[0]
        digest = store.write(self._path / file, state)
        with self._guard:
            old = self._manifest["runs"].get(name)
            self._manifest["runs"][name] = {
                "file": file,
                "sha256": digest,
                "iteration": iteration,
                "done": done,
            }
            try:
                self._write()
            except StoreError:  # the one before stays
                self._manifest["runs"].pop(name)
                if old is not None:
                    self._manifest["runs"][name] = old
                raise
        if before in ways:
            with contextlib.suppress(OSError):
                (self._path / before).unlink()

    def _read(self) -> dict[str, Any] | None:
        return read_manifest(self._path)

    def _write(self) -> None:
        body = json.dumps({**self._manifest, "sha256": _sum(self._manifest)}, indent=1)
        path = self._path / MANIFEST
        try:
            write_whole(path, body + "\n")
        except OSError as error:
            raise StoreError(
                f"cannot write {str(path)!r}: {error.strerror or error}", path=str(path)
            ) from error


@contextlib.contextmanager
def _failures_told(path: Path) -> Iterator[None]:
    """Say that a directory cannot be made or used."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"cannot keep checkpoints in {str(path)!r}: {error.strerror or error}", path=str(path)
        ) from error


def read_manifest(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Read the manifest of a directory; None when it has none. A damaged one is an error."""
    file = Path(path) / MANIFEST
    where = str(file)
    try:
        found = json.loads(file.read_bytes())
    except FileNotFoundError:
        _refuse_leftovers(Path(path))
        return None
    except OSError as error:
        raise StoreError(f"cannot read {where!r}: {error.strerror or error}", path=where) from error
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("kind") != KIND:
        raise StoreError(
            f"{where!r} is not the manifest of a checkpoint, or is damaged; give this training another directory",
            path=where,
        )
    if found.get("version") != VERSION:
        raise StoreError(
            f"{where!r} has format {found.get('version')!r:.20}, this seqlab reads {VERSION}", path=where
        )
    if found.pop("sha256", None) != _sum(found):
        raise StoreError(
            f"{where!r} is damaged: its checksum differs. Remove the directory to begin anew", path=where
        )
    return found


def _refuse_leftovers(path: Path) -> None:
    """Refuse states without a manifest: they are not ours to replace."""
    for file in sorted(path.glob(f"{PREFIX}*{SUFFIX}")) if path.is_dir() else ():
        raise StoreError(
            f"{str(file)!r} is there, but no manifest ({MANIFEST}) that names it; remove it, or give this training "
            f"another directory",
            path=str(file),
        )


def _sum(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


class Run:
    """The state of one run in a directory: read when it begins, written when it is time.

    name    of the run
    kinds   classes of models that it may store, besides arrays
    """

    def __init__(self, directory: Directory, name: str, kinds: Sequence[type] = ()) -> None:
        self.name, self.kinds = name, kinds
        self._directory = directory
        self._since = time.monotonic()
        self._cost = FIRST * SHARE
        self._failed = False

    def load(self) -> State | None:
        """Return the state to go on from; None at the beginning."""
        return self._directory.load(self.name)

    @property
    def due(self) -> bool:
        """True if it is time to write another one."""
        every = self._directory.every
        wait = self._cost / SHARE if every is None else every
        return time.monotonic() - self._since >= wait

    def save(self, state: State, iteration: int, *, done: bool = False) -> None:
        """Write a state; where that fails, as on a full disk, warn and keep the one before."""
        began = time.monotonic()
        try:
            self._directory.save(self.name, state, iteration, done=done)
            self._failed = False
        except StoreError as error:
            if not self._failed:
                warnings.warn(
                    f"no checkpoint of iteration {iteration}: {error}; training goes on, and an earlier checkpoint "
                    f"stays as it is",
                    TrainingWarning,
                    stacklevel=2,
                )
            self._failed = True
        self._since = time.monotonic()
        self._cost = max(self._since - began, 1e-4)


def told_of(path: str | os.PathLike[str]) -> dict[str, tuple[int, bool]]:
    """Return {run: (iteration, done)} of a directory, for the screen; {} where nothing was stored yet."""
    found = read_manifest(path)
    runs = {} if found is None else found.get("runs", {})
    return {name: (int(one["iteration"]), bool(one["done"])) for name, one in runs.items()}
