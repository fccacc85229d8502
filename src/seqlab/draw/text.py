"""Trellises and label probabilities as text.

A trellis is drawn with lines where they fit: cells in columns, back pointers as wires, the path framed. Every cell of a
column has one line, from the cell it came from. All lines that leave one cell on the left share a trunk: straight to
the right, then up and down on a track of their own, then straight into their targets. Two lines may cross but never run
on top of each other, so the trunk of a cell r must bend off row r before the line into r arrives on that row:

    track of r   is left of   track of came_from[r]

Each r has one such rule, so the rules form chains, and at worst rings. A ring is opened at one cell, whose trunk
changes tracks: it leaves its row early and serves its targets late.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from seqlab.arrays import Probabilities
from seqlab.draw.trellis import best_path, chosen_rows, heads, not_shown, prefix, survivors
from seqlab.errors import ShapeError
from seqlab.trellis import Trellis
from seqlab.views.canvas import HEAVY, LIGHT, Canvas, Ink, Style
from seqlab.views.text import align_points, bands, centre, clip, printable, text_width

MAX_NAME, MAX_HEAD = 16, 14  # widths of a label's name, and of a token above its column
MAX_WIRED_LABELS = 8
MIN_GUTTER, MAX_GUTTER = 4, 16
FRAME = 4  # a frame and a blank on both sides of a value
GAP = 1  # between the columns of a table
NUMBER = 6  # "0.123 "
MIN_BAR, MAX_BAR, BAR_GAP = 3, 12, 2


@dataclass(frozen=True, slots=True)
class Column:
    """One position. Rows are numbered as in the sheet; `came_from` holds label ids.

    values   text of each cell, "" where no path arrives
    path     the row on the highlighted path, `best` the row of the best path that ends here
    """

    head: str
    values: tuple[str, ...]
    came_from: tuple[int | None, ...]
    path: int | None
    best: int | None

    def texts(self) -> list[str]:
        """Write the values with their decimal points under each other, and * after the best."""
        return align_points([value + "*" * (row == self.best) for row, value in enumerate(self.values)])

    def ink(self, row: int) -> Ink:
        """Return the colour of one cell."""
        if row in (self.path, self.best):
            return Ink.PATH if row == self.path else Ink.BEST
        return Ink.TEXT if self.values[row] else Ink.FAINT


def trellis_text(
    trellis: Trellis,
    tokens: Sequence[str] | None = None,
    *,
    path: Sequence[int | str] | None = None,
    width: int = 80,
    style: Style | None = None,
    max_labels: int = 20,
    max_positions: int = 24,
) -> str:
    """Draw a trellis, one column per position and one row per label.

    tokens   (T,) headings of the columns; positions by default
    path     (T,) labels or ids to highlight; the best path by default, () for none
    width    screen columns; what is wider goes on below, in bands

    A cell shows the score of the best path into it, * marks the best cell of each column, a dot a cell
    that no path reaches. Up to 8 labels are joined by lines that show where each cell came from; with
    more, or on a narrow screen, the cell names the label instead. Of very many labels only max_labels are
    shown, of the path and the most probable, of positions the first max_positions; style is
    a Style. Cells of the highlighted path point to their neighbours on it, also where another way in would score more.
    """
    style = style or Style()
    if trellis.T == 0:
        return "(no positions)"
    if path is not None and len(path) not in {0, trellis.T}:
        raise ShapeError(f"a path of {len(path)} labels given for a trellis of {trellis.T} positions")
    shown, dots = min(trellis.T, max_positions), style.glyphs.ellipsis
    above = heads(tokens, trellis.T, shown)
    way = best_path(trellis) if path is None else [trellis.label_set.id(y) for y in path]
    ids = chosen_rows(prefix(trellis, shown), way[:shown], max_labels)
    names = [clip(printable(str(y)), MAX_NAME, dots) for y in trellis.labels or range(trellis.L)]
    columns = [_column(trellis, t, above[t], ids, way, style) for t in range(shown)]
    lines = None
    if (
        len(ids) == len(names) <= MAX_WIRED_LABELS
    ):  # lines need two ends each, so every label must have its row
        lines = _wired(names, columns, width, style, last=columns[-1] if shown == trellis.T else None)
    if lines is None:
        lines = _table(ids, names, columns, width, style)
    notes = [clip(f"{dots} {note}", width, dots) for note in not_shown(trellis, len(ids), shown)]
    return "\n".join(lines + [style.paint(note, Ink.FAINT) for note in notes])


def _column(trellis: Trellis, t: int, head: str, ids: list[int], way: list[int], style: Style) -> Column:
    """Compute all numbers that a column shows."""
    cells = survivors(trellis, t, ids)
    came_from = [cell.came_from for cell in cells]
    on_path, best = (
        ids.index(some[-1]) if some and some[-1] in ids else None
        for some in (way[: t + 1], best_path(prefix(trellis, t + 1)))
    )
    if on_path is not None and t:
        came_from[on_path] = way[t - 1]
    values = ("" if cell.dead else style.number(cell.score) for cell in cells)
    return Column(head, tuple(values), tuple(came_from), on_path, best)


def _put_head(canvas: Canvas, x: int, width: int, head: str, style: Style) -> None:
    shown = clip(head, width, style.glyphs.ellipsis)
    canvas.put(x + centre(text_width(shown), width), 0, shown, Ink.HEAD)


def _table(ids: list[int], names: list[str], columns: list[Column], width: int, style: Style) -> list[str]:
    """Draw one line per label, split into bands that fit the width; each cell names the label it came from."""
    cells = [_cell_texts(names, column, style) for column in columns]
    widths = [
        GAP + max(min(text_width(column.head), MAX_HEAD), *map(text_width, texts))
        for column, texts in zip(columns, cells, strict=True)
    ]
    rows = [names[y] for y in ids]

    def put(canvas: Canvas, x: int, t: int) -> None:
        column, room = columns[t], widths[t] - GAP
        _put_head(canvas, x + GAP, room, column.head, style)
        for row, text in enumerate(cells[t]):
            canvas.put(x + GAP + centre(text_width(text), room), 1 + row, text, column.ink(row))

    return _in_bands(rows, max(map(text_width, rows)), widths, width, style, put)


def _in_bands(
    names: Sequence[str],
    margin: int,
    widths: Sequence[int],
    width: int,
    style: Style,
    put: Callable[[Canvas, int, int], None],
) -> list[str]:
    """Draw rows with names and columns that `put` draws at (canvas, x, position), in bands that fit the width."""
    lines: list[str] = []
    for band in bands(widths, width - margin):
        canvas = Canvas(min(width, margin + sum(widths[t] for t in band)), 1 + len(names))
        for row, name in enumerate(names):
            canvas.put(0, 1 + row, name, Ink.HEAD)
        for t in band:
            put(canvas, margin + sum(widths[band.start : t]), t)
        lines += [*canvas.lines(style), ""]
    return lines[:-1]


def _cell_texts(names: list[str], column: Column, style: Style) -> list[str]:
    """Write the cells, all equally wide: A→0.168, in [] on the path."""
    arrow = style.glyphs.arrow
    origins = ["" if source is None else names[source] + arrow for source in column.came_from]
    margin = max(map(text_width, origins))
    pairs = zip(origins, column.texts(), strict=True)
    bodies = [" " * (margin - text_width(origin)) + origin + text for origin, text in pairs]
    width = max(1, *map(text_width, bodies))
    texts = []
    for row, body in enumerate(bodies):
        shown = body if column.values[row] else " " * centre(1, width) + style.glyphs.dead
        filled = shown + " " * (width - text_width(shown))
        texts.append(f"[{filled}]" if row == column.path else f" {filled} ")
    return texts


@dataclass(frozen=True, slots=True)
class Line:
    """One line: from a row, bending on track `leave` (and again on `serve`, if different), to a row."""

    source: int
    target: int
    leave: int
    serve: int


@dataclass(frozen=True, slots=True)
class Gutter:
    """All lines between two columns, and the number of tracks they need."""

    lines: tuple[Line, ...]
    tracks: int


def route(came_from: Sequence[int | None]) -> Gutter:
    """Find tracks for the lines into rows 0, 1, ...; None where no line arrives."""
    arrivals = [(source, row) for row, source in enumerate(came_from) if source is not None]
    bending = sorted({source for source, row in arrivals if source != row})
    after = {row: came_from[row] if came_from[row] != row else None for row in bending}
    leave: dict[int, int] = {}
    serve: dict[int, int] = {}
    tracks = itertools.count()

    def place(row: int) -> None:
        for earlier in bending:
            if after[earlier] == row and earlier not in leave:
                place(earlier)
        serve[row] = next(tracks)
        leave.setdefault(row, serve[row])

    seen: set[int] = set()
    for start in bending:  # a walk that returns to its start is a ring to be opened
        walked: list[int] = []
        row: int | None = start
        while row is not None and row not in seen:
            seen.add(row)
            walked.append(row)
            row = after[row]
        if row is not None and row in walked:
            leave[row] = next(tracks)
    for row in [row for row in bending if after[row] is None] + sorted(leave):
        place(row)
    lines = tuple(Line(s, row, leave.get(s, 0), serve.get(s, 0)) for s, row in arrivals)
    return Gutter(lines, tracks=max(serve.values(), default=-1) + 1)


@dataclass(frozen=True, slots=True)
class _Place:
    """A column on the canvas: its left edge, its width, and the gutter on its left."""

    column: Column
    gutter: Gutter
    x: int
    width: int
    gutter_width: int

    def value(self, row: int) -> tuple[int, str]:
        """Return the x of a cell's value, and the value."""
        texts = self.column.texts()
        x = self.x + centre(max(map(len, texts)), self.width)
        value = texts[row].lstrip()
        return x + len(texts[row]) - len(value), value

    def extent(self, row: int) -> tuple[int, int]:
        """Return the first and last x of a cell: its frame, or its value with a blank on both sides."""
        if row == self.column.path:
            return self.x, self.x + self.width - 1
        x, value = self.value(row)
        return x - 1, x + len(value)


def _wired(
    names: list[str], columns: list[Column], width: int, style: Style, *, last: Column | None
) -> list[str] | None:
    """Draw cells joined by lines; None when not even two columns fit beside each other.

    last   the last column; None when there are more positions than columns
    """
    gutters = [route(column.came_from) for column in columns]
    spaces = [1, *(max(MIN_GUTTER, 2 * gutter.tracks + 2) for gutter in gutters[1:])]
    widths = [max(max(map(len, one.texts())) + FRAME, min(text_width(one.head), MAX_HEAD)) for one in columns]
    needs = [w + s for w, s in zip(widths, spaces, strict=True)]
    margin = max(map(text_width, names))
    if max(a + b for a, b in itertools.pairwise([*needs, 0])) > width - margin:
        return None
    drawn: list[str] = []
    for band in bands(needs, width - margin):
        spare = (width - margin - sum(needs[t] for t in band)) // max(sum(t > 0 for t in band), 1)
        places, x = [], margin
        for t in band:
            space = max(spaces[t], min(spaces[t] + spare, MAX_GUTTER) if t else 1)
            places.append(_Place(columns[t], gutters[t], x + space, widths[t], space))
            x += space + widths[t]
        drawn += [*_band(names, places, style, last), ""]
    return drawn[:-1]


def _band(names: list[str], places: list[_Place], style: Style, last: Column | None) -> list[str]:
    canvas = Canvas(places[-1].x + places[-1].width, 2 * len(names) + 2)
    for row, name in enumerate(names):
        canvas.put(0, _y(row), name, Ink.HEAD)
    for number, place in enumerate(places):
        _put_head(canvas, place.x, place.width, place.column.head, style)
        _put_cells(canvas, place, style, wire=-1 - number, goes_on=place.column is not last)
        before = places[number - 1] if number else None
        for line in place.gutter.lines:
            _put_line(canvas, line, before, place, wire=number * len(names) + line.source)
    lines = canvas.lines(style)
    return lines if lines[-1] else lines[:-1]


def _y(row: int) -> int:
    return 2 * row + 2


def _put_cells(canvas: Canvas, place: _Place, style: Style, *, wire: int, goes_on: bool) -> None:
    for row in range(len(place.column.values)):
        y = _y(row)
        if row == place.column.path:
            left, right = place.extent(row)
            canvas.frame(left, y - 1, right, y + 1, wire=wire)
            canvas.arms(left, y, (0, 0, HEAVY * bool(place.gutter.lines), 0), wire=wire)
            canvas.arms(right, y, (0, 0, 0, HEAVY * goes_on), wire=wire)
        x, value = place.value(row)
        if value:
            canvas.put(x, y, value, place.column.ink(row))
        else:
            canvas.put(place.x + centre(1, place.width), y, style.glyphs.dead, Ink.FAINT)


def _put_line(canvas: Canvas, line: Line, before: _Place | None, place: _Place, *, wire: int) -> None:
    """Draw one back pointer, from the cell it points to (or the margin of a new band) to its own."""
    weight = HEAVY if line.target == place.column.path else LIGHT
    gutter_x = place.x - place.gutter_width
    start = before.extent(line.source)[1] + 1 if before else gutter_x + 1
    end = place.extent(line.target)[0] - 1
    leave, serve = (
        gutter_x + (track + 1) * place.gutter_width // (place.gutter.tracks + 1)
        for track in (line.leave, line.serve)
    )
    y0, y1 = _y(line.source), _y(line.target)
    if y0 == y1:
        leave = serve = end
    bend = y0 + 1 if leave != serve else y1
    canvas.arms(start, y0, (0, 0, weight, 0), wire=wire)
    canvas.across(start, leave, y0, wire=wire, weight=weight)
    canvas.down(leave, y0, bend, wire=wire, weight=weight)
    canvas.across(leave, serve, bend, wire=wire, weight=weight)
    canvas.down(serve, bend, y1, wire=wire, weight=weight)
    canvas.across(serve, end, y1, wire=wire, weight=weight)
    canvas.arms(end, y1, (0, 0, 0, weight), wire=wire)


def posterior_text(
    node: Probabilities,
    tokens: Sequence[str],
    labels: Sequence[str],
    *,
    width: int = 80,
    style: Style | None = None,
) -> str:
    """Draw P(y_t = y), one column per position and one row per label, as a number and a bar.

    node             (T, L) probabilities, such as `Posterior.node`
    tokens, labels   names of the columns and rows; width of the screen; style: a Style
    """
    style, node = style or Style(), np.asarray(node)
    names, glyphs = [printable(name) for name in labels], style.glyphs
    margin = max(map(text_width, names), default=0) + BAR_GAP
    room = (width - margin) // max(len(tokens), 1)
    bar = min(max(room - NUMBER - BAR_GAP, MIN_BAR), MAX_BAR)
    column = NUMBER + bar + BAR_GAP

    def put(canvas: Canvas, x: int, t: int) -> None:
        canvas.put(x, 0, clip(printable(tokens[t]), NUMBER + bar, glyphs.ellipsis), Ink.HEAD)
        best = int(np.argmax(node[t]))
        for row, share in enumerate(node[t].tolist()):
            ink = Ink.FAINT if share == 0.0 else Ink.PATH if row == best else Ink.TEXT
            canvas.put(x, 1 + row, f"{share:.3f}" if share else glyphs.dead, ink)
            canvas.put(x + NUMBER, 1 + row, glyphs.bar(share, bar), ink)

    return "\n".join(_in_bands(names, margin, [column] * len(tokens), width, style, put))
