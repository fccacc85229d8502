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
    """Structure of a graphical model: a chain of labels with words, a chain without words, or one label with words.

    name      title of the picture
    learned   names of the parameters of labels and of words
    order     number of previous labels that a label depends on; 0 for one label of all words
    words     "emitted": arrows from labels to words; "given": arrows from words to labels; "lines": undirected edges;
              None for an observed chain without words
    whole     True if every label depends on all words, which are drawn as one box
    single    True if there is one observed variable x instead of several words
    """

    name: str
    learned: tuple[str, ...]
    order: int = 1
    words: str | None = "emitted"
    whole: bool = False
    single: bool = False


_MODELS = {
    "markov-chain": _Model("Markov chain", ("A",), words=None),
    "naive-bayes": _Model("Naive Bayes", ("π", "B"), order=0),
    "generative": _Model("Generative model", ("π", "θ"), order=0, single=True),
    "discriminative": _Model("Discriminative model", ("θ",), order=0, words="given", single=True),
    "mrf": _Model("Markov random field", ("φ",), order=0, words="lines"),
    "hmm": _Model("Hidden Markov model", ("π, A", "B")),
    "hmm-2": _Model("Hidden Markov model of order 2", ("π, A", "B"), order=2),
    "memm": _Model("Maximum-entropy Markov model", ("θ",), words="given"),
    "memm-whole": _Model("MEMM that sees the whole input", ("θ",), words="given", whole=True),
    "crf": _Model("Linear-chain conditional random field", ("θ",), words="lines", whole=True),
}
# Orders of three variables in the chain rule; each depends on those before it.
FACTORISATIONS = ("xyz", "yxz", "zyx")
MODELS = (*_MODELS, "factorisations")


def graphical_model_picture(
    model: str, *, length: int = 4, plates: bool = False, title: str | None = None
) -> Picture:
    """Draw the graph of a kind of model.

    Shaded variables are seen, arrows lead to what depends on them, squares are scores.

    model    "markov-chain", "naive-bayes", "generative" (y to x), "discriminative" (x to y), "mrf" (Markov random
             field), "hmm", "hmm-2" (order 2), "memm", "memm-whole" (every label sees all words), "crf", or
             "factorisations" (three ways to factorise a joint distribution of three variables)
    length   tokens that are drawn, from 2 to 8
    plates   True to draw plates (frames around repeated variables), and the parameters as dots
    title    above the picture
    """
    if model not in MODELS:
        raise OptionError(f"model must be one of {', '.join(map(repr, MODELS))}, got {model!r:.40}")
    if isinstance(length, bool) or not isinstance(length, int) or not 2 <= length <= 8:
        raise OptionError(f"length must be a whole number from 2 to 8, got {length!r:.40}")
    sheet, name = _Sheet(), "Three factorisations of one distribution"
    if model == "factorisations":
        if plates:
            raise OptionError("factorisations have no plates: none of their variables is repeated")
        _factorisations(sheet)
    else:
        name = _MODELS[model].name
        draw = _chain if _MODELS[model].order or not _MODELS[model].words else _star
        draw(sheet, length, _MODELS[model], plates=plates)
    title = name if title is None else title
    words = [Text(EDGE - 8, 28, title, 15.0, bold=True)] if title else []
    width = max(sheet.right + EDGE, 2 * EDGE + words_width(title, 15, bold=True))
    return Picture(width, sheet.bottom + EDGE - 6, title or name, (*words, *sheet.edges, *sheet.nodes))


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

    def box(self, places: list[complex], name: str, below: str) -> None:
        """Draw observed variables as one box."""
        corner, wide = places[0] - RADIUS * (1 + 1j), abs(places[-1] - places[0]) + 2 * RADIUS
        x, y, tall = corner.real, corner.imag, 2 * RADIUS
        self.nodes.append(Box(x, y, wide, tall, RADIUS, ink="ink", fill="shade", stroke=1.6))
        self.symbol((places[0] + places[-1]) / 2, name, below)
        self.reach(x + wide, y + tall)

    def parameter(
        self, at: complex, name: str, *, left: float = 90, directed: bool = True, room: float = RADIUS
    ) -> None:
        """Draw a parameter as a small dot to the left of a node; with room=0, to the left of a line."""
        dot = at - left
        self.nodes.append(Disc(dot.real, dot.imag, 4.5, fill="ink"))
        self.nodes.append(Text(dot.real, dot.imag - 11, name, 15, "middle", italic=True))
        if directed:
            self.arrow(dot, at, room=6)
        else:
            self.line(dot + 5, at - room)

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
    factors = model.words == "lines"
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
            sheet.arrow(*((label, word) if model.words == "emitted" else (word, label)))
        if model.words and not model.whole:
            sheet.node(word, "x", str(t + 1), seen=True)
    if model.whole:
        sheet.box(words, "x", f"1 … {length}")
    if plates:
        left, right = labels[0].real - RADIUS - 20, labels[-1].real + RADIUS + 20
        sheet.plate(left, first.imag - RADIUS - 18 - above, right, sheet.bottom + 32, "N sentences")
        for at, name in zip((labels[0], words[0]), model.learned, strict=False):
            sheet.parameter(at, name, directed=not factors)


def _star(sheet: _Sheet, length: int, model: _Model, *, plates: bool) -> None:
    """Draw one label over all words."""
    count = 1 if model.single or plates else length
    left = EDGE + RADIUS + (100 if plates else 0)
    label = complex(left + STEP * (count - 1) / 2, 62 + RADIUS + (18 if plates else 0))
    words = [left + STEP * t + 1j * (label.imag + RISE) for t in range(count)]
    sheet.node(label, "y")
    for t, word in enumerate(words):
        sheet.node(word, "x", "" if model.single else "t" if plates else str(t + 1), seen=True)
        if model.words == "lines":
            sheet.factor(label, word)
        else:
            sheet.arrow(*((label, word) if model.words == "emitted" else (word, label)))
    if not plates:
        return
    x, y, inner = label.real, label.imag, 0 if model.single else 1
    if inner:
        above = 64 if model.words == "lines" else 38
        sheet.plate(x - 42, y + RISE - above, x + 42, y + RISE + 48, "T")
    sheet.plate(x - 58, y - 42, x + 58, y + RISE + 48 + 30 * inner, "N texts" if inner else "N")
    if model.words == "lines":
        sheet.parameter(label + 0.5j * RISE, model.learned[0], left=108, directed=False, room=0)
        return
    for at, name in zip((label, words[0]), model.learned, strict=False):
        sheet.parameter(at, name, left=108)


def _factorisations(sheet: _Sheet) -> None:
    """Draw the graph of every factorisation, and its formula below it."""
    for number, order in enumerate(FACTORISATIONS):
        corner = EDGE + RADIUS + 40 + 1j * (62 + RADIUS) + number * 2.5 * STEP
        places = dict(zip("xyz", (corner, corner + STEP, corner + STEP / 2 + 1j * RISE), strict=True))
        terms = [f"P({order[0]})"]
        for i, name in enumerate(order):
            sheet.node(places[name], name)
            for before in order[:i]:
                sheet.arrow(places[before], places[name])
            terms += [f"P({name} | {', '.join(sorted(order[:i]))})"] if i else []
        at, words = places["z"] + 1j * (RADIUS + 32), " ".join(terms)
        sheet.nodes.append(Text(at.real, at.imag, words, 14, "middle", italic=True))
        sheet.reach(at.real + words_width(words, 14) / 2, at.imag + 6)
