"""The number of threads to use; needs no NumPy."""

from __future__ import annotations

import os
from numbers import Integral

from seqlab.errors import OptionError

MOST_THREADS = 256


def thread_count(threads: int | None) -> int:
    """Return how many threads to use: as asked, else every core this process may run on; SEQLAB_THREADS caps both."""
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    elif isinstance(threads, bool) or not isinstance(threads, Integral) or threads < 1:
        raise OptionError(
            f"threads must be a whole number from 1 up, or None for every core, got {threads!r}"
        )
    return int(min(threads, _cap()))


def _cap() -> int:
    """Read what SEQLAB_THREADS allows; MOST_THREADS when it says nothing, or more."""
    cap = os.environ.get("SEQLAB_THREADS")
    if not cap:
        return MOST_THREADS
    if not (cap.isascii() and cap.isdecimal() and cap.strip("0")):
        raise OptionError(
            f"the environment variable SEQLAB_THREADS must be a whole number from 1 up, got {cap!r:.60}"
        )
    return min(int(cap.lstrip("0")[:9]), MOST_THREADS)  # Python reads no number of thousands of digits
