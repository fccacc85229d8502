"""A report as one self-contained HTML page: no scripts, no fonts, no pictures from elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from html import escape

import numpy as np

from seqlab.arrays import whole_number
from seqlab.evaluation.headline import within
from seqlab.evaluation.report import NAMES, WAY_NAMES, Report, invalid_note, most_frequent
from seqlab.evaluation.scores import Confusion, Paired, Score, ScoreTable
from seqlab.evaluation.spans import WAYS, SpanReport
from seqlab.tags.coding import Bools
from seqlab.views.html import cell, page, table

MOST_CONFUSED = 20  # labels in the confusion picture
OPEN_ROWS = 30  # a longer table of labels is folded
MOST_ROWS = 500
WHOLE = 40  # a sentence up to this length is shown whole; of a longer one only the neighbourhood of errors
AROUND = 5
LONGEST = 200  # tokens of one sentence on the page

WAY_MEANINGS = {
    "strict": "start, end and type are right",
    "lenient": "right type, at least one position shared",
    "type only": "right number of each type in the sentence, wherever",
    "boundary only": "start and end are right, whatever the type",
}


def report_page(report: Report, path: str | os.PathLike[str] | None, *, title: str, sentences: int) -> str:
    """Make the whole page; it is written to `path` if there is one."""
    most = whole_number(sentences, "sentences", 0)
    subtitle = f"{_counted(report.sentences, 'sentence')}, {_counted(report.tokens, 'token')}"
    if report.unseen is not None:
        subtitle += f", {report.unseen:,} of them unseen in training"
    if report.spans is not None:
        subtitle += f"; {_counted(report.spans.strict.support, 'gold span')}"
    main = "accuracy" if report.spans is None else "span_f1"
    names = sorted(report.figures, key=lambda name: name != main)
    parts = [
        f'<p class="faint">{escape(subtitle)}</p>',
        f'<div class="cards">{"".join(_card(report, name, main) for name in names)}</div>',
        *([] if report.spans is None else _spans(report.spans)),
        _labels(report.labels),
        _confusion(report.confusion),
        errors_in_context(report.data, most),
    ]
    return page(title, parts, path)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _card(report: Report, name: str, main: str) -> str:
    note, bar = "", ""
    if name in report.intervals:
        low, high = 100 * report.intervals[name].low, 100 * report.intervals[name].high
        note = f"<br>{100 * report.confidence:g} %: {low:.2f} to {high:.2f}"
        bar = f'<div class="range"><i style="left:{low:.2f}%;width:{high - low:.2f}%"></i></div>'
    chosen = " main" if name == main else ""
    figure = f"<b>{100 * report.figures[name]:.2f}<small> %</small></b>"
    return f'<div class="card{chosen}">{figure}{bar}<span>{escape(NAMES[name])}{note}</span></div>'


def _spans(spans: SpanReport) -> Iterable[str]:
    note = invalid_note(spans)
    note = escape(f"{note[:1].upper()}{note[1:]}.")
    yield f"<h2>Spans by type</h2>\n<p>Strict: start, end and type are right. {note}</p>"
    yield _score_table("type", spans.strict.rows, spans.strict)
    yield "<h2>Four ways to count spans</h2>"
    yield _score_table("way", {WAY_NAMES[way]: getattr(spans, way).micro for way in WAYS}, notes=WAY_MEANINGS)


def _labels(labels: ScoreTable) -> str:
    rows = most_frequent(labels.rows, MOST_ROWS)
    scores = _score_table("label", rows, labels)
    if len(rows) > OPEN_ROWS:
        some = "" if len(rows) == len(labels.rows) else f"; here are the {len(rows)} most frequent"
        scores = f"<details><summary>{len(labels.rows)} labels{some}</summary>{scores}</details>"
    return f"<h2>Labels, token by token</h2>\n{scores}"


def _score_table(
    head: str,
    rows: Mapping[str, Score],
    whole: ScoreTable | None = None,
    notes: Mapping[str, str] | None = None,
) -> str:
    """Make a table of scores; `whole` has the averages below it."""
    columns = (head, "precision", "recall", "F1", "in gold", "predicted", "correct")
    averages: dict[str, Score] = {}
    if whole is not None:
        averages = {"all (micro)": whole.micro, "macro": whole.macro, "weighted": whole.weighted}
    main = (_score_row(name, score, (notes or {}).get(name, "")) for name, score in rows.items())
    return table(columns, main, (_score_row(name, score, "") for name, score in averages.items()))


def _score_row(name: str, score: Score, note: str) -> str:
    about = f'<br><span class="faint">{escape(note)}</span>' if note else ""
    figures = "".join(
        f'<td class="figure" style="--share:{figure:.3f}">{100 * figure:.2f}</td>'
        for figure in (score.precision, score.recall, score.f1)
    )
    counts = "".join(cell(f"{count:,}") for count in (score.support, score.predicted, score.correct))
    return f'<tr><th scope="row"><bdi>{escape(name or "(no type)")}</bdi>{about}</th>{figures}{counts}</tr>'


def _confusion(confusion: Confusion) -> str:
    names, counts = confusion.among(MOST_CONFUSED)
    title = "<h2>What was taken for what</h2>"
    if not names:
        return f"{title}\n<p>No label was wrong.</p>"
    wrong = counts.copy()
    wrong[range(len(names)), range(len(names))] = 0
    largest = int(wrong.max()) or 1
    safe = [*map(escape, names)]
    head = "".join(f'<th scope="col" title="{name}"><span>{name}</span></th>' for name in safe)
    rows = []
    for i, name in enumerate(safe):
        cells = "".join(_heat_cell(names, i, j, int(counts[i, j]), largest) for j in range(len(names)))
        rows.append(f'<tr><th scope="row" title="{name}">{name}</th>{cells}</tr>')
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
    share = (count / largest) ** 0.5  # the root makes rare errors visible beside frequent ones
    return f'<td style="--share:{share:.2f}" title="{escape(about)}">{shown}</td>'


# ---------------------------------------------------------------- errors in context


def errors_in_context(data: Paired, most: int) -> str:
    """Make the section of the worst sentences: words above gold and predicted labels, wrong ones marked.

    Most wrong labels come first, then the larger share, then sentences as in the corpus.
    """
    wrong = within(~data.right, data.gold.offsets)
    order = np.lexsort((np.diff(data.gold.offsets), -wrong))
    worst = order[wrong[order] > 0][:most]
    title = "<h2>Errors in context</h2>"
    if not len(worst):
        return f"{title}\n<p>{'No label was wrong.' if data.right.all() else 'Left out, as asked.'}</p>"
    first = "word, gold label" if data.words is not None else "gold label"
    legend = f"<p>Worst sentences first. Each token has {first} and, where it is wrong, the predicted label below.</p>"
    return "\n".join([title, legend, *(_one_sentence(data, int(i)) for i in worst)])


def _one_sentence(data: Paired, number: int) -> str:
    begin, end = (int(x) for x in data.gold.offsets[number : number + 2])
    wrong = ~data.right[begin:end]
    place, find = f"sentence {number}", getattr(data.source, "place", None)
    where = str(find(number, 0)) if callable(find) else place
    place = where if where.startswith("sentence") else f"{place} ({where})"
    head = f"{escape(place)}: {int(wrong.sum())} of {end - begin} labels wrong"
    tokens = "".join(_tokens(data, begin, wrong))
    return f'<section class="sentence"><header>{head}</header><div class="tokens">{tokens}</div></section>'


def _tokens(data: Paired, begin: int, wrong: Bools) -> Iterator[str]:
    """Make the HTML of a short sentence, or of the tokens around the errors of a long one."""
    shown = np.ones(len(wrong), dtype=bool)
    if len(wrong) > WHOLE:
        shown = np.convolve(wrong, np.ones(2 * AROUND + 1), mode="same") > 0
    gap, last = '<span class="gap">…</span>', -1
    for t in np.flatnonzero(shown)[:LONGEST].tolist():
        if t > last + 1:
            yield gap
        yield _token(data, begin + t, wrong=bool(wrong[t]))
        last = t
    if last + 1 < len(wrong):
        yield gap


def _token(data: Paired, position: int, *, wrong: bool) -> str:
    word = ""
    if data.words is not None:
        word = f'<bdi dir="auto">{_visible(data.words.values[data.words.codes[position]])}</bdi>'
    gold = _visible(data.gold.values[data.gold.codes[position]])
    if not wrong:
        return f'<span class="token">{word}<small>{gold}</small></span>'
    predicted = _visible(data.predicted.values[data.predicted.codes[position]])
    return f'<span class="token wrong">{word}<small>{gold}</small><small>✗ {predicted}</small></span>'


def _visible(text: str) -> str:
    """Escape text, with a sign for invisible characters."""
    shown = "".join(
        "\N{REPLACEMENT CHARACTER}" if not char.isprintable() and char not in " \u200c\u200d" else char
        for char in text
    )
    return escape(shown) or "∅"
