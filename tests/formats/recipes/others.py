"""Counting, classifiers of scikit-learn, re-rankers, Markov chains and mixtures."""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np

import seqlab
from formats.recipes.data import (
    CHUNK,
    POINTS,
    POS,
    ROWS,
    TABLE,
    WORDS,
    bags,
    endings,
    neighbours,
    tagged,
)
from formats.recipes.linear import EDGES, QUICK, RULES, SMALL, Recipes
from seqlab import (
    CRF,
    HMM,
    MEMM,
    Constraints,
    LinearTagger,
    LocalTagger,
    MarkovChain,
    MostFrequentTag,
    Reranker,
)
from seqlab.families.rerank.features import GlobalFeatures
from seqlab.families.rerank.learners import ListPerceptron, LogLinear
from seqlab.learning.smoothing import MLE, AddLambda, KneserNey, WittenBell

TWO = [["O" if label == "O" else "X" for label in one] for one in CHUNK]


def _frequent(*args: Any, **options: Any) -> Any:
    return MostFrequentTag(*args, **options).fit(WORDS, CHUNK)


FREQUENT: Recipes = {
    "frequent": ("words", _frequent),
    "frequent-rare": ("words", lambda: _frequent("rare", smoothing=0)),
    "frequent-scheme": ("words", lambda: _frequent(constraints="IOB2", smoothing=np.float64(0.5))),
    "frequent-constraints": ("words", lambda: _frequent(constraints=Constraints(RULES, ("I-NP",)))),
    "frequent-moves": ("words", lambda: _frequent(constraints=RULES)),
    "frequent-allowed": ("words", lambda: _frequent(allowed={"the": ("B-NP",), "🙂": {"O", "B-VP"}})),
    "frequent-weights": ("words", lambda: _frequent(class_weight={"O": 2, "B-NP": 0.5})),
    "frequent-balanced": ("words", lambda: _frequent(class_weight="balanced")),
    "frequent-column": (
        "words with tags",
        lambda: MostFrequentTag(column="pos").fit(tagged(WORDS, POS).with_column("y", CHUNK), "y"),
    ),
    "frequent-partial-fit": ("words", lambda: _frequent().partial_fit([["Oslo"]], [[{"B-NP", "B-LOC"}]])),
}


# ------------------------------------------------------------------------------------------------ local taggers


def _classifiers() -> dict[str, Any]:
    from sklearn import linear_model as linear
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.naive_bayes import ComplementNB, MultinomialNB
    from sklearn.svm import LinearSVC

    huber = linear.SGDClassifier(loss="modified_huber", alpha=1, random_state=0)
    logistic = linear.SGDClassifier(loss="log_loss", random_state=0)
    chosen = linear.LogisticRegressionCV(
        Cs=2, cv=2, l1_ratios=(0,), use_legacy_attributes=False, scoring="accuracy"
    )
    return {
        "svc": LinearSVC(random_state=0),
        "svc-no-intercept": LinearSVC(random_state=0, fit_intercept=False),
        "logistic": linear.LogisticRegression(),
        "logistic-cv": chosen,
        "ridge": linear.RidgeClassifier(),
        "ridge-cv": linear.RidgeClassifierCV(),
        "sgd": linear.SGDClassifier(random_state=0),
        "sgd-log": logistic,
        "sgd-huber": huber,
        "perceptron": linear.Perceptron(random_state=0),
        "passive-aggressive": linear.PassiveAggressiveClassifier(random_state=0),
        "multinomial": MultinomialNB(),
        "complement": ComplementNB(),
        "rest-svc": OneVsRestClassifier(LinearSVC(random_state=0)),
        "rest-logistic": OneVsRestClassifier(linear.LogisticRegression()),
        "rest-huber": OneVsRestClassifier(huber),
        "rest-multinomial": OneVsRestClassifier(MultinomialNB()),
        "rest-complement": OneVsRestClassifier(ComplementNB()),
    }


def _local(name: str, features: Any = SMALL, labels: Any = CHUNK, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn will rename some
        return LocalTagger(_classifiers()[name], features, **options).fit(WORDS * 2, labels * 2)


CLASSIFIERS = [
    *(
        "svc",
        "svc-no-intercept",
        "logistic",
        "logistic-cv",
        "ridge",
        "ridge-cv",
        "sgd",
        "sgd-log",
        "sgd-huber",
    ),
    *("perceptron", "passive-aggressive", "multinomial", "complement"),
    *("rest-svc", "rest-logistic", "rest-huber", "rest-multinomial", "rest-complement"),
]
LOCAL: Recipes = {f"local-{name}": ("words", lambda name=name: _local(name)) for name in CLASSIFIERS}
LOCAL |= {
    f"local-two-{name}": ("words", lambda name=name: _local(name, labels=TWO))
    for name in ("svc", "logistic", "multinomial", "rest-huber", "rest-multinomial")
}
LOCAL |= {
    "local-previous": ("words", lambda: _local("logistic", EDGES, previous=True, constraints="IOB2")),
    "local-decision": ("words", lambda: _local("logistic", scores="decision", decode="beam", beam=3)),
    "local-probability": ("words", lambda: _local("multinomial", scores="probability", decode="greedy")),
    "local-allowed": (
        "words",
        lambda: _local("svc", allowed={"the": ["B-NP"], "🙂": {"O"}, "Rio": ("B-NP", "I-NP")}, min_count=2),
    ),
    "local-rules": (
        "words",
        lambda: _local("logistic", constraints=Constraints(RULES, ("I-NP",)), class_weight={"O": 2.0}),
    ),
    "local-balanced": ("words", lambda: _local("logistic", constraints=RULES, class_weight="balanced")),
    "local-function": ("words", lambda: _local("logistic", endings)),
    "local-template": ("words", lambda: _local("svc", seqlab.Template.parse(SMALL))),
    "local-preset": ("words", lambda: _local("svc", "pos", min_count=3)),
    "local-set-features": (
        "words",
        lambda: _local("svc").set_params(features=seqlab.Template.parse("word[0]")),
    ),
    "local-bags": (
        "bags",
        lambda: LocalTagger(_classifiers()["ridge"], None).fit(bags(WORDS), CHUNK),
    ),
}


# ------------------------------------------------------------------------------------------------ re-rankers


def _reranker(generator: Any, **options: Any) -> Any:
    return Reranker(generator, **{"folds": 2, "n": 4, "min_count": 2, **options}).fit(WORDS, CHUNK)


RERANKERS: Recipes = {
    "reranker-crf": ("words", lambda: _reranker(CRF(SMALL, QUICK, constraints="IOB2"))),
    "reranker-frequent": ("words", lambda: _reranker(MostFrequentTag())),
    "reranker-hmm": ("words", lambda: _reranker(HMM())),
    "reranker-memm": ("words", lambda: _reranker(MEMM(SMALL, QUICK))),
    "reranker-linear": ("words", lambda: _reranker(LinearTagger(SMALL, seqlab.Perceptron(epochs=2)))),
    "reranker-local": ("words", lambda: _reranker(_local("logistic"), folds=None)),
    "reranker-reranker": ("words", lambda: _reranker(_reranker(MostFrequentTag()))),
    "reranker-function": (
        "words",
        lambda: _reranker(MostFrequentTag(), features=neighbours, learner=ListPerceptron(epochs=3, seed=2)),
    ),
    "reranker-both-functions": ("words", lambda: _reranker(CRF(endings, QUICK), features=neighbours)),
    "reranker-scheme-name": (
        "words",
        lambda: _reranker(
            MostFrequentTag(), features=GlobalFeatures("IOB2"), learner=LogLinear(l2=0.5, max_iterations=None)
        ),
    ),
    "reranker-scheme": (
        "words",
        lambda: _reranker(
            _frequent(), features=GlobalFeatures(seqlab.tags.Scheme.of("IOB2", outside="O")), folds=None
        ),
    ),
    "reranker-corpus": (
        "words with tags",
        lambda: Reranker(MostFrequentTag(), folds=2, n=3, min_count=2).fit(
            tagged(WORDS, POS).with_column("y", CHUNK), "y"
        ),
    ),
    "reranker-set-features": ("words", lambda: _reranker(MostFrequentTag()).set_params(features=neighbours)),
}


# ------------------------------------------------------------------------------------------------ chains, mixtures


def _chain(*args: Any, **options: Any) -> Any:
    return MarkovChain(*args, **options).fit(WORDS * 2)


def _arpa() -> Any:
    file = io.StringIO()
    _chain(2, "witten-bell").save_arpa(file)
    return MarkovChain.from_arpa(io.StringIO(file.getvalue()))


CHAINS: Recipes = {
    f"chain-{order}-{name}": ("symbols", lambda order=order, smoothing=smoothing: _chain(order, smoothing))
    for order, name, smoothing in [
        (1, "mle", "mle"),
        (2, "mle-object", MLE()),
        (1, "add-lambda", "add-lambda"),
        (1, "add-number", 0.5),
        (2, "add-whole-number", 2),
        (2, "add-object", AddLambda(0.25)),
        (1, "witten-bell", "witten-bell"),
        (3, "witten-bell-object", WittenBell()),
        (1, "kneser-ney", "kneser-ney"),
        (3, "kneser-ney-object", KneserNey()),
        (2, "kneser-ney-one", KneserNey(0.75)),
        (2, "kneser-ney-three", KneserNey((0.5, 0.6, 0.75))),
        (5, "kneser-ney", "kneser-ney"),
    ]
} | {
    "chain-vocabulary": ("symbols", lambda: _chain(2, 0.5, vocabulary=["the", "old", "man", "Nile"])),
    "chain-vocabulary-set": ("symbols", lambda: _chain(1, 0.5, vocabulary={"the", "old", "man"})),
    "chain-closed": (
        "closed symbols",
        lambda: _chain(1, 0.5, unknown=None, vocabulary=sorted({w for one in WORDS for w in one})),
    ),
    "chain-no-unknown": ("closed symbols", lambda: _chain(2, "witten-bell", unknown=None)),
    "chain-unknown": ("symbols", lambda: _chain(1, "witten-bell", unknown="UNK", min_count=3)),
    "chain-no-end": ("symbols", lambda: _chain(2, 0.5, end=False)),
    "chain-column": ("symbols", lambda: MarkovChain(1, 0.5).fit(tagged(WORDS, POS), "pos")),
    "chain-partial-fit": ("symbols", lambda: _chain(1, 0.5).partial_fit([["Oslo", "runs"]])),
    "chain-set-order": ("symbols", lambda: _chain(2, 0.5).set_params(order=1, smoothing="kneser-ney")),
    "chain-arpa": ("symbols", _arpa),
}


MIXTURES: Recipes = {
    "multinomial-bags": ("rows", lambda: seqlab.MultinomialMixture(2, restarts=2, seed=3).fit(ROWS)),
    "multinomial-table": ("table", lambda: seqlab.MultinomialMixture(2, smoothing=0, epochs=5).fit(TABLE)),
    "multinomial-init": (
        "table",
        lambda: seqlab.MultinomialMixture(2, init=[[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]]).fit(TABLE),
    ),
    "gaussian-means": ("points", lambda: seqlab.GaussianMeans(2, variance=0.5, tolerance=1e-3).fit(POINTS)),
    "gaussian-means-init": (
        "points",
        lambda: seqlab.GaussianMeans(2, init=np.array([[0.0, 0.0], [5.0, 5.0]])).fit(POINTS),
    ),
}

RECIPES: Recipes = {**FREQUENT, **LOCAL, **RERANKERS, **CHAINS, **MIXTURES}
