"""How many threads to use. Needs no NumPy, so that one sentence is tagged before it would be loaded."""

from __future__ import annotations

import os
from typing import Any

from seqlab.errors import OptionError

MOST_THREADS = 256


def thread_count(threads: int | None) -> int:
    """How many threads to use: as asked, else every core this process may run on; SEQLAB_THREADS caps both."""
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    elif not _is_whole(threads) or threads < 1:
        raise OptionError(
            f"threads must be a whole number from 1 up, or None for every core, got {threads!r}"
        )
    return int(min(threads, _cap()))


def _is_whole(value: Any) -> bool:
    """Whether it is a whole number, Python's or NumPy's."""
    if isinstance(value, int):
        return not isinstance(value, bool)
    from numbers import Integral  # slow to import, for one sentence

    return isinstance(value, Integral)


def _cap() -> int:
    """What SEQLAB_THREADS allows; MOST_THREADS when it says nothing, or more."""
    cap = os.environ.get("SEQLAB_THREADS")
    if not cap:
        return MOST_THREADS
    if not (cap.isascii() and cap.isdecimal() and cap.strip("0")):
        raise OptionError(
            f"the environment variable SEQLAB_THREADS must be a whole number from 1 up, got {cap!r:.60}"
        )
    return min(int(cap.lstrip("0")[:9]), MOST_THREADS)  # Python reads no number of thousands of digits
