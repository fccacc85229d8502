"""Probabilities of labels as text: a number and a bar for each position and label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seqlab.arrays import Probabilities
from seqlab.views.text.canvas import Canvas
from seqlab.views.text.layout import bands
from seqlab.views.text.style import Ink, Style
from seqlab.views.text.width import clip, printable, text_width

NUMBER = 6  # "0.123 "
MIN_BAR, MAX_BAR = 3, 12
GAP = 2


def posterior_text(
    node: Probabilities,
    tokens: Sequence[str],
    labels: Sequence[str],
    *,
    width: int = 80,
    style: Style | None = None,
) -> str:
    """Draw P(y_t = y), one column per position and one row per label.

    node   (T, L) probabilities, such as `Posterior.node`
    """
    style = style or Style()
    names = [printable(name) for name in labels]
    margin = max(map(text_width, names), default=0) + GAP
    room = (width - margin) // max(len(tokens), 1)
    column = NUMBER + min(max(room - NUMBER - GAP, MIN_BAR), MAX_BAR) + GAP
    lines: list[str] = []
    for band in bands([column] * len(tokens), width - margin):
        canvas = Canvas(min(width, margin + column * len(band)), 1 + len(names))
        for row, name in enumerate(names):
            canvas.put(0, 1 + row, name, Ink.HEAD)
        for place, t in enumerate(band):
            _column(canvas, margin + place * column, column - GAP, tokens[t], node[t], style)
        lines += [*canvas.lines(style), ""]
    return "\n".join(lines[:-1])


def _column(canvas: Canvas, x: int, width: int, token: str, shares: Probabilities, style: Style) -> None:
    canvas.put(x, 0, clip(printable(token), width, style.glyphs.ellipsis), Ink.HEAD)
    for row, share in enumerate(shares):
        if share == 0.0:
            canvas.put(x, 1 + row, style.glyphs.dead, Ink.FAINT)
            continue
        ink = Ink.PATH if row == int(np.argmax(shares)) else Ink.TEXT
        canvas.put(x, 1 + row, f"{share:.3f}", ink)
        canvas.put(x + NUMBER, 1 + row, style.glyphs.bar(float(share), width - NUMBER), ink)
