"""Two threads against one: wall-clock seconds of `fit`, encoding included, in fresh processes with every core.

`python -m benchmarks.speed.threads THREADS SENTENCES` trains once and prints a JSON object. Wall clock measures the
neighbours too: the load of the machine is part of the record, and the figure means something on a quiet one only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

from benchmarks.speed import data, lessons
from benchmarks.speed.figure import Figure
from benchmarks.speed.goals import Goal, figure
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.machine import ROOT
from benchmarks.speed.timing import Timing
from seqlab import CRF, LBFGS, read

GOAL = Goal(1.7, 1.9)


def run(case: str, *, quick: bool = False) -> list[Figure]:
    cores = os.cpu_count() or 1
    if data.found(lessons.CHUNKING.file) is None or cores < 2:
        print(f"{case}: two threads need two cores and the corpora, skipped")
        return []
    load = os.getloadavg()[0]
    if load > 1:
        print(f"{case}: load {load:.1f}, the machine is not quiet; two threads against one will look worse")
    samples: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(1 if quick else 3):
        for threads, taken in samples.items():
            taken.append(in_fresh_process(threads, sentences=300 if quick else 0)["seconds"])
    return [
        figure(
            case,
            "two threads against one, wall",
            "s",
            Timing(tuple(samples[2])),
            ("one thread", Timing(tuple(samples[1]))),
            GOAL,
            hash_of(),
            details={"load": round(load, 2)},
        )
    ]


def in_fresh_process(threads: int, sentences: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.speed.threads", str(threads), str(sentences)]
    # The other figures are of one thread, which the runner sees to through this variable.
    free = {name: value for name, value in os.environ.items() if name != "SEQLAB_THREADS"}
    done = subprocess.run(command, cwd=ROOT, env=free, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[1:])} failed:\n{done.stderr.strip()}")
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def measure_once(threads: int, sentences: int) -> dict[str, Any]:
    """Wall-clock seconds of the whole `fit` of a corpus that is there, and of its iterations alone."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    path = data.found(lessons.CHUNKING.file)
    assert path is not None
    corpus, subject = read(path)[: sentences or None], lessons.CHUNKING
    crf = CRF(subject.features, LBFGS(l2=subject.l2), threads=threads)
    stamps: list[float] = []
    begin = time.perf_counter()
    crf.fit(corpus, subject.column, callbacks=lambda _: stamps.append(time.perf_counter()))
    return {"seconds": time.perf_counter() - begin, "iterations": stamps[-1] - stamps[0]}


if __name__ == "__main__":
    print(json.dumps(measure_once(int(sys.argv[1]), int(sys.argv[2]))))
