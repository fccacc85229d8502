"""Three panels, both axes in powers of ten, and a grey line that shows what slope 1 looks like."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from benchmarks.speed.figure import Figure
from benchmarks.speed.table import number

PANEL, GAP, TOP, HEIGHT = 250, 60, 46, 210
INK = {"float32": "#0b6e99", "float64": "#c2410c"}
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#333}.title{font-weight:600}.small{font-size:10.5px;fill:#666}"
    ".grid{stroke:#e5e5e5}.frame{fill:none;stroke:#999}.slope{stroke:#aaa;stroke-dasharray:4 4}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.small{fill:#aaa}.grid{stroke:#3a3a3a}}"
)
Point = tuple[float, float]


def svg(figures: Sequence[Figure]) -> str:
    """A picture of the figures of the case `growth`."""
    axes = list(dict.fromkeys(figure.details["axis"] for figure in figures))
    width = len(axes) * (PANEL + GAP) + 24
    parts = [panel(axis, [f for f in figures if f.details["axis"] == axis], n) for n, axis in enumerate(axes)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + HEIGHT + 60}" role="img">',
            f"<title>Milliseconds of one evaluation against {', '.join(axes)}</title>",
            f"<style>{STYLE}</style>",
            *parts,
            legend(TOP + HEIGHT + 50),
            "</svg>\n",
        ]
    )


class Scale:
    """A range of values on a logarithmic axis."""

    def __init__(self, values: Iterable[float], first: float, last: float) -> None:
        some = list(values)
        self.low, self.high = math.log10(min(some)) - 0.1, math.log10(max(some)) + 0.1
        self.first, self.last = first, last

    def __call__(self, value: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return round(self.first + share * (self.last - self.first), 1)

    def ticks(self) -> list[float]:
        """1, 2, 5, 10, ... within the range; powers of ten alone when it is wide."""
        steps = (1, 2, 5) if self.high - self.low < 2 else (1,)
        powers = range(math.floor(self.low), math.ceil(self.high) + 1)
        some = [step * 10.0**power for power in powers for step in steps]
        return [value for value in some if self.low <= math.log10(value) <= self.high]


def panel(axis: str, figures: Sequence[Figure], n: int) -> str:
    left = GAP + n * (PANEL + GAP)
    right, bottom = left + PANEL, TOP + HEIGHT
    x = Scale((f.details["at"] for f in figures), left, right)
    y = Scale((f.median for f in figures), bottom, TOP)
    parts = [f'<text class="title" x="{left}" y="{TOP - 24}">ms against {axis}</text>']
    parts += [f'<text class="small" x="{left}" y="{TOP - 9}">{told(figures)}</text>']
    for value in y.ticks():
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y(value)}" y2="{y(value)}"/>')
        parts.append(
            f'<text class="small" x="{left - 6}" y="{y(value) + 4}" text-anchor="end">{value:g}</text>'
        )
    for at in dict.fromkeys(f.details["at"] for f in figures):
        parts.append(
            f'<text class="small" x="{x(at)}" y="{bottom + 16}" text-anchor="middle">{short(at)}</text>'
        )
    parts.append(f'<rect class="frame" x="{left}" y="{TOP}" width="{PANEL}" height="{HEIGHT}"/>')
    parts.append(slope(figures, x, y))
    for dtype, ink in INK.items():
        points = [(x(f.details["at"]), y(f.median)) for f in figures if f.details["dtype"] == dtype]
        parts.append(line(points, ink))
    return "\n".join(parts)


def told(figures: Sequence[Figure]) -> str:
    """What one evaluation goes over."""
    tokens = sorted({figure.details["tokens"] for figure in figures})
    return f"{tokens[0]:,} tokens" if len(tokens) == 1 else "CoNLL-2000 chunking, repeated"


def slope(figures: Sequence[Figure], x: Scale, y: Scale) -> str:
    """Twice as much for twice as much, through the lowest point; cut at the frame."""
    first = min(figures, key=lambda f: (f.details["at"], f.median))
    at, value = first.details["at"], first.median
    room = min(10 ** (x.high) / at, 10 ** (y.high) / value)
    return f'<line class="slope" x1="{x(at)}" y1="{y(value)}" x2="{x(at * room)}" y2="{y(value * room)}"/>'


def line(points: Sequence[Point], ink: str) -> str:
    path = " ".join(f"{x},{y}" for x, y in points)
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="3.2" fill="{ink}"/>' for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="2"/>{dots}'


def legend(y: int) -> str:
    parts, x = [], GAP
    for dtype, ink in INK.items():
        parts.append(
            f'<line x1="{x}" x2="{x + 22}" y1="{y - 4}" y2="{y - 4}" stroke="{ink}" stroke-width="2"/>'
        )
        parts.append(f'<text x="{x + 28}" y="{y}">{dtype}</text>')
        x += 100
    parts.append(f'<line class="slope" x1="{x}" x2="{x + 22}" y1="{y - 4}" y2="{y - 4}"/>')
    parts.append(f'<text x="{x + 28}" y="{y}">in proportion</text>')
    return "\n".join(parts)


def short(value: float) -> str:
    """211k, 3.4M."""
    if value < 1000:
        return f"{value:g}"
    return f"{number(value / 1e6)}M" if value >= 1e6 else f"{value / 1e3:.0f}k"
