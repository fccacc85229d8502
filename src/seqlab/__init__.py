"""seqlab: statistical sequence labelling on one trellis.

Names are loaded when first used, so that `import seqlab` stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqlab.lazy import lent

if TYPE_CHECKING:
    from seqlab import corpus, draw, encode, errors, evaluation, features, inference, tags, tuning
    from seqlab.corpus import Corpus, Sentence, demo_corpus, read, stream, write
    from seqlab.evaluation import Report, check, evaluate, significance
    from seqlab.features import Template, presets
    from seqlab.foreign import convert_model
    from seqlab.learning import (
        AROW,
        LBFGS,
        SGD,
        BaumWelch,
        ConjugateGradient,
        Counting,
        GradientAscent,
        HardEM,
        PassiveAggressive,
        Perceptron,
        StructuredSVM,
    )
    from seqlab.models.emissions import Categorical, FeatureBag, Gaussian, GaussianMixture, Poisson, Streams
    from seqlab.models.hmm import Dirichlet
    from seqlab.models.suffixes import SuffixModel
    from seqlab.taggers import (
        CRF,
        HMM,
        MEMM,
        GaussianMeans,
        LinearTagger,
        LocalTagger,
        MarkovChain,
        MostFrequentTag,
        MultinomialMixture,
        Reranker,
    )
    from seqlab.taggers.storing import load
    from seqlab.trellis import Constraints, Trellis, TrellisBatch
    from seqlab.tuning import compare, tune

__version__ = "0.1.0.dev0"

__all__ = [
    "AROW",
    "CRF",
    "HMM",
    "LBFGS",
    "MEMM",
    "SGD",
    "BaumWelch",
    "Categorical",
    "ConjugateGradient",
    "Constraints",
    "Corpus",
    "Counting",
    "Dirichlet",
    "FeatureBag",
    "Gaussian",
    "GaussianMeans",
    "GaussianMixture",
    "GradientAscent",
    "HardEM",
    "LinearTagger",
    "LocalTagger",
    "MarkovChain",
    "MostFrequentTag",
    "MultinomialMixture",
    "PassiveAggressive",
    "Perceptron",
    "Poisson",
    "Report",
    "Reranker",
    "Sentence",
    "Streams",
    "StructuredSVM",
    "SuffixModel",
    "Template",
    "Trellis",
    "TrellisBatch",
    "check",
    "compare",
    "convert_model",
    "corpus",
    "demo_corpus",
    "draw",
    "encode",
    "errors",
    "evaluate",
    "evaluation",
    "features",
    "inference",
    "load",
    "presets",
    "read",
    "significance",
    "stream",
    "tags",
    "tune",
    "tuning",
    "write",
]

_HOME = {
    "AROW": "seqlab.learning",
    "BaumWelch": "seqlab.learning",
    "CRF": "seqlab.taggers",
    "Categorical": "seqlab.models.emissions",
    "ConjugateGradient": "seqlab.learning",
    "Constraints": "seqlab.trellis",
    "Corpus": "seqlab.corpus",
    "Dirichlet": "seqlab.models.hmm",
    "FeatureBag": "seqlab.models.emissions",
    "Gaussian": "seqlab.models.emissions",
    "GaussianMixture": "seqlab.models.emissions",
    "Counting": "seqlab.learning",
    "GaussianMeans": "seqlab.taggers",
    "GradientAscent": "seqlab.learning",
    "HMM": "seqlab.taggers",
    "HardEM": "seqlab.learning",
    "LBFGS": "seqlab.learning",
    "LinearTagger": "seqlab.taggers",
    "LocalTagger": "seqlab.taggers",
    "MEMM": "seqlab.taggers",
    "MarkovChain": "seqlab.taggers",
    "MostFrequentTag": "seqlab.taggers",
    "MultinomialMixture": "seqlab.taggers",
    "PassiveAggressive": "seqlab.learning",
    "Perceptron": "seqlab.learning",
    "Poisson": "seqlab.models.emissions",
    "Report": "seqlab.evaluation",
    "Reranker": "seqlab.taggers",
    "SGD": "seqlab.learning",
    "Sentence": "seqlab.corpus",
    "Streams": "seqlab.models.emissions",
    "StructuredSVM": "seqlab.learning",
    "SuffixModel": "seqlab.models.suffixes",
    "Template": "seqlab.features",
    "Trellis": "seqlab.trellis",
    "TrellisBatch": "seqlab.trellis",
    "check": "seqlab.evaluation",
    "compare": "seqlab.tuning",
    "convert_model": "seqlab.foreign",
    "demo_corpus": "seqlab.corpus",
    "evaluate": "seqlab.evaluation",
    "load": "seqlab.taggers.storing",
    "read": "seqlab.corpus",
    "significance": "seqlab.evaluation",
    "stream": "seqlab.corpus",
    "tune": "seqlab.tuning",
    "write": "seqlab.corpus",
}
_ROOMS = (
    "corpus",
    "draw",
    "encode",
    "errors",
    "evaluation",
    "explain",
    "features",
    "foreign",
    "inference",
    "learning",
    "models",
    "store",
    "taggers",
    "tags",
    "trellis",
    "tuning",
)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _ROOMS:
        return import_module(f"seqlab.{name}")
    if name == "presets":
        return import_module("seqlab.features.presets")
    raise AttributeError(f"module 'seqlab' has no attribute {name!r}")


def _painted(trellis: Trellis) -> str:
    from seqlab.draw import trellis_picture  # only a notebook needs it

    return trellis_picture(trellis).svg()


lent["painter"] = _painted


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
