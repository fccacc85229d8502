"""Pictures: shapes on paper, which become SVG here, and PNG or PDF with matplotlib."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from seqlab.errors import OptionError
from seqlab.files import write_whole
from seqlab.views.palette import DARK, LIGHT, style_sheet
from seqlab.views.svg.shapes import Box, Curve, Disc, Line, Shape, Text
from seqlab.views.text.width import printable

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
            from seqlab.views.svg.figure import rendered

            write_whole(target, rendered(self.figure(theme=theme), kind[1:], scale=scale))
        else:
            raise OptionError(f"a picture is written as .svg, .png or .pdf, got {os.fspath(path)!r:.80}")

    def figure(self, *, theme: str = "light") -> Any:
        """Return the picture as a Figure of matplotlib."""
        from seqlab.views.svg.figure import shapes_figure

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
