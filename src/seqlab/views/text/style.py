"""What a drawing is made of: characters, inks, and how numbers are written."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters of a drawing.

    box      81 characters: the weights (0 none, 1 light, 2 heavy) of a line's arms up, down, left
             and right are the base-3 digits of an index into it
    shades   the last cell of a bar, from nearly empty to full
    """

    box: str
    shades: str
    arrow: str
    dead: str
    ellipsis: str

    def line(self, up: int, down: int, left: int, right: int) -> str:
        """The character whose arms have these weights."""
        return self.box[27 * up + 9 * down + 3 * left + right]

    def bar(self, share: float, width: int) -> str:
        """A bar filling `share` (0 to 1) of `width` cells; what is positive is visible."""
        steps = round(min(max(share, 0.0), 1.0) * width * len(self.shades))
        full, rest = divmod(max(steps, int(share > 0.0)), len(self.shades))
        return self.shades[-1] * full + (self.shades[rest - 1] if rest else "")


def _ascii_line(up: int, down: int, left: int, right: int) -> str:
    """Light lines are - | +, heavy ones = #; where both meet, the heavy one shows."""
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
    """What a stretch of text is; the value is its ANSI code. Never the only sign of anything."""

    TEXT = ""
    HEAD = "1"
    PATH = "1;36"
    BEST = "1;33"
    FAINT = "2"


def probability(score: float) -> str:
    """A score that is the log of a probability, written as the probability."""
    return f"{math.exp(score):.4g}"


def log_score(score: float) -> str:
    """A score as it is, a natural log."""
    return f"{score:.2f}" if abs(score) < 1e4 else f"{score:.3g}"


@dataclass(frozen=True, slots=True)
class Style:
    """How to draw: plain and Unicode, unless told otherwise.

    number   how the score of a cell is written: `log_score`, `probability`, or a function of your own
    """

    glyphs: Glyphs = UNICODE
    color: bool = False
    number: Callable[[float], str] = log_score

    def paint(self, text: str, ink: Ink) -> str:
        """The text in this ink, if there is colour at all."""
        return f"\x1b[{ink.value}m{text}\x1b[0m" if self.color and ink.value and text else text
