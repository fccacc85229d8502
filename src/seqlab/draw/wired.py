"""A trellis drawn with lines: cells in columns, back pointers as wires, the path framed."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from seqlab.draw.routing import Gutter, Line, route
from seqlab.draw.sheet import Column, Sheet, cell_ink
from seqlab.views.text.canvas import HEAVY, LIGHT, Canvas
from seqlab.views.text.layout import bands, centre, head_width
from seqlab.views.text.style import Ink, Style
from seqlab.views.text.width import clip, text_width

MIN_GUTTER, MAX_GUTTER = 4, 16
FRAME = 4  # a frame and a blank on both sides of a value


@dataclass(frozen=True, slots=True)
class _Place:
    """A column on the canvas: its left edge, its width, and the gutter on its left."""

    column: Column
    gutter: Gutter
    x: int
    width: int
    gutter_width: int

    def value(self, row: int) -> tuple[int, str]:
        """The x of a cell's value, and the value."""
        texts = self.column.texts()
        x = self.x + centre(max(map(len, texts)), self.width)
        value = texts[row].lstrip()
        return x + len(texts[row]) - len(value), value

    def extent(self, row: int) -> tuple[int, int]:
        """First and last x of a cell: its frame, or its value with a blank on both sides."""
        if row == self.column.path:
            return self.x, self.x + self.width - 1
        x, value = self.value(row)
        return x - 1, x + len(value)


def wired_lines(sheet: Sheet, width: int, style: Style) -> list[str] | None:
    """The drawing, or None when not even two columns fit beside each other."""
    gutters = [route(column.came_from) for column in sheet.columns]
    spaces = [1, *(max(MIN_GUTTER, 2 * gutter.tracks + 2) for gutter in gutters[1:])]
    widths = [_width(column) for column in sheet.columns]
    needs = [w + s for w, s in zip(widths, spaces, strict=True)]
    margin = max(map(text_width, sheet.names))
    if max(a + b for a, b in itertools.pairwise([*needs, 0])) > width - margin:
        return None
    drawn: list[str] = []
    for band in bands(needs, width - margin):
        stretching = sum(t > 0 for t in band)
        spare = (width - margin - sum(needs[t] for t in band)) // max(stretching, 1)
        places, x = [], margin
        for t in band:
            space = max(spaces[t], min(spaces[t] + spare, MAX_GUTTER) if t else 1)
            places.append(_Place(sheet.columns[t], gutters[t], x + space, widths[t], space))
            x += space + widths[t]
        drawn += [*_band(sheet, places, style), ""]
    return drawn[:-1]


def _width(column: Column) -> int:
    return max(max(map(len, column.texts())) + FRAME, head_width(column.head))


def _band(sheet: Sheet, places: list[_Place], style: Style) -> list[str]:
    canvas = Canvas(places[-1].x + places[-1].width, 2 * len(sheet.ids) + 2)
    for row, name in enumerate(sheet.names):
        canvas.put(0, _y(row), name, Ink.HEAD)
    for number, place in enumerate(places):
        head = clip(place.column.head, place.width, style.glyphs.ellipsis)
        canvas.put(place.x + centre(text_width(head), place.width), 0, head, Ink.HEAD)
        goes_on = not sheet.ends or place.column is not sheet.columns[-1]
        _cells(canvas, place, style, wire=-1 - number, goes_on=goes_on)
        before = places[number - 1] if number else None
        for line in place.gutter.lines:
            _line(canvas, line, before, place, wire=number * len(sheet.ids) + line.source)
    lines = canvas.lines(style)
    return lines if lines[-1] else lines[:-1]


def _y(row: int) -> int:
    return 2 * row + 2


def _cells(canvas: Canvas, place: _Place, style: Style, *, wire: int, goes_on: bool) -> None:
    column = place.column
    for row in range(len(column.values)):
        y = _y(row)
        if row == column.path:
            left, right = place.extent(row)
            canvas.frame(left, y - 1, right, y + 1, wire=wire)
            canvas.arms(left, y, (0, 0, HEAVY * bool(place.gutter.lines), 0), wire=wire)
            canvas.arms(right, y, (0, 0, 0, HEAVY * goes_on), wire=wire)
        x, value = place.value(row)
        if value:
            canvas.put(x, y, value, cell_ink(column, row))
        else:
            canvas.put(place.x + centre(1, place.width), y, style.glyphs.dead, Ink.FAINT)


def _line(canvas: Canvas, line: Line, before: _Place | None, place: _Place, *, wire: int) -> None:
    """One back pointer, from the cell it points to (or the margin of a new band) to its own."""
    heavy = line.target == place.column.path
    weight = HEAVY if heavy else LIGHT
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
