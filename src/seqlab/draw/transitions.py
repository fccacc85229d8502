"""Which labels follow which, as a graph or as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.draw.charts import heat_picture
from seqlab.errors import OptionError, ShapeError
from seqlab.views.picture import (
    Box,
    Curve,
    Disc,
    Picture,
    Point,
    Shape,
    Text,
    arrow_head,
    towards,
    words_width,
)
from seqlab.views.text import clip

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


Table = npt.NDArray[np.float64]

MOST_IN_GRAPH, MOST_IN_TABLE = 9, 24
KINDS = ("graph", "table")
LEAST_SHARE = 0.04  # of the largest move; fainter ones are left out of a graph


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Numbers for moves between labels.

    table          (L, L)   from label, to label
    seen           (L, L)   which moves have a number
    forbidden      (L, L)
    probabilities  rows add up to 1; otherwise weights, of either sign
    """

    labels: tuple[str, ...]
    table: Table
    seen: npt.NDArray[np.bool_]
    forbidden: npt.NDArray[np.bool_]
    probabilities: bool

    def among(self, most: int) -> Moves:
        """The labels whose moves have the largest numbers, in their order."""
        if len(self.labels) <= most:
            return self
        size = np.where(self.seen, np.abs(self.table), 0.0)
        order = np.sort(np.argsort(-(size.sum(axis=0) + size.sum(axis=1)), kind="stable")[:most])
        at = np.ix_(order, order)
        tables = {name: getattr(self, name)[at] for name in ("table", "seen", "forbidden")}
        return replace(self, labels=tuple(self.labels[i] for i in order), **tables)


def transition_picture(
    given: Any,
    labels: Sequence[str] | None = None,
    *,
    kind: str | None = None,
    most: int | None = None,
    title: str = "Moves between labels",
) -> Picture:
    """How a model values moves from label to label.

    given    a fitted tagger or LinearModel (weights of moves), a model with probabilities of moves (MarkovChain, HMM),
             or an (L, L) table with `labels`: row from, column to. Rows that add up to 1 are taken for probabilities
    kind     "graph" for labels in a ring with arrows, "table" for a shaded table; None takes a graph up to 9 labels
    most     labels that are shown: those whose moves have the largest numbers

    Arrows are as thick as their numbers are large. Blue and solid favours a move, vermilion and dashed speaks against
    it.
    """
    moves = _moves(given, labels)
    if kind is not None and kind not in KINDS:
        raise OptionError(f"kind must be 'graph', 'table' or None, got {kind!r:.40}")
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
        raise OptionError(f"most must be a whole number from 1 up, got {most!r:.40}")
    if kind is None:
        kind = "graph" if min(len(moves.labels), most or len(moves.labels)) <= MOST_IN_GRAPH else "table"
    shown = moves.among(most or (MOST_IN_GRAPH if kind == "graph" else MOST_IN_TABLE))
    left_out = len(moves.labels) - len(shown.labels)
    note = f"{left_out} labels with smaller numbers are not shown" if left_out else ""
    return _graph(shown, title, note) if kind == "graph" else _table(shown, title, note)


def _graph(moves: Moves, title: str, note: str) -> Picture:
    names = [clip(name, 12, "…") for name in moves.labels]
    size = np.where(moves.seen & ~moves.forbidden, np.abs(moves.table), 0.0)
    largest = float(size.max(initial=0.0))
    chosen = [
        (int(i), int(j), float(moves.table[i, j]), float(size[i, j] / largest))
        for i, j in np.argwhere(size > LEAST_SHARE * largest).tolist()
    ]
    chosen.sort(key=lambda move: -move[3])
    shapes, width, height = ring_shapes(
        names, chosen[: 2 * len(names) + 4], lambda value: _number(value, moves)
    )
    faint = len(chosen) - (2 * len(names) + 4)
    notes = [part for part in (note, f"{faint} weaker moves are not shown" if faint > 0 else "") if part]
    words = [Text(24, 26, title, 15.0, bold=True)]
    words += [Text(24, 46 + 17 * i, part, 12, ink="faint") for i, part in enumerate(notes)]
    return Picture(width, height, title, (*shapes, *words))


def _table(moves: Moves, title: str, note: str) -> Picture:
    largest = float(np.abs(moves.table).max(initial=0.0)) or 1.0

    def shade(i: int, j: int) -> tuple[str, float]:
        value = float(moves.table[i, j])
        return ("blue" if value >= 0 else "vermilion"), abs(value) / largest

    def text(i: int, j: int) -> str:
        if moves.forbidden[i, j]:
            return "×"
        return _number(float(moves.table[i, j]), moves) if moves.seen[i, j] else "·"

    L = len(moves.labels)
    crossed = "× never said" if moves.forbidden.any() else ""
    return heat_picture(
        moves.labels,
        [[text(i, j) for j in range(L)] for i in range(L)],
        shade,
        title=title,
        row_name="from",
        column_name="to",
        note="; ".join(part for part in (crossed, note) if part),
    )


def _number(value: float, moves: Moves) -> str:
    if moves.probabilities:
        return f"{value:.2f}" if value >= 0.005 else "<.01"
    return f"{value:+.1f}".replace("-", "−") if abs(value) >= 0.05 else "0"


def _moves(given: Any, labels: Sequence[str] | None) -> Moves:
    model = getattr(given, "model_", given)
    if hasattr(model, "move_seen"):
        return Moves(
            tuple(model.labels), model.moves, model.move_seen, model.rules.forbidden, probabilities=False
        )
    if hasattr(model, "move_probabilities"):  # labelled words, counted
        if model.order != 1:
            raise OptionError(
                f"arrows join two labels, but this model looks {model.order} labels back; fit one with order=1"
            )
        counted = _of_table(model.move_probabilities[: len(model.labels)], model.labels)
        return replace(counted, probabilities=True)
    for name in ("transmat_", "A", "A_"):
        for owner in (given, model):
            if not isinstance(owner, np.ndarray) and isinstance(getattr(owner, name, None), np.ndarray):
                named = labels or getattr(given, "labels_", None)
                return replace(_of_table(getattr(owner, name), named), probabilities=True)
    chain = getattr(given, "transition_matrix", given)
    if hasattr(chain, "sources") and hasattr(chain, "targets"):
        return _of_chain(chain)
    return _of_table(given, labels)


def _of_chain(chain: Any) -> Moves:
    """Of a Markov chain, whose moves come from its start too, and lead to its end."""
    names = tuple(dict.fromkeys([*chain.sources, *chain.targets]))
    place = {name: i for i, name in enumerate(names)}
    table = np.zeros((len(names), len(names)))
    table[np.ix_([place[name] for name in chain.sources], [place[name] for name in chain.targets])] = (
        chain.matrix
    )
    return Moves(names, table, table != 0, np.zeros_like(table, dtype=bool), probabilities=True)


def _of_table(given: Any, labels: Sequence[str] | None) -> Moves:
    try:
        table = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(f"a fitted tagger or a table (L, L) is wanted, got {given!r:.80}") from error
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise ShapeError(f"a table of moves has as many rows as columns, got shape {table.shape}")
    names = tuple(map(str, range(len(table)))) if labels is None else tuple(map(str, labels))
    if len(names) != len(table):
        raise ShapeError(f"the table has {len(table)} labels, but {len(names)} names were given")
    forbidden = np.isneginf(table)
    table[forbidden] = 0.0
    if not np.isfinite(table).all():
        raise OptionError(
            "a table of moves holds numbers, and -inf for what is forbidden, but this has NaN or +inf"
        )
    sums = table.sum(axis=1)
    probabilities = bool((table >= 0).all() and all(math.isclose(s, 1, abs_tol=1e-3) or s == 0 for s in sums))
    return Moves(names, table, (table != 0) & ~forbidden, forbidden, probabilities)
