"""Linear taggers, CRFs and MEMMs: every learner, every kind of features, every option."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import seqlab
from formats.recipes.data import (
    CHUNK,
    MORE,
    POS,
    WORDS,
    bags,
    dicts,
    endings,
    first_letters,
    mixed,
    pairs,
    tagged,
    vectors,
)
from oracle.foreign_files import crfpp, crfpp_binary, wapiti
from seqlab import CRF, LBFGS, MEMM, Constraints, LinearTagger, Template

Recipes = dict[str, tuple[str, Callable[[], Any]]]

QUICK = LBFGS(max_iterations=4)
SMALL = "word[0]\nsuffix(word[0], 1)"
EDGES = "word[0] min=2\nshape(word[0])\nedge: suffix(word[0], 1)\nboth: word[-1] & short_shape(word[0])\nbias"
LEXICON = {"old man": "person", "Zürich": "place", "rio": "place"}
LEXICONS = "word[0]\nin(lower(word[0]), names)\ngazetteer(word[0], names)\nposition\nword[@0]\nfirst\nlast"
CALLS = r"""
word[0]
lower_ascii(word[0]) & char(word[0], -1)
test(word[-1], "^[a-z]")
match(word[1], "..$")
prefix(lower(word[0]), 1..2)
digits(squeeze(upper(word[0]), 1))
length(word[0])
"""
RULES = [("O", "I-NP"), ("B-VP", "I-NP")]


def _crf(features: Any, learner: Any = QUICK, **options: Any) -> Any:
    return CRF(features, learner, **options).fit(WORDS, CHUNK)


def _tagged(features: Any, **options: Any) -> Any:
    return CRF(features, QUICK, **options).fit(pairs(WORDS, POS), CHUNK)


def _linear(learner: Any, **options: Any) -> Any:
    return LinearTagger(SMALL, learner, **options).fit(WORDS, CHUNK)


def _converted(name: str, content: str | bytes, **options: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return seqlab.convert_model(path, **options)


def _lexicon_file() -> Any:
    """The path in the template begins at the working directory, so that none of this machine's gets into the file."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("names.txt").write_text("Rio\tplace\nZürich\tplace\nold man\n", encoding="utf-8")
            return _crf(Template.parse('lexicon names = "names.txt"\nword[0]\ngazetteer(word[0], names)'))
        finally:
            os.chdir(before)


def _of_crfsuite() -> Any:
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for x, y in zip(dicts(WORDS), CHUNK, strict=True):
        trainer.append(pycrfsuite.ItemSequence(x), y)
    trainer.set_params({"max_iterations": 4})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        trainer.train(str(path))
        return seqlab.convert_model(path)


def _rows(names: str, size: int) -> dict[str, list[float]]:
    """Weights for each of the attributes."""
    rng = np.random.default_rng(5)
    return {name: rng.normal(size=size).round(3).tolist() for name in names.split()}


def _crfpp_rows() -> dict[str, list[float]]:
    return _rows("U0:the U0:old U0:saw U1:the/J U1:_B-1/D U1:old/N", 3) | _rows("B B1:V B1:N", 9)


def _wapiti_rows() -> dict[str, list[float]]:
    return _rows("u:w=the u:w=old u:s=n u:s=e", 3) | _rows("*:t=J/D *:t=N/J", 12) | _rows("b", 9)


def _of_earlier_versions() -> Any:
    """As files were before they told how far its coarse model is sharpened, and how many sentences it has seen."""
    state = _linear(seqlab.Perceptron(epochs=2), order=2).state()
    for epoch in state.record["history"]["epochs"]:
        epoch["seconds"] = 0.25
    del state.settings["parts"]["model"]["settings"]["sharpness"], state.record["sentences"]
    return state


LEARNERS: Recipes = {
    f"linear-{name}": ("words", lambda learner=learner: _linear(learner))
    for name, learner in {
        "perceptron": seqlab.Perceptron(epochs=2),
        "perceptron-plain": seqlab.Perceptron(epochs=2, averaged=False, shuffle=False),
        "svm": seqlab.StructuredSVM(epochs=3),
        "svm-subgradient": seqlab.StructuredSVM(method="subgradient", epochs=3, l2=0.5, averaged=False),
        "passive-aggressive": seqlab.PassiveAggressive(epochs=2),
        "passive-aggressive-2": seqlab.PassiveAggressive(kind=2, C=0.5, epochs=2, averaged=False),
        "arow": seqlab.AROW(epochs=2, r=2.0),
        "lbfgs": QUICK,
        "lbfgs-l1": LBFGS(l1=0.1, l2=0.0, max_iterations=4, dtype="float64", start_epochs=0, memory=3),
        "sgd": seqlab.SGD(epochs=2),
        "sgd-adagrad": seqlab.SGD(epochs=2, batch=2, rate=0.5, adagrad=True, averaged=True, dtype="float64"),
        "gradient-ascent": seqlab.GradientAscent(max_iterations=4, step=0.1),
        "conjugate-gradient": seqlab.ConjugateGradient(max_iterations=4, l2=1.0),
    }.items()
}

FEATURES: Recipes = {
    "crf-preset": ("words", lambda: CRF("pos", QUICK, min_count=2).fit(WORDS[:3], CHUNK[:3])),
    "crf-preset-columns": (
        "words with tags",
        lambda: CRF("chunk", QUICK, min_count=2).fit(tagged(WORDS, POS).with_column("chunk", CHUNK), "chunk"),
    ),
    "crf-template": ("words", lambda: _crf(Template.parse(SMALL))),
    "crf-text": ("words", lambda: _crf(SMALL)),
    "crf-calls": ("words", lambda: _crf(CALLS)),
    "crf-lexicons": ("words", lambda: _crf(Template.parse(LEXICONS, lexicons={"names": LEXICON}))),
    "crf-lexicon-file": ("words", _lexicon_file),
    "crf-edges": ("words", lambda: _crf(EDGES)),
    "crf-crfpp-template": (
        "words with tags",
        lambda: _tagged(
            Template.from_crfpp("U%x[-1,0]\nU%x[0,0]/%x[0,1]\nB\nB%x[0,1]\n", columns=["word", "pos"])
        ),
    ),
    "crf-crfpp-no-bigram": (
        "words with tags",
        lambda: _tagged(Template.from_crfpp("U%x[0,0]\nU%x[0,1]\n", columns=["word", "pos"])),
    ),
    "crf-wapiti-template": (
        "words with tags",
        lambda: _tagged(
            Template.from_wapiti('*w=%X[0,0]\nu:%m[0,0,".?.?$"]/%x[-5,0]\nb\n', columns=["word"])
        ),
    ),
    "crf-function": ("words", lambda: _crf(endings, min_count=2)),
    "crf-bags": ("bags", lambda: CRF(None, QUICK).fit(bags(WORDS), CHUNK)),
    "crf-dicts": ("dicts", lambda: CRF(None, QUICK).fit(dicts(WORDS), CHUNK)),
    "crf-vectors": ("vectors", lambda: CRF(None, QUICK).fit(vectors(WORDS), CHUNK)),
    "crf-mixed": ("mixed", lambda: CRF(SMALL, QUICK).fit(mixed(WORDS), CHUNK)),
    "crf-mixed-pruned": ("mixed", lambda: CRF(SMALL, QUICK).fit(mixed(WORDS), CHUNK).prune(keep=12)),
    "crf-set-features-text": ("words", lambda: _crf(Template.parse(SMALL)).set_params(features="word[0]")),
    "crf-set-features-template": (
        "words",
        lambda: _crf(SMALL).set_params(features=Template.parse(LEXICONS, lexicons={"names": LEXICON})),
    ),
    "crf-set-features-function": ("words", lambda: _crf(endings).set_params(features=first_letters)),
}

OPTIONS: Recipes = {
    "crf-order2": ("words", lambda: _crf(SMALL, order=2, keep=0.01)),
    "crf-order2-keep-all": ("words", lambda: _crf(SMALL, order=2, keep=0)),
    "crf-order2-edges": ("words", lambda: _crf(EDGES, order=2)),
    "crf-order2-int8": ("words", lambda: _crf(EDGES, order=2).prune(storage="int8")),
    "linear-order2": ("words", lambda: _linear(seqlab.Perceptron(epochs=2), order=2)),
    "linear-order2-earlier": ("words", _of_earlier_versions),
    "crf-scheme-name": ("words", lambda: _crf(SMALL, constraints="IOB2")),
    "crf-scheme": (
        "words",
        lambda: CRF(SMALL, QUICK, constraints=seqlab.tags.Scheme.of("IOB2", delimiter="/")).fit(
            WORDS, [[label.replace("-", "/") for label in one] for one in CHUNK]
        ),
    ),
    "crf-constraints": ("words", lambda: _crf(SMALL, constraints=Constraints(RULES, ("I-NP",), {"I-NP"}))),
    "crf-moves-list": ("words", lambda: _crf(SMALL, constraints=RULES)),
    "crf-moves-set": ("words", lambda: _crf(SMALL, constraints=set(RULES))),
    "crf-moves-iterator": ("words", lambda: _crf(SMALL, constraints=iter(RULES))),
    "crf-allowed": (
        "words",
        lambda: _crf(
            SMALL,
            allowed={
                "the": ["B-NP"],
                "Rio": ("B-NP", "I-NP"),
                "🙂": {"O", "B-VP"},
                "Nile": frozenset({"I-NP", "O"}),
            },
        ),
    ),
    "crf-allowed-iterators": (
        "words",
        lambda: _crf(SMALL, allowed={"the": iter(["B-NP"]), "🙂": iter(["O"])}),
    ),
    "crf-min-count": ("words", lambda: _crf(SMALL, min_count=2, seed=3, threads=1)),
    "crf-class-weight": ("words", lambda: _crf(SMALL, class_weight={"O": 2.0, "B-NP": 1})),
    "crf-balanced": ("words", lambda: _crf(SMALL, class_weight="balanced")),
    "crf-all-states": ("words", lambda: _crf("word[0]", states="all", transitions="all")),
    "crf-partial-fit": ("words", lambda: _crf(SMALL).partial_fit(MORE[0], MORE[2], classes=["B-PP"])),
    "crf-dev": (
        "words",
        lambda: CRF(SMALL, QUICK).fit(WORDS, CHUNK, dev=(MORE[0], MORE[2]), patience=2, metric="accuracy"),
    ),
    "crf-weights": ("words", lambda: CRF(SMALL, QUICK).fit(WORDS, CHUNK, sample_weight=[1, 2, 1, 0.5, 1])),
    "crf-partial-labels": (
        "words",
        lambda: CRF(SMALL, QUICK).fit(WORDS, [[None, {"I-NP", "O"}, "I-NP", "B-VP"], *CHUNK[1:]]),
    ),
    "crf-corpus": (
        "words with tags",
        lambda: CRF("word[0]\npos[0]", QUICK).fit(tagged(WORDS, POS).with_column("y", CHUNK), "y"),
    ),
    "crf-learner-set": ("words", lambda: _crf(SMALL).set_params(learner__l2=2, seed=np.int64(4))),
    "memm": ("words", lambda: MEMM(EDGES, QUICK).fit(WORDS, CHUNK)),
    "memm-options": (
        "words",
        lambda: (
            MEMM(
                SMALL, seqlab.GradientAscent(max_iterations=3), constraints="IOB2", allowed={"the": ["B-NP"]}
            )
            .fit(WORDS, CHUNK)
            .prune(storage="float32")
        ),
    ),
    "memm-bags": ("bags", lambda: MEMM(None, QUICK, states="all").fit(bags(WORDS), CHUNK)),
}

PRUNED: Recipes = {
    f"crf-{storage}": (
        "words",
        lambda storage=storage: _crf(EDGES).prune(threshold=0.05, storage=storage, dev=(MORE[0], MORE[2])),
    )
    for storage in ("float64", "float32", "float16", "int8")
} | {
    "linear-int8": ("words", lambda: _linear(seqlab.Perceptron(epochs=2)).prune(keep=0.5, storage="int8")),
    "crf-bags-float16": (
        "bags",
        lambda: CRF(None, QUICK).fit(bags(WORDS), CHUNK).prune(keep=20, storage="float16"),
    ),
}

CONVERTED: Recipes = {
    "converted-crfsuite": ("dicts", _of_crfsuite),
    "converted-crfpp": ("words with tags", lambda: _converted("model.txt", crfpp(_crfpp_rows(), cost=1.5))),
    "converted-crfpp-binary": (
        "words with tags",
        lambda: _converted("model", crfpp_binary(_crfpp_rows()), columns=("form", "xpos")),
    ),
    "converted-crfpp-perceptron": (
        "words with tags",
        lambda: _converted("model.txt", crfpp(_crfpp_rows()), learner=seqlab.Perceptron()),
    ),
    "converted-wapiti": ("words with tags", lambda: _converted("model", wapiti(_wapiti_rows()))),
    "converted-wapiti-memm": (
        "words with tags",
        lambda: _converted(
            "model",
            wapiti(
                {**_rows("u:w=the u:w=old u:w=saw", 3), **_rows("b", 9)},
                kind="1#",
                patterns=("u:w=%x[0,0]", "b"),
            ),
        ),
    ),
    "converted-wapiti-bags": (
        "bags",
        lambda: _converted("model", wapiti(_rows("uw=the ubias uend=e", 3), patterns=())),
    ),
}

RECIPES: Recipes = {**LEARNERS, **FEATURES, **OPTIONS, **PRUNED, **CONVERTED}
