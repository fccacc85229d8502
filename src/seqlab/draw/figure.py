"""Pictures through matplotlib, for those who want PNG or PDF."""

from __future__ import annotations

import io
import warnings
from functools import cache
from typing import Any

from seqlab.draw.palette import DARK, LIGHT
from seqlab.draw.picture import Picture
from seqlab.draw.shapes import Box, Curve, Disc, Line, Shape, Text
from seqlab.errors import OptionError
from seqlab.textwidth import printable

POINTS = 0.75  # of a pixel
# Fonts that have what matplotlib's own lacks, first those of most scripts; the system need not have any.
MORE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "PingFang SC",
    "Hiragino Sans",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Arial Unicode MS",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Segoe UI Symbol",
    "Symbola",
)


def rendered(picture: Picture, kind: str, *, theme: str, scale: float) -> bytes:
    """The picture as "png" or "pdf"."""
    if not 0 < scale <= 20:
        raise OptionError(f"scale must be a number above 0 and up to 20, got {scale!r:.40}")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise OptionError(
            f"matplotlib is needed to write .{kind}, and it is not installed: pip install 'seqlab[plot]', or write .svg"
        ) from error

    inks = DARK if theme == "dark" else LIGHT
    figure: Any = Figure(figsize=(picture.width / 96, picture.height / 96), dpi=96)
    FigureCanvasAgg(figure)
    axes: Any = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, picture.width)
    axes.set_ylim(picture.height, 0)
    axes.axis("off")
    figure.set_facecolor(inks["paper"])
    for layer, shape in enumerate(picture.shapes):
        _place(axes, shape, inks, layer)
    target = io.BytesIO()
    with warnings.catch_warnings():
        # A box stands for what no font has; whoever looks at the picture sees that.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure.savefig(target, format=kind, dpi=96 * scale, facecolor=inks["paper"])
    return target.getvalue()


@cache
def _fonts() -> list[str]:
    """matplotlib's own font, then those of other scripts that this system has."""
    from matplotlib import font_manager

    there = set(font_manager.get_font_names())
    return ["DejaVu Sans", *(name for name in MORE_FONTS if name in there)]


def _place(axes: Any, shape: Shape, inks: dict[str, str], layer: int) -> None:
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
        case Box(x, y, width, height) if shape.radius:
            style = patches.BoxStyle("Round", pad=0, rounding_size=shape.radius)
            patch = patches.FancyBboxPatch((x, y), width, height, boxstyle=style)
        case Box(x, y, width, height):
            patch = patches.Rectangle((x, y), width, height)
    _paint(patch, shape, inks)
    patch.set_zorder(layer)
    axes.add_patch(patch)


def _paint(patch: Any, shape: Line | Box | Disc | Curve, inks: dict[str, str]) -> None:
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


def _words(axes: Any, shape: Text, inks: dict[str, str], layer: int) -> None:
    axes.text(
        shape.x,
        shape.y,
        printable(shape.text).replace("$", r"\$"),
        fontsize=shape.size * POINTS,
        fontfamily=_fonts(),
        color=inks[shape.ink],
        ha={"start": "left", "middle": "center", "end": "right"}[shape.anchor],
        va="baseline",
        rotation=-shape.turn,
        rotation_mode="anchor",
        fontweight="bold" if shape.bold else "normal",
        fontstyle="italic" if shape.italic else "normal",
        zorder=layer,
    )


def _path(steps: Any) -> Any:
    from matplotlib.path import Path

    codes, points = [], []
    for letter, numbers in steps:
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        codes += {"M": [Path.MOVETO], "L": [Path.LINETO], "C": [Path.CURVE4] * 3}[letter]
        points += pairs
    return Path(points, codes)
