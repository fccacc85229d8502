"""Trainings, loads and questions of every kind, small: each runs the native code of one room."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import seqlab
from faults.altered_models import EDGES, TAGS, WORDS, recipes
from seqlab import inference, text
from seqlab.trellis import Trellis

RAW = "The old man sleeps. Don't wake him!\n\nShe goes at 3.50 p.m., you know. " * 20
X, Y = WORDS * 5, TAGS * 5
LEARNERS = {
    "lbfgs": lambda: seqlab.LBFGS(max_iterations=3),
    "owlqn": lambda: seqlab.LBFGS(l1=0.5, max_iterations=3),
    "conjugate gradients": lambda: seqlab.ConjugateGradient(max_iterations=3),
    "gradient": lambda: seqlab.GradientAscent(max_iterations=3),
    "sgd": lambda: seqlab.SGD(epochs=2),
}
MISTAKES = {
    "perceptron": lambda: seqlab.Perceptron(epochs=2),
    "passive-aggressive": lambda: seqlab.PassiveAggressive(epochs=2),
    "arow": lambda: seqlab.AROW(epochs=2),
    "svm": lambda: seqlab.StructuredSVM(epochs=2),
}


@cache
def numbers() -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=(12, 2)) for _ in range(6)]


@cache
def trellises() -> list[Trellis]:
    rng = np.random.default_rng(0)
    return [Trellis(rng.normal(size=(n, 5)), rng.normal(size=(5, 5))) for n in (1, 7, 30, 200)]


@cache
def fitted(kind: str) -> Any:
    return recipes()[kind]()


@cache
def folder() -> Path:
    kept = tempfile.TemporaryDirectory()
    folders.append(kept)
    return Path(kept.name)


folders: list[Any] = []


@cache
def stored(kind: str) -> Path:
    path = folder() / f"{kind}.model"
    fitted(kind).save(path)
    return path


@cache
def corpus_file(form: str) -> Path:
    path = folder() / f"corpus-{form}.txt"
    one = seqlab.Corpus.from_lists(word=X, label=Y)
    if form == "conllu":
        one = seqlab.Corpus.from_lists(form=X, upos=Y)
    seqlab.write(one, path, form)
    return path


def _training() -> dict[str, Callable[[], Any]]:
    made: dict[str, Callable[[], Any]] = {}
    for name, learner in LEARNERS.items():
        made[f"fit: {name}"] = lambda learner=learner: seqlab.CRF(EDGES, learner(), threads=2).fit(X, Y)
    for name, learner in MISTAKES.items():
        made[f"fit: {name}"] = lambda learner=learner: seqlab.LinearTagger(EDGES, learner(), threads=2).fit(
            X, Y
        )
    made["fit: order 2"] = lambda: seqlab.CRF(EDGES, LEARNERS["lbfgs"](), order=2, threads=2).fit(X, Y)
    made["fit: memm"] = lambda: seqlab.MEMM(EDGES, LEARNERS["lbfgs"](), threads=2).fit(X, Y)
    made["fit: bags"] = lambda: seqlab.CRF(None, LEARNERS["lbfgs"]()).fit([[[w] for w in s] for s in X], Y)
    made["fit: hmm"] = lambda: seqlab.HMM().fit(X, Y)
    made["fit: em"] = lambda: seqlab.HMM(
        n_states=3, learner=seqlab.BaumWelch(max_iterations=3, restarts=2), threads=2
    ).fit(X)
    made["fit: gaussian em"] = lambda: seqlab.HMM(
        n_states=2, emissions=seqlab.Gaussian(), learner=seqlab.BaumWelch(max_iterations=3), threads=2
    ).fit(numbers())
    made["fit: chain"] = lambda: seqlab.MarkovChain(order=2).fit(X)
    made["fit: baseline"] = lambda: seqlab.MostFrequentTag().fit(X, Y)
    made["fit: mixture"] = lambda: seqlab.GaussianMeans(n_components=2).fit(np.concatenate(numbers()))
    made["fit: tokeniser"] = lambda: text.TrainedTokeniser.train([text.detokenise(WORDS)])
    made["fit: reranker"] = lambda: fitted_anew("reranker")
    return made


def fitted_anew(kind: str) -> Any:
    return recipes()[kind]()


def _asking() -> dict[str, Callable[[], Any]]:
    made: dict[str, Callable[[], Any]] = {}
    for kind in (
        "crf",
        "crf of order 2",
        "crf in int8",
        "crf of bags",
        "hmm",
        "memm",
        "linear tagger",
        "reranker",
    ):
        given = [[[w] for w in s] for s in X] if kind == "crf of bags" else X
        made[f"predict: {kind}"] = lambda kind=kind, given=given: fitted(kind).predict(given, threads=2)
        made[f"nbest: {kind}"] = lambda kind=kind, given=given: fitted(kind).nbest(given[0], 5)
    for kind in ("crf", "hmm", "memm"):
        made[f"posterior: {kind}"] = lambda kind=kind: [fitted(kind).posterior(one) for one in WORDS]
    made["explain"] = lambda: fitted("crf").explain(X[0], 1)
    made["viterbi"] = lambda: inference.viterbi(trellises(), threads=2)
    made["posteriors"] = lambda: inference.posterior(trellises(), threads=2)
    made["best paths"] = lambda: inference.nbest(trellises()[2], 20)
    made["samples"] = lambda: inference.sample(trellises(), 5, seed=0)
    made["beam"] = lambda: inference.beam(trellises(), 3)
    made["tokenise by rules"] = lambda: text.RuleTokeniser()(RAW)
    made["tokenise as learned"] = lambda: fitted("trained tokeniser")(RAW)
    made["pipeline"] = lambda: fitted("pipeline")(RAW)
    made["score"] = lambda: fitted("markov chain").score(X)
    made["prune"] = lambda: fitted("crf").prune(threshold=0.01)
    return made


def _loading() -> dict[str, Callable[[], Any]]:
    made: dict[str, Callable[[], Any]] = {
        f"load: {kind}": lambda kind=kind: seqlab.load(stored(kind)) for kind in recipes()
    }
    for form in ("conll", "conllu", "slash", "jsonl", "csv"):
        made[f"read: {form}"] = lambda form=form: seqlab.read(corpus_file(form), format=form)
    made["encode"] = lambda: seqlab.encode.Encoder("chunk").fit(seqlab.demo_corpus("train")[:20])
    return made


@cache
def works() -> dict[str, Callable[[], Any]]:
    """All of them; each has run once, so that what it imports is there."""
    warnings.simplefilter("ignore")
    return {**_training(), **_asking(), **_loading()}
