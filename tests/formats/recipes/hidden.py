"""Hidden Markov models: tables by EM for every kind of emission, and counted words."""

from __future__ import annotations

from typing import Any

import numpy as np

from formats.recipes.data import (
    CHUNK,
    KNOWN,
    MORE,
    POS,
    WORDS,
    bags,
    codes,
    counts,
    dicts,
    streams,
    tagged,
    vectors,
)
from formats.recipes.linear import RULES, Recipes
from seqlab import (
    HMM,
    BaumWelch,
    Categorical,
    Constraints,
    Counting,
    Dirichlet,
    FeatureBag,
    Gaussian,
    GaussianMixture,
    HardEM,
    Poisson,
    Streams,
    SuffixModel,
)
from seqlab.learning.smoothing import MLE, AddLambda, Interpolated, KneserNey, WittenBell

SHORT = BaumWelch(max_iterations=3)
A = [[0.7, 0.3], [0.4, 0.6]]
B = [[0.5, 0.25, 0.25], [0.125, 0.5, 0.375]]


def _words(**options: Any) -> Any:
    return HMM(2, **{"learner": SHORT, **options}).fit(WORDS + KNOWN)


def _vectors(emissions: Any, **options: Any) -> Any:
    return HMM(2, emissions, **{"learner": SHORT, **options}).fit(vectors(WORDS))


def _labelled(**options: Any) -> Any:
    return HMM(**options).fit(WORDS, POS)


UNLABELLED: Recipes = {
    "hmm-words": ("unlabelled words", _words),
    "hmm-words-end": ("unlabelled words", lambda: _words(end=True, seed=4, threads=1)),
    "hmm-words-states": ("unlabelled words", lambda: _words(states=["rest", "noun"])),
    "hmm-words-constraints": (
        "unlabelled words",
        lambda: _words(states=("b", "a"), constraints=[("a", "a")], unknown="missing"),
    ),
    "hmm-words-rules": (
        "unlabelled words",
        lambda: _words(states=("a", "b"), constraints=Constraints([("a", "a")], ("b",)), end=True),
    ),
    "hmm-words-allowed": (
        "unlabelled words",
        lambda: _words(states=["a", "b"], allowed={"the": ("a",), "runs": {"b"}, "old": ["a", "b"]}),
    ),
    "hmm-words-missing": ("unlabelled new words", lambda: _words(unknown="missing", column="word")),
    "hmm-words-error": ("unlabelled words", lambda: _words(unknown="error", init="random")),
    "hmm-words-mle": ("unlabelled words", lambda: _words(smoothing="mle")),
    "hmm-words-number": ("unlabelled words", lambda: _words(smoothing=0.5)),
    "hmm-words-add": ("unlabelled words", lambda: _words(smoothing=AddLambda(0.25))),
    "hmm-words-dirichlet": (
        "unlabelled words",
        lambda: _words(
            smoothing=Dirichlet(
                start=[0.5, 1.0], transitions=np.array([[1.0, 0.5], [0.25, 1]]), emissions=0.1
            )
        ),
    ),
    "hmm-words-symbols": (
        "unlabelled words",
        lambda: _words(emissions=Categorical(_all())),
    ),
    "hmm-words-hard": ("unlabelled words", lambda: _words(learner=HardEM(max_iterations=2), smoothing=0.5)),
    "hmm-words-learner": (
        "unlabelled words",
        lambda: _words(
            states=["a", "b"],
            learner=BaumWelch(
                max_iterations=2, restarts=2, frozen=("start",), tied=[("a", "b")], forgetting=0.8
            ),
        ),
    ),
    "hmm-words-batches": ("unlabelled words", lambda: HMM(2, learner=SHORT).fit_batches([WORDS, KNOWN])),
    "hmm-words-dev": (
        "unlabelled words",
        lambda: HMM(2, learner=SHORT, smoothing=0.1).fit(WORDS + KNOWN, dev=KNOWN, patience=1),
    ),
    "hmm-codes": ("codes", lambda: HMM(2, learner=SHORT).fit(codes(WORDS))),
    "hmm-codes-symbols": (
        "codes",
        lambda: HMM(2, Categorical(6), smoothing=0.1, learner=SHORT).fit(codes(WORDS)),
    ),
    "hmm-bags": ("unlabelled bags", lambda: HMM(2, FeatureBag(), learner=SHORT).fit(bags(WORDS))),
    "hmm-bags-symbols": (
        "unlabelled bags",
        lambda: HMM(2, FeatureBag(["bias", "end=e", "end=n"]), smoothing=0.1, learner=SHORT).fit(bags(WORDS)),
    ),
    "hmm-bags-values": ("unlabelled dicts", lambda: HMM(2, FeatureBag(), learner=SHORT).fit(dicts(WORDS))),
    "hmm-poisson": ("counts", lambda: HMM(2, Poisson(), learner=SHORT).fit(counts(WORDS))),
    "hmm-poisson-prior": (
        "counts alone",
        lambda: HMM(2, Poisson([1.0, 2.0], 1), learner=SHORT).fit(counts(WORDS)),
    ),
    "hmm-streams": (
        "streams",
        lambda: HMM(2, Streams(word=Categorical(), size=Gaussian("full")), learner=SHORT, end=True).fit(
            streams(WORDS + KNOWN)
        ),
    ),
    "hmm-streams-prior": (
        "streams",
        lambda: HMM(
            2,
            Streams(word=Categorical(), size=GaussianMixture(components=2)),
            smoothing=Dirichlet(0.1, 0.1, emissions={"word": 0.5}),
            learner=SHORT,
        ).fit(streams(WORDS + KNOWN)),
    ),
}


def _all() -> list[str]:
    """Words that training has, and one more."""
    return [*sorted({word for sentence in WORDS + KNOWN for word in sentence}), "Oslo"]


VECTORS: Recipes = (
    {
        f"hmm-gaussian-{kind}": ("unlabelled vectors", lambda kind=kind: _vectors(Gaussian(kind)))
        for kind in ("full", "diag", "tied", "spherical")
    }
    | {
        f"hmm-mixture-{kind}": ("unlabelled vectors", lambda kind=kind: _vectors(GaussianMixture(kind)))
        for kind in ("full", "diag", "tied", "spherical")
    }
    | {
        "hmm-gaussian-priors": (
            "vectors alone",
            lambda: _vectors(Gaussian("full", [4.0, 1.0], 1.0, np.eye(2) * 0.5, 2.0, min_covariance=0.01)),
        ),
        "hmm-gaussian-random": ("unlabelled vectors", lambda: _vectors(Gaussian(), init="random")),
        "hmm-gaussian-kmeans": (
            "unlabelled vectors",
            lambda: _vectors(Gaussian(), init="kmeans", smoothing=0.5),
        ),
        "hmm-gaussian-labelled": (
            "vectors",
            lambda: HMM(emissions=Gaussian("tied")).fit(vectors(WORDS), CHUNK),
        ),
        "hmm-mixture-options": (
            "vectors alone",
            lambda: _vectors(
                GaussianMixture("diag", 4.0, 0.5, components=3, weight_prior=0.5, centre="before")
            ),
        ),
    }
)

GIVEN: Recipes = {
    "hmm-tables": ("codes", lambda: HMM.from_tables([0.5, 0.5], A, [[0.25] * 4, [0.125, 0.125, 0.25, 0.5]])),
    "hmm-tables-words": (
        "unlabelled words",
        lambda: HMM.from_tables(
            [0.25, 0.75],
            [[0.5, 0.25], [0.5, 0.25]],
            B,
            states=["a", "b"],
            symbols=["the", "old", "Rio"],
            end=[0.25, 0.25],
            unknown="missing",
            allowed={"Rio": ["b"]},
        ),
    ),
    "hmm-tables-gaussian": (
        "unlabelled vectors",
        lambda: HMM.from_tables(
            [0.5, 0.5],
            A,
            {"means": [[1.0, 2.0], [4.0, 0.0]], "covariances": [[1.0, 1.0], [2.0, 0.5]]},
            emissions=Gaussian(),
        ),
    ),
    "hmm-init-tables": (
        "codes",
        lambda: HMM(
            2,
            learner=SHORT,
            init={
                "start": [0.5, 0.5],
                "transitions": A,
                "emissions": [[0.25] * 4, [0.125, 0.125, 0.25, 0.5]],
            },
        ).fit(codes(WORDS)),
    ),
    "hmm-init-dictionary": (
        "unlabelled words",
        lambda: _words(states=["a", "b"], init={"the": ["a"], "runs": ["b"]}),
    ),
    "hmm-init-labelled": (
        "unlabelled words",
        lambda: HMM(init=(WORDS, POS), learner=SHORT).fit(WORDS + KNOWN),
    ),
    "hmm-init-hmm": ("unlabelled words", lambda: HMM(init=_words(), learner=SHORT).fit(WORDS + KNOWN)),
}

LABELLED: Recipes = {
    "hmm-supervised-tables": ("words for tags", lambda: _labelled(order=1, smoothing=0.5)),
    "hmm-supervised-states": (
        "words for tags",
        lambda: _labelled(states=["V", "N", "J", "D", "."], smoothing=0.1),
    ),
    "hmm-supervised-mle": ("trained words", lambda: _labelled(order=1, smoothing="mle", end=True)),
    "hmm-semi-supervised": (
        "words for tags",
        lambda: HMM(learner=BaumWelch(max_iterations=2, unlabelled_weight=0.5), smoothing=0.1).fit(
            WORDS + KNOWN, [*POS[:4], ["N", {"N", "."}], None, None, ["N", "V", "D", None]]
        ),
    ),
    "counted": ("words for tags", _labelled),
    "counted-1": ("words for tags", lambda: _labelled(order=1)),
    "counted-2": ("words for tags", lambda: _labelled(order=2)),
    "counted-3": ("words for tags", lambda: _labelled(order=3, end=True)),
    "counted-mle": ("trained words", lambda: _labelled(order=2, smoothing="mle")),
    "counted-mle-object": ("trained words", lambda: _labelled(order=1, smoothing=MLE(), unknown="none")),
    "counted-add": ("words for tags", lambda: _labelled(order=2, smoothing=AddLambda(0.5))),
    "counted-number": ("words for tags", lambda: _labelled(order=3, smoothing=0.25)),
    "counted-witten-bell": ("words for tags", lambda: _labelled(order=2, smoothing="witten-bell")),
    "counted-witten-bell-object": ("words for tags", lambda: _labelled(order=1, smoothing=WittenBell())),
    "counted-kneser-ney": ("words for tags", lambda: _labelled(order=2, smoothing="kneser-ney")),
    "counted-kneser-ney-one": ("words for tags", lambda: _labelled(order=2, smoothing=KneserNey(0.75))),
    "counted-kneser-ney-three": (
        "words for tags",
        lambda: _labelled(order=3, smoothing=KneserNey((0.5, 0.6, 0.7))),
    ),
    "counted-interpolated": ("words for tags", lambda: _labelled(order=2, smoothing="interpolated")),
    "counted-interpolated-object": ("words for tags", lambda: _labelled(order=1, smoothing=Interpolated())),
    "counted-unknown-suffix": ("words for tags", lambda: _labelled(unknown="suffix", order=1)),
    "counted-unknown-none": ("words for tags", lambda: _labelled(unknown="none", order=2)),
    "counted-unknown-missing": ("words for tags", lambda: _labelled(unknown="missing", order=2)),
    "counted-suffix-model": (
        "words for tags",
        lambda: _labelled(
            unknown=SuffixModel(longest=3, rare=2, strength=None, known=0.1, folded=None, least=0.01)
        ),
    ),
    "counted-learner": (
        "words for tags",
        lambda: _labelled(
            learner=Counting("witten-bell", SuffixModel(longest=4, strength=2, folded=1)), order=1
        ),
    ),
    "counted-learner-none": ("words for tags", lambda: _labelled(learner=Counting(0.5, "none"))),
    "counted-constraints": ("words", lambda: HMM(constraints="IOB2").fit(WORDS, CHUNK)),
    "counted-moves": ("words", lambda: HMM(constraints=RULES, order=2).fit(WORDS, CHUNK)),
    "counted-allowed": (
        "words",
        lambda: HMM(allowed={"the": ["B-NP"], "🙂": ("O", "B-VP")}).fit(WORDS, CHUNK),
    ),
    "counted-weights": (
        "words for tags",
        lambda: HMM().fit(WORDS, POS, sample_weight=np.array([1, 2, 1, 0.5, 1])),
    ),
    "counted-partial-fit": ("words for tags", lambda: _labelled(order=2).partial_fit(*MORE[:2])),
    "counted-corpus": (
        "words",
        lambda: HMM(column="word").fit(tagged(WORDS, POS), "pos"),
    ),
}

RECIPES: Recipes = {**UNLABELLED, **VECTORS, **GIVEN, **LABELLED}
