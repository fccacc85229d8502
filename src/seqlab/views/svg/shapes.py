"""What pictures are put together from: lines, boxes, discs, curves and words, each in an ink of the palette."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from seqlab.views.text.width import char_width

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]
Step = tuple[str, tuple[float, ...]]  # "M" x y, "L" x y, or "C" with two control points before the end

SIZE = 13.0  # of words, in pixels
_WIDE, _NARROW = frozenset("mwMW@%—…"), frozenset("iljtf.,:;'|!()[] ")


@dataclass(frozen=True, slots=True)
class Line:
    """From (x1, y1) to (x2, y2); `dash` is a row of lengths on and off."""

    x1: float
    y1: float
    x2: float
    y2: float
    ink: str = "faint"
    width: float = 1.0
    dash: str = ""
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, drawn in `ink` and filled with `fill`, each where it is not ""."""

    x: float
    y: float
    width: float
    height: float
    ink: str = ""
    fill: str = ""
    radius: float = 0.0
    stroke: float = 1.0
    opacity: float = 1.0  # of the fill


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle."""

    x: float
    y: float
    radius: float
    ink: str = ""
    fill: str = ""
    stroke: float = 1.0
    opacity: float = 1.0  # of the fill


@dataclass(frozen=True, slots=True)
class Curve:
    """A line that bends; with `fill` an area."""

    steps: tuple[Step, ...]
    ink: str = "ink"
    width: float = 1.5
    dash: str = ""
    opacity: float = 1.0
    fill: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """Words at (x, y); y is the line they stand on."""

    x: float
    y: float
    text: str
    size: float = SIZE
    anchor: Anchor = "start"
    ink: str = "ink"
    bold: bool = False
    italic: bool = False

    def box(self) -> tuple[float, float, float, float]:
        """Estimate (left, top, right, bottom)."""
        width = words_width(self.text, self.size, bold=self.bold)
        left = self.x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        return left, self.y - 0.76 * self.size, left + width, self.y + 0.22 * self.size


Shape = Line | Box | Disc | Curve | Text


def words_width(text: str, size: float = SIZE, *, bold: bool = False) -> float:
    """Estimate how wide words are in the usual fonts without serifs, in pixels and rather too wide."""
    ems = 0.0
    for char in text:
        if char in _WIDE:
            ems += 0.92
        elif char in _NARROW:
            ems += 0.36
        else:
            ems += {0: 0.0, 1: 0.7 if char.isupper() else 0.59, 2: 1.0}[char_width(char)]
    return ems * size * (1.06 if bold else 1.0)


def polyline(points: list[Point], **options: object) -> Curve:
    """Straight from point to point."""
    steps = tuple(("M" if i == 0 else "L", point) for i, point in enumerate(points))
    return Curve(steps, **options)  # type: ignore[arg-type]


def arrow_head(at: Point, towards: Point, *, size: float, ink: str, opacity: float = 1.0) -> Curve:
    """A triangle with its tip at a point, for a line that comes from `at` minus `towards`."""
    length = max((towards[0] ** 2 + towards[1] ** 2) ** 0.5, 1e-9)
    ux, uy = towards[0] / length, towards[1] / length
    back = (at[0] - size * ux, at[1] - size * uy)
    left = (back[0] - 0.45 * size * uy, back[1] + 0.45 * size * ux)
    right = (back[0] + 0.45 * size * uy, back[1] - 0.45 * size * ux)
    steps = (("M", at), ("L", left), ("L", right), ("L", at))
    return Curve(steps, ink="", width=0.0, fill=ink, opacity=opacity)


def towards(at: Point, other: Point, far: float) -> Point:
    """Return the point `far` pixels from one point on the way to another."""
    dx, dy = other[0] - at[0], other[1] - at[1]
    length = math.hypot(dx, dy) or 1.0
    return at[0] + dx / length * far, at[1] + dy / length * far
