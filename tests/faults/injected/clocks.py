"""Trains, checkpoints, searches and serves while the clocks leap; a process of its own, in which shim.so is preloaded.

Prints {"work": number of leaps} as JSON; a wrong answer or an error ends it.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import math
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import seqlab

shim = ctypes.CDLL(None)
YEAR = 365 * 86400
# (wall clock, monotonic clock) in seconds: an hour back, a year on, asleep for a month, before 1970
LEAPS = [(-3600, 0), (YEAR, 0), (0, 30 * 86400), (-60 * YEAR, 30 * 86400), (60 * YEAR, 2 * YEAR)]
WORDS = [["the", "old", "man", "runs"], ["Rio", "runs"], ["the", "Rio", "man", "the", "old"]] * 4
TAGS = [["B-N", "I-N", "I-N", "O"], ["B-L", "O"], ["B-N", "B-L", "B-N", "B-N", "I-N"]] * 4


class Leaping:
    """A callback of trainings that lets the clocks leap; the monotonic clock goes on only."""

    def __init__(self) -> None:
        self.leaps = itertools.cycle(LEAPS)
        self.steady = self.count = 0

    def __call__(self, _epoch: Any) -> None:
        wall, steady = next(self.leaps)
        self.steady += steady
        self.count += 1
        shim.faults_clock(ctypes.c_long(wall), ctypes.c_long(self.steady))

    def over(self) -> int:
        shim.faults_clock(ctypes.c_long(0), ctypes.c_long(self.steady))
        return self.count


def training(**options: Any) -> int:
    """A training with the clocks leaping has the same bits."""
    make = lambda: seqlab.CRF("word[0]", seqlab.LBFGS(max_iterations=6))  # noqa: E731
    plain, leaping = make().fit(WORDS, TAGS), Leaping()
    fitted = make().fit(WORDS, TAGS, callbacks=leaping, **options)
    count = leaping.over()
    assert np.array_equal(fitted.model_.theta, plain.model_.theta)
    assert all(math.isfinite(one.seconds) for one in fitted.history_.epochs)
    assert str(fitted.history_)
    assert repr(fitted)
    return count


def hidden() -> int:
    make = lambda: seqlab.HMM(n_states=2, learner=seqlab.BaumWelch(max_iterations=6, restarts=2))  # noqa: E731
    plain, leaping = make().fit(WORDS), Leaping()
    fitted = make().fit(WORDS, callbacks=leaping)
    count = leaping.over()
    assert fitted.log_likelihood(WORDS[0]) == plain.log_likelihood(WORDS[0])
    return count


def search() -> int:
    leaping = Leaping()
    found = seqlab.tune(
        seqlab.HMM(), WORDS, TAGS, search={"smoothing": [0.1, 1.0, 2.0]}, folds=2, on_trial=leaping, threads=1
    )
    count = leaping.over()
    assert len(found.trials) == 3
    assert str(found)
    return count


def metrics() -> int:
    from seqlab.serve.metrics import Metrics

    leaping = Leaping()
    with tempfile.TemporaryDirectory() as folder:
        counts = Metrics(folder)
        for _ in range(10):
            leaping(None)
            counts.add("seqlab_requests_total", route="/x", method="GET", status="200")
            assert "seqlab_requests_total" in counts.text()
    return leaping.over()


def main() -> None:
    warnings.simplefilter("ignore")
    counts = {"training": training(), "progress": training(progress=True), "em": hidden(), "search": search()}
    with tempfile.TemporaryDirectory() as folder:
        for every in (0, 60, None):
            place = seqlab.Checkpoint(Path(folder, str(every)), every=every)
            counts[f"checkpoint, every={every}"] = training(checkpoint=place)
    try:
        import starlette  # noqa: F401
    except ImportError:
        pass
    else:
        counts["metrics"] = metrics()
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
