"""Text drawings: a grid of characters, and the glyphs, colours and numbers on it."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from seqlab.views.text import char_width


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters of a drawing.

    box      81 characters: the weights (0 none, 1 light, 2 heavy) of a line's arms up, down, left
             and right are the base-3 digits of an index into it
    shades   the last cell of a bar, from nearly empty to full
    arrow, dead, ellipsis   for transitions, for impossible cells, and for omissions
    """

    box: str
    shades: str
    arrow: str
    dead: str
    ellipsis: str

    def line(self, up: int, down: int, left: int, right: int) -> str:
        """Return the character whose arms up, down, left and right have these weights."""
        return self.box[27 * up + 9 * down + 3 * left + right]

    def bar(self, share: float, width: int) -> str:
        """Return a bar that fills `share` (0 to 1) of `width` cells; a positive share is always visible."""
        steps = round(min(max(share, 0.0), 1.0) * width * len(self.shades))
        full, rest = divmod(max(steps, int(share > 0.0)), len(self.shades))
        return self.shades[-1] * full + (self.shades[rest - 1] if rest else "")


def _ascii_line(up: int, down: int, left: int, right: int) -> str:
    """Return - | + for light lines, = # for heavy ones; a heavy line hides a light one."""
    heavy = max(up, down, left, right) == 2
    if up or down:
        return "#" if heavy else "+" if left or right else "|"
    return " " if not (left or right) else "=" if heavy else "-"


UNICODE = Glyphs(
    box=" ╶╺╴─╼╸╾━╷╭┍╮┬┮┑┭┯╻┎┏┒┰┲┓┱┳╵╰┕╯┴┶┙┵┷│├┝┤┼┾┥┽┿╽┟┢┧╁╆┪╅╈╹┖┗┚┸┺┛┹┻╿┞┡┦╀╄┩╃╇┃┠┣┨╂╊┫╉╋",
    shades="▏▎▍▌▋▊▉█",
    arrow="→",
    dead="·",
    ellipsis="…",
)

ASCII = Glyphs(
    box="".join(_ascii_line(*arms) for arms in itertools.product(range(3), repeat=4)),
    shades="#",
    arrow=">",
    dead=".",
    ellipsis="~",
)


class Ink(Enum):
    """Kinds of text; the value is an ANSI code. Colour is never the only distinction."""

    TEXT = ""
    HEAD = "1"
    PATH = "1;36"
    BEST = "1;33"
    FAINT = "2"


def probability(score: float) -> str:
    """Format the score, a log-probability, as a probability."""
    return f"{math.exp(score):.4g}"


def log_score(score: float) -> str:
    """Format a score as a natural log."""
    return f"{score:.2f}" if abs(score) < 1e4 else f"{score:.3g}"


@dataclass(frozen=True, slots=True)
class Style:
    """Style of a drawing: plain and Unicode by default.

    number   formats the score of a cell: `log_score`, `probability`, or another function
    glyphs, color   the characters, UNICODE or ASCII; whether colours of a terminal are used
    """

    glyphs: Glyphs = UNICODE
    color: bool = False
    number: Callable[[float], str] = log_score

    def paint(self, text: str, ink: Ink) -> str:
        """Return the text in the colour of this ink, if colours are on."""
        return f"\x1b[{ink.value}m{text}\x1b[0m" if self.color and ink.value and text else text


Arms = tuple[int, int, int, int]  # weights up, down, left, right: 0 none, 1 light, 2 heavy

LIGHT, HEAVY = 1, 2


class Canvas:
    """A grid of width x height characters; text outside of it is not drawn.

    Lines belong to a wire. Arms of one wire that meet in a cell join; two wires that meet there cross:
    the heavier one is drawn through, or the vertical one, and the other is seen to pass beneath.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._text = [[" "] * width for _ in range(height)]
        self._ink = [[Ink.TEXT] * width for _ in range(height)]
        self._wires: dict[tuple[int, int], dict[int, Arms]] = {}

    def put(self, x: int, y: int, text: str, ink: Ink = Ink.TEXT) -> None:
        """Write text with its first character at column x of line y, in an ink."""
        for char in text:
            columns = char_width(char)
            if columns == 0 and 0 < x <= self.width:
                self._text[y][x - 1] += char
            elif x >= 0 and columns and x + columns <= self.width:
                self._text[y][x : x + columns] = [char] + [""] * (columns - 1)
                self._ink[y][x : x + columns] = [ink] * columns
            x += columns

    def across(self, x0: int, x1: int, y: int, *, wire: int, weight: int) -> None:
        """Draw a line of that weight and wire from the middle of cell x0 to the middle of cell x1 in line y."""
        for left in range(min(x0, x1), max(x0, x1)):
            self.arms(left, y, (0, 0, 0, weight), wire=wire)
            self.arms(left + 1, y, (0, 0, weight, 0), wire=wire)

    def down(self, x: int, y0: int, y1: int, *, wire: int, weight: int) -> None:
        """Draw a line of that weight and wire from the middle of cell y0 to the middle of cell y1 in column x."""
        for top in range(min(y0, y1), max(y0, y1)):
            self.arms(x, top, (0, weight, 0, 0), wire=wire)
            self.arms(x, top + 1, (weight, 0, 0, 0), wire=wire)

    def frame(self, x0: int, y0: int, x1: int, y1: int, *, wire: int) -> None:
        """Draw a heavy rectangle with corners (x0, y0) and (x1, y1), of one wire."""
        for y in (y0, y1):
            self.across(x0, x1, y, wire=wire, weight=HEAVY)
        for x in (x0, x1):
            self.down(x, y0, y1, wire=wire, weight=HEAVY)

    def arms(self, x: int, y: int, arms: Arms, *, wire: int) -> None:
        """Add arms of a wire to the cell at x, y."""
        here = self._wires.setdefault((x, y), {})
        up, down, left, right = map(max, here.get(wire, (0, 0, 0, 0)), arms)
        here[wire] = (up, down, left, right)

    def lines(self, style: Style) -> list[str]:
        """Return the rows from top to bottom in a style, without blanks at their ends."""
        for (x, y), wires in self._wires.items():
            arms = max(wires.values(), key=lambda arms: (max(arms), max(arms[:2])))
            self.put(x, y, style.glyphs.line(*arms), Ink.PATH if HEAVY in arms else Ink.TEXT)
        drawn = []
        for texts, inks in zip(self._text, self._ink, strict=True):
            cells = list(zip(texts, inks, strict=True))
            while cells and cells[-1][0] == " ":
                cells.pop()
            runs = itertools.groupby(cells, key=operator.itemgetter(1))
            drawn.append("".join(style.paint("".join(text for text, _ in run), ink) for ink, run in runs))
        return drawn
