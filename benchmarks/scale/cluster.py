"""`python -m benchmarks.scale.cluster`: the cost of Dask, the gain of workers, and how soon a lost one is replaced."""

from __future__ import annotations

import argparse
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

import seqlab
from benchmarks.scale import corpora
from seqlab import scale
from seqlab.scale.cluster.distributed import Distributed
from seqlab.scale.cluster.sums import Here

CASES = ("overhead", "recovery", "speedup", "tagging")


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


def speedup(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Time the same training on one worker and on two; both make the same model."""
    path = corpora.write(folder / "train.txt.gz", int(options.tokens))
    files = seqlab.stream_corpus(str(path), columns=corpora.COLUMNS)
    learner = seqlab.LBFGS(start_epochs=0, max_iterations=options.iterations)
    took, models = [], []
    from seqlab.scale import columns

    columns.SHARD = int(options.tokens / 8) * columns.TOKEN
    for workers in (1, 2):
        with scale.local_cluster(workers) as client:
            tagger = seqlab.CRF("chunk", learner=learner)
            tagger.fit(files, "chunk", cache=folder / "cache", client=client)
        took.append(statistics.median(epoch.seconds for epoch in tagger.history_[2:]))
        models.append(tagger.model_.theta)
    if not (models[0] == models[1]).all():
        raise SystemExit("the two models differ")
    return {"ratio": took[0] / took[1], "at least": 1.6, "aim": 1.9, "one": took[0], "two": took[1]}


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
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for case in options.only or CASES:
        with tempfile.TemporaryDirectory() as name:
            found = globals()[case](options, Path(name))
        numbers = {key: round(value, 3) for key, value in found.items()}
        print(f"{case:<10} {json.dumps(numbers)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
