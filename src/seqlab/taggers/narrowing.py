"""For order 2: which labels are worth a look, in training and when some labels are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from seqlab.encode import EncodedCorpus
from seqlab.models import LinearModel
from seqlab.models.second_order import likely_labels
from seqlab.taggers.asking import constrained
from seqlab.taggers.base import Known
from seqlab.taggers.dictionary import Allowed
from seqlab.taggers.tasks import Bools, Lesson, keep_given, only_given
from seqlab.trellis import Trellis
from seqlab.trellis.constraints import PerPosition


def pruned(lesson: Lesson, coarse: LinearModel, keep: float, threads: int) -> Bools | None:
    """(tokens, L): labels that the coarse model thinks possible, and always those given; None for any label."""
    if keep <= 0:
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
