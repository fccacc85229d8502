"""Axes with marks at round numbers, and curves over them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from seqlab.draw.shapes import Line, Point, Shape, Text, words_width

SMALL = 12.0


@dataclass(frozen=True, slots=True)
class Scale:
    """From numbers to pixels: `low` stands at `start` and `high` at `end`.

    log   equal steps multiply
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Where a number stands."""
        measure = math.log10 if self.log else float
        low, high = measure(self.low), measure(self.high)
        share = 0.5 if high == low else (measure(value) - low) / (high - low)
        return self.start + share * (self.end - self.start)

    def marks(self, most: int = 6) -> list[float]:
        """Round numbers within the scale, `most` of them or somewhat fewer."""
        if self.log:
            return _powers(self.low, self.high, most)
        return _round_numbers(self.low, self.high, most)


def _round_numbers(low: float, high: float, most: int) -> list[float]:
    if high <= low:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def _powers(low: float, high: float, most: int) -> list[float]:
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    every = max(1, math.ceil((last - first + 1) / most))
    marks = [10.0**power for power in range(first, last + 1, every)]
    if every == 1 and 3 * (last - first) <= most:  # few powers: 2 and 5 times them are round as well
        steps = [factor * 10.0**power for power in range(first - 1, last + 1) for factor in (1, 2, 5)]
        marks = [mark for mark in steps if low * (1 - 1e-9) <= mark <= high * (1 + 1e-9)]
    return marks if len(marks) > 1 else [low, high]


def number(value: float) -> str:
    """A mark's number, short: 0.25, 1,500, 1e-05."""
    if value == 0:
        return "0"
    if abs(value) >= 1e6 or abs(value) < 1e-4:
        return f"{value:.2g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def room_for(scale: Scale) -> float:
    """Pixels that the numbers of an upright axis take."""
    return max((words_width(number(mark), SMALL) for mark in scale.marks()), default=0.0)


def grid(
    x: Scale, y: Scale, x_name: str, y_name: str, *, x_marks: Sequence[float] | None = None
) -> list[Shape]:
    """Both axes with their marks and names."""
    left, right = sorted((x.start, x.end))
    top, bottom = sorted((y.start, y.end))
    shapes: list[Shape] = []
    for mark in y.marks():
        at = y.at(mark)
        shapes += [
            Line(left, at, right, at, "grid"),
            Text(left - 8, at + 4, number(mark), SMALL, "end", "faint"),
        ]
    for mark in x.marks() if x_marks is None else x_marks:
        at = x.at(mark)
        shapes += [
            Line(at, bottom, at, bottom + 5, "faint"),
            Text(at, bottom + 19, number(mark), SMALL, "middle", "faint"),
        ]
    shapes += [
        Line(left, bottom, right, bottom, "faint"),
        Text((left + right) / 2, bottom + 38, x_name, SMALL, "middle", "faint"),
        Text(left, top - 12, y_name, SMALL, "start", "faint"),
    ]
    return shapes


def spread(heights: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The heights moved apart so that neighbours have `gap` between them, within low and high if there is room."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    placed = [0.0] * len(heights)
    for rank, i in enumerate(order):
        floor = placed[order[rank - 1]] + gap if rank else low
        placed[i] = max(heights[i], floor)
    ceiling = high
    for i in reversed(order):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - gap
    return placed


def finite(points: Sequence[Point]) -> list[Point]:
    """Those that can be drawn."""
    return [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
