"""How wide text is on a screen, and how to make it fit."""

from __future__ import annotations

import itertools
import re
import unicodedata

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def printable(text: str) -> str:
    """The text without characters that would move the cursor or hide their neighbours."""
    shown = (char for char in text if unicodedata.category(char) != "Cf")
    return "".join(char if char.isprintable() else "?" for char in shown)


def char_width(char: str) -> int:
    """Screen columns of one character: 0 for combining marks, 2 for wide East Asian ones."""
    if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def text_width(text: str) -> int:
    """Screen columns of a text; colour codes take none."""
    return sum(char_width(char) for char in _ESCAPE.sub("", text))


def clip(text: str, width: int, ellipsis: str) -> str:
    """The text cut to `width` screen columns, ending in the ellipsis when something is lost."""
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
    """Two drawings next to each other, tops aligned, the right one beginning at this column."""
    pairs = itertools.zip_longest(left.splitlines(), right.splitlines(), fillvalue="")
    return "\n".join((a + " " * (column - text_width(a)) + b).rstrip() for a, b in pairs)
