"""Learners beside the likelihood of a chain: an epoch of the averaged perceptron, and training of local choices.

The perceptron is held against CRFsuite's `ap`, epoch by epoch on the same attributes, in turn. The MEMM is held
against scikit-learn's LogisticRegression on the same local features: attributes and the label before, given. It
trains to its default stop; ours, with the same weights, to the same objective and then to its own stop, which asks for
more; and once more as it comes, with weights for what was met only, to its own stop.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import numpy as np

import seqlab
from benchmarks.speed import crfsuite, lessons
from benchmarks.speed.figure import Figure
from benchmarks.speed.goals import Goal, figure
from benchmarks.speed.timing import Timing
from seqlab import LBFGS, LinearTagger

PERCEPTRON = Goal(10, 20)
LOCAL = Goal(10, 30)
EPOCHS = 5
LOCAL_SENTENCES = 4000


def run(case: str, *, quick: bool = False) -> list[Figure]:
    prepared = lessons.prepare(lessons.CHUNKING, quick=quick)
    if prepared is None:
        return []
    figures: list[Figure] = []
    for name, measured in (("Perceptron", perceptron), ("MEMM", local)):
        if hasattr(seqlab, name):
            figures += measured(case, prepared, rounds=1 if quick else 3)
        else:
            print(f"{case}: seqlab has no {name} yet, its job is skipped")
    return figures


# ---------------------------------------------------------------- the averaged perceptron


def perceptron(case: str, prepared: lessons.Prepared, rounds: int) -> list[Figure]:
    made, lines = crfsuite.subject_trainer(prepared, "ap", max_iterations=EPOCHS)
    peer: list[float] = []
    ours: list[float] = []
    for _ in range(rounds):
        peer += [iteration.seconds for iteration in crfsuite.train(made, lines).iterations]
        ours += epoch_seconds(prepared)
    return [
        figure(
            case,
            "averaged perceptron, an epoch",
            "ms",
            Timing(tuple(ours)),
            ("CRFsuite ap", Timing(tuple(peer))),
            PERCEPTRON,
            prepared.input_hash,
            scale=1e3,
        )
    ]


def epoch_seconds(prepared: lessons.Prepared) -> list[float]:
    """CPU seconds between the reports of our epochs; without the first, which also lays out the data."""
    learner = seqlab.Perceptron(epochs=EPOCHS + 1)
    tagger = LinearTagger(prepared.subject.features, learner, threads=1)
    stamps: list[float] = []
    tagger.fit(
        prepared.corpus, prepared.subject.column, callbacks=lambda _: stamps.append(time.process_time())
    )
    return [after - before for before, after in pairwise(stamps)]


# ---------------------------------------------------------------- local choices


def local(case: str, prepared: lessons.Prepared, rounds: int) -> list[Figure]:
    """Until ours is at least as low as the objective where LogisticRegression stops, with the same weights, one for
    every attribute and label; until ours stops by its own rule; and with the weights that an MEMM has by default."""
    usual = lessons.prepare_corpus(prepared.subject, prepared.corpus[:LOCAL_SENTENCES])
    small = usual.with_all_weights()
    rows, labels = matrix(small), small.lesson.gold.ids
    peer: list[float] = []
    ours: dict[str, list[float]] = {
        "to the peer's objective": [],
        "to our own stop": [],
        "as it comes, to our own stop": [],
    }
    reached = lowest = 0.0
    for _ in range(rounds):
        reached, seconds = logistic(rows, labels, small.subject.l2)
        peer.append(seconds)
        lowest, *taken = memm(small, reached)
        taken.append(memm(usual, float("inf"))[-1])
        for times, more in zip(ours.values(), taken, strict=True):
            times.append(more)
        print(f"LogisticRegression stops at {reached:.1f}, the MEMM at {lowest:.1f}", flush=True)
    return [
        figure(
            case,
            f"MEMM, {until}",
            "s",
            Timing(tuple(times)),
            ("LogisticRegression", Timing(tuple(peer))),
            LOCAL,
            small.input_hash,
            details={"peer_objective": reached, "objective_at_stop": lowest, "sentences": LOCAL_SENTENCES},
        )
        for until, times in ours.items()
    ]


def matrix(prepared: lessons.Prepared) -> Any:
    """(tokens, attributes + L) sparse: the attributes of each token, and the label before it as one more."""
    from scipy.sparse import csr_matrix, hstack

    encoded, gold = prepared.encoded, prepared.lesson.gold
    attributes = csr_matrix(
        (np.ones(len(encoded.ids)), encoded.ids, encoded.indptr),
        shape=(encoded.token_count, encoded.encoder.size),
    )
    inner = np.ones(encoded.token_count, dtype=bool)
    inner[encoded.offsets[:-1][np.diff(encoded.offsets) > 0]] = False
    tokens = np.flatnonzero(inner)
    before = csr_matrix(
        (np.ones(len(tokens)), (tokens, gold.ids[tokens - 1])),
        shape=(encoded.token_count, len(gold.names)),
    )
    return hstack([attributes, before], format="csr")


def logistic(rows: Any, labels: Any, l2: float) -> tuple[float, float]:
    """Objective at its stop and CPU seconds; C = 1 / (2 l2) makes the penalty ours."""
    from sklearn.linear_model import LogisticRegression

    begin = time.process_time()
    fitted = LogisticRegression(C=1 / (2 * l2), fit_intercept=False, max_iter=1000).fit(rows, labels)
    seconds = time.process_time() - begin
    chosen = fitted.predict_log_proba(rows)[np.arange(len(labels)), np.searchsorted(fitted.classes_, labels)]
    return float(l2 * np.sum(fitted.coef_**2) - chosen.sum()), seconds


def memm(prepared: lessons.Prepared, goal: float) -> tuple[float, float, float]:
    """Objective at our stop, CPU seconds until it was at most `goal`, and until the stop; encoding is not counted."""
    subject = prepared.subject
    tagger = seqlab.MEMM(subject.features, LBFGS(l2=subject.l2), threads=1)
    path: list[tuple[float, float]] = []
    begin = time.process_time()
    prepared.train(lambda epoch: path.append((epoch.objective or 0.0, time.process_time() - begin)), tagger)
    within = [seconds for objective, seconds in path if objective <= goal]
    if not within:
        raise AssertionError(f"training stopped at {path[-1][0]:.1f}, above {goal:.1f}")
    return path[-1][0], within[0], path[-1][1]
