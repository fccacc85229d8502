"""Training to within 0.1 % of CRFsuite's converged objective, and the whole call from lists of words.

Both sides make the same function small: our objective at our default stop is held against CRFsuite's (1e-4).
Ours are the defaults, nothing tuned per corpus. CRFsuite's seconds are those of its own log. In the first table row of
a corpus, encoding is excluded on both sides; "fit(X, y)" includes everything from Python lists of words on, ours by
the template, theirs by the usual Python function and sklearn-crfsuite.
"""

from __future__ import annotations

import time
from typing import Any

from benchmarks.speed import crfsuite, lessons
from benchmarks.speed.chunking import features
from benchmarks.speed.figure import Figure
from benchmarks.speed.goals import Goal, figure
from benchmarks.speed.objective import short
from benchmarks.speed.timing import Timing
from seqlab import CRF, LBFGS

WITHIN = 1e-3
SAME = 1e-4  # relative: how far apart two optima of one function may be
GOALS = {lessons.CHUNKING: Goal(20, 40)}
GOAL = Goal(10, 40)
CALL = Goal(15, 30)
Sentences = list[list[tuple[str, str]]]


def run(case: str, *, quick: bool = False, fresh: bool = False) -> list[Figure]:
    figures = []
    for subject in lessons.SUBJECTS:
        prepared = lessons.prepare(subject, quick=quick)
        if prepared is None:
            continue
        log = crfsuite.converged(prepared, fresh=fresh)
        figures.append(to_target(case, prepared, log, rounds=1 if quick else 3))
        if subject is lessons.CHUNKING:
            figures += whole_call(case, prepared, log, quick=quick)
    return figures


def to_target(case: str, prepared: lessons.Prepared, log: crfsuite.Log, rounds: int) -> Figure:
    subject, peer = prepared.subject, log.course
    target = peer.objective * (1 + WITHIN)
    whole = lessons.course_of(prepared)
    difference = check_same(subject.name, whole.objective, peer.objective)
    print(
        f"{subject.name}, {subject.penalty}: ours ends at {whole.objective:.2f} after {len(whole.steps) - 1} "
        f"iterations and {whole.seconds:.1f} s, CRFsuite at {peer.objective:.2f} after {len(log.iterations)} and "
        f"{peer.seconds:.1f} s: {difference:+.1e} apart",
        flush=True,
    )
    taken = [whole.seconds_to(target)]
    taken += [lessons.course_of(prepared, stop_at=target).seconds_to(target) for _ in range(rounds - 1)]
    return figure(
        case,
        f"train to 0.1 %, {short(subject)}",
        "s",
        Timing(tuple(seconds for seconds in taken if seconds is not None)),
        ("CRFsuite", Timing((peer.seconds_to(target) or peer.seconds,))),
        GOALS.get(subject, GOAL),
        prepared.input_hash,
        details={
            "penalty": subject.penalty,
            "objective": whole.objective,
            "peer_objective": peer.objective,
            "difference": difference,
            "iterations": len(whole.steps) - 1,
            "seconds": whole.seconds,
            "peer_iterations": len(log.iterations),
            "peer_seconds": peer.seconds,
            "peer_date": log.date,
            "peer_load": log.load,
        },
    )


def check_same(name: str, ours: float, theirs: float) -> float:
    """(ours - theirs) / theirs, for one function on both sides; ours may end lower, CRFsuite's rule stops early."""
    difference = (ours - theirs) / theirs
    if difference > SAME or difference < -WITHIN:
        raise AssertionError(
            f"{name}: our objective {ours} and CRFsuite's {theirs} should be the same, within {SAME}"
        )
    return difference


# ---------------------------------------------------------------- the whole call


def whole_call(
    case: str, prepared: lessons.Prepared, log: crfsuite.Log, *, quick: bool = False
) -> list[Figure]:
    """fit(X, y) on (word, tag) pairs: to within 0.1 %, and to the default stops."""
    X, y = pairs(prepared), prepared.labels()
    their_overhead(X[:10], y[:10])  # imports what is lazy
    peer = log.course
    target = peer.objective * (1 + WITHIN)
    overheads, near, far = [], [], []
    for _ in range(1 if quick else 3):
        overheads.append(their_overhead(X, y))
        near.append(ours(X, y, stop_at=target))
        far.append(ours(X, y, stop_at=None))
    rest = {"to 0.1 %": peer.seconds_to(target) or peer.seconds, "to its stop": peer.seconds}
    return [
        figure(
            case,
            f"fit(X, y) {which}",
            "s",
            Timing(tuple(taken)),
            ("sklearn-crfsuite", Timing(tuple(seconds + rest[which] for seconds in overheads))),
            CALL,
            prepared.input_hash,
            details={"extraction": overheads, "peer_date": log.date, "peer_load": log.load},
        )
        for which, taken in (("to 0.1 %", near), ("to its stop", far))
    ]


def pairs(prepared: lessons.Prepared) -> Sentences:
    columns = prepared.corpus.column("word"), prepared.corpus.column("pos")
    return [list(zip(*both, strict=True)) for both in zip(*columns, strict=True)]


def ours(X: Sentences, y: list[list[str]], stop_at: float | None) -> float:
    subject = lessons.CHUNKING
    begin = time.process_time()
    crf = CRF(subject.features, LBFGS(l1=subject.l1, l2=subject.l2), threads=1)
    crf.fit(X, y, callbacks=lambda epoch: stop_at is None or epoch.objective > stop_at)
    return time.process_time() - begin


def their_overhead(X: Sentences, y: list[list[str]]) -> float:
    """All of sklearn-crfsuite's fit but its iterations: the function of features, taking in, writing the model.

    Two iterations are run and their time, as logged, is taken off.
    """
    begin = time.process_time()
    crf = peer_crf(lessons.CHUNKING, max_iterations=2)
    crf.fit([features(sentence) for sentence in X], y)
    spent = time.process_time() - begin
    return spent - float(sum(iteration["time"] for iteration in crf.training_log_.iterations))


def peer_crf(subject: lessons.Subject, *, max_iterations: int) -> Any:
    import sklearn_crfsuite

    return sklearn_crfsuite.CRF("lbfgs", c1=subject.l1, c2=subject.l2, max_iterations=max_iterations)
