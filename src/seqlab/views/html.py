"""Self-contained HTML pages: no scripts, no fonts, no pictures from elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path

from seqlab.files import write_whole
from seqlab.views.palette import variables


def page(title: str, parts: Iterable[str], path: str | os.PathLike[str] | None = None) -> str:
    """Make a whole page from parts of HTML; it is written to `path` if there is one."""
    body = "\n".join(parts)
    whole = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_style()}</style>\n</head>\n"
        f"<body>\n<main>\n<h1>{escape(title)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )
    if path is not None:
        write_whole(path, whole)
    return whole


@cache
def _style() -> str:
    return f"\n{variables()}\n{Path(__file__).with_name('page.css').read_text(encoding='utf-8')}"


def table(head: Sequence[str], *bodies: Iterable[str], kind: str = "scores") -> str:
    """Make a table with these headings; each body is a group of rows, empty ones are left out."""
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    groups = [f"<tbody>{rows}</tbody>" for rows in map("".join, bodies) if rows]
    start = f'<table class="{kind}">' if kind else "<table>"
    return f'<div class="scroll">{start}<thead><tr>{heads}</tr></thead>{"".join(groups)}</table></div>'


def row(name: str, cells: Iterable[str], *, kind: str = "") -> str:
    """Make a row of a name and cells, all of them text."""
    start = f'<tr class="{kind}">' if kind else "<tr>"
    return f'{start}<th scope="row">{escape(name)}</th>{"".join(map(cell, cells))}</tr>'


def cell(text: str) -> str:
    """Make a cell of text."""
    return f"<td>{escape(text)}</td>"
