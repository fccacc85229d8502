"""State diagrams of hidden Markov models: start, transitions and emissions."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import whole_number
from seqlab.draw.charts import MANY
from seqlab.draw.transitions import EDGE, HEAD, TITLE, Moves, moves_of, ring, ring_arrows, taken_by
from seqlab.errors import OptionError
from seqlab.views.palette import STRONGEST
from seqlab.views.picture import Box, Corners, Disc, Picture, Shape, Text, arrow, towards, words_width
from seqlab.views.text import clip, printable

Row = tuple[str, float]  # an emission, and its probability
ROW, SMALL = 17.0, 12.0  # height of a row, and its font size
TAIL, ASIDE = 44.0, 1.0  # length of the start and end arrows, and their angle to the radius of the ring
LEAST = 0.0005  # smaller probabilities are not drawn
MOST_ARROWS = 20


def state_diagram(
    hmm: Any, *, symbols: int = 5, most: int = MANY, top: int | None = None, title: str = "State diagram"
) -> Picture:
    """Draw the state diagram of a hidden Markov model: start, transitions and emissions.

    hmm       a fitted HMM of order 1, of any emissions
    symbols   number of emissions listed in each state: the most probable ones, more probable ones shaded darker
    most      number of states shown: those with the most probable transitions
    top       number of transitions shown: the most probable ones; None for up to 20
    title     above the picture

    Arrows from a dot are the start, arrows to a small circle the end, if the model has one. Nothing with probability 0
    is drawn.
    """
    model = getattr(hmm, "model_", hmm)
    start = _start(model)
    if start is None:
        raise OptionError(f"a state diagram is drawn of a fitted HMM, got {hmm!r:.80}")
    moves, end = moves_of(hmm), _end(model)
    if end is not None and hasattr(model, "move_probabilities"):  # counted without the ends
        moves = Moves(moves.labels, moves.table * (1 - end)[:, None], moves.seen, moves.forbidden, True)
    shown = [_names(row, whole_number(symbols, "symbols", 1)) for row in _emissions(model, len(start))]
    few = moves.among(whole_number(most, "most", 1))
    order = [moves.labels.index(label) for label in few.labels]
    size = np.where(few.seen, few.table, 0.0)
    chosen = [(i, j) for i, j in np.argwhere(size >= LEAST).tolist()]
    chosen.sort(key=lambda move: -size[move])
    arrows = chosen[: whole_number(top, "top", 1) if top is not None else MOST_ARROWS]
    notes = [f"weaker moves, not shown: {len(chosen) - len(arrows)}"] if len(arrows) < len(chosen) else []
    notes += [f"other states, not shown: {len(start) - len(order)}"] if len(order) < len(start) else []
    kept = None if end is None else end[order]
    return _drawn(few, arrows, [shown[i] for i in order], start[order], kept, title, notes)


def _drawn(
    moves: Moves,
    arrows: Sequence[tuple[int, int]],
    emitted: Sequence[Sequence[Row]],
    start: npt.NDArray[np.float64],
    end: npt.NDArray[np.float64] | None,
    title: str,
    notes: list[str],
) -> Picture:
    names = [clip(printable(name), 14, "…") for name in moves.labels]
    wide = max(words_width(text, SMALL) + 10 for rows in emitted for text, _ in [*rows, ("", 0.0)])
    tall = ROW * (1 + max(map(len, emitted)))
    radius = max(
        28.0, math.hypot(wide, tall) / 2 + 3, max(words_width(name, bold=True) for name in names) / 2 + 8
    )
    places, centre, reach = ring(len(names), radius, TAIL + 30)
    taken = taken_by(places, radius)
    ways: list[Shape] = []
    for i, at in enumerate(places):
        out = cmath.phase(at - centre) if at != centre else -math.pi / 2
        ways += _way(at, radius, out - ASIDE, float(start[i]), moves, taken, start=True)
        if end is not None:
            ways += _way(at, radius, out + ASIDE, float(end[i]), moves, taken, start=False)
    shapes = [*ring_arrows(moves, arrows, places, centre, radius, taken), *ways]
    for at, name, rows in zip(places, names, emitted, strict=True):
        shapes += _state(at, radius, name, rows, wide)
    shapes.append(Text(24, 26, title, 15.0, bold=True))
    legend = "● start" + ("" if end is None else ", ○ end") + "; shades: what a state emits"
    shapes += [Text(24, 46 + 17 * i, note, 12, ink="faint") for i, note in enumerate([legend, *notes])]
    lines = [words_width(title, 15, bold=True), *(words_width(text, 12) for text in [legend, *notes])]
    width = max(2 * (EDGE + reach), max(lines) + 48)
    return Picture(width, TITLE + EDGE + 2 * reach, title or "state diagram", tuple(shapes))


def _way(
    at: complex, radius: float, angle: float, value: float, moves: Moves, taken: list[Corners], *, start: bool
) -> list[Shape]:
    """Draw the start arrow into a state, or the end arrow out of it, unless its probability is 0."""
    if value < LEAST:
        return []
    edge, tail, beyond = (at + cmath.rect(radius + far, angle) for far in (2, TAIL, TAIL + 20))
    begin, stop = (tail, edge) if start else (edge, towards(tail, edge, 5))
    control = (begin, (2 * begin + stop) / 3, (begin + 2 * stop) / 3, stop)
    words = Text(beyond.real, beyond.imag + 4, moves.text(value), 11.5, "middle")
    taken.append(words.box())
    mark = Disc(tail.real, tail.imag, 4.5, ink="ink", fill="ink" if start else "paper", stroke=1.5)
    return [*arrow(control, "ink", size=HEAD, neck=HEAD, stroke=1.0 + 2 * value), mark, words]


def _state(at: complex, radius: float, name: str, rows: Sequence[Row], wide: float) -> list[Shape]:
    """Draw a state with its name above the rows of its emissions."""
    top = at.imag - ROW * (1 + len(rows)) / 2
    shapes: list[Shape] = [
        Disc(at.real, at.imag, radius, ink="ink", fill="paper", stroke=1.5),
        Text(at.real, top + 13, name, anchor="middle", bold=True),
    ]
    for i, (text, share) in enumerate(rows, start=1):
        y = top + ROW * i
        if share:
            opacity = STRONGEST * min(share, 1.0)
            shapes.append(Box(at.real - wide / 2, y, wide, ROW - 1, 3, fill="blue", opacity=opacity))
        ink = "ink" if share else "faint"
        shapes.append(Text(at.real, y + 12.5, text, SMALL, "middle", ink=ink))
    return shapes


def _names(rows: list[Row], most: int) -> list[Row]:
    """Keep the most probable emissions, and add a row with the number of others."""
    kept = sorted((row for row in rows if row[1] >= LEAST), key=lambda row: -row[1])
    more = len(kept) - most
    return [*kept[:most], *([(f"… {more:,} more", 0.0)] if more > 0 else [])]


def _start(model: Any) -> npt.NDArray[np.float64] | None:
    if hasattr(model, "move_probabilities"):  # a counted HMM
        return np.asarray(model.move_probabilities[-1])
    for name in ("pi", "startprob_"):
        if isinstance(getattr(model, name, None), np.ndarray):
            return np.asarray(getattr(model, name))
    return None


def _end(model: Any) -> npt.NDArray[np.float64] | None:
    found = model.end_probabilities if hasattr(model, "end_probabilities") else getattr(model, "end", None)
    return found if isinstance(found, np.ndarray) else None


def _emissions(model: Any, size: int) -> list[list[Row]]:
    """Return the emissions of every state as rows."""
    if hasattr(model, "move_probabilities"):
        words = model.words.pool.strings()
        return [_symbols(words, row) for row in model.emissions()]
    if hasattr(model, "emissionprob_"):  # an HMM of hmmlearn
        return [_symbols(None, row) for row in model.emissionprob_]
    table = getattr(model, "emissions", None)
    parts = getattr(table, "stream", (table,))
    return [[row for part in parts for row in _of_state(part, y)] for y in range(size)]


def _of_state(table: Any, y: int) -> list[Row]:
    """Return the emissions of a state in one table as rows."""
    if hasattr(table, "probabilities"):
        return _symbols(table.symbols.words, table.probabilities[:, y])
    if hasattr(table, "rates"):
        return [(f"rate {_short(table.rates[y])}", 1.0)]
    if hasattr(table, "weights"):
        pairs = zip(table.weights[y], table.means[y], strict=True)
        return [(f"{weight:.2f} at {_short(mean)}", float(weight)) for weight, mean in pairs]
    return [(f"mean {_short(table.means[y])}", 1.0)] if hasattr(table, "means") else []


def _symbols(words: Sequence[str] | None, row: npt.NDArray[np.float64]) -> list[Row]:
    rows = []
    for i in np.flatnonzero(row >= LEAST).tolist():
        name = clip(printable(words[i]), 12, "…") if words else str(i)
        rows.append((f"{name} {row[i]:.2f}" if row[i] >= 0.005 else f"{name} <.01", float(row[i])))
    return rows


def _short(numbers: Any) -> str:
    """Format up to three numbers of a vector."""
    shown = ", ".join(f"{value:.3g}" for value in np.atleast_1d(numbers)[:3].tolist())
    return shown + (", …" if np.size(numbers) > 3 else "")
