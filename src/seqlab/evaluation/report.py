"""Gold against predicted: `evaluate`, and its answer as values, text, JSON and a page."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from seqlab.arrays import whole_number
from seqlab.corpus.columns import counted
from seqlab.errors import OptionError
from seqlab.evaluation.headline import Interval, figures, intervals, token_counts, totals_of
from seqlab.evaluation.inputs import Paired, pair
from seqlab.evaluation.scores import Confusion, Score, ScoreTable, confusion_of, score_table
from seqlab.evaluation.spans import WAYS, Invalid, SpanReport, choose_scheme, is_auto, span_report
from seqlab.tags.reading import REPAIRS
from seqlab.tags.schemes import Scheme
from seqlab.views.text import left, printable, right, text_width


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
        return _text(self, digits=digits, rows=rows)

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


COLUMNS = 80
NUMBER_COLUMNS = 41  # what the four numbers of a row take, and the blanks before them
MISTAKES = 10

NAMES = {
    "accuracy": "accuracy",
    "unseen_accuracy": "accuracy on unseen words",
    "sentence_accuracy": "sentence accuracy",
    "span_precision": "span precision",
    "span_recall": "span recall",
    "span_f1": "span F1 (strict)",
    "lenient_f1": "span F1, lenient (overlap)",
    "type_only_f1": "span F1, type only",
    "boundary_only_f1": "span F1, boundary only",
}
WAY_NAMES = {way: way.replace("_", " ") for way in WAYS}


def _text(report: Report, *, digits: int, rows: int) -> str:
    """The whole report."""
    digits, rows = min(whole_number(digits, "digits", 1), 6), whole_number(rows, "rows", 1)
    parts = [_head(report, digits)]
    if report.spans is not None:
        parts += [_span_tables(report.spans, digits, rows)]
    parts += ["Labels\n\n" + _table(report.labels, digits, rows, accuracy=report.accuracy)]
    mistakes = "\n".join(_mistakes(report))
    if mistakes:
        parts.append(mistakes)
    return "\n\n".join(parts)


def _head(report: Report, digits: int) -> str:
    lines = [f"{counted(report.sentences, 'sentence')}, {counted(report.tokens, 'token')}"]
    if report.unseen is not None:
        lines[0] += f", {report.unseen} of them unseen in training"
    lines.append("")
    percent = f"{100 * report.confidence:g} %"
    for name, value in report.figures.items():
        line = f"{NAMES[name]:<28}{value:>{digits + 3}.{digits}f}"
        if name in report.intervals:
            interval = report.intervals[name]
            line += f"   {percent}: {interval.low:.{digits}f} to {interval.high:.{digits}f}"
        lines.append(line)
    if report.intervals:
        lines += ["", f"intervals: percentile bootstrap, sentences drawn anew {report.bootstrap} times"]
    return "\n".join(lines)


def invalid_note(spans: SpanReport) -> str:
    """Scheme, invalid labels, and how they were treated, in a sentence or two."""
    how = "kept, as conlleval does" if spans.repair == "conlleval" else "dropped"
    found = " (found by looking)" if spans.detected else ""
    if not spans.gold_invalid.labels and not spans.predicted_invalid.labels:
        return f"scheme {spans.scheme}{found}; every label follows it"
    sides = f"gold has {_invalid(spans.gold_invalid)}; predicted has {_invalid(spans.predicted_invalid)}"
    return f"scheme {spans.scheme}{found}; {sides}; their spans were {how}"


def _invalid(side: Invalid) -> str:
    if not side.labels:
        return "no invalid label"
    spans, sentences = counted(side.spans, "span"), counted(side.sentences, "sentence")
    return f"{counted(side.labels, 'invalid label')} in {spans} of {sentences}"


def _span_tables(spans: SpanReport, digits: int, rows: int) -> str:
    ways: dict[str, Score] = {WAY_NAMES[way]: getattr(spans, way).micro for way in WAYS}
    note = textwrap.fill(invalid_note(spans), COLUMNS)
    return "\n\n".join(
        [
            f"Spans (strict: start, end and type are right)\n{note}",
            _table(spans.strict, digits, rows),
            "Spans, four ways to count (micro averages)",
            "\n".join(_rows(ways, digits, _name_columns(ways))),
        ]
    )


def _name_columns(names: Mapping[str, Score]) -> int:
    widest = max((text_width(printable(name)) for name in names), default=0)
    return min(max(widest, len("weighted avg")), COLUMNS - NUMBER_COLUMNS)


def most_frequent(rows: Mapping[str, Score], most: int) -> Mapping[str, Score]:
    """The rows that occur most often in gold, in their old order."""
    if len(rows) <= most:
        return rows
    chosen = set(sorted(rows, key=lambda name: -rows[name].support)[:most])
    return {name: score for name, score in rows.items() if name in chosen}


def _table(table: ScoreTable, digits: int, most: int, *, accuracy: float | None = None) -> str:
    shown = most_frequent(table.rows, most)
    columns = _name_columns(shown)
    lines = [*_rows(shown, digits, columns), ""]
    if len(shown) < len(table.rows):
        lines.insert(-1, right("...", columns) + f"  and {len(table.rows) - len(shown)} rarer ones")
    if accuracy is not None:
        blank = " " * 20
        lines.append(f"{right('accuracy', columns)} {blank} {accuracy:>9.{digits}f} {table.support:>9}")
    else:
        lines.append(_row("micro avg", table.micro, digits, columns))
    lines.append(_row("macro avg", table.macro, digits, columns))
    lines.append(_row("weighted avg", table.weighted, digits, columns))
    return "\n".join(line.rstrip() for line in lines)


def _rows(rows: Mapping[str, Score], digits: int, columns: int) -> Iterator[str]:
    yield f"{' ' * columns} {'precision':>10}{'recall':>10}{'f1-score':>10}{'support':>10}"
    yield ""
    for name, score in rows.items():
        yield _row(name or "(no type)", score, digits, columns)


def _row(name: str, score: Score, digits: int, columns: int) -> str:
    numbers = (score.precision, score.recall, score.f1)
    cells = "".join(f"{number:>10.{digits}f}" for number in numbers)
    return f"{right(name, columns)} {cells}{score.support:>10}"


def _mistakes(report: Report) -> Iterator[str]:
    mistakes = report.confusion.mistakes(MISTAKES)
    if not mistakes:
        return
    yield "Most frequent mistakes"
    yield ""
    names = [text_width(printable(mistake.gold)) for mistake in mistakes]
    columns = min(max([*names, len("gold")]), 30)
    others = min(max([*(text_width(printable(m.predicted)) for m in mistakes), len("predicted")]), 30)
    yield f"{right('gold', columns)}    {left('predicted', others)}{'count':>10}"
    for mistake in mistakes:
        yield f"{right(mistake.gold, columns)} -> {left(mistake.predicted, others)}{mistake.count:>10}"
