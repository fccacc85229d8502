"""Signs of life: a bar where somebody looks at a terminal, nothing otherwise.

rich is imported only when there is a terminal to draw on.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any, Self, TextIO


def looks(stream: TextIO) -> bool:
    """Whether a person looks at this stream, on a terminal that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class Silent:
    """No bar; lines are printed as they come."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def step(self, what: str, total: float | None = None) -> None:
        """Something else begins, which has so many parts; None when nobody knows."""

    def advance(self, amount: float = 1, what: str | None = None) -> None:
        """So many parts more are done, and this is what is done now."""

    def announcer(self, what: str) -> Callable[[str, int, int], None]:
        """Make a callback for work on one model after the other: `what` with a name in it is what is done now."""

        def announce(name: str, number: int, count: int) -> None:
            if number == 0:
                self.step(what.format(name), count)
            else:
                self.advance(1, what.format(name))

        return announce

    def line(self, text: str) -> None:
        """A line that stays."""
        if self._out is not None:
            print(text, file=self._out, flush=True)


class Bar(Silent):
    """A line at the bottom of the terminal that is drawn anew; lines that stay scroll above it.

    patience   seconds before the bar is drawn at all: short work needs none
    """

    def __init__(self, out: TextIO | None, stream: TextIO, *, patience: float = 0.0) -> None:
        super().__init__(out)
        self._stream = stream
        self._patience = patience
        self._began = time.monotonic()
        self._drawn: Any = None
        self._task: Any = None
        self._now: tuple[str, float | None] = ("", None)
        self._done = 0.0

    def __exit__(self, *_: object) -> None:
        if self._drawn is not None:
            self._drawn.stop()

    def step(self, what: str, total: float | None = None) -> None:
        """Something else begins."""
        self._now, self._done = (what, total), 0.0
        if self._draw():
            self._drawn.reset(self._task, total=total, description=what)

    def advance(self, amount: float = 1, what: str | None = None) -> None:
        """So many parts more are done."""
        self._done += amount
        if self._draw():
            self._drawn.update(self._task, completed=self._done, description=what or self._now[0])

    def line(self, text: str) -> None:
        """A line above the bar; one that goes elsewhere does not disturb it."""
        if self._drawn is not None and self._out is self._stream:
            self._drawn.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            super().line(text)

    def _draw(self) -> bool:
        if self._drawn is None and time.monotonic() - self._began >= self._patience:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

            left = (
                (TextColumn("{task.percentage:>3.0f} %, left"), TimeRemainingColumn()) if self._now[1] else ()
            )
            columns = (TextColumn("{task.description}"), BarColumn(bar_width=24), TimeElapsedColumn(), *left)
            self._drawn = Progress(
                *columns,
                console=Console(file=self._stream),
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._task = self._drawn.add_task(self._now[0], total=self._now[1])
            self._drawn.start()
        return self._drawn is not None


def training_progress(*, quiet: bool, json: bool) -> Silent:
    """For training: lines go to standard output, the bar to a terminal if there is one."""
    out = None if quiet or json else sys.stdout
    if quiet:
        return Silent(None)
    if out is not None and looks(sys.stdout):
        return Bar(out, sys.stdout)
    return Bar(out, sys.stderr) if looks(sys.stderr) else Silent(out)


def file_progress(*, quiet: bool) -> Silent:
    """For long files: on standard error, and only when standard output goes elsewhere."""
    if quiet or not looks(sys.stderr) or sys.stdout.isatty():
        return Silent(None)
    return Bar(None, sys.stderr, patience=1.0)
