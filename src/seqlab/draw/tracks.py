"""Along a long sequence: curves of numbers, and below them tracks that say which state each position is in."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from seqlab.draw.axes import SMALL, Scale, number, room_for, spread
from seqlab.draw.palette import DASHES, SERIES
from seqlab.draw.picture import Picture
from seqlab.draw.shapes import Box, Line, Shape, Text, polyline, words_width
from seqlab.errors import OptionError, ShapeError
from seqlab.textwidth import clip

WIDTH, EDGE, TOP = 760.0, 24.0, 66.0
CURVES = 150.0  # how high the curves stand
MOST, BLOCKS = 20_000, 600  # positions in a picture; parts of a long curve of which two points are drawn
LANE, GAP = 14.0, 16.0  # height of a state's lane; between tracks


def track_picture(
    curves: Mapping[str, Sequence[float]],
    tracks: Mapping[str, Sequence[Any]],
    *,
    title: str = "",
    x_name: str = "position",
    y_name: str = "probability",
) -> Picture:
    """What is known along a sequence of T positions.

    curves   name -> T numbers; probabilities are drawn from 0 to 1
    tracks   name -> T states, each with a lane of its own: the truth, a best path, what was observed

    Of very long curves only the lowest and the highest number of every few positions is drawn.
    """
    numbers = {str(name): [float(value) for value in row] for name, row in curves.items()}
    states = {str(name): [str(state) for state in row] for name, row in tracks.items()}
    length = _length({**numbers, **states})
    lanes = _lanes(states)
    if len(numbers) > len(SERIES):
        raise OptionError(
            f"{len(numbers)} curves in one picture cannot be told apart; {len(SERIES)} is the most"
        )
    y = Scale(*_range(numbers), TOP + CURVES, TOP)
    said = [*(numbers if len(numbers) > 1 else ()), *itertools.chain(*lanes.values())]
    left = EDGE + 10 + max(room_for(y) if numbers else 0.0, *(_width(name) for name in states), 0.0)
    right = WIDTH - EDGE - 10 - max((_width(name) for name in said), default=0.0)
    x = Scale(0, length, left, right)
    shapes: list[Shape] = [Text(EDGE, 26, title, 15.0, bold=True)] if title else []
    at = TOP if numbers else TOP - 22
    if numbers:
        shapes += _curves(numbers, x, y, y_name)
        at += CURVES + GAP
    for name, row in states.items():
        shapes += _track(name, row, lanes[name], x, at)
        at += LANE * len(lanes[name]) + GAP
    shapes += _positions(x, at - GAP + 6, x_name)
    return Picture(WIDTH, at + 46, title or ", ".join([*numbers, *states]), tuple(shapes))


def _length(rows: Mapping[str, Sequence[Any]]) -> int:
    lengths = {name: len(row) for name, row in rows.items()}
    if not lengths or not max(lengths.values()):
        raise OptionError("there is nothing to draw: no curve and no track has a position")
    first = next(iter(lengths))
    for name, length in lengths.items():
        if length != lengths[first]:
            raise ShapeError(
                f"{name!r:.40} has {length} positions, but {first!r:.40} has {lengths[first]}; all must have the same"
            )
    if lengths[first] > MOST:
        raise OptionError(
            f"a picture shows up to {MOST:,} positions, got {lengths[first]:,}; give a part of them"
        )
    return lengths[first]


def _lanes(states: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The lanes of every track, by name; tracks that share a state share all their lanes, so that they look alike."""
    groups: list[set[str]] = []
    for row in states.values():
        joined = set(row).union(*(group for group in groups if not group.isdisjoint(row)))
        groups = [*(group for group in groups if group.isdisjoint(row)), joined]
    lanes = {}
    for name, row in states.items():
        found = next(group for group in groups if not group.isdisjoint(row))
        if len(found) > len(SERIES):
            raise OptionError(
                f"the track {name!r:.40} has {len(found)} states, which cannot be told apart; {len(SERIES)} is the most"
            )
        lanes[name] = sorted(
            found, key=lambda state: (not state.isdecimal(), len(state) * state.isdecimal(), state)
        )
    return lanes


def _range(numbers: Mapping[str, Sequence[float]]) -> tuple[float, float]:
    values = list(itertools.chain(*numbers.values()))
    for value in values:
        if not math.isfinite(value):
            raise OptionError(f"a curve holds finite numbers, got {value}")
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (low, high) if high > low else (low - 1, high + 1)


def _width(name: str) -> float:
    return words_width(_short(name), SMALL, bold=True)


def _short(name: str) -> str:
    return clip(name, 18, "…")


def _curves(numbers: Mapping[str, Sequence[float]], x: Scale, y: Scale, y_name: str) -> list[Shape]:
    shapes: list[Shape] = [Text(x.start, TOP - 12, y_name, SMALL, ink="faint")]
    for mark in y.marks(4):
        shapes += [
            Line(x.start, y.at(mark), x.end, y.at(mark), "grid"),
            Text(x.start - 8, y.at(mark) + 4, number(mark), SMALL, "end", "faint"),
        ]
    ends = spread([y.at(row[-1]) + 4 for row in numbers.values()], 16, TOP, TOP + CURVES + 4)
    for i, (name, row) in enumerate(numbers.items()):
        points = [(x.at(t + 0.5), y.at(row[t])) for t in _drawn_positions(row)]
        if len(points) == 1:
            points = [(x.start, points[0][1]), (x.end, points[0][1])]
        ink = SERIES[i]
        shapes.append(polyline(points, ink=ink, width=1.6, dash=DASHES[i]))
        if len(numbers) > 1:
            shapes.append(Text(x.end + 10, ends[i], _short(name), SMALL, ink=ink, bold=True))
    return shapes


def _drawn_positions(row: Sequence[float]) -> list[int]:
    """All of them, or of every block the lowest and the highest; then no peak is lost."""
    if len(row) <= 2 * BLOCKS:
        return list(range(len(row)))
    size = math.ceil(len(row) / BLOCKS)
    blocks = (range(begin, min(begin + size, len(row))) for begin in range(0, len(row), size))
    return sorted(
        {t for block in blocks for t in (min(block, key=row.__getitem__), max(block, key=row.__getitem__))}
    )


def _track(name: str, row: Sequence[str], lanes: Sequence[str], x: Scale, top: float) -> list[Shape]:
    middle = top + LANE * len(lanes) / 2
    shapes: list[Shape] = [Text(x.start - 8, middle + 4, _short(name), SMALL, "end", bold=True)]
    for lane, state in enumerate(lanes):
        low = top + LANE * (lane + 0.5)
        shapes += [
            Line(x.start, low, x.end, low, "grid"),
            Text(x.end + 10, low + 4, _short(state), SMALL, ink=SERIES[lane], bold=True),
        ]
    begin = 0
    for state, run in itertools.groupby(row):
        end = begin + len(list(run))
        lane = lanes.index(state)
        width = max(x.at(end) - x.at(begin), 0.8)
        shapes.append(Box(x.at(begin), top + LANE * lane + 2, width, LANE - 4, fill=SERIES[lane]))
        begin = end
    return shapes


def _positions(x: Scale, top: float, name: str) -> list[Shape]:
    shapes: list[Shape] = [Line(x.start, top, x.end, top, "faint")]
    for mark in x.marks(8):
        if mark == int(mark):
            shapes += [
                Line(x.at(mark), top, x.at(mark), top + 5, "faint"),
                Text(x.at(mark), top + 19, number(mark), SMALL, "middle", "faint"),
            ]
    return [*shapes, Text((x.start + x.end) / 2, top + 36, name, SMALL, "middle", "faint")]
