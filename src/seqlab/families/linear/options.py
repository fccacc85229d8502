"""Options of linear taggers, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.arrays import whole_number
from seqlab.encode.encoder import as_features
from seqlab.errors import OptionError
from seqlab.families.linear.fit import LinearFit

if TYPE_CHECKING:
    from seqlab.families.linear.tagger import LinearTagger

CHOICES = ("observed", "all")


def check_options(tagger: LinearTagger) -> None:
    """Refuse options that make no sense."""
    if isinstance(tagger.learner, type):
        name = tagger.learner.__name__
        raise OptionError(f"learner must be an object, got the class {name}; write {name}()")
    if getattr(tagger.learner, "hidden", False):
        name = type(tagger.learner).__name__
        raise OptionError(f"{name} trains hidden Markov models; write HMM(learner={name}())")
    if not hasattr(tagger.learner, "train"):
        raise OptionError(
            f"learner must be LBFGS(), Perceptron(), or another learner, got {tagger.learner!r}"
        )
    whole_number(tagger.seed, "seed", 0)
    if tagger.order not in (1, 2) or isinstance(tagger.order, bool):
        raise OptionError(f"order must be 1 or 2, got {tagger.order!r}")
    for name in ("states", "transitions"):
        if getattr(tagger, name) not in CHOICES:
            raise OptionError(f"{name} must be 'observed' or 'all', got {getattr(tagger, name)!r}")
    number = isinstance(tagger.keep, (int, float, np.number)) and not isinstance(tagger.keep, bool)
    if not number or not 0 <= tagger.keep < 1:
        raise OptionError(f"keep must be a probability from 0 up to below 1, got {tagger.keep!r}")


def checked_start(tagger: LinearTagger, start: Any) -> LinearFit:
    """Return what a tagger has learned that training may begin from."""
    if not hasattr(start, "with_weights"):
        raise OptionError(f"start must be a trained LinearTagger or CRF, got {start!r:.60}")
    start._check_fitted("start")
    if as_features(tagger.features) != start.encoder_.features:
        raise OptionError(
            f"start was trained with features={start.features!r:.60}, which its weights belong to; this tagger has "
            f"features={tagger.features!r:.60}"
        )
    found: LinearFit = start.fit_
    return found
