"""`python -m benchmarks.scale.cluster`: the cost of Dask, the gain of workers, and how soon a lost one is replaced."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import signal
import statistics
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import seqlab
from benchmarks.scale import corpora
from benchmarks.speed import machine
from seqlab import inference, scale
from seqlab.scale import columns
from seqlab.scale.cluster.distributed import Distributed
from seqlab.scale.cluster.sums import Here, blocks

CASES = ("overhead", "recovery", "speedup", "tagging", "terms")
RESULTS = machine.ROOT / "benchmarks" / "results" / "cluster.jsonl"


@dataclass(frozen=True)
class Plain:
    """Shards that answer at once, or after some seconds, with a vector of weights."""

    count: int
    size: int
    seconds: float = 0.0

    def open(self, number: int) -> Plain:
        del number
        return self

    def answer(self, what: str, given: Any, threads: int) -> dict[str, Any]:
        del what, threads
        time.sleep(self.seconds)
        return {"value": np.ones(1), "gradient": given.copy()}


def timed(work: Callable[[], Any], repetitions: int = 7) -> float:
    """Return the median of seconds."""
    took = []
    for _ in range(repetitions):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def overhead(_: argparse.Namespace, __: Path) -> dict[str, Any]:
    """Measure a sum of 10^6 weights over 8 shards, two workers beside this process."""
    recipe, theta = Plain(8, 1_000_000), np.ones(1_000_000)
    here = timed(lambda: Here(recipe, 2).total("exact", theta))
    with scale.local_cluster(2) as client:
        far = Distributed(client, recipe)
        far.total("exact", theta)
        there, moved = timed(lambda: far.total("exact", theta)), far.moved / 8
    return {
        "seconds": there - here,
        "at most": 0.3,
        "aim": 0.15,
        "cluster": there,
        "here": here,
        "bytes": moved,
    }


def recovery(_: argparse.Namespace, __: Path) -> dict[str, Any]:
    """Measure what kill -9 of one of two workers adds to a sum."""
    recipe, theta = Plain(8, 1_000_000, 0.25), np.ones(1_000_000)
    with scale.local_cluster(2, silence_logs=50) as client:
        far = Distributed(client, recipe)
        usual = timed(lambda: far.total("exact", theta), 3)
        pids = client.run(os.getpid)
        threading.Timer(0.3, lambda: os.kill(next(iter(pids.values())), signal.SIGKILL)).start()
        killed = timed(lambda: far.total("exact", theta), 1)
    return {"seconds": killed - usual, "at most": 15, "aim": 5, "usual": usual, "lost": far.lost}


def trained(
    files: Any, cache: Path, tokens: float, shards: int, workers: int, iterations: int
) -> dict[str, Any]:
    """Train on a cluster of this machine: medians of an iteration, in seconds of the clock and of processors.

    Processors count what a process has computed; on a machine that others use it is the steadier figure.
    """
    columns.SHARD = int(tokens / shards) * columns.TOKEN
    learner = seqlab.LBFGS(start_epochs=0, max_iterations=iterations)
    marks: list[tuple[float, ...]] = []
    with scale.local_cluster(workers, silence_logs=50) as client:
        everyone = [psutil.Process(pid) for pid in (os.getpid(), *client.run(os.getpid).values())]

        def mark(_: Any) -> None:
            spent = [sum(one.cpu_times()[:2]) for one in everyone]
            marks.append((time.perf_counter(), *spent))

        tagger = seqlab.CRF("chunk", learner=learner)
        tagger.fit(files, "chunk", cache=cache, client=client, callbacks=mark)
    steps = np.diff(np.array(marks)[2:], axis=0)
    seconds, driver, *work = np.median(steps, axis=0).tolist()
    return {
        "tokens": tokens,
        "weights": len(tagger.model_.theta),
        "shards": shards,
        "workers": workers,
        "tasks": 2 * len(blocks(["one"] * shards)),
        "seconds": seconds,
        "driver": driver,
        "worker": max(work),
        "bytes": tagger.history_[-1].more["bytes"],
        "theta": tagger.model_.theta,
    }


def speedup(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Time the same training on one worker and on two; both make the same model."""
    path = corpora.write(folder / "train.txt.gz", int(options.tokens))
    files = seqlab.stream_corpus(str(path), columns=corpora.COLUMNS)
    one, two = (trained(files, folder / "cache", options.tokens, 8, n, options.iterations) for n in (1, 2))
    if not (one["theta"] == two["theta"]).all():
        raise SystemExit("the two models differ")
    by_processors = (one["driver"] + one["worker"]) / (two["driver"] + two["worker"])
    return {
        "ratio": one["seconds"] / two["seconds"],
        "at least": 1.6,
        "aim": 1.9,
        "one": one["seconds"],
        "two": two["seconds"],
        "by processors": by_processors,
        "drivers": [round(run["driver"], 3) for run in (one, two)],
        "workers": [round(run["worker"], 3) for run in (one, two)],
        "load": os.getloadavg()[0],
    }


def terms(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Measure what the cost model is made of: processors of trainings on one worker."""
    found = []
    for tokens, shards in ((2e5, 2), (4e5, 7), (8e5, 2), (8e5, 15), (1.6e6, 4)):
        scaled = tokens * options.tokens / 5e6
        path = corpora.write(folder / f"{tokens:.0f}.txt.gz", int(scaled))
        files = seqlab.stream_corpus(str(path), columns=corpora.COLUMNS)
        one = trained(files, folder / f"cache-{tokens:.0f}-{shards}", scaled, shards, 1, options.iterations)
        del one["theta"]
        found.append(one)
        print(found[-1], flush=True)
    return {"terms": found, "load": os.getloadavg()[0]}


def tagging(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Time bulk tagging by two workers beside two threads of one process."""
    tagger = seqlab.CRF("chunk", learner=seqlab.LBFGS(max_iterations=10))
    tagger.fit(seqlab.demo_corpus("train").select(*corpora.COLUMNS), "chunk").save(folder / "model")
    part = int(options.tokens / 8)
    files = [corpora.write(folder / f"{i}.txt.gz", part, seed=i) for i in range(8)]
    ready = [folder / f"{i}.txt" for i in range(8)]
    for one, other in zip(files, ready, strict=True):
        seqlab.write(seqlab.read(one, columns=corpora.COLUMNS), other)

    def alone() -> None:
        for one in ready:
            found = tagger.annotate(seqlab.read(one, columns=corpora.COLUMNS), threads=2)
            seqlab.write(found, folder / f"alone-{one.name}")

    near = timed(alone, 3)
    with scale.local_cluster(2) as client:
        words = (folder / "model", ready, folder / "tagged")
        scale.tag_files(*words, client=client, columns=corpora.COLUMNS)
        far = timed(lambda: scale.tag_files(*words, client=client, columns=corpora.COLUMNS), 3)
    return {"ratio": near / far, "at least": 0.8, "aim": 0.95, "threads": near, "workers": far}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale.cluster", description=__doc__)
    parser.add_argument("--only", choices=CASES, action="append")
    parser.add_argument("--tokens", type=float, default=5e6)
    parser.add_argument("--iterations", type=int, default=12)
    parser.add_argument("--quick", action="store_true", help="record nothing")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for case in options.only or CASES:
        with tempfile.TemporaryDirectory() as name:
            found = globals()[case](options, Path(name))
        numbers = {
            key: round(value, 3) if isinstance(value, float) else value for key, value in found.items()
        }
        print(f"{case:<10} {json.dumps(numbers)}", flush=True)
        if not options.quick:
            append({"case": case, **found})
    return 0


def append(figures: dict[str, Any]) -> None:
    """Add a line to the results."""
    date = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    told = {
        "date": date,
        "commit": machine.commit(),
        "kernel": inference.kernel(),
        "machine": machine.machine(None),
    }
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**told, **figures}) + "\n")


if __name__ == "__main__":
    sys.exit(main())
