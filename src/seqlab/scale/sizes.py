"""Amounts of memory: read from users, measured, and shown."""

from __future__ import annotations

import os
import re
import resource
import sys
from typing import Any

from seqlab import _core
from seqlab.errors import OptionError

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
LEAST = 128 << 20  # bytes: Python, NumPy and the core, and a shard while it is written


def bytes_of(given: Any, option: str = "max_memory") -> int:
    """Read an amount of memory: a number of bytes, or a text such as "512M", "2G" or "1.5 GB" (powers of 1024)."""
    number: float | None = None
    if isinstance(given, int) and not isinstance(given, bool):
        number = float(given)
    elif isinstance(given, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([KMGT]?)(?:i?B)?\s*", given, re.IGNORECASE)
        number = float(found[1]) * UNITS[found[2].upper()] if found else None
    if number is None:
        raise OptionError(
            f"{option} must be a number of bytes or a text such as '512M' or '2G', got {given!r:.60}",
            option=option,
        )
    if number < LEAST:
        raise OptionError(
            f"{option}={given!r:.60} is {shown(number)}, but the program with a shard of data needs {shown(LEAST)}; "
            f"give it more",
            option=option,
        )
    return int(number)


def shown(size: float) -> str:
    """Format an amount of memory: 1.5 GB."""
    for unit in ("T", "G", "M", "K"):
        if size >= UNITS[unit]:
            return f"{size / UNITS[unit]:.3g} {unit}B"
    return f"{int(size)} bytes"


def resident() -> int:
    """Measure the memory that this process needs, in bytes; what was freed is returned to the system first."""
    _core.return_memory()
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # other systems tell the largest amount so far
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak << 10


def available() -> int:
    """Estimate the memory that this process may use in total, in bytes."""
    try:
        with open("/proc/meminfo", "rb") as file:  # noqa: PTH123
            lines = dict(line.split(b":", 1) for line in file if b":" in line)
        return int(lines[b"MemAvailable"].split()[0]) * 1024 + resident()
    except (OSError, KeyError, ValueError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
