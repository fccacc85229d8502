"""A trellis as a picture, and the data of all its drawings: labels, positions, and the score in each cell.

The cell (t, y) holds the score of the best way into it, δ_t(y): the best path of the first t + 1
positions that ends in y. The label before y on that path is the cell's back pointer. (For order 2 or 3
a path is not found by following single back pointers; the pointer is still the best last move.)
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from seqlab import inference
from seqlab.arrays import whole_number
from seqlab.errors import ImpossibleError, OptionError, ShapeError
from seqlab.trellis import Constraints, Trellis
from seqlab.views.palette import DASHES, SERIES, STRONGEST
from seqlab.views.picture import Curve, Disc, Picture, Shape, Text, words_width
from seqlab.views.text import clip, printable


def heads(tokens: Sequence[str] | None, length: int, shown: int) -> list[str]:
    """Return the words above the columns."""
    if tokens is None:
        return [str(t) for t in range(shown)]
    if len(tokens) != length:
        raise ShapeError(f"{len(tokens)} tokens given for a trellis of {length} positions")
    return [printable(token) for token in tokens[:shown]]


def not_shown(trellis: Trellis, labels: int, positions: int) -> list[str]:
    """Describe how many labels and positions are left out of a drawing."""
    left_out = ((trellis.L - labels, "labels"), (trellis.T - positions, "positions"))
    return [f"{count} more {what} not shown" for count, what in left_out if count]


def best_path(trellis: Trellis) -> list[int]:
    """Return the label ids of the best path; empty when there is no path."""
    with contextlib.suppress(ImpossibleError):
        return [int(y) for y in inference.viterbi(trellis).ids]
    return []


def chosen_rows(trellis: Trellis, path_ids: Sequence[int], max_labels: int) -> list[int]:
    """Choose the labels to show: those of the path, then the most probable anywhere."""
    if max_labels >= trellis.L:
        return list(range(trellis.L))
    try:
        merit = inference.posterior(trellis).node.max(axis=0, initial=0.0)
    except ImpossibleError:
        merit = trellis.node.max(axis=0, initial=-np.inf)
    by_merit = np.argsort(-merit, kind="stable").tolist()
    return sorted(list(dict.fromkeys([*path_ids, *by_merit]))[:max_labels])


class Cell(NamedTuple):
    """The best path into one label at one position; score -inf when there is none."""

    score: float = -math.inf
    came_from: int | None = None

    @property
    def dead(self) -> bool:
        """Return True if no path reaches this cell."""
        return self.score == -math.inf


def prefix(trellis: Trellis, length: int) -> Trellis:
    """Return the first `length` positions of a trellis."""
    edge = trellis.edge[: max(length - trellis.order, 0)] if trellis.per_position else trellis.edge
    return Trellis(
        trellis.node[:length],
        edge,
        order=trellis.order,
        head=trellis.head,
        labels=trellis.labels,
        constraints=Constraints(allowed={t: ids for t, ids in trellis.allowed.items() if t < length}),
    )


def survivors(trellis: Trellis, t: int, rows: list[int]) -> list[Cell]:
    """Compute the cells of these labels at position t."""
    seen, cells = prefix(trellis, t + 1), []
    for y in rows:
        cell = Cell()
        if t not in seen.allowed or y in seen.allowed[t]:
            with contextlib.suppress(ImpossibleError):
                best = inference.viterbi(seen.constrain(known={t: y}))
                cell = Cell(best.score, int(best.ids[t - 1]) if t else None)
        cells.append(cell)
    return cells


RADIUS, ROW = 18.0, 46.0
EDGE, HEADS, TITLE = 24.0, 62.0, 28.0
MOST_HEAD = 14  # screen columns of a token
LEAST = 0.005  # labels that are less probable are small rings
FAINTEST = 0.02  # transitions that are less probable are not drawn
SHIFT = 5.0  # distance between paths that take the same transition
PATHS = ("———", "– –", "· · ·", "– · –")  # their lines, in words


def trellis_picture(
    trellis: Trellis,
    tokens: Sequence[str] | None = None,
    *,
    nbest: int = 1,
    posterior: bool = True,
    max_labels: int | None = None,
    max_positions: int = 16,
    title: str = "",
) -> Picture:
    """Draw a trellis, one column per position and one row per label.

    tokens     (T,) headings of the columns; positions by default
    nbest      how many of the best paths to draw, up to 4
    posterior  shade labels and transitions by their probabilities, and write these into the nodes; scores that
               are not log-probabilities, such as a perceptron's, are better drawn without

    With more than max_labels labels, those of the best path and the most probable are shown; with more than
    max_positions positions, the first. title is above the picture.
    """
    if not 0 <= whole_number(nbest, "nbest", 0) <= len(PATHS):
        raise OptionError(f"nbest must lie between 0 and 4 in a picture, got {nbest!r}")
    shown = min(trellis.T, whole_number(max_positions, "max_positions", 1))
    paths: Sequence[inference.Path] = ()
    certain: inference.Posterior | None = None
    with contextlib.suppress(ImpossibleError):
        paths = tuple(inference.nbest(trellis, max(nbest, 1))) if trellis.T else ()
        certain = inference.posterior(trellis) if posterior and trellis.T else None
    best = paths[0].ids[:shown].tolist() if paths else []
    most = max(12, len(set(best))) if max_labels is None else whole_number(max_labels, "max_labels", 1)
    rows = chosen_rows(prefix(trellis, shown), best, most) if shown else []
    names = [clip(printable(str(y)), 16, "…") for y in trellis.labels or range(trellis.L)]
    columns = [clip(head, MOST_HEAD, "…") for head in heads(tokens, trellis.T, shown)]
    left = EDGE + max((words_width(names[y]) for y in rows), default=0) + 14
    step = max(76.0, max((words_width(head) for head in columns), default=0) + 16)
    top = HEADS + (TITLE if title else 0)
    xs = [left + step / 2 + step * t for t in range(shown)]
    ys = {y: top + ROW / 2 + ROW * row for row, y in enumerate(rows)}
    shapes: list[Shape] = [Text(EDGE, 28, title, 15.0, bold=True)] if title else []
    heads_at = zip(xs, columns, strict=True)
    shapes += [Text(x, top - 16, head, anchor="middle", bold=True) for x, head in heads_at]
    shapes += [Text(left - 4, y + 4.5, names[label], anchor="end") for label, y in ys.items()]
    if certain is not None and trellis.order == 1:
        likely = np.argwhere(certain.edge[: max(shown - 1, 0)] >= FAINTEST).tolist()
        for t, i, j in (one for one in likely if one[1] in ys and one[2] in ys):
            points, share = (complex(xs[t], ys[i]), complex(xs[t + 1], ys[j])), float(certain.edge[t, i, j])
            shapes.append(Curve(points, ink="blue", stroke=1 + 5 * share, opacity=0.15 + 0.35 * share))
    shapes += _paths(paths[:nbest], xs, ys)
    nodes = _nodes(xs, ys, certain, best if nbest else [], trellis)
    shapes += nodes
    notes = []
    for rank, path in enumerate(paths[:nbest]):
        value = f": probability {math.exp(path.log_prob or 0.0):.3g}" if posterior else ""
        name, ink = (f"path {rank + 1}", SERIES[rank]) if rank else ("best path", "ink")
        notes.append((f"{PATHS[rank]} {name}{value}", ink))
    if certain is not None:
        notes.append(("discs: how probable a label is; small rings: below .005", "faint"))
        if trellis.order == 1:
            notes.append(("blue lines: moves, the wider the more probable", "faint"))
    notes += [(f"… {words}", "faint") for words in not_shown(trellis, len(rows), shown) if trellis.T]
    if any(isinstance(shape, Text) and shape.text == "×" for shape in nodes):
        notes.append(("× cannot be", "faint"))
    foot = top + ROW * len(rows) + 14
    shapes += [Text(EDGE, foot + 8 + 18 * i, words, 12, ink=ink) for i, (words, ink) in enumerate(notes)]
    width = max([left + step * shown, *(EDGE + words_width(words, 12) for words, _ in notes)]) + EDGE
    what = f"{trellis.T} positions" if tokens is None else " ".join(map(str, tokens))[:200]
    return Picture(width, foot + 18 * len(notes) + 10, title or f"trellis of {what}", tuple(shapes))


def _paths(paths: Sequence[inference.Path], xs: list[float], ys: dict[int, float]) -> list[Shape]:
    """Draw each path as a line, shifted from the others and broken at labels that are not shown."""
    shapes: list[Shape] = []
    for rank in reversed(range(len(paths))):
        ink, dash, stroke = (SERIES[rank], DASHES[rank], 2.0) if rank else ("ink", "", 3.0)
        shift = SHIFT * ((rank + 1) // 2) * (-1 if rank % 2 else 1)
        span: list[complex] = []
        for x, label in [*zip(xs, paths[rank].ids.tolist(), strict=False), (0.0, None)]:
            if label in ys:
                span.append(complex(x, ys[label] + shift))
                continue
            if len(span) > 1:
                shapes.append(Curve(tuple(span), ink=ink, stroke=stroke, dash=dash))
            span = []
    return shapes


def _nodes(
    xs: list[float],
    ys: dict[int, float],
    certain: inference.Posterior | None,
    best: list[int],
    trellis: Trellis,
) -> list[Shape]:
    """Draw labels: crossed out if impossible, small if improbable."""
    shapes: list[Shape] = []
    for t, x in enumerate(xs):
        for label, y in ys.items():
            on_path = bool(best) and best[t] == label
            share = 0.0 if certain is None else float(certain.node[t, label])
            if not on_path and (trellis.node[t, label] == -math.inf or (certain and share == 0.0)):
                shapes.append(Text(x, y + 4.5, "×", anchor="middle", ink="faint"))
                continue
            if not on_path and certain is not None and share < LEAST:
                shapes.append(Disc(x, y, 3.5, ink="faint", fill="paper"))
                continue
            ink, stroke = ("ink", 2.6) if on_path else ("faint", 1.0)
            shapes.append(Disc(x, y, RADIUS, fill="paper"))
            shapes.append(Disc(x, y, RADIUS, ink=ink, fill="blue", stroke=stroke, opacity=STRONGEST * share))
            if certain is not None:
                # A probability in four characters: 1, .97, <.01.
                words = "1" if share >= 0.995 else f"{share:.2f}"[1:] if share >= 0.005 else "<.01"
                shapes.append(Text(x, y + 4, words, 11.5, "middle", bold=on_path))
    return shapes
