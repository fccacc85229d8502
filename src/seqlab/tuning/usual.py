"""Models by the names that textbooks give them, with features that fit the labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seqlab.corpus import BagColumn, Corpus, StringColumn
from seqlab.corpus.names import CHUNK_TYPES
from seqlab.errors import OptionError
from seqlab.tags import detect

NAMES = ("baseline", "hmm", "memm", "perceptron", "crf", "svm", "pa", "arow")
USUAL = NAMES[:5]


def usual_features(corpus: Corpus, label: str) -> str | None:
    """A preset that fits the labels and columns of the corpus; None for ready-made attributes."""
    if any(isinstance(corpus.data(name), BagColumn) for name in corpus.columns):
        return None
    strings = [name for name in corpus.columns if isinstance(corpus.data(name), StringColumn)]
    if strings == [label]:
        return None
    labels = set(corpus.strings(label).values)
    if detect(corpus.column(label)).scheme is None:
        return "pos"
    types = {tag.partition("-")[2] for tag in labels if "-" in tag}
    if not types:
        return "segment"
    return "chunk" if types <= CHUNK_TYPES and {"pos", "upos"} & set(strings) else "ner"


def usual_model(name: str, features: Any, *, seed: int, threads: int | None) -> Any:
    """The model of that name."""
    from seqlab.learning import AROW, PassiveAggressive, Perceptron, StructuredSVM
    from seqlab.taggers import CRF, HMM, MEMM, LinearTagger, MostFrequentTag

    more: dict[str, Any] = {"seed": seed, "threads": threads}
    made: dict[str, Callable[[], Any]] = {
        "baseline": MostFrequentTag,
        "hmm": lambda: HMM(**more),
        "memm": lambda: MEMM(features, **more),
        "perceptron": lambda: LinearTagger(features, Perceptron(), **more),
        "crf": lambda: CRF(features, **more),
        "svm": lambda: LinearTagger(features, StructuredSVM(), **more),
        "pa": lambda: LinearTagger(features, PassiveAggressive(), **more),
        "arow": lambda: LinearTagger(features, AROW(), **more),
    }
    if name not in made:
        raise OptionError(f"there is no model {name!r:.40}; the names are {', '.join(NAMES)}")
    return made[name]()
