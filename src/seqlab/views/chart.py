"""Charts that matplotlib draws in our inks, and the PNG and PDF of every picture."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from seqlab.errors import OptionError
from seqlab.views.palette import DARK, DASHES, LIGHT, SERIES
from seqlab.views.picture import Box, Curve, Disc, Line, Picture, Shape, Text
from seqlab.views.text import printable

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


Paint = Callable[[Any, Inks], None]

PIXELS = 4 / 3  # of a point
INK_OF = {colour: ink for ink, colour in LIGHT.items()}
KINDS = {"fill": "f", "stroke": "s"}


@dataclass(frozen=True, repr=False)
class Chart(Picture):
    """A picture that matplotlib draws; it must be installed.

    paint   draws into a Figure of matplotlib, in inks by name
    """

    paint: Paint

    def __post_init__(self) -> None:
        Picture.__post_init__(self)
        figure(1, 1, LIGHT)  # which says what to install

    def figure(self, *, theme: str = "light") -> Any:
        """Return the chart as a Figure of matplotlib, to be changed at will."""
        from matplotlib import style

        inks = DARK if theme == "dark" else LIGHT
        with style.context(["default", _looks(inks)]):
            made = figure(self.width, self.height, inks, layout="constrained")
            made.get_layout_engine().set(w_pad=0.16, h_pad=0.12)
            self.paint(made, inks)
        return made

    def _elements(self) -> Iterable[str]:
        """Return what matplotlib writes as SVG, its colours as classes, so that the reader's screen chooses them."""
        from matplotlib import style

        made = self.figure()
        with style.context({"svg.fonttype": "none", "svg.hashsalt": "seqlab"}):
            text = rendered(made, "svg").decode()
        inner = text[text.index('<g id="figure_1">') : text.rindex("</svg>")]
        inner = re.sub("<[^>]*>", lambda tag: _ours(tag[0]), inner)
        yield (
            f'<g xmlns:xlink="http://www.w3.org/1999/xlink" transform="scale({PIXELS:.6f})" '
            f'stroke-linejoin="round">{inner}</g>'
        )


def _looks(inks: Inks) -> dict[str, Any]:
    """Return the settings of matplotlib for these inks."""
    ink = dict.fromkeys(("text.color", "axes.titlecolor"), inks["ink"])
    faint = dict.fromkeys(("axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), inks["faint"])
    return {
        **ink,
        **faint,
        "figure.facecolor": inks["paper"],
        "axes.facecolor": inks["paper"],
        "grid.color": inks["grid"],
        "font.family": fonts(),
        "font.size": 9,
        "axes.titlesize": 11,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.titlepad": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.formatter.use_mathtext": False,
        "text.parse_math": False,
        "legend.frameon": False,
        "lines.linewidth": 1.6,
        "lines.markersize": 4,
    }


def _ours(tag: str) -> str:
    """Rewrite an element of matplotlib: numbers short, colours and font as classes."""
    short = re.sub(r"(\.\d\d)\d+", r"\1", tag).replace(" \n", " ").replace("\n", "")
    return re.sub(r' style="([^"]*)"', lambda found: _classed(found[1]), short)


def _classed(style: str) -> str:
    """Turn the colours and the font of a style into classes."""
    classes, rest = [], []
    for declaration in style.split("; "):
        name, _, value = declaration.partition(": ")
        if name in KINDS and value in INK_OF:
            classes.append(f"sl-{KINDS[name]}-{INK_OF[value]}")
        elif name == "font-family":
            classes.append("sl-text")
        elif name == "font":  # of older releases: size and families in one
            classes.append("sl-text")
            rest.append(f"font-size: {re.search('[0-9.]+px', value)[0]}")  # type: ignore[index]
            rest += ["font-weight: bold"] if "bold" in value or "700" in value else []
        else:
            rest.append(declaration)
    named = f' class="{" ".join(classes)}"' if classes else ""
    return named + (f' style="{"; ".join(rest)}"' if rest else "")


def scaled(axes: Any, way: str, *, log: bool = False, whole: bool = False) -> None:
    """Put short round numbers on the "x" or "y" axis; with `log` equal steps multiply, `whole` has no fractions."""
    from matplotlib import ticker

    axis = getattr(axes, f"{way}axis")
    if log:
        getattr(axes, f"set_{way}scale")("log")
        low, high = sorted(axis.get_view_interval())
        steps = (1.0, 2.0, 5.0) if high < 300 * low else (1.0,)
        axis.set_major_locator(ticker.LogLocator(subs=steps, numticks=9))
        axis.set_minor_locator(ticker.NullLocator())
    else:
        axis.set_major_locator(ticker.MaxNLocator(6, steps=[1, 2, 2.5, 5, 10], integer=whole))
    axis.set_major_formatter("{x:,.4g}")


def line_style(number: int, inks: Inks) -> dict[str, Any]:
    """Return the colour and the dashes of a curve by its number."""
    dash = [float(part) / 2 for part in DASHES[number].split()]
    return {"color": inks[SERIES[number]], "linestyle": (0, dash) if dash else "solid"}


def titled(axes: Any, title: str, inks: Inks, note: str = "") -> None:
    """Write a title above axes, and a note in a fainter ink between them."""
    axes.set_title(printable(title), pad=24 if note else 10)
    if note:
        place = {"xycoords": "axes fraction", "textcoords": "offset points"}
        axes.annotate(printable(note), (0, 1), (0, 8), color=inks["faint"], **place)


def check_series(count: int, what: str) -> None:
    """Refuse more curves or states than there are inks for."""
    if count > len(SERIES):
        raise OptionError(f"{what}, which cannot be told apart; {len(SERIES)} is the most")
