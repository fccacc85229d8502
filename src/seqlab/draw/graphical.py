"""Models as graphs: what depends on what."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from seqlab.errors import OptionError
from seqlab.views.picture import (
    Box,
    Curve,
    Disc,
    Line,
    Picture,
    Point,
    Shape,
    Text,
    arrow_head,
    towards,
    words_width,
)

RADIUS, STEP, RISE = 23.0, 96.0, 98.0
EDGE = 34.0
HEAD = 10.0
FACTOR = 9.0  # side of a factor's square


@dataclass
class _Sheet:
    """Shapes in layers: edges below nodes, and the room they take."""

    edges: list[Shape] = field(default_factory=list)
    nodes: list[Shape] = field(default_factory=list)
    right: float = 0.0
    bottom: float = 0.0

    def node(self, at: Point, name: str, below: str = "", *, seen: bool = False) -> Point:
        """A variable, shaded when it is seen."""
        x, y = at
        self.nodes.append(Disc(x, y, RADIUS, "ink", "shade" if seen else "paper", 1.6))
        self.symbol(at, name, below)
        self.right, self.bottom = max(self.right, x + RADIUS), max(self.bottom, y + RADIUS)
        return at

    def symbol(self, at: Point, name: str, below: str) -> None:
        wide = words_width(name, 16)
        foot = words_width(below, 11)
        start = at[0] - (wide + foot) / 2
        self.nodes.append(Text(start, at[1] + 5, name, 16, italic=True))
        if below:
            self.nodes.append(Text(start + wide, at[1] + 9, below, 11))

    def parameter(self, at: Point, name: str) -> Point:
        """A number that is learned: a small dot with its name."""
        self.nodes += [Disc(*at, 4.5, fill="ink"), Text(at[0], at[1] - 11, name, 15, "middle", italic=True)]
        self.right, self.bottom = max(self.right, at[0] + 14), max(self.bottom, at[1] + 6)
        return at

    def arrow(self, start: Point, end: Point, *, bend: float = 0.0, room: float = RADIUS) -> None:
        """From one node to another; `bend` pixels aside, to the left of whoever walks it."""
        dx, dy = end[0] - start[0], end[1] - start[1]
        length = math.hypot(dx, dy)
        side = (dy / length * bend, -dx / length * bend)
        first = (start[0] + dx / 3 + side[0], start[1] + dy / 3 + side[1])
        second = (end[0] - dx / 3 + side[0], end[1] - dy / 3 + side[1])
        out, into = towards(start, first, room), towards(end, second, RADIUS + 1.5)
        way = (into[0] - second[0], into[1] - second[1])
        neck = towards(into, second, HEAD * 0.8)
        self.edges.append(Curve((("M", out), ("C", (*first, *second, *neck))), "ink", 1.6))
        self.edges.append(arrow_head(into, way, size=HEAD, ink="ink"))

    def factor(self, start: Point, end: Point) -> None:
        """A line with a square on it: a score that both ends share."""
        x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        self.edges.append(Line(*start, *end, "ink", 1.6))
        self.edges.append(Box(x - FACTOR / 2, y - FACTOR / 2, FACTOR, FACTOR, "ink", "ink"))

    def plate(self, left: float, top: float, right: float, bottom: float, name: str) -> None:
        """What stands inside is there many times."""
        self.edges.append(Box(left, top, right - left, bottom - top, "faint", radius=9, stroke=1.4))
        self.nodes.append(Text(right - 10, bottom - 8, name, 12, "end", "faint"))
        self.right, self.bottom = max(self.right, right), max(self.bottom, bottom)


def graphical_model_picture(
    model: str, *, length: int = 4, plates: bool = False, title: str | None = None
) -> Picture:
    """The graph of a kind of model. Shaded variables are seen, arrows lead to what depends on them, squares are scores.

    model    "markov-chain", "naive-bayes", "hmm", "hmm-2" (order 2), "memm" or "crf"
    length   tokens that are drawn, from 2 to 8
    plates   with frames round what is there many times, and the parameters as dots
    """
    if model not in _MODELS:
        raise OptionError(f"model must be one of {', '.join(map(repr, _MODELS))}, got {model!r:.40}")
    if isinstance(length, bool) or not isinstance(length, int) or not 2 <= length <= 8:
        raise OptionError(f"length must be a whole number from 2 to 8, got {length!r:.40}")
    name, draw = _MODELS[model]
    title = name if title is None else title
    sheet = _Sheet()
    draw(sheet, length, plates=plates)
    words = [Text(EDGE - 8, 28, title, 15.0, bold=True)] if title else []
    width = max(sheet.right + EDGE, 2 * EDGE + words_width(title, 15, bold=True))
    return Picture(width, sheet.bottom + EDGE - 6, title or name, (*words, *sheet.edges, *sheet.nodes))


# ------------------------------------------------------------------------------------------------ models


def _places(length: int, *, plates: bool, above: float = 0.0) -> tuple[list[Point], list[Point]]:
    """Of labels (above) and words (below)."""
    left = EDGE + RADIUS + (86 if plates else 0)
    top = 62 + RADIUS + above + (18 if plates else 0)
    labels = [(left + STEP * t, top) for t in range(length)]
    return labels, [(x, y + RISE) for x, y in labels]


def _chain(sheet: _Sheet, places: list[Point], name: str, *, seen: bool = False) -> None:
    for t, at in enumerate(places):
        sheet.node(at, name, str(t + 1), seen=seen)
        if t:
            sheet.arrow(places[t - 1], at)


def _framed(sheet: _Sheet, places: list[Point], top: float) -> None:
    left, right = places[0][0] - RADIUS - 20, places[-1][0] + RADIUS + 20
    sheet.plate(left, top, right, sheet.bottom + 32, "N sentences")


def _learned(sheet: _Sheet, at: Point, name: str) -> None:
    """A parameter at the left of a node, with an arrow into it."""
    sheet.arrow(sheet.parameter((at[0] - 90, at[1]), name), at, room=6)


def _markov_chain(sheet: _Sheet, length: int, *, plates: bool) -> None:
    labels, _ = _places(length, plates=plates)
    _chain(sheet, labels, "x", seen=True)
    if plates:
        _framed(sheet, labels, labels[0][1] - RADIUS - 18)
        _learned(sheet, labels[0], "A")


def _naive_bayes(sheet: _Sheet, length: int, *, plates: bool) -> None:
    if plates:
        label = (EDGE + RADIUS + 100, 62 + RADIUS + 18)
        word = (label[0], label[1] + RISE)
        sheet.node(label, "y")
        sheet.node(word, "x", "t", seen=True)
        sheet.arrow(label, word)
        sheet.plate(word[0] - 42, word[1] - 38, word[0] + 42, word[1] + 48, "T")
        sheet.plate(label[0] - 58, label[1] - 42, label[0] + 58, word[1] + 78, "N texts")
        sheet.arrow(sheet.parameter((label[0] - 108, label[1]), "π"), label, room=6)
        sheet.arrow(sheet.parameter((word[0] - 108, word[1]), "B"), word, room=6)
        return
    _, words = _places(length, plates=plates)
    label = ((words[0][0] + words[-1][0]) / 2, words[0][1] - RISE)
    sheet.node(label, "y")
    for t, at in enumerate(words):
        sheet.node(at, "x", str(t + 1), seen=True)
        sheet.arrow(label, at)


def _hidden(
    sheet: _Sheet, length: int, *, plates: bool, order: int = 1, emits: bool = True, learned: Sequence[str]
) -> None:
    """Labels in a chain over words, which they emit or, in an MEMM, depend on; `learned` are its parameters."""
    above = 34.0 if order == 2 else 0.0
    labels, words = _places(length, plates=plates, above=above)
    _chain(sheet, labels, "y")
    for t, at in enumerate(words):
        sheet.node(at, "x", str(t + 1), seen=True)
        sheet.arrow(*((labels[t], at) if emits else (at, labels[t])))
        if order == 2 and t >= 2:
            sheet.arrow(labels[t - 2], labels[t], bend=58)
    if plates:
        _framed(sheet, labels, labels[0][1] - RADIUS - 18 - above)
        for at, name in zip((labels[0], words[0]), learned, strict=False):
            _learned(sheet, at, name)


def _crf(sheet: _Sheet, length: int, *, plates: bool) -> None:
    labels, words = _places(length, plates=plates)
    for t, at in enumerate(labels):
        sheet.node(at, "y", str(t + 1))
        sheet.factor(at, (words[t][0], words[t][1] - RADIUS))
        if t:
            sheet.factor(labels[t - 1], at)
    (left, y), right = words[0], words[-1][0]
    wide = right - left + 2 * RADIUS
    sheet.nodes.append(Box(left - RADIUS, y - RADIUS, wide, 2 * RADIUS, "ink", "shade", RADIUS, 1.6))
    sheet.symbol(((left + right) / 2, y), "x", f"1 … {length}")
    sheet.bottom = y + RADIUS
    if plates:
        x, y = labels[0]
        _framed(sheet, labels, y - RADIUS - 18)
        at = sheet.parameter((x - 90, y), "θ")
        sheet.edges.append(Line(at[0] + 5, at[1], x - RADIUS, y, "ink", 1.6))


_MODELS: dict[str, tuple[str, Callable[..., None]]] = {
    "markov-chain": ("Markov chain", _markov_chain),
    "naive-bayes": ("Naive Bayes", _naive_bayes),
    "hmm": ("Hidden Markov model", partial(_hidden, learned=("π, A", "B"))),
    "hmm-2": ("Hidden Markov model of order 2", partial(_hidden, order=2, learned=("π, A", "B"))),
    "memm": ("Maximum-entropy Markov model", partial(_hidden, emits=False, learned=("θ",))),
    "crf": ("Linear-chain conditional random field", _crf),
}
