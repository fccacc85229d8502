"""A trellis as a table: one line per label, each cell says which label it came from."""

from __future__ import annotations

from seqlab.draw.sheet import Column, Sheet, cell_ink
from seqlab.views.text.canvas import Canvas
from seqlab.views.text.layout import bands, centre, head_width
from seqlab.views.text.style import Ink, Style
from seqlab.views.text.width import clip, text_width

GAP = 1


def compact_lines(sheet: Sheet, width: int, style: Style) -> list[str]:
    """The table, cut into bands that fit the width."""
    cells = [_texts(sheet, column, style) for column in sheet.columns]
    widths = [
        GAP + max(head_width(column.head), *map(text_width, texts))
        for column, texts in zip(sheet.columns, cells, strict=True)
    ]
    margin = max(text_width(sheet.names[y]) for y in sheet.ids)
    lines: list[str] = []
    for band in bands(widths, width - margin):
        canvas = Canvas(min(width, margin + sum(widths[t] for t in band)), 1 + len(sheet.ids))
        for row, y in enumerate(sheet.ids):
            canvas.put(0, 1 + row, sheet.names[y], Ink.HEAD)
        x = margin
        for t in band:
            _column(canvas, sheet.columns[t], cells[t], x + GAP, widths[t] - GAP, style)
            x += widths[t]
        lines += [*canvas.lines(style), ""]
    return lines[:-1]


def _texts(sheet: Sheet, column: Column, style: Style) -> list[str]:
    """What the cells say, all equally wide: A→0.168, in [] on the path."""
    arrow = style.glyphs.arrow
    origins = ["" if source is None else sheet.names[source] + arrow for source in column.came_from]
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


def _column(canvas: Canvas, column: Column, texts: list[str], x: int, width: int, style: Style) -> None:
    head = clip(column.head, width, style.glyphs.ellipsis)
    canvas.put(x + centre(text_width(head), width), 0, head, Ink.HEAD)
    for row, text in enumerate(texts):
        canvas.put(x + centre(text_width(text), width), 1 + row, text, cell_ink(column, row))
