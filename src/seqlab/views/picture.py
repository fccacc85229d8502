"""Pictures: shapes on paper, which become SVG here, and PNG or PDF with matplotlib."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from xml.sax.saxutils import escape, quoteattr

from seqlab.errors import OptionError
from seqlab.files import write_whole
from seqlab.views.palette import DARK, LIGHT, style_sheet
from seqlab.views.text import char_width, printable

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


THEMES = ("auto", "light", "dark")
FONT = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"


@dataclass(frozen=True)
class Picture:
    """A drawing of `width` by `height` pixels. Notebooks show it; `save` writes it; str() is the SVG.

    title         what it is, for readers who cannot see it
    shapes        from the back to the front
    """

    width: float
    height: float
    title: str
    shapes: tuple[Shape, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", math.ceil(self.width))
        object.__setattr__(self, "height", math.ceil(self.height))

    def svg(self, *, theme: str = "auto") -> str:
        """Return the picture as SVG, which needs nothing else.

        theme   "light", "dark", or "auto" for what the reader's screen prefers
        """
        if theme not in THEMES:
            raise OptionError(f"theme must be 'auto', 'light' or 'dark', got {theme!r:.40}")
        size = f'width="{_n(self.width)}" height="{_n(self.height)}"'
        view = f'viewBox="0 0 {_n(self.width)} {_n(self.height)}"'
        title = printable(self.title)
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} role="img" aria-label={quoteattr(title)}>',
            f"<title>{escape(title)}</title>",
            f"<style>\n.sl-text {{ font-family: {FONT} }}\n{style_sheet(theme)}\n</style>",
            _drawn(Box(0, 0, self.width, self.height, fill="paper")),
            *self._elements(),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def save(self, path: str | os.PathLike[str], *, theme: str = "auto", scale: float = 2.0) -> None:
        """Write the picture; the end of the name says how: .svg, or .png and .pdf, for which matplotlib must be there.

        scale   pixels of a PNG for each pixel of the picture
        """
        target = Path(path)
        kind = target.suffix.lower()
        if kind == ".svg":
            write_whole(target, self.svg(theme=theme).encode())
        elif kind in {".png", ".pdf"}:
            from seqlab.views.chart import rendered

            write_whole(target, rendered(self.figure(theme=theme), kind[1:], scale=scale))
        else:
            raise OptionError(f"a picture is written as .svg, .png or .pdf, got {os.fspath(path)!r:.80}")

    def figure(self, *, theme: str = "light") -> Any:
        """Return the picture as a Figure of matplotlib."""
        from seqlab.views.chart import shapes_figure

        return shapes_figure(self, DARK if theme == "dark" else LIGHT)

    def _elements(self) -> Iterable[str]:
        return map(_drawn, self.shapes)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.title!r}, {_n(self.width)} x {_n(self.height)})"


def _drawn(shape: Shape) -> str:
    match shape:
        case Line(x1, y1, x2, y2):
            place = f'x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"'
            return f"<line {place}{_pen(shape)}/>"
        case Box(x, y, width, height):
            place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
            corner = f' rx="{_n(shape.radius)}"' if shape.radius else ""
            return f"<rect {place}{corner}{_filled(shape)}/>"
        case Disc(x, y, radius):
            return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"{_filled(shape)}/>'
        case Curve(steps):
            line = " ".join(f"{letter}{' '.join(map(_n, numbers))}" for letter, numbers in steps)
            if shape.fill:
                return f'<path d="{line}Z" class="sl-f-{shape.fill}"{_faded("fill", shape.opacity)}/>'
            return f'<path d="{line}" fill="none"{_pen(shape)}/>'
        case Text():
            return _words(shape)


def _pen(shape: Line | Curve) -> str:
    dashed = f' stroke-dasharray="{shape.dash}"' if shape.dash else ""
    width = f' stroke-width="{_n(shape.width)}"'
    return f' class="sl-s-{shape.ink}"{width}{dashed}{_faded("stroke", shape.opacity)}'


def _filled(shape: Box | Disc) -> str:
    classes = [f"sl-f-{shape.fill}"] if shape.fill else []
    classes += [f"sl-s-{shape.ink}"] if shape.ink else []
    empty = "" if shape.fill else ' fill="none"'
    stroke = f' stroke-width="{_n(shape.stroke)}"' if shape.ink else ""
    return f' class="{" ".join(classes)}"{empty}{stroke}{_faded("fill", shape.opacity)}'


def _faded(what: str, opacity: float) -> str:
    return f' {what}-opacity="{_n(max(0.0, min(opacity, 1.0)))}"' if opacity < 1 else ""


def _words(shape: Text) -> str:
    place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" font-size="{_n(shape.size)}"'
    anchor = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
    bold = ' font-weight="600"' if shape.bold else ""
    italic = ' font-style="italic"' if shape.italic else ""
    text = escape(printable(shape.text))
    return f'<text {place}{anchor}{bold}{italic} class="sl-text sl-f-{shape.ink}">{text}</text>'


def _n(number: float) -> str:
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text
