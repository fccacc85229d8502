"""Two threads against one: wall-clock seconds of `fit`, encoding included, in fresh processes with every core.

`python -m benchmarks.speed.threads THREADS SENTENCES` trains once and prints a JSON object. Wall clock measures the
neighbours too, and the figure means something on a quiet machine only. A virtual machine may have two cores at one
moment and two halves of one at the next, which no load tells: before and after every pair of trainings bytes are hashed
on one core and on both, `python -m benchmarks.speed.threads cores`, in a fresh process, since a large one takes long to
fork. Pairs between which both cores did not do nearly twice as much are measured again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from hashlib import sha256
from statistics import median
from typing import Any

from benchmarks.speed import data, lessons
from benchmarks.speed.figure import Figure
from benchmarks.speed.goals import Goal, figure
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.machine import ROOT
from benchmarks.speed.timing import Timing, every_core
from seqlab import CRF, LBFGS, read

GOAL = Goal(1.7, 1.9)
PAIRS, TRIES = 7, 15
MEGABYTE = bytes(1 << 20)
QUIET = 1.8  # what two cores do at once, of what one does
CORES = "two cores at once"
MEGABYTES = 100  # to hash: a tenth of a second


def run(case: str, *, quick: bool = False) -> list[Figure]:
    cores = os.cpu_count() or 1
    if data.found(lessons.CHUNKING.file) is None or cores < 2:
        print(f"{case}: two threads need two cores and the corpora, skipped")
        return []
    load = os.getloadavg()[0]
    with every_core():
        pairs = measured_pairs(1 if quick else PAIRS, 1 if quick else TRIES, sentences=300 if quick else 0)
    quiet = [pair for pair in pairs if pair["cores"] >= QUIET]
    if not quiet:
        print(
            f"{case}: two cores never did {QUIET} times what one does; two threads against one will look worse"
        )
    samples = {threads: [pair[threads] for pair in quiet or pairs] for threads in (1, 2)}
    return [
        figure(
            case,
            "two threads against one, wall",
            "s",
            Timing(tuple(samples[2])),
            ("one thread", Timing(tuple(samples[1]))),
            GOAL,
            hash_of(),
            details={
                "load": round(load, 2),
                CORES: round(median(pair["cores"] for pair in quiet or pairs), 2),
                "pairs left out": len(pairs) - len(quiet or pairs),
            },
        )
    ]


def measured_pairs(wanted: int, tries: int, *, sentences: int) -> list[dict[Any, float]]:
    """Seconds by threads, and what two cores did at once, the lesser of before and after; until enough are quiet."""
    pairs: list[dict[Any, float]] = []
    while len(pairs) < tries and sum(pair["cores"] >= QUIET for pair in pairs) < wanted:
        before = in_fresh_process("cores")["cores"]
        pair: dict[Any, float] = {n: in_fresh_process(str(n), str(sentences))["seconds"] for n in (1, 2)}
        pairs.append({**pair, "cores": min(before, in_fresh_process("cores")["cores"])})
    return pairs


def cores_at_once() -> float:
    """How many times the work of one core two cores do at the same time: 2 when nobody else is there."""
    with every_core() as cores:
        alone = median(_worked([core]) for _ in range(2) for core in cores[:2])
        return 2 * alone / median(_worked(cores[:2]) for _ in range(3))


def _worked(cores: list[int]) -> float:
    """Seconds that the same work takes on these cores at once, one process each: to be moved to a core takes time."""
    begin = time.perf_counter()
    children = []
    for core in cores:
        child = os.fork()
        if child == 0:
            if hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(0, [core])
            for _ in range(MEGABYTES):
                sha256(MEGABYTE)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    return time.perf_counter() - begin


def in_fresh_process(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.speed.threads", *arguments]
    # The other figures are of one thread, which the runner sees to through this variable.
    free = {name: value for name, value in os.environ.items() if name != "SEQLAB_THREADS"}
    done = subprocess.run(command, cwd=ROOT, env=free, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[1:])} failed:\n{done.stderr.strip()}")
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def measure_once(threads: int, sentences: int) -> dict[str, Any]:
    """Wall-clock seconds of the whole `fit` of a corpus that is there, and of its iterations alone."""
    path = data.found(lessons.CHUNKING.file)
    assert path is not None
    corpus, subject = read(path)[: sentences or None], lessons.CHUNKING
    crf = CRF(subject.features, LBFGS(l2=subject.l2), threads=threads)
    stamps: list[float] = []
    begin = time.perf_counter()
    crf.fit(corpus, subject.column, callbacks=lambda _: stamps.append(time.perf_counter()))
    return {"seconds": time.perf_counter() - begin, "iterations": stamps[-1] - stamps[0]}


if __name__ == "__main__":
    if sys.argv[1] == "cores":
        print(json.dumps({"cores": cores_at_once()}))
    else:
        print(json.dumps(measure_once(int(sys.argv[1]), int(sys.argv[2]))))
