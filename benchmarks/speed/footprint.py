"""Peak memory of training on the same attributes, each side in a process of its own, everything counted.

`python -m benchmarks.speed.footprint SIDE` trains for a few iterations, the most memory a training ever has, and prints
a JSON object. The other side reads the file and hands CRFsuite one sentence after the other, keeping none.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.speed import data, lessons
from benchmarks.speed.chunking import items
from benchmarks.speed.figure import Figure
from benchmarks.speed.goals import Goal, figure
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.machine import ROOT
from benchmarks.speed.memory import peak_megabytes
from benchmarks.speed.timing import Timing

GOAL = Goal(1, 2)
ITERATIONS = 12  # more than either side remembers
SIDES = ("CRFsuite", "seqlab")


def run(case: str, *, quick: bool = False) -> list[Figure]:
    path = data.found(lessons.CHUNKING.file)
    if path is None:
        return []
    iterations = 2 if quick else ITERATIONS
    peak = {side: in_fresh_process(side, path, iterations)["megabytes"] for side in SIDES}
    peer, mine = SIDES
    return [
        figure(
            case,
            "peak memory of training",
            "MB",
            Timing((peak[mine],)),
            (peer, Timing((peak[peer],))),
            GOAL,
            hash_of(),
        )
    ]


def in_fresh_process(side: str, path: Path, iterations: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.speed.footprint", side, str(path), str(iterations)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[1:])} failed:\n{done.stderr.strip()}")
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def train(side: str, path: Path, iterations: int) -> None:
    subject = lessons.CHUNKING
    if side == "seqlab":
        from seqlab import CRF, LBFGS, read

        learner = LBFGS(l2=subject.l2, max_iterations=iterations)
        CRF(subject.features, learner, threads=1).fit(read(path), subject.column)
        return
    from benchmarks.speed import crfsuite

    made, lines = crfsuite.trainer(sentences(path), c1=subject.l1, c2=subject.l2, max_iterations=iterations)
    crfsuite.train(made, lines)


def sentences(path: Path) -> Iterator[tuple[list[list[str]], list[str]]]:
    """Attributes and labels of one sentence at a time."""
    rows: list[list[str]] = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            cells = line.split()
            if cells:
                rows.append(cells)
            elif rows:
                words, tags, labels = map(list, zip(*rows, strict=True))
                yield items(words, tags), labels
                rows = []
    if rows:
        words, tags, labels = map(list, zip(*rows, strict=True))
        yield items(words, tags), labels


if __name__ == "__main__":
    train(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
    print(json.dumps({"megabytes": peak_megabytes()}))
