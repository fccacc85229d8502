"""Which labels follow which, as a graph or as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.draw.heat import heat_picture
from seqlab.draw.rings import ring_shapes
from seqlab.errors import OptionError, ShapeError
from seqlab.views.svg.picture import Picture
from seqlab.views.svg.shapes import Text
from seqlab.views.text.width import clip

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
