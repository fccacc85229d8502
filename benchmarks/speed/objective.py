"""Objective and gradient of a CRF over a whole corpus, beside one iteration of CRFsuite.

Both sides have the same attributes and the same weights to learn. CRFsuite's iteration includes its L-BFGS step,
a few per cent of it; iterations that evaluated more than once are left out.
"""

from __future__ import annotations

import time

import numpy as np

from benchmarks.speed import crfsuite, lessons
from benchmarks.speed.figure import Figure
from benchmarks.speed.goals import Goal, figure
from benchmarks.speed.timing import Timing
from seqlab import _core

SUBJECTS = (lessons.CHUNKING, lessons.XPOS)
LOSSES = {"float32": (_core.Likelihood32, Goal(10, 15)), "float64": (_core.Likelihood64, Goal(6, 9))}
ITERATIONS = 6


def run(case: str, *, quick: bool = False) -> list[Figure]:
    figures = []
    for subject in SUBJECTS:
        prepared = lessons.prepare(subject, quick=quick)
        if prepared is not None:
            figures += measured(case, prepared, rounds=1 if quick else 3)
    return figures


def measured(case: str, prepared: lessons.Prepared, rounds: int) -> list[Figure]:
    """CRFsuite, float32 and float64 in turn."""
    subject, theta = prepared.subject, start(len(prepared.model.theta))
    task = prepared.lesson.task(prepared.model, layered=True)
    losses = {dtype: loss(task) for dtype, (loss, _) in LOSSES.items()}
    gradient = np.empty_like(theta)
    samples: dict[str, list[float]] = {dtype: [] for dtype in LOSSES}
    peer: list[float] = []
    made, lines = crfsuite.subject_trainer(prepared, max_iterations=ITERATIONS)
    for loss in losses.values():
        loss(theta, gradient, 1)  # warms up
    for _ in range(rounds):
        peer += crfsuite.train(made, lines).plain_seconds()
        for dtype, loss in losses.items():
            for _ in range(ITERATIONS):
                begin = time.process_time()
                loss(theta, gradient, 1)
                samples[dtype].append(time.process_time() - begin)
    return [
        figure(
            case,
            f"objective, {short(subject)}, {dtype}",
            "ms",
            Timing(tuple(samples[dtype])),
            ("CRFsuite", Timing(tuple(peer))),
            goal,
            prepared.input_hash,
            scale=1e3,
            details={"tokens": prepared.encoded.token_count, "weights": len(theta)},
        )
        for dtype, (_, goal) in LOSSES.items()
    ]


def start(size: int) -> np.ndarray:
    """Weights as they are in the midst of training: none is 0."""
    return np.random.default_rng(0).normal(scale=0.1, size=size)


def short(subject: lessons.Subject) -> str:
    return subject.name.replace("CoNLL-2000 ", "")
