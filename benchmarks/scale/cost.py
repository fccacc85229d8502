"""`python -m benchmarks.scale.cost`: seconds and bytes of an iteration by tokens, weights, workers, cores, bandwidth.

The model follows one sum along the trees that the program itself builds: weights go down a tree of workers, each worker
answers for its shards, answers go up the tree of shards, and all that a worker sends shares its link. Its rates are
fitted to what `python -m benchmarks.scale.cluster --only terms` has measured last. `--draw` renews the picture of
docs/guide/scale.md; `--check` compares the model with a cluster behind links of known rate and delay.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.scale import throttled
from benchmarks.scale.links import Links
from benchmarks.speed import machine
from seqlab import draw
from seqlab.scale.cluster.sums import blocks, tree
from seqlab.scale.cluster.workers import assigned

TERMS = machine.ROOT / "benchmarks" / "results" / "cluster.jsonl"
PICTURE = machine.ROOT / "docs" / "pictures" / "scale.svg"
NUMBER = 8  # bytes of a weight
ROWS = 40  # bytes of an encoded token on disk
SHARD = 1.6e6  # tokens of a shard of 64 MB
GIGABIT = 1e9 / 8


@dataclass(frozen=True)
class Rates:
    """Seconds of one core.

    token    for a token
    shard    for a weight of every shard: weights as the kernels read them, a vector of its own, its sum with others
    driver   for a weight where the optimiser runs: its step, a vector sent and one received
    task     of the scheduler, for a task
    """

    token: float
    shard: float
    driver: float
    task: float


@dataclass(frozen=True)
class Cluster:
    """Workers, cores of each, bytes a second of its link, seconds until a byte arrives, bytes a second of its disk."""

    workers: int = 1
    cores: int = 1
    bandwidth: float = math.inf
    delay: float = 0.0
    disk: float = math.inf


@dataclass(eq=False)
class Node:
    """A sum in the tree of shards: where it is computed, what it waits for, and who waits for it."""

    worker: str
    missing: int = 0
    above: Node | None = None


class Sum:
    """One sum over all shards, as it goes down and up the trees."""

    def __init__(self, place: Sequence[str], size: float, work: float, links: Links) -> None:
        self.used = list(dict.fromkeys(place))
        self.vectors = len(self.used) + 1
        self.subtrees = blocks(place)
        self._place, self._size, self._work, self._links = place, size, work, links
        self._own: dict[str, list[tuple[float, Node]]] = {worker: [] for worker in self.used}
        tree(itertools.starmap(self._subtree, self.subtrees), self._join)
        links.send("driver", size, lambda: self._begun(0))

    def _subtree(self, height: int, first: int) -> tuple[int, Node]:
        node = Node(self._place[first])
        self._own[node.worker].append((self._work * (1 << height), node))
        return height, node

    def _join(self, left: Node, right: Node) -> Node:
        self.vectors += left.worker != right.worker
        left.above = right.above = node = Node(left.worker, 2)
        return node

    def _begun(self, number: int) -> None:
        """Weights have come to a worker: it passes them on, and computes."""
        for child in (2 * number + 1, 2 * number + 2):
            if child < len(self.used):
                self._links.send(self.used[number], self._size, partial(self._begun, child))
        done = 0.0
        for seconds, node in self._own[self.used[number]]:
            done += seconds
            self._links.after(done, partial(self._ready, node))

    def _ready(self, node: Node) -> None:
        """A sum is computed: it goes to the worker of the next one, or to the driver."""
        above = node.above
        if above is not None and above.worker == node.worker:
            self._arrived(above)
        else:
            self._links.send(node.worker, self._size, partial(self._arrived, above))

    def _arrived(self, node: Node | None) -> None:
        if node is not None:
            node.missing -= 1
            if not node.missing:
                self._ready(node)


def iteration(
    rates: Rates, tokens: float, weights: float, shards: int, there: Cluster
) -> tuple[float, float]:
    """Predict seconds and bytes of one sum over all shards, and the step of the optimiser after it."""
    place = assigned(shards, [f"{i:06d}" for i in range(there.workers)])
    each = tokens / shards
    links = Links(there.bandwidth, 2 * there.delay)  # a vector is asked for, or acknowledged
    work = (
        max(each * rates.token / there.cores, each * ROWS / there.disk) + weights * rates.shard / there.cores
    )
    one = Sum(place, NUMBER * weights, work, links)
    scheduled = (2 * len(one.subtrees) + len(one.used)) * rates.task
    return max(links.run(), scheduled) + weights * rates.driver, NUMBER * weights * one.vectors


def fitted(terms: Sequence[dict[str, Any]]) -> Rates:
    """Fit the rates to measured trainings on one worker: least squares of shares, so that small ones count as large."""

    def rates(given: list[tuple[float, float]], spent: list[float]) -> list[float]:
        scaled = np.array(given) / np.array(spent)[:, None]
        return [max(float(one), 0.0) for one in np.linalg.lstsq(scaled, np.ones(len(spent)), rcond=None)[0]]

    work = rates(
        [(one["tokens"], one["shards"] * one["weights"]) for one in terms], [one["worker"] for one in terms]
    )
    driver = rates([(one["weights"], one["tasks"]) for one in terms], [one["driver"] for one in terms])
    return Rates(*work, *driver)


def measured() -> list[dict[str, Any]]:
    """Read the terms that were measured last."""
    lines = [json.loads(line) for line in TERMS.read_text(encoding="utf-8").splitlines()]
    return [one for one in lines if one["case"] == "terms"][-1]["terms"]


def compared(rates: Rates) -> None:
    """Print the model beside the trainings that it was fitted to."""
    print("tokens      weights   shards  worker s: measured  model   driver s: measured  model")
    for one in measured():
        work = one["tokens"] * rates.token + one["shards"] * one["weights"] * rates.shard
        step = one["weights"] * rates.driver + one["tasks"] * rates.task
        numbers = (
            f"{one['tokens']:9.0f} {one['weights']:10d} {one['shards']:6d} {one['worker']:17.2f} {work:9.2f}"
        )
        print(f"{numbers} {one['driver']:17.2f} {step:9.2f}")


def checked() -> float:
    """Compare the model with sums over links of known rate and delay; return the largest error, as a share."""
    worst, weights, shards = 0.0, 250_000, 8
    print("workers  MB/s  delay ms   measured s  model s")
    for workers, rate, delay in ((2, 2e5, 0.0), (4, 2e5, 0.0), (4, 4e5, 0.3)):
        free, slow = throttled.sums(weights, shards, workers, rate, delay)
        network = Cluster(workers, 1, rate, delay)
        nothing = Rates(0.0, 0.0, 0.0, 0.0)
        model = free + iteration(nothing, 0.0, weights, shards, network)[0]
        worst = max(worst, abs(model / slow - 1))
        print(f"{workers:7d} {rate / 1e6:5.1f} {1000 * delay:9.0f} {slow:12.2f} {model:8.2f}", flush=True)
    print(f"largest error {worst:.0%}")
    return worst


def drawn(rates: Rates) -> None:
    """Draw seconds of an iteration by cores, for 10^9 tokens on one machine and 10^10 on up to 100 workers."""
    cores = (1, 2, 4, 8, 16, 32, 64)
    one = [(c, iteration(rates, 1e9, 1e7, int(1e9 / SHARD), Cluster(1, c))[0]) for c in cores]
    workers = (1, 2, 3, 5, 8, 12, 18, 27, 40, 60, 80, 100)

    def many(weights: float, gigabits: float) -> list[tuple[float, float]]:
        def at(count: int) -> float:
            there = Cluster(count, 16, gigabits * GIGABIT, 0.0005)
            return iteration(rates, 1e10, weights, int(1e10 / SHARD), there)[0]

        return [(16 * count, at(count)) for count in workers]

    picture = draw.line_picture(
        {
            "10⁹ tokens, 10⁷ weights, one machine": one,
            "10¹⁰ tokens, 10⁷ weights, 10 Gbit/s": many(1e7, 10),
            "10¹⁰ tokens, 10⁷ weights, 1 Gbit/s": many(1e7, 1),
            "10¹⁰ tokens, 10⁸ weights, 10 Gbit/s": many(1e8, 10),
        },
        title="Seconds of an iteration, as the cost model predicts them",
        x_name="cores in all; workers have 16 each",
        y_name="seconds",
        log_x=True,
        log_y=True,
    )
    PICTURE.write_text(str(picture), encoding="utf-8")
    for what, tokens, weights, there in (
        ("10^9 tokens, one machine of 16 cores", 1e9, 1e7, Cluster(1, 16)),
        ("10^10 tokens, 100 workers of 16 cores, 10 Gbit/s", 1e10, 1e7, Cluster(100, 16, 10 * GIGABIT, 5e-4)),
        ("10^10 tokens, 100 workers of 16 cores, 1 Gbit/s", 1e10, 1e7, Cluster(100, 16, GIGABIT, 5e-4)),
    ):
        seconds, sent = iteration(rates, tokens, weights, int(tokens / SHARD), there)
        print(f"{what}: {seconds:.1f} s and {sent / 1e9:.2f} GB an iteration")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale.cost", description=__doc__)
    parser.add_argument("--draw", action="store_true", help="renew the picture of the guide")
    parser.add_argument("--check", action="store_true", help="compare with throttled links; takes a minute")
    options = parser.parse_args()
    rates = fitted(measured())
    print("rates", json.dumps({name: float(f"{value:.3g}") for name, value in asdict(rates).items()}))
    compared(rates)
    if options.draw:
        drawn(rates)
    if options.check:
        checked()
    return 0


if __name__ == "__main__":
    sys.exit(main())
