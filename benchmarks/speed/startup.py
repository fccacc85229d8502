"""What `import seqlab` adds to `import numpy`: CPU time of fresh interpreters, in turn.

The package loads its parts when they are first touched, so the second line touches them.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage
from typing import TYPE_CHECKING

from benchmarks.speed.figure import Figure, mark
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.table import Table, number
from benchmarks.speed.timing import relative_spread

if TYPE_CHECKING:
    from collections.abc import Sequence

CASE = "startup"
AIM = 30.0  # ms
BASE = "import numpy"
PROGRAMS = {
    "import seqlab": "import numpy, seqlab",
    "from seqlab import Trellis, inference": "import numpy; from seqlab import Trellis, inference",
}


def run(*, quick: bool = False) -> list[Figure]:
    samples: dict[str, list[float]] = {program: [] for program in (BASE, *PROGRAMS.values())}
    for program in samples:
        milliseconds(program)  # fills the file cache and writes byte code
    for _ in range(3 if quick else 21):
        for program, taken in samples.items():
            taken.append(milliseconds(program))
    return [added(name, samples[program], samples[BASE]) for name, program in PROGRAMS.items()]


def milliseconds(program: str) -> float:
    """User and system time of one interpreter that runs `program`."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True)
    after = getrusage(RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return (user + system) * 1e3


def added(name: str, with_it: Sequence[float], without: Sequence[float]) -> Figure:
    """Median difference of neighbours in time; the spread is that of the whole run, the noise."""
    return Figure(
        case=CASE,
        name=name,
        unit="ms",
        median=statistics.median(a - b for a, b in zip(with_it, without, strict=True)),
        spread=relative_spread(with_it),
        repetitions=len(with_it),
        input_hash=hash_of(),
        at_most=AIM,
        details={"numpy": statistics.median(without)},
    )


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = [figure for figure in figures if figure.case == CASE]
    if not mine:
        return []
    return [
        Table(
            title="Import time added to `import numpy`, ms",
            header=("", "numpy", "added", "aim"),
            rows=tuple(
                (
                    f.name,
                    number(f.details["numpy"]),
                    mark(number(f.median), f),
                    "-" if f.at_most is None else number(f.at_most),
                )
                for f in mine
            ),
        )
    ]
