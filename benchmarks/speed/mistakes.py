"""Learners beside the likelihood of a chain: an epoch of the averaged perceptron, and training of local choices.

The perceptron is held against CRFsuite's `ap`, epoch by epoch on the same attributes, in turn. The MEMM is held
against scikit-learn's LogisticRegression on the same local features: attributes and the label before, given.
Both train to their default stops, from encoded data; the log-likelihoods they reach are printed, since the rules to
stop differ.
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
LOCAL_SENTENCES = 1000


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
    """With the weights that LogisticRegression has, one for every attribute and label; and as it comes."""
    small = lessons.prepare_corpus(prepared.subject, prepared.corpus[:LOCAL_SENTENCES])
    sides = {"MEMM, all weights": small.with_all_weights(), "MEMM, weights met": small}
    rows, labels = matrix(small), small.lesson.gold.ids
    peer: list[float] = []
    ours: dict[str, list[float]] = {name: [] for name in sides}
    values: dict[str, float] = {}
    for _ in range(rounds):
        values["scikit-learn"], seconds = logistic(rows, labels, small.subject.l2)
        peer.append(seconds)
        for name, side in sides.items():
            values[name], seconds = memm(side)
            ours[name].append(seconds)
    told = ", ".join(f"{name} {value:.4f}" for name, value in values.items())
    print(f"mean log-likelihood of a label given the one before: {told}", flush=True)
    return [
        figure(
            case,
            f"{name}, {len(small.corpus):,} sentences",
            "s",
            Timing(tuple(ours[name])),
            ("LogisticRegression", Timing(tuple(peer))),
            LOCAL,
            small.input_hash,
            details={"log_likelihood": values[name], "peer_log_likelihood": values["scikit-learn"]},
        )
        for name in sides
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
    """Mean log-likelihood and CPU seconds; C = 1 / (2 l2) makes the penalty ours."""
    from sklearn.linear_model import LogisticRegression

    begin = time.process_time()
    fitted = LogisticRegression(C=1 / (2 * l2), fit_intercept=False, max_iter=1000).fit(rows, labels)
    seconds = time.process_time() - begin
    chosen = fitted.predict_log_proba(rows)[np.arange(len(labels)), np.searchsorted(fitted.classes_, labels)]
    return float(chosen.mean()), seconds


def memm(prepared: lessons.Prepared) -> tuple[float, float]:
    """Mean log-likelihood and CPU seconds of training, encoding excluded on both sides."""
    subject = prepared.subject
    tagger = seqlab.MEMM(subject.features, LBFGS(l2=subject.l2), threads=1)
    objectives: list[float] = []
    begin = time.process_time()
    model = prepared.train(lambda epoch: objectives.append(epoch.objective or 0.0), tagger)
    seconds = time.process_time() - begin
    loss = objectives[-1] - subject.l2 * float(np.sum(model.theta**2))
    return -loss / prepared.encoded.token_count, seconds
