"""Tables of text whose columns stand straight, whatever the width of their characters."""

from __future__ import annotations

from collections.abc import Sequence

from seqlab.views.text.width import clip, printable, text_width


def right(text: str, columns: int) -> str:
    """Put the text at the right edge of so many screen columns."""
    text = clip(printable(text), columns, "…")
    return " " * (columns - text_width(text)) + text


def left(text: str, columns: int) -> str:
    """Put the text at the left edge of so many screen columns."""
    text = clip(printable(text), columns, "…")
    return text + " " * (columns - text_width(text))


def laid_out(rows: Sequence[Sequence[str]], align: str) -> list[str]:
    """Lay rows of cells out in columns that are as wide as their widest cell.

    align   a letter for each column: "l" left, "r" right, "m" for a mark, which stands close behind its neighbour
    """
    widths = [max(text_width(printable(cell)) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        line = ""
        for cell, width, how in zip(row, widths, align, strict=True):
            line += (" " if how == "m" else "  ") + (right if how == "r" else left)(cell, width)
        lines.append(line[2:].rstrip())
    return lines
