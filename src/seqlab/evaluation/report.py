"""Compare gold with predicted labels: `evaluate`, and its result as values, text, JSON and a page."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, overload

import numpy as np

from seqlab.arrays import whole_number
from seqlab.corpus.columns import counted
from seqlab.errors import OptionError
from seqlab.evaluation.headline import Interval, figures, intervals, token_counts
from seqlab.evaluation.places import TextReport, score_spans
from seqlab.evaluation.scores import (
    FIGURES,
    Confusion,
    Paired,
    Score,
    ScoreTable,
    confusion_of,
    pair,
    score_table,
)
from seqlab.evaluation.segmentation import Segmented
from seqlab.evaluation.spans import WAYS, Invalid, SpanReport, choose_scheme, is_auto, span_report
from seqlab.shown import Table, Written, columns_of, cut
from seqlab.tags.reading import check_repair
from seqlab.tags.schemes import IOB2, Scheme
from seqlab.views.text import left, printable, right, text_width


@dataclass(frozen=True, eq=False)
class Report(Written):
    """Quality of the predicted labels.

    sentences    number of sentences, without empty ones
    unseen       tokens whose word was not seen in training, or None if unknown
    missing      tokens without a gold label (None), which were left out of everything else
    figures      headline figures by name: accuracy, sentence_accuracy, span_f1, ...
    intervals    confidence intervals of the headline figures, empty without bootstrap
    labels       precision, recall and F1 of every label
    spans        scores of spans, counted in four ways, or None for labels that are not tags
    confusion    which label was taken for which
    data         the labels that were compared
    """

    sentences: int
    tokens: int
    unseen: int | None
    figures: Mapping[str, float]
    intervals: Mapping[str, Interval]
    bootstrap: int
    confidence: float
    labels: ScoreTable = field(repr=False)
    spans: SpanReport | Any = field(repr=False)
    confusion: Confusion = field(repr=False)
    data: Paired = field(repr=False)
    missing: int = 0

    def __repr__(self) -> str:
        figures = ", ".join(f"{name} {value:.4f}" for name, value in self.figures.items() if name in MAIN)
        sizes = f"{counted(self.sentences, 'sentence')}, {counted(self.tokens, 'token')}"
        return cut(f"Report({sizes}, {figures})")

    @property
    def accuracy(self) -> float:
        """The share of tokens with the correct label."""
        return self.figures["accuracy"]

    @property
    def sentence_accuracy(self) -> float:
        """The share of sentences with all labels correct."""
        return self.figures["sentence_accuracy"]

    @property
    def unseen_accuracy(self) -> float | None:
        """Accuracy on words not seen in training; None if unknown, or when there are none."""
        return self.figures.get("unseen_accuracy")

    def _columns(self) -> Table:
        tables = ([] if self.spans is None else [("span", self.spans.strict)]) + [("label", self.labels)]
        rows = [(of, name, score) for of, some in tables for name, score in some.rows.items()]
        named = {"of": [of for of, _, _ in rows], "name": [name for _, name, _ in rows]}
        return {**named, **columns_of((score for _, _, score in rows), *FIGURES)}

    def _views(self) -> Iterator[str | Table]:
        yield from list(_head(self, 4))[:1]
        bounds = [self.intervals.get(name) for name in self.figures]
        sides = {side: [one and getattr(one, side) for one in bounds] for side in ("low", "high")}
        names = [NAMES[name] for name in self.figures]
        yield {"figure": names, "value": [*self.figures.values()], **sides}
        table = self.labels if self.spans is None else self.spans.strict
        yield "Labels, token by token" if self.spans is None else f"Spans by type; {invalid_note(self.spans)}"
        shown = most_frequent(table.rows, ROWS)
        scores = [*shown.values(), table.micro, table.macro, table.weighted]
        yield {"name": [*shown, "micro avg", "macro avg", "weighted avg"], **columns_of(scores, *FIGURES)}
        if len(shown) < len(table.rows):
            yield f"and {len(table.rows) - len(shown):,} rarer ones"

    def __str__(self) -> str:
        return self.text()

    def text(self, *, digits: int = 4, rows: int = 50) -> str:
        """Lay out a table of at most 80 columns, as scikit-learn's; `rows` bounds the labels, digits the decimals."""
        digits, rows = min(whole_number(digits, "digits", 1), 6), whole_number(rows, "rows", 1)
        parts = ["\n".join(_head(self, digits))]
        if self.spans is not None:
            ways: dict[str, Score] = {WAY_NAMES[way]: getattr(self.spans, way).micro for way in WAYS}
            note = textwrap.fill(invalid_note(self.spans), COLUMNS)
            parts += [
                f"Spans (strict: start, end and type are right)\n{note}",
                _table(self.spans.strict, digits, rows),
                "Spans, four ways to count (micro averages)",
                "\n".join(_rows(ways, digits, _name_columns(ways))),
            ]
        parts += ["Labels", _table(self.labels, digits, rows, accuracy=self.accuracy)]
        mistakes = self.confusion.mistakes(MISTAKES)
        if mistakes:
            width = min(_widest(["gold", *(m.gold for m in mistakes)]), 30)
            other_width = min(_widest(["predicted", *(m.predicted for m in mistakes)]), 30)
            lines = [f"{right('gold', width)}    {left('predicted', other_width)}{'count':>10}"]
            lines += [
                f"{right(m.gold, width)} -> {left(m.predicted, other_width)}{m.count:>10}" for m in mistakes
            ]
            parts += ["Most frequent mistakes", "\n".join(lines)]
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the sentences, in plain lists, dicts and numbers."""
        spans, pairs = self.spans, ("gold", "predicted", "times")
        names = (
            "sentences",
            "tokens",
            "unseen",
            "missing",
            "figures",
            "intervals",
            "bootstrap",
            "confidence",
        )
        return {name: getattr(self, name) for name in names} | {
            "figures": dict(self.figures),
            "intervals": {name: asdict(interval) for name, interval in self.intervals.items()},
            "labels": asdict(self.labels),
            "spans": None if spans is None else asdict(spans) | {"scheme": spans.scheme.name},
            "confusion": {
                "labels": list(self.confusion.labels),
                **{name: getattr(self.confusion, name).tolist() for name in pairs},
            },
        }

    def html(
        self, path: str | os.PathLike[str] | None = None, *, title: str = "Evaluation", sentences: int = 50
    ) -> str:
        """Make a page with a title and the worst `sentences`, which needs nothing else; written to `path` if given."""
        from seqlab.evaluation.page import report_page

        return report_page(self, path, title=title, sentences=sentences)


@overload
def evaluate(
    gold: Sequence[Segmented], predicted: Sequence[Segmented], column: str | None = None
) -> TextReport: ...
@overload
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
) -> Report: ...
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
) -> Report | TextReport:
    """Evaluate predicted labels against gold labels.

    gold, predicted   lists of lists of labels, or corpora with the labels in `column`; a token whose gold label is None
                      is left out. Lists of Document: their spans are compared by their places (score_spans), `column`
                      names the layer, and the other options have no meaning
    words             lists of lists of words; those of the gold corpus when it is one
    known             the words of training (a set, sentences, or a corpus), for the accuracy on unseen words
    scheme            "auto" looks at the labels; a name or Scheme; None for plain labels without spans
    repair            how spans with invalid labels are treated: "conlleval" keeps them, "strict" drops them
    confidence, seed  of those intervals; the same seed draws the same sentences
    bootstrap         how many times sentences are drawn anew for confidence intervals; 0 for none, 1000 is usual
    """
    if _are_documents(gold) and _are_documents(predicted):
        return score_spans(gold, predicted, column)
    check_repair(repair, IOB2, none=False)
    number = isinstance(confidence, (int, float, np.floating)) and not isinstance(confidence, bool)
    if not number or not 0 < confidence < 1:
        raise OptionError(f"confidence must lie between 0 and 1, for example 0.95, got {confidence!r}")
    resamples, seed = whole_number(bootstrap, "bootstrap", 0), whole_number(seed, "seed", 0)
    data = pair(gold, predicted, column, words, known)
    chosen = choose_scheme(data.gold, scheme, repair)
    counts, spans = token_counts(data), None
    if chosen is not None:
        spans, more = span_report(data, chosen, repair, detected=is_auto(scheme))
        counts.update(more)
    totals = {name: column.sum() for name, column in counts.items()}
    names, found = data.gold.values, (data.gold.codes, data.predicted.codes, data.gold.codes[data.right])
    of_gold, of_predicted, correct = (np.bincount(codes, minlength=len(names)) for codes in found)
    return Report(
        sentences=int(totals["sentences"]),
        tokens=int(totals["tokens"]),
        unseen=int(totals["unseen"]) if "unseen" in totals else None,
        figures={name: float(value) for name, value in figures(totals).items() if not np.isnan(value)},
        intervals=intervals(counts, resamples, float(confidence), seed) if resamples else {},
        bootstrap=resamples,
        confidence=float(confidence),
        labels=score_table(names, of_gold, of_predicted, correct, correct),
        spans=spans,
        confusion=confusion_of(data),
        data=data,
        missing=data.missing,
    )


def _are_documents(given: Any) -> bool:
    first = given[0] if isinstance(given, (list, tuple)) and given else None
    return hasattr(first, "layers") and hasattr(first, "text")


# ---------------------------------------------------------------- as text, with tables as scikit-learn's

COLUMNS = 80
NUMBER_COLUMNS = 41  # width of the four numbers of a row, and the blanks before them
MISTAKES = 10
MAIN = ("accuracy", "unseen_accuracy", "sentence_accuracy", "span_f1")  # figures of a repr
ROWS = 16  # in a notebook

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


def _head(report: Report, digits: int) -> Iterator[str]:
    unseen = "" if report.unseen is None else f", {report.unseen} of them unseen in training"
    missing = f"; {counted(report.missing, 'token')} without a gold label left out" if report.missing else ""
    yield f"{counted(report.sentences, 'sentence')}, {counted(report.tokens, 'token')}{unseen}{missing}"
    yield ""
    for name, value in report.figures.items():
        line = f"{NAMES[name]:<28}{value:>{digits + 3}.{digits}f}"
        if name in report.intervals:
            interval = report.intervals[name]
            bounds = f"{interval.low:.{digits}f} to {interval.high:.{digits}f}"
            line += f"   {100 * report.confidence:g} %: {bounds}"
        yield line
    if report.intervals:
        yield ""
        yield f"intervals: percentile bootstrap, sentences drawn anew {report.bootstrap} times"


def invalid_note(spans: SpanReport) -> str:
    """Describe the scheme, the invalid labels, and how they were treated."""
    scheme = f"scheme {spans.scheme}{' (found by looking)' if spans.detected else ''}"
    if not spans.gold_invalid.labels and not spans.predicted_invalid.labels:
        return f"{scheme}; every label follows it"
    how = "kept, as conlleval does" if spans.repair == "conlleval" else "dropped"
    sides = f"gold has {_invalid(spans.gold_invalid)}; predicted has {_invalid(spans.predicted_invalid)}"
    return f"{scheme}; {sides}; their spans were {how}"


def _invalid(side: Invalid) -> str:
    if not side.labels:
        return "no invalid label"
    spans, sentences = counted(side.spans, "span"), counted(side.sentences, "sentence")
    return f"{counted(side.labels, 'invalid label')} in {spans} of {sentences}"


def _widest(names: Iterable[str]) -> int:
    return max(text_width(printable(name)) for name in names)


def _name_columns(names: Iterable[str]) -> int:
    return min(_widest([*names, "weighted avg"]), COLUMNS - NUMBER_COLUMNS)


def most_frequent(rows: Mapping[str, Score], most: int) -> Mapping[str, Score]:
    """Keep the rows that are most frequent in gold, in their order."""
    if len(rows) <= most:
        return rows
    chosen = set(sorted(rows, key=lambda name: -rows[name].support)[:most])
    return {name: score for name, score in rows.items() if name in chosen}


def _table(table: ScoreTable, digits: int, most: int, *, accuracy: float | None = None) -> str:
    shown = most_frequent(table.rows, most)
    columns = _name_columns(shown)
    lines = [*_rows(shown, digits, columns)]
    if len(shown) < len(table.rows):
        lines.append(right("...", columns) + f"  and {len(table.rows) - len(shown)} rarer ones")
    total = _row("micro avg", table.micro, digits, columns)
    if accuracy is not None:
        total = f"{right('accuracy', columns)} {' ' * 20} {accuracy:>9.{digits}f} {table.support:>9}"
    averages = {"macro avg": table.macro, "weighted avg": table.weighted}
    lines += ["", total, *(_row(name, score, digits, columns) for name, score in averages.items())]
    return "\n".join(line.rstrip() for line in lines)


def _rows(rows: Mapping[str, Score], digits: int, columns: int) -> Iterator[str]:
    yield f"{' ' * columns} {'precision':>10}{'recall':>10}{'f1-score':>10}{'support':>10}"
    yield ""
    for name, score in rows.items():
        yield _row(name or "(no type)", score, digits, columns)


def _row(name: str, score: Score, digits: int, columns: int) -> str:
    cells = "".join(f"{number:>10.{digits}f}" for number in (score.precision, score.recall, score.f1))
    return f"{right(name, columns)} {cells}{score.support:>10}"
