"""Tables for the terminal (80 columns) and for Markdown, from the same cells."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 80


@dataclass(frozen=True, slots=True)
class Table:
    """First column to the left, numbers to the right; the note explains what was counted."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def text(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]
        spare = WIDTH - sum(widths)
        gap = " " * min(max(spare // max(len(widths) - 1, 1), 1), 3)

        def line(cells: tuple[str, ...]) -> str:
            first, *rest = (
                cell.ljust(width) if n == 0 else cell.rjust(width)
                for n, (cell, width) in enumerate(zip(cells, widths, strict=True))
            )
            return gap.join((first, *rest)).rstrip()

        body = [self.title, "", line(self.header), *map(line, self.rows)]
        if self.note:
            body += ["", *textwrap.wrap(self.note, WIDTH, break_on_hyphens=False)]
        return "\n".join(body) + "\n"

    def markdown(self) -> str:
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.header)
        align = tuple("---:" if n and _has_numbers(column) else "---" for n, column in enumerate(columns))
        title = [f"**{self.title}**", ""] if self.title else []
        body = [*title, *map(_row, (self.header, align, *self.rows))]
        if self.note:
            body += ["", *textwrap.wrap(self.note, 120, break_on_hyphens=False)]
        return "\n".join(body) + "\n"


def _has_numbers(column: Sequence[str]) -> bool:
    return any(cell[:1].isdigit() for cell in column)


def number(value: float) -> str:
    """Three significant digits, thousands apart: 0.123, 4.56, 51.2, 2,370."""
    if value == 0:
        return "0"
    size = abs(value)
    digits = 0 if size >= 99.95 else 1 if size >= 9.995 else 2 if size >= 0.9995 else 3
    return f"{value:,.{digits}f}"


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("*", "\\*") for cell in cells) + " |"
