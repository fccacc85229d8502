"""Labels in a ring, with arrows between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from seqlab.views.svg.shapes import Box, Curve, Disc, Point, Shape, Text, arrow_head, towards, words_width

Move = tuple[int, int, float, float]  # from, to, number, its share of the largest
Control = tuple[Point, Point, Point, Point]

EDGE, TITLE = 30.0, 62.0
HEAD = 9.0  # length of an arrow's head
LOOP = 52.0  # how far an arrow from a label to itself goes out
PLACES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73)  # on an arrow, where its number may stand
SMALL = 11.5


def ring_shapes(
    names: Sequence[str], moves: Sequence[Move], number: Callable[[float], str]
) -> tuple[list[Shape], float, float]:
    """The shapes, and the width and height that they need; the largest moves come first."""
    radius = max(20.0, max(words_width(name) for name in names) / 2 + 8)
    reach = _ring(len(names), radius) + radius
    inner, outer = (EDGE, TITLE), (EDGE + 2 * reach, TITLE + 2 * reach)
    if any(i == j for i, j, _, _ in moves):
        loop = 0.62 * (LOOP + radius)
        inner, outer = (EDGE + loop, TITLE + loop), (EDGE + loop + 2 * reach, TITLE + loop + 2 * reach)
    centre = ((inner[0] + outer[0]) / 2, (inner[1] + outer[1]) / 2)
    ring = [2 * math.pi * i / len(names) for i in range(len(names))]
    places = [
        (centre[0] + (reach - radius) * math.sin(turn), centre[1] - (reach - radius) * math.cos(turn))
        for turn in ring
    ]
    arrows = [(_control(places, i, j, centre, radius), value, share) for i, j, value, share in moves]
    shapes: list[Shape] = []
    for control, value, share in reversed(arrows):
        shapes += _arrow(control, value, share)
    taken = [(x - radius, y - radius, x + radius, y + radius) for x, y in places]
    for control, value, _ in arrows:
        shapes += _numbered(control, number(value), taken)
    for name, (x, y) in zip(names, places, strict=True):
        shapes += [Disc(x, y, radius, "ink", "paper", 1.5), Text(x, y + 4.5, name, anchor="middle")]
    return shapes, outer[0] + inner[0], outer[1] + inner[0]


def _ring(count: int, radius: float) -> float:
    """Its radius: neighbours have room for arrows and numbers between them."""
    if count == 1:
        return 0.0
    return max(90.0, (2 * radius + 78) / (2 * math.sin(math.pi / count)))


def _control(places: list[Point], i: int, j: int, centre: Point, radius: float) -> Control:
    if i == j:
        return _loop(places[i], centre, radius)
    (x1, y1), (x2, y2) = places[i], places[j]
    dx, dy = x2 - x1, y2 - y1
    length = math.hypot(dx, dy)
    bend = _bend(i, j, len(places), length)
    side = (-dy / length * bend, dx / length * bend)
    first = (x1 + dx / 3 + side[0], y1 + dy / 3 + side[1])
    second = (x2 - dx / 3 + side[0], y2 - dy / 3 + side[1])
    return towards(places[i], first, radius), first, second, towards(places[j], second, radius + 2)


def _bend(i: int, j: int, count: int, length: float) -> float:
    """How far an arrow bends to the right of whoever walks it: there and back part, and none meets a label on its way.

    Clockwise, right is towards the middle of the ring. Between neighbours there is room outside too; all others bend
    inwards, those that go back farther.
    """
    steps = (j - i) % count
    bend = 0.1 * length + 8
    if 2 * steps == count or steps == 1 or steps == count - 1:
        return bend
    return bend if steps < count / 2 else -(bend + 0.16 * length)


def _loop(at: Point, centre: Point, radius: float) -> Control:
    """From a label to itself, away from the middle of the ring."""
    angle = math.atan2(at[1] - centre[1], at[0] - centre[0]) if at != centre else -math.pi / 2

    def out(turn: float, far: float) -> Point:
        return at[0] + far * math.cos(angle + turn), at[1] + far * math.sin(angle + turn)

    far = radius + LOOP
    return (
        out(-0.45, radius),
        out(-0.6, far + radius * 0.3),
        out(0.6, far + radius * 0.3),
        out(0.45, radius + 2),
    )


def _arrow(control: Control, value: float, share: float) -> list[Shape]:
    start, first, second, end = control
    ink, dash = ("blue", "") if value >= 0 else ("vermilion", "5 3")
    opacity = 0.35 + 0.6 * share
    into = (end[0] - second[0], end[1] - second[1])
    neck = towards(end, second, HEAD)
    steps = (("M", start), ("C", (*first, *second, *neck)))
    head = arrow_head(end, into, size=HEAD + 2 * share, ink=ink, opacity=opacity)
    return [Curve(steps, ink, 1.0 + 3.5 * share, dash, opacity), head]


def _numbered(control: Control, text: str, taken: list[tuple[float, float, float, float]]) -> list[Shape]:
    """The number where nothing else stands; none where there is no room."""
    for share in PLACES:
        x, y = _on(control, share)
        words = Text(x, y + 4, text, SMALL, "middle")
        box = words.box()
        wide = (box[0] - 2, box[1] - 1, box[2] + 2, box[3] + 1)
        if not any(_overlap(wide, other) for other in taken):
            taken.append(wide)
            left, top, right, bottom = wide
            return [Box(left, top, right - left, bottom - top, fill="paper", radius=3, opacity=0.85), words]
    return []


def _on(control: Control, t: float) -> Point:
    """The point of a cubic curve at t."""
    weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
    x, y = (sum(w * point[axis] for w, point in zip(weights, control, strict=True)) for axis in (0, 1))
    return x, y


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
