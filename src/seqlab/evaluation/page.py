"""A report as one page of HTML that needs nothing else: no scripts, no fonts, no pictures from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING

from seqlab.arrays import whole_number
from seqlab.evaluation.matching import WAYS
from seqlab.evaluation.page_errors import errors_in_context
from seqlab.evaluation.page_style import STYLE
from seqlab.evaluation.scores import Score, ScoreTable
from seqlab.evaluation.text import NAMES, WAY_NAMES, invalid_note, most_frequent

if TYPE_CHECKING:
    from seqlab.evaluation.confusion import Confusion
    from seqlab.evaluation.report import Report
    from seqlab.evaluation.spans import SpanReport

MOST_CONFUSED = 20  # labels in the confusion picture
OPEN_ROWS = 30  # a longer table of labels is folded
MOST_ROWS = 500

WAY_MEANINGS = {
    "strict": "start, end and type are right",
    "lenient": "right type, at least one position shared",
    "type only": "right number of each type in the sentence, wherever",
    "boundary only": "start and end are right, whatever the type",
}


def report_page(report: Report, *, title: str, sentences: int) -> str:
    """The whole page."""
    most = whole_number(sentences, "sentences", 0)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="faint">{escape(_subtitle(report))}</p>',
        _cards(report),
        *([] if report.spans is None else _spans(report.spans)),
        _labels(report.labels),
        _confusion(report.confusion),
        errors_in_context(report.data, most),
    ]
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _subtitle(report: Report) -> str:
    text = f"{_counted(report.sentences, 'sentence')}, {_counted(report.tokens, 'token')}"
    if report.unseen is not None:
        text += f", {report.unseen:,} of them unseen in training"
    if report.spans is not None:
        text += f"; {_counted(report.spans.strict.support, 'gold span')}"
    return text


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _cards(report: Report) -> str:
    main = "accuracy" if report.spans is None else "span_f1"
    names = sorted(report.figures, key=lambda name: name != main)
    return f'<div class="cards">{"".join(_card(report, name, main) for name in names)}</div>'


def _card(report: Report, name: str, main: str) -> str:
    note, bar = "", ""
    if name in report.intervals:
        low, high = report.intervals[name].low, report.intervals[name].high
        note = f"<br>{100 * report.confidence:g} %: {100 * low:.2f} to {100 * high:.2f}"
        bar = (
            f'<div class="range"><i style="left:{100 * low:.2f}%;width:{100 * (high - low):.2f}%"></i></div>'
        )
    chosen = " main" if name == main else ""
    figure = f"<b>{100 * report.figures[name]:.2f}<small> %</small></b>"
    return f'<div class="card{chosen}">{figure}{bar}<span>{escape(NAMES[name])}{note}</span></div>'


def _spans(spans: SpanReport) -> Iterable[str]:
    note = escape(_sentence(invalid_note(spans)))
    yield f"<h2>Spans by type</h2>\n<p>Strict: start, end and type are right. {note}</p>"
    averages = {
        "all (micro)": spans.strict.micro,
        "macro": spans.strict.macro,
        "weighted": spans.strict.weighted,
    }
    yield _score_table("type", spans.strict.rows, averages)
    yield "<h2>Four ways to count spans</h2>"
    ways = {WAY_NAMES[way]: getattr(spans, way).micro for way in WAYS}
    yield _score_table("way", ways, {}, WAY_MEANINGS)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _labels(table: ScoreTable) -> str:
    averages = {"all (micro)": table.micro, "macro": table.macro, "weighted": table.weighted}
    rows = most_frequent(table.rows, MOST_ROWS)
    scores = _score_table("label", rows, averages)
    if len(rows) > OPEN_ROWS:
        some = "labels" if len(rows) == len(table.rows) else f"labels; here are the {len(rows)} most frequent"
        scores = f"<details><summary>{len(table.rows)} {some}</summary>{scores}</details>"
    return f"<h2>Labels, token by token</h2>\n{scores}"


def _score_table(
    head: str,
    rows: Mapping[str, Score],
    averages: Mapping[str, Score],
    notes: Mapping[str, str] | None = None,
) -> str:
    columns = (head, "precision", "recall", "F1", "in gold", "predicted", "correct")
    top = "".join(f'<th scope="col">{name}</th>' for name in columns)
    body = "".join(_score_row(name, score, (notes or {}).get(name, "")) for name, score in rows.items())
    below = "".join(_score_row(name, score, "") for name, score in averages.items())
    bodies = f"<tbody>{body}</tbody>" + (f"<tbody>{below}</tbody>" if below else "")
    return f'<div class="scroll"><table class="scores"><thead><tr>{top}</tr></thead>{bodies}</table></div>'


def _score_row(name: str, score: Score, note: str) -> str:
    about = f'<br><span class="faint">{escape(note)}</span>' if note else ""
    figures = "".join(
        f'<td class="figure" style="--share:{figure:.3f}">{100 * figure:.2f}</td>'
        for figure in (score.precision, score.recall, score.f1)
    )
    counts = "".join(f"<td>{count:,}</td>" for count in (score.support, score.predicted, score.correct))
    return f'<tr><th scope="row"><bdi>{escape(name or "(no type)")}</bdi>{about}</th>{figures}{counts}</tr>'


def _confusion(confusion: Confusion) -> str:
    names, table = confusion.among(MOST_CONFUSED)
    title = "<h2>What was taken for what</h2>"
    if not names:
        return f"{title}\n<p>No label was wrong.</p>"
    wrong = table.copy()
    wrong[range(len(names)), range(len(names))] = 0
    largest = int(wrong.max()) or 1
    head = "".join(
        f'<th scope="col" title="{escape(name)}"><span>{escape(name)}</span></th>' for name in names
    )
    rows = []
    for i, name in enumerate(names):
        cells = "".join(_heat_cell(names, i, j, int(table[i, j]), largest) for j in range(len(names)))
        rows.append(f'<tr><th scope="row" title="{escape(name)}">{escape(name)}</th>{cells}</tr>')
    caption = (
        "Rows: gold. Columns: predicted. The darker, the more often one was taken for the other; "
        f"grey: right. The {len(names)} labels with the most mistakes."
    )
    body = f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return (
        f'{title}\n<div class="scroll"><table class="heat"><caption>{caption}</caption>{body}</table></div>'
    )


def _heat_cell(names: list[str], i: int, j: int, count: int, largest: int) -> str:
    about = f"gold {names[i]}, predicted {names[j]}: {count:,}"
    shown = "" if not count else str(count) if count < 10_000 else f"{count / 1000:,.0f}k"
    if i == j:
        return f'<td class="same" title="{escape(about)}">{shown}</td>'
    # The root makes rare mistakes visible beside frequent ones.
    share = (count / largest) ** 0.5
    deep = ' class="deep"' if share > 0.75 else ""
    return f'<td{deep} style="--share:{share:.2f}" title="{escape(about)}">{shown}</td>'
