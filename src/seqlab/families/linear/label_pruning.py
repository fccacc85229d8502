"""For order 2: which labels are worth a look, in training and when some labels are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from seqlab.encode import EncodedCorpus
from seqlab.families.linear.model import LinearModel
from seqlab.families.linear.second_order import likely_labels
from seqlab.families.linear.training_set import Bools, TrainingSet, keep_given, only_given
from seqlab.tagging.decoding import constrained
from seqlab.tagging.door.dictionary import Allowed
from seqlab.tagging.tagger import Known
from seqlab.trellis import Trellis
from seqlab.trellis.constraints import PerPosition

USUAL_KEEP = 1e-3
LEFT = 3.0  # labels a token that a CRF usually leaves then
SAMPLE = 20_000  # tokens that are enough to see how many are left


def sharpness(lesson: TrainingSet, coarse: LinearModel, threads: int) -> float:
    """A factor for scores that are no logarithms of probabilities, so that they leave as many labels as a CRF's.

    A perceptron's are so large that hardly a second label is left, those of a structured SVM so small that all are.
    """
    if coarse.L <= LEFT or USUAL_KEEP * coarse.L >= 1:
        return 1.0
    encoded = lesson.encoded
    last = max(int(np.searchsorted(encoded.offsets, SAMPLE, side="right")) - 1, 1)
    sample = encoded.stretch(0, min(last, len(encoded)))
    allowed = None if lesson.active is None else Allowed(lesson.active[: sample.token_count])
    low, high = -32.0, 32.0  # of its logarithm to base 2: low leaves all labels, high leaves one
    for _ in range(12):
        middle = (low + high) / 2
        likely = likely_labels(
            coarse.multiplied(2.0**middle), sample, USUAL_KEEP, allowed=allowed, threads=threads
        )
        low, high = (middle, high) if likely.sum() > LEFT * sample.token_count else (low, middle)
    return float(2.0**high)


def pruned(lesson: TrainingSet, coarse: LinearModel | None, keep: float, threads: int) -> Bools | None:
    """(tokens, L): labels that the coarse model thinks possible, and always those given; None for any label."""
    if coarse is None:
        return lesson.active
    masks = [lesson.active]
    if lesson.gold.partial:  # what fits the labels given must stay possible as well
        given = only_given(lesson.gold, coarse.L)
        masks.append(given if lesson.active is None else given & lesson.active)
    likely = np.zeros((lesson.encoded.token_count, coarse.L), dtype=bool)
    for mask in masks:
        allowed = None if mask is None else Allowed(mask)
        likely |= likely_labels(coarse, lesson.encoded, keep, allowed=allowed, threads=threads)
    keep_given(likely, lesson.gold)
    return likely


def narrowed(
    model: LinearModel,
    encoded: EncodedCorpus,
    words: Allowed | None,
    known: Known | None,
    allowed: PerPosition | None,
) -> Trellis:
    """The trellis of one sentence of which something is known, which tells the coarse model where to look, too."""
    rough: Trellis = (model.coarse or model).trellises(encoded, allowed=words)[0]
    told = constrained(rough, known, allowed)
    left: Bools = told.node > -np.inf
    for t, ids in told.allowed.items():
        left[t] &= np.isin(np.arange(told.L), ids)
    made: Trellis = model.trellises(encoded, allowed=Allowed(left), dtype=np.float64)[0]
    return made


def widened(
    model: LinearModel,
    encoded: EncodedCorpus,
    words: Allowed | None,
    known: Known | None,
    allowed: PerPosition | None,
) -> Trellis:
    """The trellis of one sentence with the labels that the coarse model would leave out."""
    whole = replace(model, coarse=None, _scorers={})
    made: Trellis = whole.trellises(encoded, allowed=words, dtype=np.float64)[0]
    return constrained(made, known, allowed)
