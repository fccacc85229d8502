"""The answer of `evaluate`: figures as values, and as text, JSON and a page."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from seqlab.evaluation.confusion import Confusion
from seqlab.evaluation.headline import Interval
from seqlab.evaluation.inputs import Paired
from seqlab.evaluation.scores import ScoreTable
from seqlab.evaluation.spans import SpanReport
from seqlab.files import write_whole


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

        page = report_page(self, title=title, sentences=sentences)
        if path is not None:
            write_whole(path, page)
        return page
