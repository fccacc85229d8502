"""The table of several models on the same sentences: as values, text, JSON and a page."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

from seqlab.views import html
from seqlab.views.tables import laid_out
from seqlab.views.text.width import clip

if TYPE_CHECKING:
    from seqlab.evaluation import Report

LONGEST_NAME = 16
MARKS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
NAMES = {"accuracy": "accuracy", "unseen_accuracy": "unseen", "span_f1": "span F1"}


@dataclass(frozen=True)
class Row:
    """One model.

    report              its figures with confidence intervals
    training_seconds    of fit, with everything that belongs to it
    tokens_per_second   of predict, the quickest of several times
    size                of its file in bytes; None when it cannot be saved
    model               trained
    p_best, p_before    the chance that it differs this much from the best row, and from the row before, by luck alone;
                        None for the best row itself, and for the first
    """

    name: str
    report: Report = field(repr=False)
    training_seconds: float
    tokens_per_second: float
    size: int | None
    model: Any = field(repr=False)
    p_best: float | None = None
    p_before: float | None = None

    def judged(self, p_best: float | None, p_before: float | None) -> Row:
        """The same with what chance could have done."""
        return replace(self, p_best=p_best, p_before=p_before)

    @property
    def mark(self) -> str:
        """Stars for a row that is worse than the best by more than luck."""
        return mark_of(self.p_best)

    def to_dict(self) -> dict[str, Any]:
        """In plain values, without the model."""
        return {
            "name": self.name,
            "options": repr(self.model),
            "figures": dict(self.report.figures),
            "intervals": {name: asdict(one) for name, one in self.report.intervals.items()},
            "training_seconds": self.training_seconds,
            "tokens_per_second": self.tokens_per_second,
            "bytes": self.size,
            "p_best": self.p_best,
            "p_before": self.p_before,
        }


@dataclass(frozen=True)
class Comparison:
    """Several models, trained and tried on the same sentences.

    rows      in the order in which they were named
    metric    what decides: "span_f1" where labels are tags, else "accuracy"
    best      the number of the best row
    """

    rows: tuple[Row, ...]
    metric: str
    best: int
    train_sentences: int
    sentences: int
    tokens: int
    confidence: float
    threads: int

    def __getitem__(self, name: str) -> Row:
        for one in self.rows:
            if one.name == name:
                return one
        raise KeyError(f"there is no model {name!r}, only {', '.join(row.name for row in self.rows)}")

    @property
    def columns(self) -> list[str]:
        """The figures of the table."""
        return [name for name in NAMES if any(name in row.report.figures for row in self.rows)]

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """A table of at most 80 columns, as long as names are short."""
        head = ["", *(NAMES[name] for name in self.columns), "", "training", "tokens/s", "size"]
        align = f"l{'r' * len(self.columns)}mrrr"
        lines = laid_out([head, *(self._cells(i) for i in range(len(self.rows)))], align)
        return "\n".join([*lines, "", *self.notes()])

    def notes(self) -> list[str]:
        """What the table does not say itself."""
        figure = {"sentence_accuracy": "sentence accuracy"}.get(
            self.metric, NAMES.get(self.metric, self.metric)
        )
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        lines = [f"{self.sentences:,} sentences, {self.tokens:,} tokens, {threads}; figures in percent"]
        if any(row.report.intervals for row in self.rows):
            lines[0] += f"; ±: {100 * self.confidence:g} % interval"
        if len(self.rows) > 1:
            lines.append(f"> best {figure}; worse by more than luck: * p < .05, ** p < .01, *** p < .001")
        return lines

    def _cells(self, number: int) -> list[str]:
        one = self.rows[number]
        sign = "> " if number == self.best and len(self.rows) > 1 else "  "
        figures = [figure_text(one, name, interval=name != "unseen_accuracy") for name in self.columns]
        return [
            sign + clip(one.name, LONGEST_NAME, "…"),
            *figures,
            one.mark,
            *_costs(one),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the models, in plain lists, dicts and numbers."""
        return {
            "metric": self.metric,
            "best": self.rows[self.best].name,
            "train_sentences": self.train_sentences,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "confidence": self.confidence,
            "threads": self.threads,
            "models": [row.to_dict() for row in self.rows],
        }

    def json(self, *, indent: int | None = 2) -> str:
        """`to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def html(self, path: str | os.PathLike[str] | None = None, *, title: str = "Comparison") -> str:
        """One page that needs nothing else; written to `path` if there is one."""
        return html.page(title, [self.html_table()], path)

    def html_table(self) -> str:
        """Return the table as HTML, with a sentence about it."""
        numbers = ["p against the best", "training", "tokens/s", "size"]
        head = ["model", *(NAMES[name] for name in self.columns), *numbers]
        rows = []
        for one in self.rows:
            p = "best" if one.p_best is None else f"{one.p_best:.2g} {one.mark}"
            cells = [*(figure_text(one, name) for name in self.columns), p, *_costs(one)]
            best = one is self.rows[self.best] and len(self.rows) > 1
            rows.append(html.row(one.name, cells, kind="best" if best else ""))
        return f'{html.table(head, rows)}<p class="faint">{escape(self.notes()[0])}.</p>'


def mark_of(p: float | None) -> str:
    """Stars for a small p."""
    return next((stars for bound, stars in MARKS if p is not None and p < bound), "")


def figure_text(row: Row, name: str, *, interval: bool = True) -> str:
    """95.61 ±0.65."""
    if name not in row.report.figures:
        return "-"
    text = f"{100 * row.report.figures[name]:.2f}"
    found = row.report.intervals.get(name)
    return text if found is None or not interval else f"{text} ±{50 * (found.high - found.low):.2f}"


def seconds_text(seconds: float) -> str:
    """Seconds, for people."""
    if seconds >= 90:
        return f"{seconds / 60:.1f} min"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def rate_text(rate: float) -> str:
    """Tokens a second, for people."""
    return f"{rate / 1e6:.1f} M" if rate >= 1e6 else f"{rate / 1e3:.0f} k" if rate >= 1e4 else f"{rate:,.0f}"


def size_text(size: int | None) -> str:
    """Bytes, for people."""
    if size is None:
        return "-"
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def _costs(row: Row) -> list[str]:
    return [seconds_text(row.training_seconds), rate_text(row.tokens_per_second), size_text(row.size)]
