"""Tables whose cells are shaded by their numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from seqlab.draw.picture import Picture
from seqlab.draw.shapes import Box, Shape, Text, words_width
from seqlab.textwidth import clip

CELL_HEIGHT, LEAST_CELL = 26.0, 38.0
EDGE, TITLE = 24.0, 34.0
MOST_NAME = 20  # screen columns of a label's name
STRONGEST = 0.55  # opacity of the darkest cell: words on it are still read
TURN = math.radians(45)

Ink = Callable[[int, int], tuple[str, float]]  # (row, column) -> ink and its share, from 0 to 1


def heat_picture(
    rows: Sequence[str],
    columns: Sequence[str],
    texts: Sequence[Sequence[str]],
    ink: Ink,
    *,
    title: str,
    row_name: str,
    column_name: str,
    note: str = "",
) -> Picture:
    """A table of texts; names of columns stand slanted above it."""
    rows, columns = ([clip(name, MOST_NAME, "…") for name in names] for names in (rows, columns))
    cell = max(LEAST_CELL, 12 + max((words_width(text, 12) for line in texts for text in line), default=0))
    longest = max(map(words_width, columns), default=0)
    slanted = longest > cell - 6
    head = (longest * math.sin(TURN) if slanted else 0) + 20
    left = EDGE + max(max(map(words_width, rows), default=0), words_width(row_name, 12)) + 12
    top = TITLE + 26 + head
    overhang = longest * math.cos(TURN) if slanted else 0
    names_width = words_width(column_name, 12)
    width = max(left + cell * len(columns) + max(overhang - cell / 2, 0), left + names_width) + EDGE
    width = max(width, EDGE * 2 + words_width(title, 15, bold=True), EDGE * 2 + words_width(note, 12))
    height = top + CELL_HEIGHT * len(rows) + (34 if note else 18)
    shapes: list[Shape] = [
        Text(EDGE, 26, title, 15.0, bold=True),
        Text(left, TITLE + 14, column_name, 12, ink="faint"),
        Text(left - 10, top - 8, row_name, 12, "end", "faint"),
    ]
    for j, name in enumerate(columns):
        middle = left + (j + 0.5) * cell
        if slanted:
            shapes.append(Text(middle + 2, top - 7, name, turn=-45))
        else:
            shapes.append(Text(middle, top - 8, name, anchor="middle"))
    for i, name in enumerate(rows):
        y = top + i * CELL_HEIGHT
        shapes.append(Text(left - 10, y + 17.5, name, anchor="end"))
        for j, text in enumerate(texts[i]):
            colour, share = ink(i, j)
            x = left + j * cell
            shapes.append(Box(x, y, cell, CELL_HEIGHT, "grid", colour, opacity=STRONGEST * share))
            shapes.append(Text(x + cell / 2, y + 17, text, 12, "middle"))
    if note:
        shapes.append(Text(EDGE, height - 12, note, 12, ink="faint"))
    return Picture(width, height, title, tuple(shapes))
