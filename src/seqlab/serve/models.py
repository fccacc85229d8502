"""The models that are served: opened once, and opened anew when their files change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import seqlab
from seqlab.errors import SeqlabError
from seqlab.serve.problems import Problem

Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Served:
    """A model in use.

    name     its name in addresses
    path     its file
    tagger   the model
    stamp    time, size and number of the file that it was read from
    since    when it was opened, seconds since 1970
    """

    name: str
    path: str
    tagger: Any
    stamp: Stamp
    since: float

    @property
    def version(self) -> str:
        """A short name of this state of the file."""
        return f"{self.stamp[0]:x}-{self.stamp[1]:x}"


class Models:
    """Models by name. A request takes the value of the moment and keeps it, so a swap disturbs none."""

    def __init__(self, named: Iterable[tuple[str, str]]) -> None:
        self._served = {name: opened(name, path) for name, path in named}
        self._failed: dict[str, Stamp | None] = {}

    def __iter__(self) -> Any:
        return iter(self._served.values())

    def get(self, name: str | None) -> Served:
        """Return the model with this name; None for the first."""
        served = self._served
        if name is None:
            return next(iter(served.values()))
        try:
            return served[name]
        except KeyError:
            raise Problem(404, f"there is no model {name!r}; there are: {', '.join(served)}") from None

    def replace(self, name: str, tagger: Any) -> None:
        """Serve another model under this name, until its file changes."""
        before = self._served[name]
        self._served = {
            **self._served,
            name: Served(name, before.path, tagger, before.stamp, time.time()),
        }

    def refresh(
        self, report: Callable[[str, SeqlabError | OSError | None], None], *, force: bool = False
    ) -> None:
        """Open the models whose files have changed; one that cannot be opened stays as it is.

        report   is told the name, and the error if there was one
        force    also those that have not changed
        """
        for served in list(self._served.values()):
            try:
                now: Stamp | None = stamp_of(served.path)
            except OSError:
                now = None
            if not force and now in {served.stamp, self._failed.get(served.name, served.stamp)}:
                continue
            try:
                fresh = opened(served.name, served.path)
            except (SeqlabError, OSError) as error:
                self._failed[served.name] = now
                report(served.name, error)
                continue
            self._failed.pop(served.name, None)
            self._served = {**self._served, served.name: fresh}
            report(served.name, None)


def stamp_of(path: str) -> Stamp:
    """Return what changes when a file does."""
    found = os.stat(path)
    return found.st_mtime_ns, found.st_size, found.st_ino


def opened(name: str, path: str) -> Served:
    """Open a model file."""
    stamp = stamp_of(path) if os.path.exists(path) else (0, 0, 0)
    return Served(name, path, seqlab.load(path), stamp, time.time())
