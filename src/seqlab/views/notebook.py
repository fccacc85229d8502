"""HTML fragments for notebooks, on light or dark pages: the notebook's own text colour, and shades that fit both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from seqlab.views.palette import LIGHT
from seqlab.views.text import clip, printable

ROWS, LAST = 20, 4  # largest number of rows of a table; a longer one is cut to its first and last rows
WIDEST = 200  # characters of a cell
TOKENS = 60
STYLE = "".join(
    f".seqlab {rule}"
    for rule in (
        "{font:14px/1.45 system-ui,sans-serif;max-width:64rem;color:inherit}",
        "p{margin:.4rem 0}",
        "p:first-child{font-weight:600}",
        ".best>*{font-weight:600}",
        ".tokens span:first-child{opacity:.8;text-align:left}",
        ".scroll{overflow-x:auto}",
        "table{border-collapse:collapse;margin:.5rem 0;font-variant-numeric:tabular-nums;border:0}",
        "th,.seqlab td{padding:.15rem .6rem;text-align:left;border:0;border-bottom:1px solid #8884}",
        "tbody :is(td,th){background:none;max-width:30rem;overflow-wrap:anywhere}",
        "thead *{font-weight:600;white-space:nowrap;border-bottom:1px solid #888c}",
        ".n,.seqlab .right td+td,.seqlab .right th+th{text-align:right;white-space:nowrap}",
        f"mark,.seqlab .yes{{background:{LIGHT['blue']}40;color:inherit;border-radius:.2em;padding:0 .2em}}",
        f".no{{background:{LIGHT['vermilion']}40;border-radius:.2em;padding:0 .2em}}",
        ".tokens{display:flex;flex-wrap:wrap;gap:.2rem .7rem;margin:.3rem 0 .7rem}",
        ".tokens span{text-align:center}",
        ".tokens small{display:block;opacity:.75;font-size:.8em}",
    )
)


def fragment(parts: Iterable[Any]) -> str:
    """Make an HTML fragment from text, tables (columns by name), and HTML (Markup)."""
    body = "".join(
        part
        if isinstance(part, Markup)
        else grid(part)
        if isinstance(part, Mapping)
        else f"<p>{escape(part)}</p>"
        for part in parts
    )
    return f'<style>{STYLE}</style><div class="seqlab">{body}</div>'


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


class Share(float):
    """A number from 0 to 1, shown on a shade of that strength."""


def grid(columns: Mapping[str, Any]) -> str:
    """Make a table from columns; a long one is cut to its first and last rows."""
    size = max(map(len, columns.values()), default=0)
    rows = range(size) if size <= ROWS else [*range(ROWS - LAST), *range(size - LAST, size)]
    shown = {name: [some[i] for i in rows] for name, some in columns.items()}
    shown = {name: some for name, some in shown.items() if any(one is not None for one in some)}
    starts = ["<td class=n" if all(isinstance(one, (int, float, type(None))) for one in some) else "<td"
              for some in shown.values()]  # fmt: skip
    heads = (f"{start}>{escape(text_of(name, 40))}</td>" for start, name in zip(starts, shown, strict=True))
    lines = [f"<tr>{''.join(map(_cell, starts, cells))}</tr>" for cells in zip(*shown.values(), strict=True)]
    if size > ROWS:
        lines.insert(ROWS - LAST, f'<tr><td colspan="{len(shown)}">… {size - ROWS:,} more …</td></tr>')
    body = f"<thead><tr>{''.join(heads)}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return f'<div class="scroll"><table>{body}</table></div>'


def _cell(start: str, value: Any) -> str:
    shade = f' style="background:{LIGHT["blue"]}{round(140 * value):02x}"' if isinstance(value, Share) else ""
    return f"{start}{shade}>{escape(text_of(value))}</td>"


def text_of(value: Any, most: int = WIDEST) -> str:
    """Format a value: four digits, thousands separated, nothing for None."""
    if value is None or value is False or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, Share):
        return f"{value:.3f}" if value >= 5e-4 else "·"
    if isinstance(value, float):
        return f"{value:.4f}" if value == 0 or 1e-3 <= abs(value) < 1e5 else f"{value:.4g}"
    if isinstance(value, int):
        return "yes" if value is True else f"{value:,}"
    if isinstance(value, tuple) and all(isinstance(one, str) for one in value[:most]):
        value = " ".join(value[:most])
    return clip(printable(value if isinstance(value, str) else " ".join(repr(value).split())), most, "…")


def tokens(columns: Mapping[str, Any], begin: int, end: int) -> Markup:
    """Show the first tokens of a sentence, their columns one below the other, in lines that wrap."""
    cells = (column.span(begin, min(end, begin + TOKENS)) for column in columns.values())
    made = []
    for first, *more in [[*columns], *zip(*cells, strict=True)]:
        below = "".join(f"<small>{escape(text_of(one, 40))}</small>" for one in more)
        made.append(f"<span><bdi>{escape(text_of(first, 40))}</bdi>{below}</span>")
    rest = f"<span>… {end - begin - TOKENS:,} more</span>" if end - begin > TOKENS else ""
    return Markup(f'<div class="tokens">{"".join(made)}{rest}</div>')
