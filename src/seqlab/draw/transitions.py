"""Transitions between labels, as a graph or as a table."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import whole_number
from seqlab.draw.charts import MANY, by_type, heat_picture
from seqlab.errors import OptionError, ShapeError
from seqlab.views.picture import Box, Control, Corners, Disc, Picture, Shape, Text, arrow, bent, words_width
from seqlab.views.text import clip

EDGE, TITLE = 30.0, 62.0
HEAD = 9.0  # length of an arrow's head
LOOP = 52.0  # extent of a self-loop
PLACES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73)  # positions on an arrow for its number
MOST_IN_TABLE = 24
LEAST_SHARE = 0.04  # relative to the largest number; smaller transitions are left out of a graph
# Legends: ink, dashes and words of arrows; words for a table.
ARROWS = ("blue", "", "favours the move, the thicker the more"), ("vermilion", "5 3", "speaks against it")
CELLS = "blue favours a move, vermilion speaks against it; the deeper, the larger the number; · no number"


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Numbers for transitions between labels.

    table          (L, L)   from label, to label
    seen           (L, L)   which transitions have a number
    forbidden      (L, L)
    probabilities  rows add up to 1; otherwise weights, of either sign
    """

    labels: tuple[str, ...]
    table: npt.NDArray[np.float64]
    seen: npt.NDArray[np.bool_]
    forbidden: npt.NDArray[np.bool_]
    probabilities: bool

    def among(self, most: int) -> Moves:
        """Keep the labels whose transitions have the largest numbers, in their order."""
        size = np.where(self.seen, np.abs(self.table), 0.0)
        return self._of(np.sort(np.argsort(-(size.sum(axis=0) + size.sum(axis=1)), kind="stable")[:most]))

    def strongest(self, top: int, most: int) -> Moves:
        """Keep the transitions with the largest numbers, and the labels they join, up to this number."""
        size, seen = np.where(self.seen & ~self.forbidden, np.abs(self.table), 0.0), np.zeros_like(self.seen)
        labels, left = set[int](), top
        for i, j in np.argwhere(size > 0)[np.argsort(-size[size > 0], kind="stable")].tolist():
            if left and len(labels | {i, j}) <= most:
                seen[i, j], labels, left = True, labels | {i, j}, left - 1
        order, _ = by_type(self.labels)
        return replace(self, seen=seen)._of(np.array([i for i in order if i in labels] or order[:most]))

    def _of(self, order: npt.NDArray[np.int_]) -> Moves:
        at, labels = np.ix_(order, order), tuple(self.labels[i] for i in order)
        return Moves(labels, self.table[at], self.seen[at], self.forbidden[at], self.probabilities)

    def text(self, value: float) -> str:
        """Format a number of the table."""
        if self.probabilities:
            return f"{value:.2f}" if value >= 0.005 else "<.01"
        return f"{value:+.1f}".replace("-", "−") if abs(value) >= 0.05 else "0"


def transition_picture(
    given: Any,
    labels: Sequence[str] | None = None,
    *,
    kind: str | None = None,
    most: int | None = None,
    top: int | None = None,
    title: str = "Moves between labels",
) -> Picture:
    """Draw the transitions (moves) of a model from label to label.

    given    a fitted tagger or LinearModel (transition weights), a model with transition probabilities (MarkovChain,
             HMM), or an (L, L) table with `labels`: row from, column to. Rows that sum to 1 are taken as probabilities
    kind     "graph" for labels in a ring with arrows, "table" for a shaded table; None for a graph up to 9 labels
    most     number of labels shown: those whose transitions have the largest numbers
    top      number of transitions shown: those with the largest numbers, with the labels they connect
    title    above the picture

    Arrows are thicker for larger numbers. Positive weights are blue and solid, negative ones vermilion and dashed. With
    more than 9 labels a graph shows the strongest transitions only, and B-NP and I-NP are placed together.
    """
    moves = moves_of(given, labels)
    if kind not in ("graph", "table", None):
        raise OptionError(f"kind must be 'graph', 'table' or None, got {kind!r:.40}")
    count = len(moves.labels)
    shown = count if most is None else whole_number(most, "most", 1)
    few = moves if top is None else moves.strongest(whole_number(top, "top", 1), shown)
    graph = kind == "graph" or (kind is None and min(len(few.labels), shown) <= MANY)
    limit = shown if most else MANY if graph else MOST_IN_TABLE
    if graph and count > MANY:
        few = few.strongest(top or 3 * min(limit, count) // 2, limit)
    elif len(few.labels) > limit:
        few = few.among(limit)
    left_out, weaker = count - len(few.labels), int(moves.seen.sum() - few.seen.sum())
    notes = [f"labels with smaller numbers, not shown: {left_out}"] if left_out else []
    notes += [f"weaker moves, not shown: {weaker:,}"] if weaker and (top or (graph and count > MANY)) else []
    if graph:
        return _graph(few, title, notes, legend=count > MANY, top=top)
    return _table(few, title, notes, legend=count > MANY)


def _table(moves: Moves, title: str, notes: list[str], *, legend: bool) -> Picture:
    texts = [["·"] * len(moves.labels) for _ in moves.labels]
    for i, j in np.argwhere(moves.seen | moves.forbidden).tolist():
        text = "×" if moves.forbidden[i, j] else moves.text(float(moves.table[i, j]))
        texts[i][j] = "·" if legend and text == "<.01" else text
    if legend:
        notes = ["the deeper, the more probable; · below .005" if moves.probabilities else CELLS, *notes]
    return heat_picture(
        moves.labels,
        texts,
        np.where(moves.seen, moves.table, 0.0) / (float(np.abs(moves.table).max(initial=0.0)) or 1.0),
        title=title,
        row_name="from",
        column_name="to",
        notes=[*(["× never said"] if moves.forbidden.any() else []), *notes],
    )


def _graph(moves: Moves, title: str, notes: list[str], *, legend: bool, top: int | None) -> Picture:
    size = np.where(moves.seen & ~moves.forbidden, np.abs(moves.table), 0.0)
    largest = float(size.max(initial=0.0))
    chosen = [(i, j) for i, j in np.argwhere(size > (0 if top else LEAST_SHARE * largest)).tolist()]
    chosen.sort(key=lambda move: -size[move])
    most = top or 2 * len(moves.labels) + 4
    if len(chosen) > most:
        notes.append(f"weaker moves, not shown: {len(chosen) - most}")
    names = [clip(name, 12, "…") for name in moves.labels]
    radius = max(20.0, max(words_width(name) for name in names) / 2 + 8)
    loop = 0.62 * (LOOP + radius) if any(i == j for i, j in chosen[:most]) else 0.0
    places, centre, reach = ring(len(names), radius, loop)
    shapes = ring_arrows(moves, chosen[:most], places, centre, radius, taken_by(places, radius))
    for name, at in zip(names, places, strict=True):
        shapes.append(Disc(at.real, at.imag, radius, ink="ink", fill="paper", stroke=1.5))
        shapes.append(Text(at.real, at.imag + 4.5, name, anchor="middle"))
    shapes.append(Text(24, 26, title, 15.0, bold=True))
    shapes += [Text(24, 46 + 17 * i, note, 12, ink="faint") for i, note in enumerate(notes)]
    foot, width = TITLE + EDGE + 2 * reach, 2 * (EDGE + reach)
    signs = [("blue", "", "the thicker, the more probable")] if moves.probabilities else ARROWS
    for ink, dash, words in signs if legend else ():
        at, foot, width = 24 + 1j * foot, foot + 18, max(width, 320)
        shapes += arrow(bent(at, at + 36, 0, 0, 0), ink, size=HEAD, neck=HEAD, stroke=2.5, dash=dash)
        shapes.append(Text(70, at.imag + 4, words, 12, ink="faint"))
    return Picture(width, foot, title, tuple(shapes))


def ring(count: int, radius: float, beyond: float) -> tuple[list[complex], complex, float]:
    """Return the positions of discs in a ring, its centre, and the radius of the whole drawing.

    beyond   space outside the ring

    The ring leaves space for arrows and numbers between neighbours.
    """
    size = 0.0 if count == 1 else max(90.0, (2 * radius + 78) / (2 * math.sin(math.pi / count)))
    reach = beyond + size + radius
    centre = complex(EDGE + reach, TITLE + reach)
    return (
        [centre - 1j * cmath.rect(size, 2 * math.pi * i / count) for i in range(count)],
        centre,
        reach,
    )


def taken_by(places: Sequence[complex], radius: float) -> list[Corners]:
    """Return the bounding boxes of the discs, which numbers must not overlap."""
    return [(at.real - radius, at.imag - radius, at.real + radius, at.imag + radius) for at in places]


def ring_arrows(
    moves: Moves,
    chosen: Sequence[tuple[int, int]],
    places: list[complex],
    centre: complex,
    radius: float,
    taken: list[Corners],
) -> list[Shape]:
    """Draw the arrows of the chosen transitions, the strongest on top, with their numbers at free places."""
    largest = max((abs(float(moves.table[move])) for move in chosen), default=1.0)
    arrows = [(_control(places, i, j, centre, radius), float(moves.table[i, j])) for i, j in chosen]
    shapes: list[Shape] = []
    for control, value in reversed(arrows):
        (ink, dash, _), share = ARROWS[value < 0], abs(value) / largest
        looks = {"stroke": 1.0 + 3.5 * share, "opacity": 0.35 + 0.6 * share}
        shapes += arrow(control, ink, size=HEAD + 2 * share, neck=HEAD, dash=dash, **looks)
    for control, value in arrows:
        shapes += numbered(control, moves.text(value), taken)
    return shapes


def _control(places: list[complex], i: int, j: int, centre: complex, radius: float) -> Control:
    """Return the curve of a transition.

    Arrows in opposite directions do not overlap, and none crosses a label. They bend to the right, which clockwise is
    towards the middle of the ring. Between neighbours there is space outside too; all others bend inwards, those that
    go anticlockwise more. An arrow from a label to itself is outside the ring.
    """
    at, length = places[i], abs(places[j] - places[i])
    if i == j:
        angle = cmath.phase(at - centre) if at != centre else -math.pi / 2
        ends = ((radius, -0.45), (1.3 * radius + LOOP, -0.6), (1.3 * radius + LOOP, 0.6), (radius + 2, 0.45))
        start, first, second, end = (at + cmath.rect(far, angle + turn) for far, turn in ends)
        return start, first, second, end
    count = len(places)
    steps, bend = (j - i) % count, 0.1 * length + 8
    if count / 2 < steps < count - 1:
        bend = -(bend + 0.16 * length)
    return bent(at, places[j], bend, radius, radius + 2)


def numbered(control: Control, text: str, taken: list[Corners]) -> list[Shape]:
    """Write a number on its arrow at a free place, if there is one."""
    for t in PLACES:
        weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
        at = sum(weight * point for weight, point in zip(weights, control, strict=True))
        words = Text(at.real, at.imag + 4, text, 11.5, "middle")
        left, top, right, bottom = words.box()
        left, top, right, bottom = left - 2, top - 1, right + 2, bottom + 1
        if not any(left < x2 and x1 < right and top < y2 and y1 < bottom for x1, y1, x2, y2 in taken):
            taken.append((left, top, right, bottom))
            return [Box(left, top, right - left, bottom - top, 3, fill="paper", opacity=0.85), words]
    return []


def moves_of(given: Any, labels: Sequence[str] | None = None) -> Moves:
    """Find the transitions of a model, or read a table of them."""
    model = getattr(given, "model_", given)
    if hasattr(model, "move_seen"):
        return Moves(
            tuple(model.labels), model.moves, model.move_seen, model.rules.forbidden, probabilities=False
        )
    if getattr(model, "order", 1) != 1:
        raise OptionError(
            f"arrows join two labels, but this model looks {model.order} labels back; fit one with order=1"
        )
    if hasattr(model, "move_probabilities"):  # a counted HMM
        table = model.move_probabilities[: len(model.labels)]
        return replace(_of_table(table, model.labels), probabilities=True)
    for name in ("transmat_", "A", "A_"):
        for owner in (given, model):
            if not isinstance(owner, np.ndarray) and isinstance(getattr(owner, name, None), np.ndarray):
                named = labels or getattr(given, "labels_", None)
                return replace(_of_table(getattr(owner, name), named), probabilities=True)
    chain = getattr(given, "transition_matrix", given)
    if hasattr(chain, "sources") and hasattr(chain, "targets"):
        # Transitions of a Markov chain include its start and end.
        names = list(dict.fromkeys([*chain.sources, *chain.targets]))
        rows, columns = ([names.index(name) for name in side] for side in (chain.sources, chain.targets))
        table = np.zeros((len(names), len(names)))
        table[np.ix_(rows, columns)] = chain.matrix
        return replace(_of_table(table, names), probabilities=True)
    return _of_table(given, labels)


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
