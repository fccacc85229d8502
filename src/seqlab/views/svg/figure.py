"""Figures of matplotlib: what a picture of shapes becomes for PNG and PDF, and how every figure is written."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from seqlab.errors import OptionError
from seqlab.views.svg.shapes import Box, Curve, Disc, Line, Shape, Text
from seqlab.views.text.width import printable

if TYPE_CHECKING:
    from seqlab.views.svg.picture import Picture

Inks = Mapping[str, str]
POINTS = 0.75  # of a pixel
ANCHORS = {"start": "left", "middle": "center", "end": "right"}
# Beginnings of fonts that have what matplotlib's own lacks; the system need not have any.
MORE_FONTS = (
    *("Noto Sans", "Source Han", "WenQuanYi", "PingFang", "Hiragino", "Microsoft YaHei", "Yu Gothic"),
    *("Malgun", "Arial Unicode", "Segoe UI Symbol", "Symbola"),
)


def figure(width: float, height: float, inks: Inks, **options: Any) -> Any:
    """Make an empty Figure of so many pixels in the looks of our pictures."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise OptionError(
            "matplotlib is needed for charts, and to write .png and .pdf, and it is not installed: "
            "pip install 'seqlab[plot]', or draw a trellis or a graph and write .svg"
        ) from error
    return Figure(figsize=(width / 96, height / 96), dpi=96, facecolor=inks["paper"], **options)


def rendered(made: Any, kind: str, *, scale: float = 1.0) -> bytes:
    """Return a Figure as "svg", "png" or "pdf"."""
    if not 0 < scale <= 20:
        raise OptionError(f"scale must be a number above 0 and up to 20, got {scale!r:.40}")
    target = io.BytesIO()
    with warnings.catch_warnings():
        # A box stands for what no font has; whoever looks at the picture sees that.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        made.savefig(target, format=kind, dpi=96 * scale)
    return target.getvalue()


@cache
def fonts() -> list[str]:
    """List matplotlib's own font, then those of other scripts that this system has."""
    from matplotlib import font_manager

    more = [name for name in font_manager.get_font_names() if name.startswith(MORE_FONTS)]
    return ["DejaVu Sans", *sorted(more)]


def shapes_figure(picture: Picture, inks: Inks) -> Any:
    """Draw the shapes of a picture into a Figure."""
    made = figure(picture.width, picture.height, inks)
    axes = made.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, picture.width)
    axes.set_ylim(picture.height, 0)
    axes.axis("off")
    for layer, shape in enumerate(picture.shapes):
        _place(axes, shape, inks, layer)
    return made


def _place(axes: Any, shape: Shape, inks: Inks, layer: int) -> None:
    from matplotlib import patches

    if isinstance(shape, Text):
        _words(axes, shape, inks, layer)
        return
    patch: Any
    match shape:
        case Line(x1, y1, x2, y2):
            patch = patches.PathPatch(_path((("M", (x1, y1)), ("L", (x2, y2)))))
        case Curve(steps):
            patch = patches.PathPatch(_path(steps))
        case Disc(x, y, radius):
            patch = patches.Circle((x, y), radius)
        case Box(x, y, width, height):
            round_style: Any = patches.BoxStyle  # it has no types
            style = round_style("Round", pad=0, rounding_size=shape.radius)
            patch = patches.FancyBboxPatch((x, y), width, height, boxstyle=style)
    _paint(patch, shape, inks)
    patch.set_zorder(layer)
    axes.add_patch(patch)


def _paint(patch: Any, shape: Line | Box | Disc | Curve, inks: Inks) -> None:
    from matplotlib.colors import to_rgba

    fill = getattr(shape, "fill", "")
    bare = isinstance(shape, (Line, Curve))  # of these `opacity` is the line's
    patch.set_facecolor(to_rgba(inks[fill], shape.opacity) if fill else "none")
    patch.set_edgecolor(to_rgba(inks[shape.ink], shape.opacity if bare else 1.0) if shape.ink else "none")
    width = shape.width if isinstance(shape, (Line, Curve)) else shape.stroke
    patch.set_linewidth(width * POINTS if shape.ink else 0)
    dash = getattr(shape, "dash", "")
    if dash and shape.ink:
        patch.set_linestyle((0, [float(part) / max(width, 1e-3) for part in dash.split()]))


def _words(axes: Any, shape: Text, inks: Inks, layer: int) -> None:
    axes.text(
        shape.x,
        shape.y,
        printable(shape.text),
        parse_math=False,
        fontsize=shape.size * POINTS,
        fontfamily=fonts(),
        color=inks[shape.ink],
        ha=ANCHORS[shape.anchor],
        va="baseline",
        fontweight="bold" if shape.bold else "normal",
        fontstyle="italic" if shape.italic else "normal",
        zorder=layer,
    )


def _path(steps: Any) -> Any:
    from matplotlib.path import Path

    codes = {"M": [Path.MOVETO], "L": [Path.LINETO], "C": [Path.CURVE4] * 3}
    points = [pair for _, numbers in steps for pair in zip(numbers[::2], numbers[1::2], strict=True)]
    return Path(points, [code for letter, _ in steps for code in codes[letter]])
