"""CPU time of calls: one core, the sides of a comparison in turn, medians.

On a shared machine the wall clock measures the neighbours, and two blocks run one after
the other measure the drift between them. So every side runs in short turns (A B A B ...),
each call is one sample of CPU time, and the median with the middle half of the samples is kept.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

Clock = Callable[[], float]

MIN_ROUNDS = 3
MAX_ROUNDS = 20
MAX_CALLS = 1000


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of CPU time, one entry per call."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def spread(self) -> float:
        return relative_spread(self.samples)

    @property
    def repetitions(self) -> int:
        return len(self.samples)


def relative_spread(samples: Sequence[float]) -> float:
    """Width of the middle half of the samples as a share of the median."""
    middle = statistics.median(samples)
    if len(samples) < 2 or middle == 0:
        return 0.0
    low, _, high = statistics.quantiles(samples, n=4, method="inclusive")
    return (high - low) / abs(middle)


def plan(first_calls: Mapping[str, float], seconds: float) -> tuple[int, dict[str, int]]:
    """Rounds, and calls of each side per round, so that each side takes about `seconds`."""
    slowest = max(*first_calls.values(), 1e-9)
    rounds = min(max(int(seconds / slowest), MIN_ROUNDS), MAX_ROUNDS)
    calls = {
        name: min(max(int(seconds / rounds / max(took, 1e-9)), 1), MAX_CALLS)
        for name, took in first_calls.items()
    }
    return rounds, calls


def measure(
    sides: Mapping[str, Callable[[], object]],
    *,
    seconds: float = 1.0,
    clock: Clock = time.process_time,
) -> dict[str, Timing]:
    """Time every side in turn; a first call of each warms up and is not counted."""

    def one(call: Callable[[], object]) -> float:
        begin = clock()
        call()
        return clock() - begin

    rounds, calls = plan({name: one(call) for name, call in sides.items()}, seconds)
    samples: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, call in sides.items():
            samples[name].extend(one(call) for _ in range(calls[name]))
    return {name: Timing(tuple(taken)) for name, taken in samples.items()}


def pin_to_quiet_core(watch_seconds: float = 0.3) -> int | None:
    """Keep this process and its children on the idlest core; None where that cannot be done."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    allowed = os.sched_getaffinity(0)
    before = busy_ticks(_proc_stat())
    time.sleep(watch_seconds)
    after = busy_ticks(_proc_stat())
    core = min(sorted(allowed), key=lambda c: after.get(c, 0) - before.get(c, 0))
    os.sched_setaffinity(0, {core})
    return core


@contextmanager
def every_core() -> Iterator[list[int]]:
    """For this process, which the runner holds to one, and for those that it starts."""
    every = list(range(os.cpu_count() or 1))
    if not hasattr(os, "sched_setaffinity"):
        yield every
        return
    held = os.sched_getaffinity(0)
    os.sched_setaffinity(0, every)
    try:
        yield sorted(os.sched_getaffinity(0))
    finally:
        os.sched_setaffinity(0, held)


def busy_ticks(proc_stat: str) -> dict[int, int]:
    """Ticks each core has spent working, from the text of /proc/stat."""
    busy: dict[int, int] = {}
    for line in proc_stat.splitlines():
        name, _, rest = line.partition(" ")
        if name.startswith("cpu") and name[3:].isdigit():
            user, nice, system, _idle, _iowait, *others = map(int, rest.split())
            busy[int(name[3:])] = user + nice + system + sum(others[:3])
    return busy


def _proc_stat() -> str:
    path = Path("/proc/stat")
    return path.read_text() if path.exists() else ""
