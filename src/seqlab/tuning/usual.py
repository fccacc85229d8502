"""Models by the names that textbooks give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seqlab.errors import OptionError

NAMES = ("baseline", "hmm", "memm", "perceptron", "crf", "svm", "pa", "arow")
USUAL = NAMES[:5]


def usual_model(name: str, features: Any, *, seed: int, threads: int | None) -> Any:
    """The model of that name."""
    from seqlab.families.hmm.tagger import HMM
    from seqlab.families.linear.crf import CRF
    from seqlab.families.linear.learners.mistakes import AROW, PassiveAggressive, Perceptron, StructuredSVM
    from seqlab.families.linear.memm import MEMM
    from seqlab.families.linear.tagger import LinearTagger
    from seqlab.families.local.baseline import MostFrequentTag

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
