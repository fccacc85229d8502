"""Text on a terminal: its width, and its layout in columns and tables."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def printable(text: str) -> str:
    """Drop or replace control characters, which would move the cursor or hide their neighbours."""
    shown = (char for char in text if unicodedata.category(char) != "Cf")
    return "".join(char if char.isprintable() else "?" for char in shown)


def char_width(char: str) -> int:
    """Return the screen columns of one character: 0 for combining marks, 2 for wide East Asian ones."""
    if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def text_width(text: str) -> int:
    """Return the screen columns of a text; colour codes take none."""
    return sum(char_width(char) for char in _ESCAPE.sub("", text))


def clip(text: str, width: int, ellipsis: str) -> str:
    """Cut a text to `width` screen columns, ending in the ellipsis when something is lost."""
    if text_width(text) <= width:
        return text
    if width < len(ellipsis):
        return ellipsis[: max(width, 0)]
    kept, used = "", len(ellipsis)
    for char in text:
        used += char_width(char)
        if used > width:
            break
        kept += char
    return kept + ellipsis


def beside(left: str, right: str, *, column: int) -> str:
    """Place two drawings side by side, tops aligned: left, and the right one at this column."""
    pairs = itertools.zip_longest(left.splitlines(), right.splitlines(), fillvalue="")
    return "\n".join((a + " " * (column - text_width(a)) + b).rstrip() for a, b in pairs)


def right(text: str, columns: int) -> str:
    """Right-align the text in this many screen columns."""
    text = clip(printable(text), columns, "…")
    return " " * (columns - text_width(text)) + text


def left(text: str, columns: int) -> str:
    """Left-align the text in this many screen columns."""
    text = clip(printable(text), columns, "…")
    return text + " " * (columns - text_width(text))


def laid_out(rows: Sequence[Sequence[str]], align: str) -> list[str]:
    """Lay out rows of cells in columns as wide as their widest cell.

    align   a letter for each column: "l" left, "r" right, "m" for a mark directly after its neighbour
    """
    widths = [max(text_width(printable(cell)) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        line = ""
        for cell, width, how in zip(row, widths, align, strict=True):
            line += (" " if how == "m" else "  ") + (right if how == "r" else left)(cell, width)
        lines.append(line[2:].rstrip())
    return lines


def bands(widths: Sequence[int], room: int) -> list[range]:
    """Split columns of these widths into rows that fit the width; one too wide is alone."""
    cuts, used = [0], 0
    for column, width in enumerate(widths):
        if used and used + width > room:
            cuts.append(column)
            used = 0
        used += width
    cuts.append(len(widths))
    return [range(a, b) for a, b in itertools.pairwise(cuts) if a < b]


def align_points(values: Sequence[str]) -> list[str]:
    """Align numbers at their decimal points; "" stays ""."""
    whole = [len(value.partition(".")[0]) for value in values]
    widest = max((w for w, value in zip(whole, values, strict=True) if value), default=0)
    return [" " * (widest - w) + value if value else "" for w, value in zip(whole, values, strict=True)]


def centre(width: int, room: int) -> int:
    """Return the offset that centres this width."""
    return max(room - width, 0) // 2
