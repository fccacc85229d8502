"""`predict` from Python lists to Python lists, beside sklearn-crfsuite and python-crfsuite.

From words: ours by the template or preset, theirs by a Python function that makes a dict for every token, which is
part of their time as our encoding is part of ours. From ready lists of attribute strings: both sides are handed the
same lists. Both models have seen a few iterations, which is enough to have all their weights.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.speed import chunking, crfsuite, data, lessons, word_features
from benchmarks.speed.figure import Figure
from benchmarks.speed.goals import Goal, figure
from benchmarks.speed.timing import measure
from benchmarks.speed.training import pairs, peer_crf
from seqlab import CRF, LBFGS, presets, read

WORDS = Goal(50, 100)
READY = Goal(5, 10)
ITERATIONS = 15
LEARNER = LBFGS(l2=1.0, max_iterations=ITERATIONS)
Calls = dict[str, Callable[[], object]]


def run(case: str, *, quick: bool = False) -> list[Figure]:
    figures = []
    for subject, made in ((lessons.CHUNKING, chunking_sides), (lessons.UPOS, pos_sides)):
        prepared = lessons.prepare(subject, quick=quick)
        if prepared is not None:
            figures.append(measured(case, *made(prepared), prepared, WORDS, quick=quick))
    prepared = lessons.prepare(lessons.CHUNKING, quick=quick)
    if prepared is not None:
        figures.append(measured(case, *ready_sides(prepared), prepared, READY, quick=quick))
    return figures


def measured(
    case: str, name: str, calls: Calls, tokens: int, prepared: lessons.Prepared, goal: Goal, *, quick: bool
) -> Figure:
    timings = measure(calls, seconds=0.2 if quick else 2.0)
    peer, mine = list(calls)
    return figure(
        case,
        name,
        "ns/token",
        timings[mine],
        (peer, timings[peer]),
        goal,
        prepared.input_hash,
        scale=1e9 / tokens,
        details={"tokens": tokens},
    )


def chunking_sides(prepared: lessons.Prepared) -> tuple[str, Calls, int]:
    X, y = pairs(prepared), prepared.labels()
    ours = CRF(prepared.subject.features, LEARNER, threads=1).fit(X, y)
    theirs = peer_crf(prepared.subject, max_iterations=ITERATIONS)
    theirs.fit([chunking.features(sentence) for sentence in X], y)
    new = test_pairs() or X
    calls: Calls = {
        "sklearn-crfsuite": lambda: theirs.predict([chunking.features(sentence) for sentence in new]),
        "seqlab": lambda: ours.predict(new),
    }
    return "predict words, chunking", calls, sum(map(len, new))


def pos_sides(prepared: lessons.Prepared) -> tuple[str, Calls, int]:
    X, y = prepared.corpus.column("word"), prepared.labels()
    word_features.check(X[:500], presets.pos)
    ours = CRF("pos", LEARNER, threads=1).fit(X, y)
    theirs = peer_crf(prepared.subject, max_iterations=ITERATIONS)
    theirs.fit([word_features.features(words) for words in X], y)
    path = data.found("ud-en-ewt/dev.conllu")
    new = X if path is None else read(path).column("word")
    calls: Calls = {
        "sklearn-crfsuite": lambda: theirs.predict([word_features.features(words) for words in new]),
        "seqlab": lambda: ours.predict(new),
    }
    return "predict words, preset pos", calls, sum(map(len, new))


def ready_sides(prepared: lessons.Prepared) -> tuple[str, Calls, int]:
    X = [chunking.items(*columns(sentence)) for sentence in pairs(prepared)]
    ours = CRF(None, LEARNER, threads=1).fit(X, prepared.labels())
    theirs = tagger(X, prepared.labels())
    new = [chunking.items(*columns(sentence)) for sentence in test_pairs()] or X
    calls: Calls = {
        "python-crfsuite": lambda: [theirs.tag(sentence) for sentence in new],
        "seqlab": lambda: ours.predict(new),
    }
    return "predict ready features", calls, sum(map(len, new))


def columns(sentence: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    return [word for word, _ in sentence], [tag for _, tag in sentence]


def test_pairs() -> list[list[tuple[str, str]]]:
    """Sentences that training has not seen; nobody looks at their labels."""
    path = data.found("conll2000/test.txt")
    if path is None:
        return []
    corpus = read(path)
    both = corpus.column("word"), corpus.column("pos")
    return [list(zip(words, tags, strict=True)) for words, tags in zip(*both, strict=True)]


def tagger(X: list[list[list[str]]], y: list[list[str]]) -> Any:
    """A pycrfsuite.Tagger; it reads its model file whole, so the file may go."""
    import pycrfsuite

    made, lines = crfsuite.trainer(zip(X, y, strict=True), c1=0.0, c2=1.0, max_iterations=ITERATIONS)
    opened = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        crfsuite.train(made, lines, path)
        opened.open(str(path))
    return opened
