"""Graphical models: the dependencies between variables."""

from __future__ import annotations

from dataclasses import dataclass, field

from seqlab.errors import OptionError
from seqlab.views.picture import Box, Curve, Disc, Picture, Shape, Text, arrow, bent, words_width

RADIUS, STEP, RISE = 23.0, 96.0, 98.0
EDGE = 34.0
HEAD = 10.0
FACTOR = 9.0  # side of a factor's square


@dataclass(frozen=True)
class _Model:
    """A chain of labels over words, or without any.

    learned   names of the parameters of labels and of words
    order     number of previous labels with an arrow
    words     "emitted" by labels, "given" to them, or scored with them ("factors"); None for an observed chain
    """

    name: str
    learned: tuple[str, ...]
    order: int = 1
    words: str | None = "emitted"


_MODELS = {
    "markov-chain": _Model("Markov chain", ("A",), words=None),
    "naive-bayes": _Model("Naive Bayes", ("π", "B")),
    "hmm": _Model("Hidden Markov model", ("π, A", "B")),
    "hmm-2": _Model("Hidden Markov model of order 2", ("π, A", "B"), order=2),
    "memm": _Model("Maximum-entropy Markov model", ("θ",), words="given"),
    "crf": _Model("Linear-chain conditional random field", ("θ",), words="factors"),
}


def graphical_model_picture(
    model: str, *, length: int = 4, plates: bool = False, title: str | None = None
) -> Picture:
    """Draw the graph of a kind of model.

    Shaded variables are seen, arrows lead to what depends on them, squares are scores.

    model    "markov-chain", "naive-bayes", "hmm", "hmm-2" (order 2), "memm" or "crf"
    length   tokens that are drawn, from 2 to 8
    plates   with frames round what is there many times, and the parameters as dots
    title   above the picture
    """
    if model not in _MODELS:
        raise OptionError(f"model must be one of {', '.join(map(repr, _MODELS))}, got {model!r:.40}")
    if isinstance(length, bool) or not isinstance(length, int) or not 2 <= length <= 8:
        raise OptionError(f"length must be a whole number from 2 to 8, got {length!r:.40}")
    chosen, sheet = _MODELS[model], _Sheet()
    title = chosen.name if title is None else title
    if model == "naive-bayes":
        _naive_bayes(sheet, length, chosen.learned, plates=plates)
    else:
        _chain(sheet, length, chosen, plates=plates)
    words = [Text(EDGE - 8, 28, title, 15.0, bold=True)] if title else []
    width = max(sheet.right + EDGE, 2 * EDGE + words_width(title, 15, bold=True))
    return Picture(width, sheet.bottom + EDGE - 6, title or chosen.name, (*words, *sheet.edges, *sheet.nodes))


@dataclass
class _Sheet:
    """Shapes in layers, edges below nodes, and their extent."""

    edges: list[Shape] = field(default_factory=list)
    nodes: list[Shape] = field(default_factory=list)
    right: float = 0.0
    bottom: float = 0.0

    def reach(self, right: float, bottom: float) -> None:
        """Extend the drawing to this point."""
        self.right, self.bottom = max(self.right, right), max(self.bottom, bottom)

    def node(self, at: complex, name: str, below: str = "", *, seen: bool = False) -> None:
        """Draw a variable, shaded when it is observed."""
        fill = "shade" if seen else "paper"
        self.nodes.append(Disc(at.real, at.imag, RADIUS, ink="ink", fill=fill, stroke=1.6))
        self.symbol(at, name, below)
        self.reach(at.real + RADIUS, at.imag + RADIUS)

    def symbol(self, at: complex, name: str, below: str) -> None:
        """Write a name with an index."""
        wide = words_width(name, 16)
        start = at.real - (wide + words_width(below, 11)) / 2
        self.nodes.append(Text(start, at.imag + 5, name, 16, italic=True))
        if below:
            self.nodes.append(Text(start + wide, at.imag + 9, below, 11))

    def arrow(self, start: complex, end: complex, *, bend: float = 0.0, room: float = RADIUS) -> None:
        """Draw an arrow from one node to another; it bends to the left."""
        control = bent(start, end, -bend, room, RADIUS + 1.5)
        self.edges += arrow(control, "ink", size=HEAD, neck=HEAD * 0.8, stroke=1.6)

    def line(self, start: complex, end: complex) -> None:
        """Draw a straight line."""
        self.edges.append(Curve((start, end), ink="ink", stroke=1.6))

    def factor(self, start: complex, end: complex) -> None:
        """Draw a line with a square on it: a score that both ends share."""
        self.line(start, end)
        corner = (start + end - FACTOR * (1 + 1j)) / 2
        self.edges.append(Box(corner.real, corner.imag, FACTOR, FACTOR, ink="ink", fill="ink"))

    def parameter(self, at: complex, name: str, *, left: float = 90, directed: bool = True) -> None:
        """Draw a parameter as a small dot at the left of a node."""
        dot = at - left
        self.nodes.append(Disc(dot.real, dot.imag, 4.5, fill="ink"))
        self.nodes.append(Text(dot.real, dot.imag - 11, name, 15, "middle", italic=True))
        if directed:
            self.arrow(dot, at, room=6)
        else:
            self.line(dot + 5, at - RADIUS)

    def plate(self, left: float, top: float, right: float, bottom: float, name: str) -> None:
        """Draw a plate: a frame around repeated variables."""
        self.edges.append(Box(left, top, right - left, bottom - top, radius=9, ink="faint", stroke=1.4))
        self.nodes.append(Text(right - 10, bottom - 8, name, 12, "end", "faint"))
        self.reach(right, bottom)


def _chain(sheet: _Sheet, length: int, model: _Model, *, plates: bool) -> None:
    """Draw a chain of labels, and the words below them."""
    above = 34.0 if model.order == 2 else 0.0
    first = complex(EDGE + RADIUS + (86 if plates else 0), 62 + RADIUS + above + (18 if plates else 0))
    labels = [first + STEP * t for t in range(length)]
    words = [label + 1j * RISE for label in labels]
    factors = model.words == "factors"
    join = sheet.factor if factors else sheet.arrow
    for t, (label, word) in enumerate(zip(labels, words, strict=True)):
        sheet.node(label, "y" if model.words else "x", str(t + 1), seen=not model.words)
        if t:
            join(labels[t - 1], label)
        if t > 1 and model.order == 2:
            sheet.arrow(labels[t - 2], label, bend=58)
        if factors:
            sheet.factor(label, word - 1j * RADIUS)
        elif model.words:
            sheet.node(word, "x", str(t + 1), seen=True)
            sheet.arrow(*((label, word) if model.words == "emitted" else (word, label)))
    if factors:
        corner, wide = words[0] - RADIUS * (1 + 1j), STEP * (length - 1) + 2 * RADIUS
        x, y, tall = corner.real, corner.imag, 2 * RADIUS
        sheet.nodes.append(Box(x, y, wide, tall, RADIUS, ink="ink", fill="shade", stroke=1.6))
        sheet.symbol((words[0] + words[-1]) / 2, "x", f"1 … {length}")
        sheet.bottom = words[0].imag + RADIUS
    if plates:
        left, right = labels[0].real - RADIUS - 20, labels[-1].real + RADIUS + 20
        sheet.plate(left, first.imag - RADIUS - 18 - above, right, sheet.bottom + 32, "N sentences")
        for at, name in zip((labels[0], words[0]), model.learned, strict=False):
            sheet.parameter(at, name, directed=not factors)


def _naive_bayes(sheet: _Sheet, length: int, learned: tuple[str, ...], *, plates: bool) -> None:
    """Draw one label over all words."""
    if not plates:
        words = [EDGE + RADIUS + STEP * t + 1j * (62 + RADIUS + RISE) for t in range(length)]
        label = (words[0] + words[-1]) / 2 - 1j * RISE
        sheet.node(label, "y")
        for t, word in enumerate(words):
            sheet.node(word, "x", str(t + 1), seen=True)
            sheet.arrow(label, word)
        return
    label = complex(EDGE + RADIUS + 100, 62 + RADIUS + 18)
    word, x, y = label + 1j * RISE, label.real, label.imag
    sheet.node(label, "y")
    sheet.node(word, "x", "t", seen=True)
    sheet.arrow(label, word)
    sheet.plate(x - 42, y + RISE - 38, x + 42, y + RISE + 48, "T")
    sheet.plate(x - 58, y - 42, x + 58, y + RISE + 78, "N texts")
    for at, name in zip((label, word), learned, strict=True):
        sheet.parameter(at, name, left=108)
