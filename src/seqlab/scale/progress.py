"""Progress of bringing data to disk, with an estimate of the time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

Announce = Callable[[str, int, int | None], None]  # what is done, tokens done, tokens in all or None

EVERY = 1.0  # seconds between two lines


class Lines:
    """Lines on standard error: what is being done, how much of it, and the time left."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._what, self._began, self._said = "", 0.0, 0.0

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Show that so many tokens are done."""
        now = time.perf_counter()
        if what != self._what:
            self._what, self._began, self._said = what, now, now
        if now - self._said < EVERY and done != total:
            return
        self._said = now
        text = f"{what}: {done:,} tokens"
        if total:
            left = (now - self._began) * (total - done) / max(done, 1)
            whole = f"{total:,}" if what != "reading" else f"about {total:,}"  # estimated by bytes
            text += f" of {whole}, {100 * done // total} %, about {duration(left)} left"
        self._stream.write(text + "\n")
        self._stream.flush()


def duration(seconds: float) -> str:
    """Format a time: 12 s, 3 min, 1.5 h."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def announcer(progress: Any) -> Announce | None:
    """Return who is told about the progress: lines for True, a function as it is, nobody for False."""
    if callable(progress):
        made: Announce = progress
        return made
    return Lines() if progress else None
