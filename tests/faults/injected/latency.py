"""Measures how long Ctrl-C may have to wait: the longest time in which no signal handler of Python can run.

python tests/faults/injected/latency.py [--small] [WORK ...]

A timer sends a signal a hundred times a second while a work runs; the longest pause between two runs of its handler is
the time that Ctrl-C would have had to wait. Prints {"work": [seconds of the work, longest pause, longest pause in
processor time]} as JSON. Without --small sequences have 10^7 tokens.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import seqlab
from seqlab import inference, text
from seqlab.trellis import Trellis

Work = Callable[[], Any]
SMALL = "--small" in sys.argv
TOKENS = 300_000 if SMALL else 10_000_000
LABELS = 20 if SMALL else 60
FOLDER = tempfile.TemporaryDirectory()


@cache
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@cache
def words(n: int = TOKENS) -> list[str]:
    known = [f"w{i}" for i in range(5000)]
    return [known[i] for i in rng().integers(0, len(known), size=n).tolist()]


@cache
def labels(n: int = TOKENS) -> list[str]:
    return [f"L{len(word) % 3}{word[-1]}" for word in words(n)]


def sentences(n: int = TOKENS, length: int = 25) -> tuple[list[list[str]], list[list[str]]]:
    return tuple([given[i : i + length] for i in range(0, n, length)] for given in (words(n), labels(n)))  # type: ignore[return-value]


@cache
def train() -> tuple[list[list[str]], list[list[str]]]:
    return sentences(TOKENS // 10)


@cache
def crf() -> Any:
    return seqlab.CRF("word[0]\nword[-1]\nword[1]", seqlab.SGD(epochs=1)).fit(*sentences(20_000))


@cache
def pairs() -> Any:
    return seqlab.CRF("word[0]\nword[-1] & word[0]", seqlab.SGD(epochs=1), order=2).fit(*sentences(5_000))


@cache
def hmm() -> Any:
    return seqlab.HMM().fit(*sentences(20_000))


@cache
def chain() -> Any:
    return seqlab.MarkovChain(order=2).fit(sentences(20_000)[0])


@cache
def trellis(T: int = TOKENS // LABELS, L: int = LABELS) -> Trellis:
    return Trellis(rng().normal(size=(T, L)), rng().normal(size=(L, L)))


@cache
def path(form: str) -> Path:
    made = Path(FOLDER.name, f"corpus.{form}")
    X, y = sentences()
    if form == "conllu":
        seqlab.write(seqlab.Corpus.from_lists(form=X, upos=y), made, form)
    else:
        seqlab.write(seqlab.Corpus.from_lists(word=X, label=y), made, form)
    return made


@cache
def corpus() -> Any:
    X, y = sentences()
    return seqlab.Corpus.from_lists(word=X, label=y)


@cache
def raw() -> str:
    return "The old man sleeps. Don't wake him! She goes at 3.50 p.m., you know.\n" * (TOKENS // 15)


@cache
def arpa() -> Path:
    made = Path(FOLDER.name, "x.arpa")
    seqlab.MarkovChain(order=2).fit(train()[0]).save_arpa(made)
    return made


@cache
def vectors() -> list[Any]:
    return [rng().normal(size=(TOKENS // 20, 2))]


def _fit(learner: Any, kind: Any = seqlab.CRF, **options: Any) -> tuple[Work, Work]:
    return train, lambda: kind("word[0]\nword[-1]", learner, **options).fit(*train())


# The data that it needs, made before, and the work.
WORKS: dict[str, tuple[Work, Work]] = {
    "fit: lbfgs": _fit(seqlab.LBFGS(max_iterations=2, start_epochs=0)),
    "fit: first guess": _fit(seqlab.LBFGS(max_iterations=1)),
    "fit: owlqn": _fit(seqlab.LBFGS(l1=0.5, max_iterations=2)),
    "fit: sgd": _fit(seqlab.SGD(epochs=1)),
    "fit: perceptron": _fit(seqlab.Perceptron(epochs=1), seqlab.LinearTagger),
    "fit: arow": _fit(seqlab.AROW(epochs=1), seqlab.LinearTagger),
    "fit: svm": _fit(seqlab.StructuredSVM(epochs=1), seqlab.LinearTagger),
    "fit: memm": _fit(seqlab.LBFGS(max_iterations=1), seqlab.MEMM),
    "fit: one sequence": (
        train,
        lambda: seqlab.CRF("word[0]", seqlab.LBFGS(max_iterations=1, start_epochs=0)).fit(
            [words(TOKENS // 10)], [labels(TOKENS // 10)]
        ),
    ),
    "fit: hmm": (sentences, lambda: seqlab.HMM().fit(*sentences())),
    "fit: one sequence of an hmm": (labels, lambda: seqlab.HMM().fit([words()], [labels()])),
    "fit: em": (
        train,
        lambda: seqlab.HMM(n_states=8, learner=seqlab.BaumWelch(max_iterations=2, restarts=1)).fit(
            train()[0]
        ),
    ),
    "fit: em of one sequence": (
        train,
        lambda: seqlab.HMM(n_states=8, learner=seqlab.BaumWelch(max_iterations=1)).fit([words(TOKENS // 10)]),
    ),
    "fit: em of numbers": (
        vectors,
        lambda: seqlab.HMM(3, seqlab.Gaussian(), learner=seqlab.BaumWelch(max_iterations=2)).fit(vectors()),
    ),
    "fit: chain": (words, lambda: seqlab.MarkovChain(order=2).fit([words()])),
    "fit: baseline": (sentences, lambda: seqlab.MostFrequentTag().fit(*sentences())),
    "fit: means": (vectors, lambda: seqlab.GaussianMeans(n_components=5, epochs=3).fit(vectors()[0])),
    "fit: tokeniser": (
        raw,
        lambda: text.TrainedTokeniser.train([text.detokenise(sentences(TOKENS // 20)[0])]),
    ),
    "predict: crf": (lambda: (crf(), words()), lambda: crf().predict(sentences()[0])),
    "predict: one sequence": (lambda: (crf(), words()), lambda: crf().predict([words()])),
    "predict: order 2": (lambda: (pairs(), words()), lambda: pairs().predict([words(TOKENS // 10)])),
    "predict: hmm": (lambda: (hmm(), words()), lambda: hmm().predict([words()])),
    "posterior: crf": (lambda: (crf(), words()), lambda: crf().posterior(words(TOKENS // 10))),
    "nbest: crf": (lambda: (crf(), words()), lambda: crf().nbest(words(TOKENS // 20), 5)),
    "annotate": (lambda: (crf(), corpus()), lambda: crf().annotate(corpus())),
    "evaluate": (lambda: (crf(), corpus()), lambda: crf().evaluate(corpus(), "label")),
    "score: chain": (lambda: (chain(), words()), lambda: chain().score([words()])),
    "sample: chain": (chain, lambda: chain().sample(TOKENS // 100)),
    "viterbi": (trellis, lambda: inference.viterbi(trellis())),
    "posteriors": (trellis, lambda: inference.posterior(trellis())),
    "best paths": (trellis, lambda: inference.nbest(trellis(TOKENS // 200, 20), 20)),
    "samples": (trellis, lambda: inference.sample(trellis(), 2, seed=0)),
    "beam": (trellis, lambda: inference.beam(trellis(), 4)),
    "log partition": (trellis, lambda: inference.log_partition(trellis())),
    "read: conll": (lambda: path("conll"), lambda: seqlab.read(path("conll"), format="conll")),
    "read: conllu": (lambda: path("conllu"), lambda: seqlab.read(path("conllu"), format="conllu")),
    "read: slash": (lambda: path("slash"), lambda: seqlab.read(path("slash"), format="slash")),
    "read: jsonl": (lambda: path("jsonl"), lambda: seqlab.read(path("jsonl"), format="jsonl")),
    "write: conll": (corpus, lambda: seqlab.write(corpus(), Path(FOLDER.name, "out.conll"), "conll")),
    "write: jsonl": (corpus, lambda: seqlab.write(corpus(), Path(FOLDER.name, "out.jsonl"), "jsonl")),
    "lists": (sentences, corpus.__wrapped__),
    "encode": (corpus, lambda: seqlab.encode.Encoder("pos").fit(corpus())),
    "tokenise": (raw, lambda: text.RuleTokeniser()(raw())),
    "arpa": (arpa, lambda: seqlab.MarkovChain.from_arpa(arpa())),
    "prune": (crf, lambda: crf().prune(threshold=0.01)),
    "save": (crf, lambda: crf().save(Path(FOLDER.name, "m.model"))),
}


def longest_pause(work: Work) -> tuple[float, float, float]:
    """Seconds that a work takes, and the longest in which no handler ran: by the clock, and by the processor."""
    runs: list[tuple[float, float]] = []
    signal.signal(signal.SIGALRM, lambda *_: runs.append((time.monotonic(), time.thread_time())))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    runs.append((time.monotonic(), time.thread_time()))
    try:
        work()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        runs.append((time.monotonic(), time.thread_time()))
    gaps = np.diff(np.array(runs), axis=0)
    return runs[-1][0] - runs[0][0], float(gaps[:, 0].max()), float(gaps[:, 1].max())


def measured(name: str) -> list[float]:
    """Measure a work in a child, which gives its memory back."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            prepare, work = WORKS[name]
            prepare()
            os.write(writer, json.dumps(longest_pause(work)).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        told = pipe.read()
    if os.waitpid(child, 0)[1]:
        raise SystemExit(f"{name} failed")
    return [round(one, 3) for one in json.loads(told)]


def main(*options: str) -> None:
    warnings.simplefilter("ignore")
    chosen = [one for one in options if not one.startswith("--")] or list(WORKS)
    found = {}
    for name in chosen:
        found[name] = measured(name)
        print(name, *found[name], file=sys.stderr, flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
