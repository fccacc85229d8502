"""Curves over one axis: training and test error over a penalty, scores over epochs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from seqlab.draw.axes import SMALL, Scale, finite, grid, room_for, spread
from seqlab.draw.palette import DASHES, SERIES
from seqlab.draw.picture import Picture
from seqlab.draw.shapes import Disc, Line, Point, Shape, Text, polyline, words_width
from seqlab.errors import OptionError
from seqlab.textwidth import clip

WIDTH, HEIGHT = 640.0, 340.0
TOP, BOTTOM, EDGE = 66.0, 54.0, 24.0
MOST_DOTS = 40  # points of a curve that are marked one by one


def line_picture(
    curves: Mapping[str, Sequence[Point]],
    *,
    title: str = "",
    x_name: str = "",
    y_name: str = "",
    log_x: bool = False,
    log_y: bool = False,
    mark: float | None = None,
    mark_name: str = "",
) -> Picture:
    """Curves by name, each as points (x, y); names stand at the ends of their curves.

    log_x, log_y   equal steps multiply; points at 0 and below are left out
    mark           an x to point out, with a name
    """
    drawn = {name: _usable(points, log_x=log_x, log_y=log_y) for name, points in curves.items()}
    if not any(drawn.values()):
        raise OptionError("there is nothing to draw: no curve has a point with finite numbers")
    if len(drawn) > len(SERIES):
        raise OptionError(
            f"{len(drawn)} curves in one picture cannot be told apart; {len(SERIES)} is the most"
        )
    names = {name: clip(name, 24, "…") for name in drawn}
    xs = [x for points in drawn.values() for x, _ in points]
    ys = [y for points in drawn.values() for _, y in points]
    low, high = _padded(min(ys), max(ys), log=log_y)
    y = Scale(low, high, HEIGHT - BOTTOM, TOP, log_y)
    left = EDGE + room_for(y) + 8
    right = (
        WIDTH
        - EDGE
        - (max(words_width(name, SMALL) for name in names.values()) + 10 if len(drawn) > 1 else 6)
    )
    x = Scale(min(xs), max(xs), left, right, log_x)
    shapes: list[Shape] = [Text(EDGE, 26, title, 15.0, bold=True)] if title else []
    shapes += grid(x, y, x_name, y_name)
    shapes += _pointed_out(mark, mark_name, x)
    shapes += _curves(drawn, names, x, y)
    return Picture(WIDTH, HEIGHT, title or "curves", tuple(shapes))


def _usable(points: Sequence[Point], *, log_x: bool, log_y: bool) -> list[Point]:
    return sorted((x, y) for x, y in finite(points) if (x > 0 or not log_x) and (y > 0 or not log_y))


def _padded(low: float, high: float, *, log: bool) -> tuple[float, float]:
    if log:
        return (low / 1.25, high * 1.25)
    room = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    return low - room, high + room


def _pointed_out(mark: float | None, name: str, x: Scale) -> list[Shape]:
    if mark is None or not math.isfinite(mark) or not x.low <= mark <= x.high:
        return []
    at = x.at(mark)
    words = Text(at + 6, TOP + 8, name, SMALL, "start", "faint")
    if words.box()[2] > x.end:
        words = Text(at - 6, TOP + 8, name, SMALL, "end", "faint")
    return [Line(at, TOP - 4, at, HEIGHT - BOTTOM, "faint", 1.0, "4 4"), words]


def _curves(drawn: dict[str, list[Point]], names: dict[str, str], x: Scale, y: Scale) -> list[Shape]:
    shapes: list[Shape] = []
    places = {name: [(x.at(a), y.at(b)) for a, b in points] for name, points in drawn.items()}
    ends = [points[-1][1] + 4 for points in places.values() if points]
    heights = iter(spread(ends, 16, TOP, HEIGHT - BOTTOM + 4))
    for number, (name, points) in enumerate(places.items()):
        ink = SERIES[number]  # its own even when another curve has nothing to show here
        if not points:
            continue
        if len(points) > 1:
            shapes.append(polyline(points, ink=ink, width=2.2, dash=DASHES[number]))
        if len(points) <= MOST_DOTS:
            shapes += [Disc(a, b, 3.0, fill=ink) for a, b in points]
        if len(places) > 1:
            shapes.append(Text(x.end + 10, next(heights), names[name], SMALL, ink=ink, bold=True))
    return shapes
