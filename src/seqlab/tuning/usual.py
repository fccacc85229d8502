"""Models by the names that textbooks give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seqlab.errors import OptionError
from seqlab.families.linear import learners

USUAL = ("baseline", "hmm", "memm", "perceptron", "crf")
_OF_LEARNERS = {name: one.learner for name, one in learners.LEARNERS.items() if not one.models}
NAMES = (*USUAL, *(name for name in _OF_LEARNERS if name not in USUAL))


def usual_model(name: str, features: Any, *, seed: int, threads: int | None) -> Any:
    """The model of that name."""
    from seqlab.families.hmm.tagger import HMM
    from seqlab.families.linear.memm import MEMM
    from seqlab.families.linear.tagger import CRF, LinearTagger
    from seqlab.families.local.baseline import MostFrequentTag

    more: dict[str, Any] = {"seed": seed, "threads": threads}
    made: dict[str, Callable[[], Any]] = {
        "baseline": MostFrequentTag,
        "hmm": lambda: HMM(**more),
        "memm": lambda: MEMM(features, **more),
        "crf": lambda: CRF(features, **more),
    }
    if name in _OF_LEARNERS:
        return LinearTagger(features, getattr(learners, _OF_LEARNERS[name])(), **more)
    if name not in made:
        raise OptionError(f"there is no model {name!r:.40}; the names are {', '.join(NAMES)}")
    return made[name]()
