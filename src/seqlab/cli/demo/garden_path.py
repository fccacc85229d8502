"""`seqlab demo --garden-path`: decode a garden-path sentence with a hidden Markov model that can be checked by hand.

The tables are those of Figure 9.2 in the course notes (chapter 9) that seqlab's worked examples follow.
"""

from __future__ import annotations

import argparse
import itertools
import math
import shutil
import sys
import textwrap
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from seqlab import draw, inference
from seqlab.cli import terminal
from seqlab.draw import Canvas, Ink, Style
from seqlab.inference import Path
from seqlab.trellis import Trellis

READINGS = 10  # more than the sentence has

SENTENCE = ("the", "old", "man", "the", "boat")

LABELS = ("A", "N", "V", "D")
MEANINGS = ("adjective", "noun", "verb", "determiner")

#        A    N    V    D
START = (0.0, 0.2, 0.1, 0.7)

MOVES = (  # from each label to each label
    (0.1, 0.9, 0.0, 0.0),  # A
    (0.0, 0.2, 0.7, 0.1),  # N
    (0.1, 0.3, 0.1, 0.5),  # V
    (0.3, 0.7, 0.0, 0.0),  # D
)

WORDS = {  # the probability of each word under each label
    "man": (0.2, 0.4, 0.5, 0.0),
    "old": (0.8, 0.2, 0.0, 0.0),
    "the": (0.0, 0.0, 0.0, 1.0),
    "boat": (0.0, 0.4, 0.5, 0.0),
}


def show(arguments: argparse.Namespace, narrowest: int) -> None:
    """Print the page, or the numbers as JSON."""
    story = Story()
    if arguments.json:
        terminal.print_json(story.facts())
        return
    width = arguments.width or max(shutil.get_terminal_size().columns, narrowest)
    style = terminal.style(sys.stdout, no_color=arguments.no_color, ascii_only=arguments.ascii)
    print(page(story, width, style, python=terminal.python()))


def trellis(words: Sequence[str]) -> Trellis:
    """Make the trellis of these words: the score of a path is log P(words, labels)."""
    with np.errstate(divide="ignore"):
        start, node, edge = np.log(START), np.log([WORDS[word] for word in words]), np.log(MOVES)
    return Trellis(node, edge, start=start, labels=LABELS)


class Story:
    """The sentence and its analyses.

    prefixes   the best path of the first 1, 2, ..., T words
    readings   the possible paths, the best first
    """

    def __init__(self) -> None:
        self.words = SENTENCE
        self.trellis = trellis(SENTENCE)
        self.prefixes = [inference.viterbi(trellis(SENTENCE[: n + 1])) for n in range(len(SENTENCE))]
        self.readings = inference.nbest(self.trellis, READINGS)
        self.posterior = inference.posterior(self.trellis)
        self.log_probability = inference.log_partition(self.trellis)

    def share(self, reading: Path) -> float:
        """Return P(labels | words) of one reading."""
        return math.exp(reading.score - self.log_probability)

    def facts(self) -> dict[str, Any]:
        """Return the numbers for --json."""
        return {
            "words": self.words,
            "labels": LABELS,
            "probability": _number(math.exp(self.log_probability)),
            "best": _path_facts(self.readings[0]),
            "prefixes": [_path_facts(path) for path in self.prefixes],
            "readings": [_path_facts(path) | {"share": _number(self.share(path))} for path in self.readings],
            "posterior": [[_number(p) for p in row] for row in self.posterior.node],
        }


def _path_facts(path: Path) -> dict[str, object]:
    return {"labels": path.labels, "probability": _number(math.exp(path.score))}


def _number(value: float) -> float:
    """Round off the last digits, which are rounding errors of exp and log."""
    return float(f"{value:.12g}")


LEFT_COLUMN, RIGHT_COLUMN = 64, 44  # widths of two blocks side by side
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

Row = Sequence[tuple[int, str, Ink]]  # pieces of text, each with its column


def page(story: Story, width: int, style: Style, *, python: str) -> str:
    """Lay out the page in this width; `python` is the command that starts an interpreter with seqlab."""
    block = partial(_block, width=width, style=style)
    legend = "   ".join(f"{label} {meaning}" for label, meaning in zip(LABELS, MEANINGS, strict=True))
    key = f"frame: the best path   *: the best so far   {style.glyphs.dead}: no way in"
    drawing = draw.trellis_text(story.trellis, story.words, width=width - INDENT, style=style)
    if width >= LEFT_COLUMN + RIGHT_COLUMN:
        steps, readings = _steps(story, LEFT_COLUMN, style), _readings(story, width - LEFT_COLUMN, style)
        middle = [draw.beside(steps, readings, column=LEFT_COLUMN)]
    else:
        middle = [_steps(story, width, style), _readings(story, width, style)]
    chances = story.posterior.node
    bars = draw.posterior_text(chances, story.words, LABELS, width=width - INDENT, style=style)
    snippet = [
        draw.clip(line, width, style.glyphs.ellipsis) for line in NEXT
    ]  # not indented: made to be pasted
    last = block("Every claim above is a test of its own:  make test")
    blocks = [
        block("A garden path", [*_prose(OPENING, width), *_prose(legend, width, Ink.FAINT)]),
        block("The trellis: how probable the best way into each cell is", _prose(key, width, Ink.FAINT)),
        textwrap.indent(drawing, " " * INDENT),
        *middle,
        f"{block('Each word by itself: P(label | the whole sentence)')}\n{textwrap.indent(bars, ' ' * INDENT)}",
        "\n".join([block(f"Next, in {python}, with scores of your own:"), *snippet, last]),
    ]
    return "\n\n".join(blocks)


def _steps(story: Story, width: int, style: Style) -> str:
    """Show the best path after each word, with the labels that changed in brackets."""
    places = [0, *itertools.accumulate(max(len(word), 3) + 1 for word in story.words)]
    rows: list[Row] = [[(x, word, Ink.HEAD) for x, word in zip(places, story.words, strict=False)]]
    before: Sequence[int | str] = ()
    for path in story.prefixes:
        changed = [t for t, label in enumerate(before) if label != path.labels[t]]
        turns = (f"{story.words[t]} {before[t]}{style.glyphs.arrow}{path.labels[t]}" for t in changed)
        astray = path.labels != story.readings[0].labels[: len(path)]
        remark = f"turns back: {' '.join(turns)}" if changed else "led astray" if astray else ""
        ink = Ink.PATH if len(path) == len(story.words) else Ink.TEXT
        rows.append(
            [
                *((places[t], f" {label} ", ink) for t, label in enumerate(path.labels)),
                *((places[t], f"[{path.labels[t]}]", Ink.BEST) for t in changed),
                (places[-1] + 1, f"{math.exp(path.score):.6g}", ink),
                (places[-1] + 9, remark, Ink.BEST),
            ]
        )
        before = path.labels
    return _block("Word by word: the best path so far", rows, width=width, style=style)


def _readings(story: Story, width: int, style: Style) -> str:
    """Show every possible path with its share of the probability."""
    bar = min(width - 38, 30)
    rows: list[Row] = []
    for path in story.readings:
        share = story.share(path)
        ink = Ink.TEXT if rows else Ink.PATH
        rows.append(
            [
                (0, " ".join(map(str, path.labels)), ink),
                (11, f"{math.exp(path.score):.6g}", ink),
                (23, f"{share:6.1%}", ink),
                (31, style.glyphs.bar(share, bar) if bar > 0 else "", ink),
            ]
        )
    rows.append([(0, "P(words)", Ink.HEAD), (11, f"{math.exp(story.log_probability):.6g}", Ink.HEAD)])
    title = f"Possible readings: {len(story.readings)} of {story.trellis.L**story.trellis.T} labellings"
    return _block(title, rows, width=width, style=style)


def _block(title: str, rows: Sequence[Row] = (), *, width: int, style: Style) -> str:
    """Lay out a title with rows below it, cut at the width."""
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
