"""Text for people and JSON for programs, on standard output."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

COLUMNS = 80


def print_json(value: Any) -> None:
    """One JSON document."""
    json.dump(value, sys.stdout, ensure_ascii=False, indent=2, allow_nan=False, default=_plain)
    sys.stdout.write("\n")


def json_line(value: Any) -> bytes:
    """One line of JSON."""
    return (json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain) + "\n").encode()


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays, and whatever else has no JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)


def section(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """A title, and rows of name and value below it."""
    pairs = list(rows)
    width = max((len(name) for name, _ in pairs), default=0)
    return "\n".join([title, *(f"  {name:<{width}}  {value}".rstrip() for name, value in pairs)])


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, indent: int = 2) -> str:
    """Columns of text; the first `left` of them to the left, numbers to the right."""
    from seqlab.views.text import printable, text_width

    cells = [[printable(cell) for cell in row] for row in (head, *rows)]
    widths = [max(text_width(row[i]) for row in cells) for i in range(len(head))]
    lines = []
    for row in cells:
        parts = []
        for i, cell in enumerate(row):
            blank = " " * (widths[i] - text_width(cell))
            parts.append(cell + blank if i < left else blank + cell)
        lines.append((" " * indent + "  ".join(parts)).rstrip())
    return "\n".join(lines)


def settings_lines(tagger: Any) -> Iterator[str]:
    """Show the call in Python that makes the same tagger, over as many lines as it takes."""
    shown = repr(tagger)
    if "Template(" in shown:  # pages long, and it has a line of its own
        shown = shown.partition("features=Template(")[0] + "features=<template>, ..."
    lines = textwrap.wrap(shown, COLUMNS - 10, break_long_words=False, break_on_hyphens=False)
    for i, line in enumerate(lines):
        yield f"{'model' if i == 0 else '':<10}{line}"


def size(count: float) -> str:
    """Bytes, for people."""
    for unit, large in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= large:
            return f"{count / large:.1f} {unit}"
    return f"{count:.0f} bytes"


def duration(seconds: float) -> str:
    """Seconds, for people."""
    if seconds >= 90:
        return f"{int(seconds // 60)} min {seconds % 60:.0f} s"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def counted(number: int, noun: str) -> str:
    """1 token, 2,000 tokens."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
