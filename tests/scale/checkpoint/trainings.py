"""Trainings of every kind of learner, small, and the bits of their models."""

import dataclasses
import json
from functools import cache

import numpy as np

import seqlab
from seqlab import (
    AROW,
    CRF,
    HMM,
    LBFGS,
    MEMM,
    SGD,
    BaumWelch,
    ConjugateGradient,
    FeatureBag,
    Gaussian,
    GaussianMeans,
    GaussianMixture,
    GradientAscent,
    HardEM,
    LinearTagger,
    MultinomialMixture,
    PassiveAggressive,
    Perceptron,
    Poisson,
    StructuredSVM,
    store,
)


@cache
def sentences(n=60):
    return seqlab.demo_corpus("train")[:n]


def words():
    return sentences().column("word")


def half_labelled():
    """Every third token without a label, every fifth with a choice of two."""
    return [
        [None if t % 3 == 0 else {y, "X"} if t % 5 == 0 else y for t, y in enumerate(s)]
        for s in sentences().column("pos")
    ]


def vectors(seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(12, 2)) + rng.integers(0, 3, size=(12, 1)) for _ in range(12)]


def linear(kind, learner, **options):
    return lambda: kind("chunk", learner, **options)


def of_corpus(**options):
    return (sentences(), "chunk"), options


def with_dev():
    return of_corpus(dev=seqlab.demo_corpus("test")[:25], patience=3)


LINEAR = {
    "l2": (linear(CRF, LBFGS(max_iterations=40)), of_corpus),
    "float64": (linear(CRF, LBFGS(max_iterations=12, dtype="float64")), of_corpus),
    "plain l2": (linear(CRF, LBFGS(max_iterations=12, start_epochs=0, precondition=False)), of_corpus),
    "backtracking": (linear(CRF, LBFGS(max_iterations=12, line_search="backtracking")), of_corpus),
    "l1": (linear(CRF, LBFGS(l1=0.5, max_iterations=25)), of_corpus),
    "plain l1": (
        linear(CRF, LBFGS(l1=0.5, max_iterations=12, start_epochs=0, precondition=False)),
        of_corpus,
    ),
    "conjugate gradients": (linear(CRF, ConjugateGradient(max_iterations=12)), of_corpus),
    "gradient": (linear(CRF, GradientAscent(max_iterations=12)), of_corpus),
    "fixed steps": (linear(CRF, GradientAscent(max_iterations=12, step=0.01)), of_corpus),
    "memm": (linear(MEMM, LBFGS(max_iterations=20)), of_corpus),
    "memm l1": (linear(MEMM, LBFGS(l1=0.5, max_iterations=12)), of_corpus),
    "order 2": (linear(CRF, LBFGS(max_iterations=10), order=2), of_corpus),
    "half labelled": (lambda: CRF("pos", LBFGS(max_iterations=10)), lambda: ((words(), half_labelled()), {})),
    "best on dev": (linear(CRF, LBFGS(max_iterations=40)), with_dev),
    "sgd": (linear(CRF, SGD(epochs=5)), of_corpus),
    "sgd batches": (linear(CRF, SGD(epochs=5, averaged=True, batch=4, schedule="sqrt")), of_corpus),
    "adagrad": (linear(CRF, SGD(epochs=5, adagrad=True, dtype="float64")), of_corpus),
    "perceptron": (linear(LinearTagger, Perceptron(epochs=5)), of_corpus),
    "plain perceptron": (
        linear(LinearTagger, Perceptron(epochs=5, averaged=False, shuffle=False)),
        of_corpus,
    ),
    "perceptron dev": (linear(LinearTagger, Perceptron(epochs=8)), with_dev),
    "passive-aggressive": (linear(LinearTagger, PassiveAggressive(epochs=5)), of_corpus),
    "arow": (linear(LinearTagger, AROW(epochs=5)), of_corpus),
    "frank-wolfe": (linear(LinearTagger, StructuredSVM(epochs=8, check_every=3)), of_corpus),
    "frank-wolfe, half labelled": (
        lambda: LinearTagger("pos", StructuredSVM(epochs=8, check_every=2)),
        lambda: ((words(), half_labelled()), {}),
    ),
    "subgradient": (linear(LinearTagger, StructuredSVM(method="subgradient", epochs=6)), of_corpus),
    "perceptron of order 2": (linear(LinearTagger, PassiveAggressive(epochs=4), order=2), of_corpus),
}


def hidden(*args, **options):
    return lambda: HMM(*args, **options)


def unlabelled():
    return (words(),), {}


def of_vectors():
    return (vectors(),), {}


def of_counts():
    return ([np.floor(np.abs(one[:, :1]) * 3) for one in vectors()],), {}


def of_bags():
    return ([[{word: 1.0, word[-1:]: 2.0} for word in s] for s in words()],), {}


def of_bag_rows():
    return ([dict.fromkeys(s, 1.0) for s in words()],), {}


EM = BaumWelch(max_iterations=8)
HIDDEN = {
    "restarts": (hidden(4, learner=BaumWelch(max_iterations=8, restarts=3), threads=2), unlabelled),
    "em dev": (hidden(4, learner=EM), lambda: ((words(),), {"dev": words()[:20], "patience": 3})),
    "hard em": (hidden(4, learner=HardEM(max_iterations=8, restarts=2), end=True), unlabelled),
    "em of order 2": (hidden(3, order=2, learner=EM), unlabelled),
    "counted em": (HMM, lambda: ((words(), half_labelled()), {})),
    "labelled em": (hidden(learner=EM, smoothing=0.1), lambda: ((words(), half_labelled()), {})),
    "gaussian": (hidden(2, Gaussian("full"), learner=BaumWelch(max_iterations=8, restarts=2)), of_vectors),
    "gaussian mixture": (hidden(2, GaussianMixture(components=2), learner=EM), of_vectors),
    "poisson": (hidden(2, Poisson(), learner=EM), of_counts),
    "bags": (hidden(2, FeatureBag(), learner=EM), of_bags),
    "multinomial mixture": (lambda: MultinomialMixture(3, restarts=2, epochs=10), of_bag_rows),
    "gaussian means": (
        lambda: GaussianMeans(3, restarts=2, epochs=10),
        lambda: ((np.vstack(vectors()),), {}),
    ),
}


TRAININGS = LINEAR | HIDDEN


def fitted(name, **options):
    """Train the one of this name."""
    make, data = TRAININGS[name]
    arguments, more = data()
    return make().fit(*arguments, **more, **options)


def bits(model):
    """Everything in the file of a model but the seconds of its history."""
    state = model.state()
    record = json.loads(json.dumps(state.record), object_hook=_timeless)
    return store.as_bytes(dataclasses.replace(state, record=record))


def _timeless(found):
    return {key: value for key, value in found.items() if key != "seconds"}
