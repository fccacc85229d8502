"""seqlab: statistical sequence labelling on one trellis.

Names are loaded when first used, so that `import seqlab` stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqlab.families import kinds as _kinds
from seqlab.families.linear import learners as _learners
from seqlab.lazy import hooks, when_used

if TYPE_CHECKING:
    from seqlab import corpus, draw, encode, errors, evaluation, features, inference, tags, text, tuning
    from seqlab.corpus import Corpus, Sentence, demo_corpus, read, stream, stream_corpus, write
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
        load,
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
    from seqlab.features import Template, presets
    from seqlab.foreign import convert_model
    from seqlab.learning.checkpoint import Checkpoint
    from seqlab.tagging import Tagger
    from seqlab.text import Document, Pipeline, RuleTokeniser, TrainedTokeniser
    from seqlab.trellis import Constraints, Trellis, TrellisBatch
    from seqlab.tuning import compare, tune

__version__ = "0.1.0.dev0"

__all__ = ["CRF", "HMM", "MEMM", "BaumWelch", "Categorical", "Checkpoint", "Constraints", "Corpus"]
__all__ += ["Counting", "Dirichlet", "Document", "FeatureBag", "Gaussian", "GaussianMeans"]
__all__ += ["GaussianMixture", "HardEM", "LinearTagger", "LocalTagger", "MarkovChain", "MostFrequentTag"]
__all__ += ["MultinomialMixture", "Pipeline", "Poisson", "Report", "Reranker", "RuleTokeniser", "Sentence"]
__all__ += ["Streams", "SuffixModel", "Tagger", "Template", "TrainedTokeniser", "Trellis", "TrellisBatch"]
__all__ += ["check", "compare", "convert_model", "corpus", "demo_corpus", "draw", "encode", "errors"]
__all__ += ["evaluate", "evaluation", "features", "inference", "load", "presets", "read", "significance"]
__all__ += ["stream", "stream_corpus", "tags", "text", "tune", "tuning", "write"]
__all__ += _learners.__all__


if not TYPE_CHECKING:  # otherwise a type checker would accept any attribute of the package
    # Module of each public name.
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "corpus": ("Corpus", "Sentence", "demo_corpus", "read", "stream", "stream_corpus", "write"),
            "evaluation": ("Report", "check", "evaluate", "significance"),
            "families": (
                *("CRF", "HMM", "MEMM", "GaussianMeans", "LinearTagger", "LocalTagger", "MarkovChain"),
                *("MostFrequentTag", "MultinomialMixture", "Reranker", "load"),
            ),
            "families.hmm.counting": ("Counting", "SuffixModel"),
            "families.hmm.em": ("BaumWelch", "HardEM"),
            "families.hmm.emissions": (
                *("Categorical", "FeatureBag", "Gaussian", "GaussianMixture", "Poisson", "Streams"),
            ),
            "families.hmm.tables": ("Dirichlet",),
            "families.linear.learners": tuple(_learners.__all__),
            "features": ("Template", "presets"),
            "foreign": ("convert_model",),
            "learning.checkpoint": ("Checkpoint",),
            "tagging": ("Tagger",),
            "text": ("Document", "Pipeline", "RuleTokeniser", "TrainedTokeniser"),
            "trellis": ("Constraints", "Trellis", "TrellisBatch"),
            "tuning": ("compare", "tune"),
        },
    )


def _painted(trellis: Trellis) -> str:
    from seqlab.draw import trellis_picture  # only a notebook needs it

    return trellis_picture(trellis).svg()


def _converted(path: Any) -> Tagger:
    from seqlab.foreign import convert_model  # only files of other programs need it

    return convert_model(path)


hooks |= {"painter": _painted, "kinds": _kinds, "foreign": _converted}
