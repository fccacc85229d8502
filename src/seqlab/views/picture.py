"""Pictures: shapes that are written as SVG, and with matplotlib as PNG or PDF."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from xml.sax.saxutils import escape, quoteattr

from seqlab.errors import OptionError
from seqlab.files import write_whole
from seqlab.views.palette import DARK, LIGHT, style_sheet
from seqlab.views.text import char_width, printable

SIZE = 13.0  # of words, in pixels
_WIDE, _NARROW = frozenset("mwMW@%—…"), frozenset("iljtf.,:;'|!()[] ")
FONT = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"

Corners = tuple[float, float, float, float]  # left, top, right, bottom
Control = tuple[complex, complex, complex, complex]  # start, two control points and end of a cubic curve


@dataclass(frozen=True, slots=True, kw_only=True)
class Painted:
    """A line in `ink` and an area in `fill`, colours of the palette; "" for none.

    stroke    width of the line
    dash      a row of lengths on and off
    opacity   of the area, or of the line where there is no area
    """

    ink: str = ""
    fill: str = ""
    stroke: float = 1.0
    dash: str = ""
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Box(Painted):
    """A rectangle; its corners may be round."""

    x: float
    y: float
    width: float
    height: float
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Disc(Painted):
    """A circle."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Curve(Painted):
    """A line from point to point, each x + y·j; or one cubic curve, of start, two control points and end."""

    points: tuple[complex, ...]
    cubic: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """Text at (x, y); y is its baseline."""

    x: float
    y: float
    text: str
    size: float = SIZE
    anchor: Literal["start", "middle", "end"] = "start"
    ink: str = "ink"
    bold: bool = False
    italic: bool = False

    def box(self) -> Corners:
        """Estimate the bounding box: left, top, right, bottom."""
        width = words_width(self.text, self.size, bold=self.bold)
        left = self.x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        return left, self.y - 0.76 * self.size, left + width, self.y + 0.22 * self.size


Shape = Box | Disc | Curve | Text


def words_width(text: str, size: float = SIZE, *, bold: bool = False) -> float:
    """Estimate the width of text in the usual sans-serif fonts, in pixels and rather too wide."""
    ems = 0.0
    for char in text:
        if char in _WIDE:
            ems += 0.92
        elif char in _NARROW:
            ems += 0.36
        else:
            ems += {0: 0.0, 1: 0.7 if char.isupper() else 0.59, 2: 1.0}[char_width(char)]
    return ems * size * (1.06 if bold else 1.0)


def towards(at: complex, other: complex, far: float) -> complex:
    """Return the point `far` pixels from one point in the direction of another."""
    return at + (other - at) / (abs(other - at) or 1.0) * far


def bent(start: complex, end: complex, bend: float, leave: float, arrive: float) -> Control:
    """Return a curve that bends to the right; it keeps `leave` and `arrive` pixels from its start and its end."""
    way = end - start
    side = 1j * way / abs(way) * bend
    first, second = start + way / 3 + side, end - way / 3 + side
    return towards(start, first, leave), first, second, towards(end, second, arrive)


def arrow(
    control: Control,
    ink: str,
    *,
    size: float,
    neck: float,
    stroke: float,
    dash: str = "",
    opacity: float = 1.0,
) -> list[Shape]:
    """Return an arrow: a curve that stops `neck` pixels before its end, and a head of this size there."""
    start, first, second, end = control
    back = towards(end, second, size)
    across = 0.45j * (end - back)
    points = (start, first, second, towards(end, second, neck))
    line = Curve(points, cubic=True, ink=ink, stroke=stroke, dash=dash, opacity=opacity)
    return [line, Curve((end, back + across, back - across, end), fill=ink, opacity=opacity)]


@dataclass(frozen=True)
class Picture:
    """A drawing of `width` by `height` pixels. Notebooks show it; `save` writes it; str() is the SVG.

    title         description for readers who cannot see it
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
        """Return the picture as self-contained SVG.

        theme   "light", "dark", or "auto" for the reader's preference
        """
        if theme not in {"auto", "light", "dark"}:
            raise OptionError(f"theme must be 'auto', 'light' or 'dark', got {theme!r:.40}")
        size = f'width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}"'
        title = printable(self.title)
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label={quoteattr(title)}>',
            f"<title>{escape(title)}</title>",
            f"<style>\n.sl-text {{ font-family: {FONT} }}\n{style_sheet(theme)}\n</style>",
            _element(Box(0, 0, self.width, self.height, fill="paper")),
            *self._elements(),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def save(self, path: str | os.PathLike[str], *, theme: str = "auto", scale: float = 2.0) -> None:
        """Write the picture to path: .svg, or .png and .pdf with matplotlib; theme: light or dark.

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
        """Return the picture as a Figure of matplotlib, in the theme "light" or "dark"."""
        from seqlab.views.chart import shapes_figure

        return shapes_figure(self, DARK if theme == "dark" else LIGHT)

    def _elements(self) -> Iterable[str]:
        return map(_element, self.shapes)

    def __str__(self) -> str:
        return self.svg()

    _repr_svg_ = __str__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.title!r}, {self.width} x {self.height})"


def _element(shape: Shape) -> str:
    """Return a shape as an element of SVG."""
    if isinstance(shape, Text):
        looks = {
            "text-anchor": shape.anchor if shape.anchor != "start" else None,
            "font-weight": "600" if shape.bold else None,
            "font-style": "italic" if shape.italic else None,
            "class": f"sl-text sl-f-{shape.ink}",
        }
        words = _attributes({"x": shape.x, "y": shape.y, "font-size": shape.size, **looks})
        return f"<text{words}>{escape(printable(shape.text))}</text>"
    looks = {
        "class": " ".join(f"sl-{kind}-{ink}" for kind, ink in (("f", shape.fill), ("s", shape.ink)) if ink),
        "fill": None if shape.fill else "none",
        "stroke-width": _number(shape.stroke) if shape.ink else None,
        "stroke-dasharray": shape.dash or None,
        f"{'fill' if shape.fill else 'stroke'}-opacity": _number(shape.opacity)
        if shape.opacity < 1
        else None,
    }
    match shape:
        case Box(x, y, width, height):
            size = {"width": width, "height": height, "rx": shape.radius or None}
            return f"<rect{_attributes({'x': x, 'y': y, **size, **looks})}/>"
        case Disc(x, y, radius):
            return f"<circle{_attributes({'cx': x, 'cy': y, 'r': radius, **looks})}/>"
        case Curve(points):
            first, *rest = (f"{_number(point.real)} {_number(point.imag)}" for point in points)
            way = f"C{' '.join(rest)}" if shape.cubic else " ".join(f"L{point}" for point in rest)
            line = f"M{first} {way}{'Z' if shape.fill else ''}"
            return f"<path{_attributes({'d': line, **looks})}/>"


def _attributes(values: Mapping[str, str | float | None]) -> str:
    texts = {name: v if isinstance(v, str) else _number(v) for name, v in values.items() if v is not None}
    return "".join(f' {name}="{text}"' for name, text in texts.items())


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text
