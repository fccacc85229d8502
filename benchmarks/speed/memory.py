"""Extra peak memory of one sequence of 10 million positions, L = 8, in a fresh process.

Counted from the moment the caller's two arrays exist, so a copy made by Trellis counts too.
`python -m benchmarks.speed.memory TASK DTYPE T` measures once and prints a JSON object.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.speed.figure import Figure, mark
from benchmarks.speed.inputs import hash_of, random_scores
from benchmarks.speed.machine import ROOT
from benchmarks.speed.table import Table, number
from seqlab import Trellis, inference

if TYPE_CHECKING:
    from collections.abc import Sequence

CASE = "memory"
LABELS = 8
POSITIONS = 10_000_000
AIMS = {"viterbi": 200.0, "posterior": 1500.0}  # MB
DTYPES = ("float32", "float64")
STATUS = Path("/proc/self/status")


def run(*, quick: bool = False) -> list[Figure]:
    positions = POSITIONS // (10 if quick else 1)
    return [
        _figure(task, dtype, in_fresh_process(task, dtype, positions)) for task in AIMS for dtype in DTYPES
    ]


def in_fresh_process(task: str, dtype: str, positions: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.speed.memory", task, dtype, str(positions)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[1:])} failed:\n{done.stderr.strip()}")
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def measure_once(task: str, dtype: str, positions: int) -> dict[str, Any]:
    call = getattr(inference, task)
    edge = random_scores((LABELS, LABELS), dtype, seed=1)
    call(Trellis(np.zeros((2, LABELS), edge.dtype), edge), threads=1)  # loads what is lazy
    node = random_scores((positions, LABELS), dtype, seed=0)
    input_hash = hash_of(node, edge)

    reset_peak()
    before = peak_megabytes()
    begin = time.process_time()
    trellis = Trellis(node, edge)
    built = peak_megabytes()
    result = call(trellis, threads=1)
    seconds = time.process_time() - begin
    after = peak_megabytes()
    del result
    return {
        "input_hash": input_hash,
        "positions": positions,
        "inputs": (node.nbytes + edge.nbytes) / 1e6,
        "building": built - before,
        "extra": after - before,
        "seconds": seconds,
    }


def reset_peak() -> None:
    """Forget the peak so far; where that is refused, the arrays made in place are the peak."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def peak_megabytes() -> float:
    """Largest resident size since the reset, in units of 10^6 bytes."""
    if STATUS.exists():
        return high_water_megabytes(STATUS.read_text())
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def high_water_megabytes(status: str) -> float:
    """VmHWM from the text of /proc/self/status."""
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise ValueError("no VmHWM line in the process status")


def _figure(task: str, dtype: str, measured: dict[str, Any]) -> Figure:
    return Figure(
        case=CASE,
        name=f"{task}, {dtype}",
        unit="MB",
        median=measured["extra"],
        spread=0.0,
        repetitions=1,
        input_hash=measured["input_hash"],
        at_most=AIMS[task],
        details={"task": task, "dtype": dtype, **measured},
    )


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = [figure for figure in figures if figure.case == CASE]
    if not mine:
        return []
    return [
        Table(
            title=f"Extra memory: one sequence of {mine[0].details['positions']:,} positions, L = {LABELS}, MB",
            header=("", "the arrays", "extra", "aim", "CPU s"),
            rows=tuple(
                (
                    f.name,
                    number(f.details["inputs"]),
                    mark(number(f.median), f),
                    "-" if f.at_most is None else number(f.at_most),
                    number(f.details["seconds"]),
                )
                for f in mine
            ),
            note="Peak resident memory above the caller's arrays; Trellis and result included.",
        )
    ]


if __name__ == "__main__":
    print(json.dumps(measure_once(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
