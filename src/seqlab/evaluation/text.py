"""A report as text of at most 80 columns, with tables as scikit-learn's classification_report has them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from seqlab.arrays import whole_number
from seqlab.corpus.names import counted
from seqlab.evaluation.scores import Score, ScoreTable
from seqlab.evaluation.spans import WAYS, Invalid, SpanReport
from seqlab.views.text import left, printable, right, text_width

if TYPE_CHECKING:
    from seqlab.evaluation.report import Report

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


def report_text(report: Report, *, digits: int, rows: int) -> str:
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
