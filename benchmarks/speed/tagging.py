"""`predict` from Python lists to Python lists, beside sklearn-crfsuite and python-crfsuite.

From words: ours by the template or preset, theirs by a Python function that makes a dict for every token, which is
part of their time as our encoding is part of ours. From ready lists of attribute strings: both sides are handed the
same lists. Both models have seen a few iterations, which is enough to have all their weights.

Calls are repeated, and ours keeps sums of weights from call to call: what the first call after loading takes is in the
details of each figure (`first_call`, in the unit of the row).
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.speed import chunking, crfsuite, data, lessons, preset_features
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
    for subject, made in (
        (lessons.CHUNKING, chunking_sides),
        (lessons.CHUNKING, chunk_sides),
        (lessons.UPOS, pos_sides),
        (lessons.NER, ner_sides),
    ):
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
    peer, mine = list(calls)
    begin = time.process_time()
    calls[mine]()
    first = time.process_time() - begin
    timings = measure(calls, seconds=0.2 if quick else 2.0)
    return figure(
        case,
        name,
        "ns/token",
        timings[mine],
        (peer, timings[peer]),
        goal,
        prepared.input_hash,
        scale=1e9 / tokens,
        details={"tokens": tokens, "first_call": round(first * 1e9 / tokens)},
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


def chunk_sides(prepared: lessons.Prepared) -> tuple[str, Calls, int]:
    return preset_sides("chunk", prepared, pairs(prepared), test_pairs())


def pos_sides(prepared: lessons.Prepared) -> tuple[str, Calls, int]:
    path = data.found("ud-en-ewt/dev.conllu")
    new = [] if path is None else read(path).column("word")
    return preset_sides("pos", prepared, prepared.corpus.column("word"), new)


def ner_sides(prepared: lessons.Prepared) -> tuple[str, Calls, int]:
    path = data.found("wnut17/dev.txt")
    new = [] if path is None else read(path, columns=["word", "ner"]).column("word")
    return preset_sides("ner", prepared, prepared.corpus.column("word"), new)


def preset_sides(
    name: str, prepared: lessons.Prepared, X: list[Any], new: list[Any]
) -> tuple[str, Calls, int]:
    """A preset, and the Python function that sees what it sees."""
    by_hand = getattr(preset_features, name)
    words = ["word"] if name != "chunk" else ["word", "pos"]
    preset_features.check(prepared.corpus[:500].select(*words), getattr(presets, name), by_hand)
    y, new = prepared.labels(), new or X
    ours = CRF(name, LEARNER, threads=1).fit(X, y)
    theirs = peer_crf(prepared.subject, max_iterations=ITERATIONS)
    theirs.fit([by_hand(sentence) for sentence in X], y)
    calls: Calls = {
        "sklearn-crfsuite": lambda: theirs.predict([by_hand(sentence) for sentence in new]),
        "seqlab": lambda: ours.predict(new),
    }
    return f"predict words, preset {name}", calls, sum(map(len, new))


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
