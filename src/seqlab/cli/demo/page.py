"""The page that `seqlab demo --garden-path` shows. Every block is as wide as it is told to be, never wider."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Sequence

from seqlab import draw
from seqlab.cli.demo import garden_path
from seqlab.cli.demo.garden_path import Story
from seqlab.draw import Canvas, Ink, Style
from seqlab.inference import Path

LEFT_COLUMN, RIGHT_COLUMN = 64, 44  # two blocks stand side by side when there is room
WIDEST_TEXT = 100
INDENT = 2

OPENING = (
    '"The old man the boat." Whoever hears "the old man" thinks of a person, and is lost when '
    '"the boat" comes: it is the old who man the boat. '
    "The best path through a small hidden Markov model takes the same detour."
)

NEXT = (
    "from seqlab import Trellis, inference",
    "trellis = Trellis([[2, 0], [0, 1]], [[1, 0], [0, 1]])",
    "print(inference.viterbi(trellis))",
)

Row = Sequence[tuple[int, str, Ink]]  # pieces of text, each with its place


def page(story: Story, width: int, style: Style, *, python: str = "Python") -> str:
    """The whole page; `python` is what to type for an interpreter that knows seqlab."""
    if width >= LEFT_COLUMN + RIGHT_COLUMN:
        steps = _steps(story, LEFT_COLUMN, style)
        readings = _readings(story, width - LEFT_COLUMN, style)
        middle = [draw.beside(steps, readings, column=LEFT_COLUMN)]
    else:
        middle = [_steps(story, width, style), _readings(story, width, style)]
    blocks = [
        _opening(width, style),
        _trellis(story, width, style),
        *middle,
        _posterior(story, width, style),
        _next(python, width, style),
    ]
    return "\n\n".join(blocks)


def _opening(width: int, style: Style) -> str:
    pairs = zip(garden_path.LABELS, garden_path.MEANINGS, strict=True)
    legend = "   ".join(f"{label} {meaning}" for label, meaning in pairs)
    rows = [*_prose(OPENING, width), *_prose(legend, width, Ink.FAINT)]
    return _block("A garden path", rows, width, style)


def _trellis(story: Story, width: int, style: Style) -> str:
    title = "The trellis: how probable the best way into each cell is"
    key = f"frame: the best path   *: the best so far   {style.glyphs.dead}: no way in"
    drawing = draw.trellis_text(story.trellis, story.words, width=width - INDENT, style=style)
    head = _block(title, _prose(key, width, Ink.FAINT), width, style)
    return f"{head}\n\n{textwrap.indent(drawing, ' ' * INDENT)}"


def _steps(story: Story, width: int, style: Style) -> str:
    """The best path after each word: a staircase, with the labels that had to change in brackets."""
    places = [0, *itertools.accumulate(max(len(word), 3) + 1 for word in story.words)]
    rows: list[Row] = [[(x, word, Ink.HEAD) for x, word in zip(places, story.words, strict=False)]]
    before: Sequence[int | str] = ()
    for path in story.prefixes:
        changed = [t for t, label in enumerate(before) if label != path.labels[t]]
        ink = Ink.PATH if len(path) == len(story.words) else Ink.TEXT
        row = [(places[t], f" {label} ", ink) for t, label in enumerate(path.labels)]
        row += [(places[t], f"[{path.labels[t]}]", Ink.BEST) for t in changed]
        row.append((places[-1] + 1, _probability(path), ink))
        row.append((places[-1] + 9, _remark(story, before, path, changed, style), Ink.BEST))
        rows.append(row)
        before = path.labels
    return _block("Word by word: the best path so far", rows, width, style)


def _remark(story: Story, before: Sequence[int | str], path: Path, changed: list[int], style: Style) -> str:
    if changed:
        arrow = style.glyphs.arrow
        turns = (f"{story.words[t]} {before[t]}{arrow}{path.labels[t]}" for t in changed)
        return "turns back: " + " ".join(turns)
    astray = path.labels != story.readings[0].labels[: len(path)]
    return "led astray" if astray else ""


def _readings(story: Story, width: int, style: Style) -> str:
    """Every possible path with its share of the probability."""
    bar = min(width - 38, 30)
    rows: list[Row] = []
    for path in story.readings:
        share = story.share(path)
        ink = Ink.TEXT if rows else Ink.PATH
        rows.append(
            [
                (0, " ".join(map(str, path.labels)), ink),
                (11, _probability(path), ink),
                (23, f"{share:6.1%}", ink),
                (31, style.glyphs.bar(share, bar) if bar > 0 else "", ink),
            ]
        )
    rows.append([(0, "P(words)", Ink.HEAD), (11, f"{math.exp(story.log_probability):.6g}", Ink.HEAD)])
    labellings = story.trellis.L**story.trellis.T
    title = f"Possible readings: {len(story.readings)} of {labellings} labellings"
    return _block(title, rows, width, style)


def _posterior(story: Story, width: int, style: Style) -> str:
    title = "Each word by itself: P(label | the whole sentence)"
    bars = draw.posterior_text(
        story.posterior.node, story.words, garden_path.LABELS, width=width - INDENT, style=style
    )
    return f"{_block(title, [], width, style)}\n{textwrap.indent(bars, ' ' * INDENT)}"


def _next(python: str, width: int, style: Style) -> str:
    dots = style.glyphs.ellipsis
    snippet = [draw.clip(line, width, dots) for line in NEXT]  # not indented: made to be pasted
    first = _block(f"Next, in {python}, with scores of your own:", [], width, style)
    last = _block("Every claim above is a test of its own:  make test", [], width, style)
    return "\n".join([first, *snippet, last])


def _probability(path: Path) -> str:
    return f"{math.exp(path.score):.6g}"


def _block(title: str, rows: Sequence[Row], width: int, style: Style) -> str:
    """A title and rows below it, cut at the width."""
    titles = textwrap.wrap(title, width)
    canvas = Canvas(width, len(titles) + len(rows))
    for y, line in enumerate(titles):
        canvas.put(0, y, line, Ink.HEAD)
    for y, row in enumerate(rows, start=len(titles)):
        for x, text, ink in row:
            shown = draw.clip(text, width - INDENT - x, style.glyphs.ellipsis)
            canvas.put(INDENT + x, y, shown, ink)
    return "\n".join(canvas.lines(style))


def _prose(text: str, width: int, ink: Ink = Ink.TEXT) -> list[Row]:
    return [[(0, line, ink)] for line in textwrap.wrap(text, min(width, WIDEST_TEXT) - INDENT)]
