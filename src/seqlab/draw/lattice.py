"""A trellis as a picture: labels by positions, shaded by their probabilities, with the best paths through them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from seqlab import inference
from seqlab.arrays import Probabilities, whole_number
from seqlab.draw.sheet import chosen_rows, heads, prefix
from seqlab.errors import ImpossibleError, OptionError
from seqlab.trellis import Trellis
from seqlab.views.palette import DASHES, SERIES, STRONGEST
from seqlab.views.picture import Disc, Line, Picture, Shape, Text, polyline, words_width
from seqlab.views.text import clip, printable

RADIUS, ROW = 18.0, 46.0
EDGE, HEADS, TITLE = 24.0, 62.0, 28.0
MOST_HEAD = 14  # screen columns of a token
LEAST = 0.005  # labels that are less probable are small rings
FAINTEST = 0.02  # moves that are less probable are not drawn
SHIFT = 5.0  # between paths that take the same move


def trellis_picture(
    trellis: Trellis,
    tokens: Sequence[str] | None = None,
    *,
    nbest: int = 1,
    posterior: bool = True,
    max_labels: int = 12,
    max_positions: int = 16,
    title: str = "",
) -> Picture:
    """Draw a trellis, one column per position and one row per label.

    tokens     (T,) headings of the columns; positions by default
    nbest      how many of the best paths to draw, up to 4
    posterior  whether to shade labels and moves by their probabilities, and to write these into the nodes; scores that
               are no logs of probabilities, such as a perceptron's, are better drawn without

    Of very many labels only those of the best path and the most probable are shown, of very many positions the first.
    """
    if not 0 <= whole_number(nbest, "nbest", 0) <= 4:
        raise OptionError(f"nbest must lie between 0 and 4 in a picture, got {nbest!r}")
    shown = min(trellis.T, whole_number(max_positions, "max_positions", 1))
    paths, shares = _paths(trellis, max(nbest, 1))
    first = paths[0][:shown] if paths else []
    rows = (
        chosen_rows(prefix(trellis, shown), first, whole_number(max_labels, "max_labels", 1)) if shown else []
    )
    names = [clip(printable(str(y)), 16, "…") for y in trellis.labels or range(trellis.L)]
    columns = [clip(head, MOST_HEAD, "…") for head in heads(tokens, trellis.T, shown)]
    left = EDGE + max((words_width(names[y]) for y in rows), default=0) + 14
    step = max(76.0, max((words_width(head) for head in columns), default=0) + 16)
    top = HEADS + (TITLE if title else 0)
    xs = [left + step / 2 + step * t for t in range(shown)]
    ys = {y: top + ROW / 2 + ROW * row for row, y in enumerate(rows)}
    shapes: list[Shape] = [Text(EDGE, 28, title, 15.0, bold=True)] if title else []
    shapes += [
        Text(x, top - 16, head, anchor="middle", bold=True) for x, head in zip(xs, columns, strict=True)
    ]
    shapes += [Text(left - 4, y + 4.5, names[label], anchor="end") for label, y in ys.items()]
    certain = _certainty(trellis) if posterior else None
    if certain is not None:
        shapes += _moves(certain[1], xs, ys)
    drawn = paths[:nbest]
    shapes += _ways(drawn, xs, ys)
    shapes += _nodes(xs, ys, certain, first if nbest else [], trellis)
    foot = top + ROW * len(rows) + 14
    notes = _legend(drawn, shares, posterior=posterior) + _left_out(trellis, len(rows), shown)
    notes += [("× cannot be", "faint")] if any(getattr(shape, "text", "") == "×" for shape in shapes) else []
    for i, (words, ink) in enumerate(notes):
        shapes.append(Text(EDGE, foot + 8 + 18 * i, words, 12, ink=ink))
    width = max([left + step * shown, *(EDGE + words_width(words, 12) for words, _ in notes)]) + EDGE
    return Picture(width, foot + 18 * len(notes) + 10, title or _described(trellis, tokens), tuple(shapes))


def _paths(trellis: Trellis, n: int) -> tuple[list[list[int]], list[float]]:
    """The n best paths, and their probabilities."""
    if trellis.T == 0:
        return [], []
    try:
        found = inference.nbest(trellis, n)
    except ImpossibleError:
        return [], []
    return [[int(y) for y in path.ids] for path in found], [path.log_prob or 0.0 for path in found]


def _certainty(trellis: Trellis) -> tuple[Probabilities, Probabilities | None] | None:
    """Probabilities of labels (T, L), and of moves (T-1, L, L) for order 1."""
    try:
        found = inference.posterior(trellis)
    except ImpossibleError:
        return None
    return found.node, found.edge if trellis.order == 1 and trellis.T > 1 else None


def _moves(edge: Probabilities | None, xs: list[float], ys: dict[int, float]) -> list[Shape]:
    shapes: list[Shape] = []
    for t in range(1, len(xs)) if edge is not None else ():
        for one, y1 in ys.items():
            for other, y2 in ys.items():
                share = float(edge[t - 1, one, other])  # type: ignore[index]
                if share >= FAINTEST:
                    line = Line(xs[t - 1], y1, xs[t], y2, "blue", 1 + 5 * share, opacity=0.15 + 0.35 * share)
                    shapes.append(line)
    return shapes


def _ways(paths: list[list[int]], xs: list[float], ys: dict[int, float]) -> list[Shape]:
    """Each path as a line, a little apart from the others; it is broken where it takes a label that is not shown."""
    shapes: list[Shape] = []
    for rank in reversed(range(len(paths))):
        ink, dash = ("ink", "") if rank == 0 else (SERIES[rank], DASHES[rank])
        shift = SHIFT * ((rank + 1) // 2) * (-1 if rank % 2 else 1)
        stretch: list[tuple[float, float]] = []
        for t, x in enumerate([*xs, None]):
            if x is not None and paths[rank][t] in ys:
                stretch.append((x, ys[paths[rank][t]] + shift))
                continue
            if len(stretch) > 1:
                shapes.append(polyline(stretch, ink=ink, width=3.0 if rank == 0 else 2.0, dash=dash))
            stretch = []
    return shapes


def _nodes(
    xs: list[float],
    ys: dict[int, float],
    certain: tuple[Probabilities, Probabilities | None] | None,
    best: list[int],
    trellis: Trellis,
) -> list[Shape]:
    shapes: list[Shape] = []
    for t, x in enumerate(xs):
        for label, y in ys.items():
            on_path = bool(best) and best[t] == label
            share = 0.0 if certain is None else float(certain[0][t, label])
            dead = trellis.node[t, label] == float("-inf") or (certain is not None and share == 0.0)
            if dead and not on_path:
                shapes.append(Text(x, y + 4.5, "×", anchor="middle", ink="faint"))
                continue
            if certain is not None and share < LEAST and not on_path:
                shapes.append(Disc(x, y, 3.5, "faint", "paper"))
                continue
            ink, stroke = ("ink", 2.6) if on_path else ("faint", 1.0)
            shapes.append(Disc(x, y, RADIUS, fill="paper"))
            shapes.append(Disc(x, y, RADIUS, ink, "blue", stroke, STRONGEST * share))
            if certain is not None:
                shapes.append(Text(x, y + 4, _share(share), 11.5, "middle", bold=on_path))
    return shapes


def _share(share: float) -> str:
    """A probability in four characters: 1, .97, <.01."""
    if share >= 0.995:
        return "1"
    return f"{share:.2f}"[1:] if share >= 0.005 else "<.01"


def _legend(paths: list[list[int]], log_probs: list[float], *, posterior: bool) -> list[tuple[str, str]]:
    notes = []
    for rank in range(len(paths)):
        line = "———" if rank == 0 else "– –" if rank == 1 else "· · ·" if rank == 2 else "– · –"
        name = "best path" if rank == 0 else f"path {rank + 1}"
        value = f": probability {math.exp(log_probs[rank]):.3g}" if posterior else ""
        notes.append((f"{line} {name}{value}", "ink" if rank == 0 else SERIES[rank]))
    return notes


def _left_out(trellis: Trellis, rows: int, shown: int) -> list[tuple[str, str]]:
    left = ((trellis.L - rows, "labels"), (trellis.T - shown, "positions"))
    return [(f"… {count} more {what} not shown", "faint") for count, what in left if count and trellis.T]


def _described(trellis: Trellis, tokens: Sequence[str] | None) -> str:
    return "trellis of " + (f"{trellis.T} positions" if tokens is None else " ".join(map(str, tokens))[:200])
