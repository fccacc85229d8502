"""Signals: leaving in good order, and the second Ctrl-C, when the first one has not been answered yet.

Python runs its handlers between two steps of its own, and two signals that come while the core computes are one to it.
Here a thread is told of every signal at once, and ends the program when the second has not done so by itself.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType

GRACE = 1.0  # seconds for the program to end in good order
INTERRUPTED = 128 + signal.SIGINT
SHOW_CURSOR = "\x1b[?25h\n"  # the progress bar hides it


@contextlib.contextmanager
def impatient() -> Iterator[None]:
    """While this is open, the second SIGINT or SIGTERM ends the program, whatever it does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    over = threading.Event()
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    watcher = threading.Thread(target=_watch, args=(reader, over), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        signal.set_wakeup_fd(before)
        os.close(writer)


@contextlib.contextmanager
def orderly() -> Iterator[None]:
    """While this is open, SIGTERM and SIGHUP leave as an error would, so that no half-written file stays behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    known = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    asked = [number for number in known if signal.getsignal(number) == signal.SIG_DFL]
    for number in asked:
        signal.signal(number, _leave)
    try:
        yield
    finally:
        for number in asked:
            signal.signal(number, signal.SIG_DFL)


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _watch(reader: int, over: threading.Event) -> None:
    """Counts signals until nobody can send any more."""
    count = 0
    while data := os.read(reader, 64):
        count += sum(number in (signal.SIGINT, signal.SIGTERM) for number in data)
        if count >= 2:
            _end_soon(over)
    os.close(reader)


def _end_soon(over: threading.Event) -> None:
    end = time.monotonic() + GRACE
    while time.monotonic() < end:
        if over.wait(0.05):
            return
    for stream in (sys.stdout, sys.stderr):
        if stream.isatty():
            stream.write(SHOW_CURSOR)
            stream.flush()
            break
    os._exit(INTERRUPTED)
