"""Gold against predicted: everything that a report says, in one call."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqlab.arrays import whole_number
from seqlab.errors import OptionError
from seqlab.evaluation.confusion import confusion_of
from seqlab.evaluation.headline import Interval, figures, intervals, token_counts, totals_of
from seqlab.evaluation.inputs import Paired, pair
from seqlab.evaluation.report import Report
from seqlab.evaluation.scores import Counts, ScoreTable, score_table
from seqlab.evaluation.spans import SpanReport, choose_scheme, is_auto, span_report
from seqlab.tags.reading import REPAIRS
from seqlab.tags.schemes import Scheme


def evaluate(
    gold: Any,
    predicted: Any,
    column: str | None = None,
    *,
    words: Any = None,
    known: Any = None,
    scheme: Scheme | str | None = "auto",
    repair: str = "conlleval",
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> Report:
    """How good the predicted labels are.

    gold, predicted   lists of lists of labels, or corpora, and then `column` says which of their columns
    words             lists of lists of words; those of the gold corpus when it is one
    known             the words of training (a set, sentences, or a corpus), for the accuracy on unseen words
    scheme            "auto" looks at the labels; a name or Scheme; None for plain labels without spans
    repair            what becomes of spans with invalid labels: "conlleval" keeps them, "strict" drops them
    bootstrap         how many times sentences are drawn anew for confidence intervals; 0 for none, 1000 is usual
    """
    _check_options(repair, confidence)
    resamples, seed = whole_number(bootstrap, "bootstrap", 0), whole_number(seed, "seed", 0)
    data = pair(gold, predicted, column, words, known)
    chosen = choose_scheme(data, scheme, repair)
    counts, spans = token_counts(data), None
    if chosen is not None:
        spans, more = span_report(data, chosen, repair, detected=is_auto(scheme))
        counts.update(more)
    ranges = intervals(counts, resamples, float(confidence), seed) if resamples else {}
    return _report(data, counts, spans, ranges, resamples, float(confidence))


def _report(
    data: Paired,
    counts: dict[str, Counts],
    spans: SpanReport | None,
    ranges: dict[str, Interval],
    resamples: int,
    confidence: float,
) -> Report:
    totals = totals_of(counts)
    return Report(
        sentences=int(totals["sentences"]),
        tokens=int(totals["tokens"]),
        unseen=int(totals["unseen"]) if "unseen" in totals else None,
        figures={name: float(value) for name, value in figures(totals).items() if not np.isnan(value)},
        intervals=ranges,
        bootstrap=resamples,
        confidence=confidence,
        labels=label_table(data),
        spans=spans,
        confusion=confusion_of(data),
        data=data,
    )


def _check_options(repair: str, confidence: float) -> None:
    if repair not in REPAIRS:
        raise OptionError(
            f"repair must be 'conlleval' (spans with invalid labels are kept) or 'strict' (they are dropped), "
            f"got {repair!r}"
        )
    number = isinstance(confidence, (int, float, np.floating)) and not isinstance(confidence, bool)
    if not number or not 0 < confidence < 1:
        raise OptionError(f"confidence must lie between 0 and 1, for example 0.95, got {confidence!r}")


def label_table(data: Paired) -> ScoreTable:
    """Precision and recall of every label, token by token."""
    size = len(data.gold.values)
    correct = np.bincount(data.gold.codes[data.right], minlength=size)
    return score_table(
        data.gold.values,
        np.bincount(data.gold.codes, minlength=size),
        np.bincount(data.predicted.codes, minlength=size),
        correct,
        correct,
    )
