"""Pictures of the forward, backward and Viterbi tables."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np

from seqlab import inference
from seqlab.arrays import choice, whole_number
from seqlab.draw.trellis import MOST_HEAD, heads
from seqlab.errors import ImpossibleError, OptionError
from seqlab.inference.questions import Doubles
from seqlab.trellis import Trellis
from seqlab.views.picture import Curve, Picture, Shape, Text, words_width
from seqlab.views.text import clip, printable

TABLES = {
    "forward": "forward: all prefixes that end in a label",
    "backward": "backward: all that follows a label",
    "viterbi": "Viterbi: the best prefix, and where it came from",
}
ROW, EDGE, CAPTION, STEP = 26.0, 24.0, 58.0, 104.0
MOST_ROWS = 12
LEAST_LOG = -300.0  # with smaller logs, logs are shown instead of the numbers


def tables_picture(
    trellis: Trellis,
    tokens: Sequence[str] | None = None,
    *,
    tables: str | Sequence[str] = tuple(TABLES),
    logs: bool | None = None,
    max_states: int = MOST_ROWS,
    max_positions: int = 16,
    title: str = "",
) -> Picture:
    """Draw forward, backward and Viterbi tables, a column per position and a row per label (state in order 2 and 3).

    trellis        of the sequence
    tokens         (T,) headings of the columns; positions by default
    tables         which of "forward", "backward" and "viterbi"
    logs           True to show logs; None to do so if the numbers themselves are too small or too large to read
    max_states     of more states, those with the best paths through them are shown
    max_positions  of more positions, the first are shown
    title          above the picture

    In the Viterbi table lines are back links, and the best path is bold.
    """
    wanted = [tables] if isinstance(tables, str) else list(tables)
    if not wanted:
        raise OptionError(f"tables must name one of {', '.join(TABLES)} at least")
    for one in wanted:
        choice(one, "tables", tuple(TABLES))
    shown = min(trellis.T, whole_number(max_positions, "max_positions", 1))
    best = inference.viterbi_table(trellis)
    through = (best.score + inference.backward(trellis, semiring=inference.Semiring.max)).reshape(
        trellis.T, trellis.L**trellis.order
    )
    rows = _rows(through[:shown], whole_number(max_states, "max_states", 1))
    names = _names(trellis, rows)
    columns = [clip(head, MOST_HEAD, "…") for head in heads(tokens, trellis.T, shown)]
    numbers = {name: _table(name, trellis, best)[:shown] for name in wanted}
    as_logs = _unreadable(numbers.values()) if logs is None else bool(logs)
    left = EDGE + max((words_width(name) for name in names), default=0) + 14
    step = max(STEP, max((words_width(head) for head in columns), default=0) + 16)
    xs = [left + step / 2 + step * t for t in range(shown)]
    shapes: list[Shape] = [Text(EDGE, 28, title, 15.0, bold=True)] if title else []
    top, path = 34.0 if title else 8.0, _states(best, shown)
    for name, table in numbers.items():
        shapes.append(Text(EDGE, top + 18, TABLES[name] + (" (logs)" if as_logs else ""), 13.0, bold=True))
        top += CAPTION
        ys = {state: top + ROW / 2 + ROW * row for row, state in enumerate(rows)}
        shapes += [
            Text(x, top - 10, head, anchor="middle", ink="faint") for x, head in zip(xs, columns, strict=True)
        ]
        shapes += [
            Text(left - 4, y + 4.5, one, anchor="end") for one, y in zip(names, ys.values(), strict=True)
        ]
        bold = set(enumerate(path)) if name == "viterbi" else set()
        shapes += _links(best, xs, ys, bold) if name == "viterbi" else []
        shapes += _cells(table, xs, ys, bold, logs=as_logs)
        top += ROW * len(rows) + 6
    left_out = ((through.shape[1] - len(rows), "states"), (trellis.T - shown, "positions"))
    notes = [f"… {count} more {what} not shown" for count, what in left_out if count and trellis.T]
    shapes += [Text(EDGE, top + 14 + 18 * i, words, 12, ink="faint") for i, words in enumerate(notes)]
    width = (
        max([left + step * shown, *(EDGE + words_width(TABLES[name], 13.5) + 60 for name in wanted)]) + EDGE
    )
    what = f"{trellis.T} positions" if tokens is None else " ".join(map(str, tokens))[:200]
    return Picture(width, top + 18 * len(notes) + 12, title or f"tables of {what}", tuple(shapes))


def _rows(through: Doubles, most: int) -> list[int]:
    """Choose the states to show: those with the best paths through them."""
    merit = through.max(axis=0, initial=-np.inf)
    return sorted(np.argsort(-merit, kind="stable")[:most].tolist())


def _names(trellis: Trellis, rows: Sequence[int]) -> list[str]:
    names = [clip(printable(str(y)), 16, "…") for y in trellis.labels or range(trellis.L)]
    shape = (trellis.L,) * trellis.order
    return [" ".join(names[int(y)] for y in np.unravel_index(row, shape)) for row in rows]


def _table(name: str, trellis: Trellis, best: inference.ViterbiTable) -> Doubles:
    """Compute one table, (T, states)."""
    if name == "viterbi":
        return best.score.reshape(trellis.T, trellis.L**trellis.order)
    messages = inference.forward(trellis) if name == "forward" else inference.backward(trellis)
    return messages.reshape(trellis.T, trellis.L**trellis.order)


def _unreadable(tables: Iterable[Doubles]) -> bool:
    """Return True if some number would be written as 0 or as infinite."""
    joined = np.concatenate([table.reshape(-1) for table in tables])
    there = joined[np.isfinite(joined)]
    return bool(len(there)) and (there.min() < LEAST_LOG or there.max() > -LEAST_LOG)


def _states(table: inference.ViterbiTable, shown: int) -> list[int]:
    """Return the states of the best path at the shown positions; an empty list if there is no path."""
    ids: list[int] = []
    with contextlib.suppress(ImpossibleError):
        ids = table.path().ids.tolist()
    size, order = table.label_set.size, table.order
    padded = [0] * (order - 1) + ids
    return [int(np.ravel_multi_index(padded[t : t + order], (size,) * order)) for t in range(len(ids))][
        :shown
    ]


def _cells(
    table: Doubles, xs: Sequence[float], ys: dict[int, float], bold: set[tuple[int, int]], *, logs: bool
) -> list[Shape]:
    shapes: list[Shape] = []
    for (t, x), (state, y) in itertools.product(enumerate(xs), ys.items()):
        value = float(table[t, state])
        words = f"{value:.4g}" if logs else f"{math.exp(value):.4g}"
        if value == -math.inf:
            words = "·"
        ink = "faint" if value == -math.inf else "ink"
        shapes.append(Text(x, y + 4.5, words, 12.0, "middle", ink=ink, bold=(t, state) in bold))
    return shapes


def _links(
    table: inference.ViterbiTable, xs: Sequence[float], ys: dict[int, float], bold: set[tuple[int, int]]
) -> list[Shape]:
    """Draw the back links: a line from every state to its predecessor on the best path into it."""
    shapes: list[Shape] = []
    shape, gap = table.score.shape[1:], 38.0
    for t in range(1, len(xs)):
        for state, y in ys.items():
            cell = tuple(int(i) for i in np.unravel_index(state, shape))
            if table.score[(t, *cell)] == -math.inf:
                continue
            source = int(np.ravel_multi_index((max(int(table.back[(t, *cell)]), 0), *cell[:-1]), shape))
            if source in ys:
                on_path = {(t - 1, source), (t, state)} <= bold
                points = (complex(xs[t - 1] + gap, ys[source]), complex(xs[t] - gap, y))
                ink, stroke = ("blue", 2.2) if on_path else ("faint", 1.0)
                shapes.append(Curve(points, ink=ink, stroke=stroke))
    return shapes
