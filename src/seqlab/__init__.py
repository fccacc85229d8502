"""seqlab: statistical sequence labelling on one trellis.

Names are loaded when first used, so that `import seqlab` stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqlab.families.linear import learners as _learners
from seqlab.lazy import lent

if TYPE_CHECKING:
    from seqlab import corpus, draw, encode, errors, evaluation, features, inference, tags, tuning
    from seqlab.corpus import Corpus, Sentence, demo_corpus, read, stream, write
    from seqlab.evaluation import Report, check, evaluate, significance
    from seqlab.families import (
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
    from seqlab.families.hmm.counting import Counting, SuffixModel
    from seqlab.families.hmm.em import BaumWelch, HardEM
    from seqlab.families.hmm.emissions import (
        Categorical,
        FeatureBag,
        Gaussian,
        GaussianMixture,
        Poisson,
        Streams,
    )
    from seqlab.families.hmm.tables import Dirichlet
    from seqlab.families.linear.learners import *  # noqa: F403  (which lists them)
    from seqlab.families.loading import load
    from seqlab.features import Template, presets
    from seqlab.foreign import convert_model
    from seqlab.trellis import Constraints, Trellis, TrellisBatch
    from seqlab.tuning import compare, tune

__version__ = "0.1.0.dev0"

# Where each public name comes from.
_HOMES = {
    "corpus": ("Corpus", "Sentence", "demo_corpus", "read", "stream", "write"),
    "evaluation": ("Report", "check", "evaluate", "significance"),
    "families": (
        *("CRF", "HMM", "MEMM", "GaussianMeans", "LinearTagger", "LocalTagger", "MarkovChain"),
        *("MostFrequentTag", "MultinomialMixture", "Reranker"),
    ),
    "families.hmm.counting": ("Counting", "SuffixModel"),
    "families.hmm.em": ("BaumWelch", "HardEM"),
    "families.hmm.emissions": (
        *("Categorical", "FeatureBag", "Gaussian", "GaussianMixture", "Poisson", "Streams"),
    ),
    "families.hmm.tables": ("Dirichlet",),
    "families.linear.learners": tuple(_learners.__all__),
    "families.loading": ("load",),
    "features": ("Template", "presets"),
    "foreign": ("convert_model",),
    "trellis": ("Constraints", "Trellis", "TrellisBatch"),
    "tuning": ("compare", "tune"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_ROOMS = (
    *("corpus", "draw", "encode", "errors", "evaluation", "families", "features", "foreign", "inference"),
    *("learning", "store", "tagging", "tags", "trellis", "tuning"),
)

__all__ = [
    "CRF",
    "HMM",
    "MEMM",
    "BaumWelch",
    "Categorical",
    "Constraints",
    "Corpus",
    "Counting",
    "Dirichlet",
    "FeatureBag",
    "Gaussian",
    "GaussianMeans",
    "GaussianMixture",
    "HardEM",
    "LinearTagger",
    "LocalTagger",
    "MarkovChain",
    "MostFrequentTag",
    "MultinomialMixture",
    "Poisson",
    "Report",
    "Reranker",
    "Sentence",
    "Streams",
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
__all__ += _learners.__all__


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME:
        return getattr(import_module(f"seqlab.{_HOME[name]}"), name)
    if name in _ROOMS:
        return import_module(f"seqlab.{name}")
    raise AttributeError(f"module 'seqlab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


# ------------------------------------------------------------------------------------------ lent to the floors below


def _painted(trellis: Trellis) -> str:
    from seqlab.draw import trellis_picture  # only a notebook needs it

    return trellis_picture(trellis).svg()


def _kinds() -> Any:
    from seqlab.families.loading import kinds

    return kinds()


def _learner(name: str) -> type | None:
    """The learner of this name, if it is one of ours."""
    known = _HOME.get(name) in {"families.hmm.counting", "families.hmm.em", "families.linear.learners"}
    return __getattr__(name) if known else None


lent["painter"] = _painted
lent["kinds"] = _kinds
lent["learner"] = _learner
