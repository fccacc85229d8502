"""Charts drawn by matplotlib in our colours, and the PNG and PDF of every picture."""

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
from seqlab.views.picture import Box, Curve, Disc, Picture, Text
from seqlab.views.text import printable

Inks = Mapping[str, str]
POINTS = 0.75  # of a pixel
CLASSES = {f"fill: {colour}": f"sl-f-{ink}" for ink, colour in LIGHT.items()}
CLASSES |= {f"stroke: {colour}": f"sl-s-{ink}" for ink, colour in LIGHT.items()}
# Prefixes of fonts for scripts that matplotlib's own font lacks; they need not be installed.
MORE_FONTS = (
    *("Noto Sans", "Source Han", "WenQuanYi", "PingFang", "Hiragino", "Microsoft YaHei", "Yu Gothic"),
    *("Malgun", "Arial Unicode", "Segoe UI Symbol", "Symbola"),
)


def figure(width: float, height: float, inks: Inks, **options: Any) -> Any:
    """Make an empty Figure of this size in pixels, in the style of our pictures."""
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
        # Missing characters are drawn as boxes, which is enough of a warning.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        made.savefig(target, format=kind, dpi=96 * scale)
    return target.getvalue()


@cache
def fonts() -> list[str]:
    """List matplotlib's own font, then installed fonts of other scripts."""
    from matplotlib import font_manager

    more = [name for name in font_manager.get_font_names() if name.startswith(MORE_FONTS)]
    return ["DejaVu Sans", *sorted(more)]


def shapes_figure(picture: Picture, inks: Inks) -> Any:
    """Draw the shapes of a picture into a Figure."""
    made = figure(picture.width, picture.height, inks)
    axes = made.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, picture.width), ylim=(picture.height, 0))
    axes.axis("off")
    for layer, shape in enumerate(picture.shapes):
        if not isinstance(shape, Text):
            axes.add_patch(_patch(shape, inks, layer))
            continue
        axes.text(
            shape.x,
            shape.y,
            printable(shape.text),
            parse_math=False,
            fontsize=shape.size * POINTS,
            fontfamily=fonts(),
            color=inks[shape.ink],
            ha={"start": "left", "middle": "center", "end": "right"}[shape.anchor],
            va="baseline",
            fontweight="bold" if shape.bold else "normal",
            fontstyle="italic" if shape.italic else "normal",
            zorder=layer,
        )
    return made


def _patch(shape: Box | Disc | Curve, inks: Inks, layer: int) -> Any:
    from matplotlib import patches
    from matplotlib.colors import to_rgba
    from matplotlib.path import Path

    dashes = [float(part) / max(shape.stroke, 1e-3) for part in shape.dash.split()]
    looks: dict[str, Any] = {
        "facecolor": to_rgba(inks[shape.fill], shape.opacity) if shape.fill else "none",
        "edgecolor": to_rgba(inks[shape.ink], 1.0 if shape.fill else shape.opacity) if shape.ink else "none",
        "linewidth": shape.stroke * POINTS if shape.ink else 0,
        "linestyle": (0, dashes) if dashes else "solid",
        "zorder": layer,
    }
    match shape:
        case Disc(x, y, radius):
            return patches.Circle((x, y), radius, **looks)
        case Box(x, y, width, height):
            style = f"round,pad=0,rounding_size={shape.radius}"
            return patches.FancyBboxPatch((x, y), width, height, boxstyle=style, **looks)
        case Curve(points):
            further = Path.CURVE4 if shape.cubic else Path.LINETO
            path = Path(
                [(point.real, point.imag) for point in points], [Path.MOVETO] + [further] * (len(points) - 1)
            )
            return patches.PathPatch(path, **looks)


@dataclass(frozen=True, repr=False)
class Chart(Picture):
    """A picture that matplotlib draws; it must be installed.

    paint   draws into a Figure of matplotlib, in inks by name
    """

    paint: Callable[[Any, Inks], None]

    def __post_init__(self) -> None:
        Picture.__post_init__(self)
        figure(1, 1, LIGHT)  # raises an error that says what to install

    def figure(self, *, theme: str = "light") -> Any:
        """Return the chart as a Figure of matplotlib, which may be changed."""
        from matplotlib import style

        inks = DARK if theme == "dark" else LIGHT
        with style.context(["default", _looks(inks)]):
            made = figure(self.width, self.height, inks, layout="constrained")
            made.get_layout_engine().set(w_pad=0.16, h_pad=0.12)
            self.paint(made, inks)
        return made

    def _elements(self) -> Iterable[str]:
        """Return matplotlib's SVG with colours as CSS classes, for light and dark pages."""
        from matplotlib import style

        made = self.figure()
        with style.context({"svg.fonttype": "none", "svg.hashsalt": "seqlab"}):
            text = rendered(made, "svg").decode()
        inner = text[text.index('<g id="figure_1">') : text.rindex("</svg>")]
        inner = re.sub("<[^>]*>", lambda tag: _short(tag[0]), inner)
        scale = f'transform="scale({1 / POINTS:.6f})" stroke-linejoin="round"'
        yield f'<g xmlns:xlink="http://www.w3.org/1999/xlink" {scale}>{inner}</g>'


def _looks(inks: Inks) -> dict[str, Any]:
    """Return the settings of matplotlib for these colours."""
    return {
        **dict.fromkeys(("text.color", "axes.titlecolor"), inks["ink"]),
        **dict.fromkeys(("axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), inks["faint"]),
        **dict.fromkeys(("figure.facecolor", "axes.facecolor"), inks["paper"]),
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


def _short(tag: str) -> str:
    """Rewrite an SVG element of matplotlib: short numbers, colours and font as classes."""
    short = re.sub(r"(\.\d\d)\d+", r"\1", tag).replace(" \n", " ").replace("\n", "")
    start, found, rest = short.partition(' style="')
    if not found:
        return short
    style, _, end = rest.partition('"')
    classes, kept = [], []
    for declaration in style.split("; "):
        name, _, value = declaration.partition(": ")
        if declaration in CLASSES or name == "font-family":
            classes.append(CLASSES.get(declaration, "sl-text"))
        elif name == "font":  # older releases: size and families in one
            classes.append("sl-text")
            kept.append(f"font-size: {re.search('[0-9.]+px', value)[0]}")  # type: ignore[index]
            kept += ["font-weight: bold"] if "bold" in value or "700" in value else []
        else:
            kept.append(declaration)
    named = f' class="{" ".join(classes)}"' if classes else ""
    return start + named + (f' style="{"; ".join(kept)}"' if kept else "") + end


def scaled(axes: Any, way: str, *, log: bool = False, whole: bool = False) -> None:
    """Put short round numbers on the "x" or "y" axis; `log` for a logarithmic axis, `whole` for integers."""
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


def check_series(count: int, what: str) -> None:
    """Reject more curves or states than there are colours."""
    if count > len(SERIES):
        raise OptionError(f"{what}, which cannot be told apart; {len(SERIES)} is the most")
