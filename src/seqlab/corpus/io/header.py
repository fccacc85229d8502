"""The first lines of a table: its delimiter, quotes and header."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

# Our column names for names in headers, which are in lower case, letters and digits only.
CALLED = {
    "word": ("word", "words", "token", "tokens", "form", "text"),
    "label": ("label", "labels", "tag", "tags", "class", "state"),
    "pos": ("pos", "postag", "postags", "upos"),
    "chunk": ("chunk", "chunks", "chunktag", "chunktags"),
    "entity": ("entity", "entities", "ner", "nertag", "nertags", "iob"),
}
OURS = {other: name for name, others in CALLED.items() for other in others}
SEQUENCE = frozenset(
    f"{noun}{what}"
    for noun in ("sentence", "sent", "sequence", "seq")
    for what in ("", "id", "idx", "no", "number")
)
DELIMITERS = ",\t;|"
SAMPLE = 1 << 14  # number of characters in which delimiter, quotes and header are detected


_JOINED = "|".join(r"[ _#.-]*".join(name) for name in sorted({*OURS, *SEQUENCE}, key=len, reverse=True))
# A first line with a cell of such a name; Csv.is_like then looks closer.
HEADER = re.compile(rf'(?i)\A(?:[^,\t;|\n]*[,\t;|])*?[ "_#.-]*(?:{_JOINED})[ "_#.-]*\r?[,\t;|\n]')


def bare(name: str) -> str:
    """Reduce the name of a column to its letters and digits: "Sentence #" is "sentence"."""
    return re.sub(r"[\W_]", "", name.lower())


class Head(NamedTuple):
    """Layout of a table, detected in its first lines."""

    delimiter: str
    quoted: bool
    names: tuple[str, ...] | None  # the header; None without one
    width: int


def split(line: str, delimiter: str, *, quoted: bool = True) -> list[str]:
    """Split a line into cells."""
    try:
        return next(
            csv.reader([line.rstrip("\r\n")], delimiter=delimiter, quoting=quoting_of(quoted=quoted)), []
        )
    except csv.Error:  # the reader will report the line
        return [line]


def quoting_of(*, quoted: bool) -> Any:
    """Return the argument `quoting` for Python's csv module."""
    return csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE


def is_header(rows: list[list[str]]) -> bool:
    """Return True if the first row has column names: no numbers, and no values that occur again in their column."""
    first = [cell.strip() for cell in rows[0]]
    if any(number_of(cell) is not None for cell in first) or not all(first):
        return False
    if any(bare(cell) in OURS or bare(cell) in SEQUENCE for cell in first):
        return True
    below = [set(cells) for cells in zip(*(row for row in rows[1:] if len(row) == len(first)), strict=True)]
    return not any(cell in cells for cell, cells in zip(first, below, strict=False))


def delimiter_of(lines: Sequence[str]) -> str:
    """Find the delimiter that splits most lines into the same number of cells; among equals the one with most cells."""

    def votes(delimiter: str) -> tuple[float, int]:
        widths = [len(split(line, delimiter)) for line in lines[:50]]
        same = sum(width == widths[0] for width in widths) / len(widths)
        return (same if widths[0] > 1 else 0.0, widths[0])

    return max(DELIMITERS, key=votes)


def has_bare_quotes(sample: str, delimiter: str, *, whole: bool) -> bool:
    """Return True if quotes are ordinary characters: only then do all rows have the same number of cells.

    whole   True if the sample is the whole table; otherwise its last row may be cut off
    """

    def is_even(*, quoted: bool) -> bool:
        lines = (line + "\n" for line in sample.removesuffix("\n").split("\n"))
        reader = csv.reader(lines, delimiter=delimiter, quoting=quoting_of(quoted=quoted))
        try:
            rows = [row for row in reader if row]
        except csv.Error:
            return False
        return len({len(row) for row in (rows if whole else rows[:-1])}) <= 1

    return '"' in sample and is_even(quoted=False) and not is_even(quoted=True)


def number_of(text: str) -> float | None:
    """Parse a number; None for any other text."""
    if "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None
