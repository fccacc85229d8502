"""Gold against predicted: `evaluate`, and its answer as values, text, JSON and a page."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from seqlab.arrays import whole_number
from seqlab.errors import OptionError
from seqlab.evaluation.confusion import Confusion, confusion_of
from seqlab.evaluation.headline import Interval, figures, intervals, token_counts, totals_of
from seqlab.evaluation.inputs import Paired, pair
from seqlab.evaluation.scores import ScoreTable, score_table
from seqlab.evaluation.spans import SpanReport, choose_scheme, is_auto, span_report
from seqlab.tags.reading import REPAIRS
from seqlab.tags.schemes import Scheme


@dataclass(frozen=True, eq=False)
class Report:
    """How good the predicted labels are.

    sentences    how many there are, without empty ones
    unseen       tokens whose word training has not seen, or None when that was not asked
    figures      headline figures by name: accuracy, sentence_accuracy, span_f1, ...
    intervals    confidence intervals of the headline figures, empty without bootstrap
    labels       precision, recall and F1 of every label
    spans        the same for spans, in four ways to count, or None for labels that are no tags
    confusion    which label was taken for which
    """

    sentences: int
    tokens: int
    unseen: int | None
    figures: Mapping[str, float]
    intervals: Mapping[str, Interval]
    bootstrap: int
    confidence: float
    labels: ScoreTable = field(repr=False)
    spans: SpanReport | None = field(repr=False)
    confusion: Confusion = field(repr=False)
    data: Paired = field(repr=False)

    @property
    def accuracy(self) -> float:
        """The share of tokens with the right label."""
        return self.figures["accuracy"]

    @property
    def sentence_accuracy(self) -> float:
        """The share of sentences with all labels right."""
        return self.figures["sentence_accuracy"]

    @property
    def unseen_accuracy(self) -> float | None:
        """Accuracy on words that training has not seen; None when not asked, or when there are none."""
        return self.figures.get("unseen_accuracy")

    def __str__(self) -> str:
        return self.text()

    def text(self, *, digits: int = 4, rows: int = 50) -> str:
        """A table of at most 80 columns, laid out as scikit-learn's. `rows` bounds the labels shown."""
        from seqlab.evaluation.text import report_text

        return report_text(self, digits=digits, rows=rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the sentences, in plain lists, dicts and numbers."""
        spans = None
        if self.spans is not None:
            spans = asdict(self.spans) | {"scheme": self.spans.scheme.name}
        return {
            "sentences": self.sentences,
            "tokens": self.tokens,
            "unseen": self.unseen,
            "figures": dict(self.figures),
            "intervals": {name: asdict(interval) for name, interval in self.intervals.items()},
            "bootstrap": self.bootstrap,
            "confidence": self.confidence,
            "labels": asdict(self.labels),
            "spans": spans,
            "confusion": {
                "labels": list(self.confusion.labels),
                "gold": self.confusion.gold.tolist(),
                "predicted": self.confusion.predicted.tolist(),
                "times": self.confusion.times.tolist(),
            },
        }

    def json(self, *, indent: int | None = 2) -> str:
        """`to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def html(
        self, path: str | os.PathLike[str] | None = None, *, title: str = "Evaluation", sentences: int = 50
    ) -> str:
        """One page that needs nothing else, with the `sentences` worst sentences; written to `path` if there is one."""
        from seqlab.evaluation.page import report_page

        return report_page(self, path, title=title, sentences=sentences)


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
    """Compute how good the predicted labels are.

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
    totals = totals_of(counts)
    return Report(
        sentences=int(totals["sentences"]),
        tokens=int(totals["tokens"]),
        unseen=int(totals["unseen"]) if "unseen" in totals else None,
        figures={name: float(value) for name, value in figures(totals).items() if not np.isnan(value)},
        intervals=ranges,
        bootstrap=resamples,
        confidence=float(confidence),
        labels=_label_table(data),
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


def _label_table(data: Paired) -> ScoreTable:
    """Compute precision and recall of every label, token by token."""
    size = len(data.gold.values)
    correct = np.bincount(data.gold.codes[data.right], minlength=size)
    return score_table(
        data.gold.values,
        np.bincount(data.gold.codes, minlength=size),
        np.bincount(data.predicted.codes, minlength=size),
        correct,
        correct,
    )
