"""Errors in context: the worst sentences, words above gold and predicted labels, wrong ones marked."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np

from seqlab.evaluation.inputs import Paired
from seqlab.tags.coding import Bools, Places

WHOLE = 40  # a sentence up to this length is shown whole; of a longer one only the neighbourhood of errors
AROUND = 5
LONGEST = 200  # tokens of one sentence on the page


def worst_first(data: Paired, most: int) -> Places:
    """Sentences with errors: most wrong labels first, then the larger share, then the order of the corpus."""
    offsets = data.gold.offsets
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(~data.right)])
    wrong = before[offsets[1:]] - before[offsets[:-1]]
    lengths = np.diff(offsets)
    order = np.lexsort((lengths, -wrong))
    worst: Places = order[wrong[order] > 0][:most]
    return worst


def errors_in_context(data: Paired, most: int) -> str:
    """The section of the page."""
    worst = worst_first(data, most)
    title = "<h2>Errors in context</h2>"
    if not len(worst):
        return f"{title}\n<p>{'No label was wrong.' if data.right.all() else 'Left out, as asked.'}</p>"
    first = "word, gold label" if data.words is not None else "gold label"
    legend = f"<p>Worst sentences first. Each token has {first} and, where it is wrong, the predicted label below.</p>"
    return "\n".join([title, legend, *(_sentence(data, int(i)) for i in worst)])


def _sentence(data: Paired, number: int) -> str:
    begin, end = (int(x) for x in data.gold.offsets[number : number + 2])
    wrong = ~data.right[begin:end]
    place = _place(data, number)
    head = f"{escape(place)}: {int(wrong.sum())} of {end - begin} labels wrong"
    tokens = "".join(_tokens(data, begin, wrong))
    return f'<section class="sentence"><header>{head}</header><div class="tokens">{tokens}</div></section>'


def _place(data: Paired, number: int) -> str:
    place = getattr(data.source, "place", None)
    name = f"sentence {number}"
    if not callable(place):
        return name
    where = str(place(number, 0))
    return where if where.startswith("sentence") else f"{name} ({where})"


def _tokens(data: Paired, begin: int, wrong: Bools) -> Iterator[str]:
    shown = _near(wrong)
    last = -1
    for t in np.flatnonzero(shown).tolist():
        if t > last + 1:
            yield '<span class="gap">…</span>'
        yield _token(data, begin + t, wrong=bool(wrong[t]))
        last = t
    if last + 1 < len(wrong):
        yield '<span class="gap">…</span>'


def _near(wrong: Bools) -> Bools:
    """Positions to show: all of a short sentence, else those around the errors."""
    shown = np.ones(len(wrong), dtype=bool)
    if len(wrong) > WHOLE:
        shown = np.convolve(wrong, np.ones(2 * AROUND + 1), mode="same") > 0
    shown[np.flatnonzero(shown)[LONGEST:]] = False
    return shown


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
    """Escaped, with a sign for what a browser would not show."""
    shown = "".join(
        "\N{REPLACEMENT CHARACTER}" if not char.isprintable() and char not in " \u200c\u200d" else char
        for char in text
    )
    return escape(shown) or "∅"
