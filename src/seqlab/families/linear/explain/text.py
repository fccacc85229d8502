"""An explanation as text of at most 80 columns."""

from __future__ import annotations

import textwrap
from dataclasses import replace

from seqlab.arrays import whole_number
from seqlab.families.linear.explain.explanation import Explanation
from seqlab.families.linear.explain.wording import Row, Table, footnotes, question, summary, tables, verdict
from seqlab.views.text import clip, left, printable, right, text_width

COLUMNS = 80
NUMBER = 10  # screen columns of a number
SHARES = 16


def explanation_text(found: Explanation, *, rows: int) -> str:
    """The question, the answer, and the account."""
    rows = whole_number(rows, "rows", 1)
    parts = [textwrap.fill(printable(question(found)), COLUMNS), _sentence(found)]
    if found.path is not None:
        parts.append(_paths(found))
    parts.append("\n".join(textwrap.fill(printable(line), COLUMNS) for line in verdict(found)))
    parts += [_table(table) for table in tables(found, rows) if table.rows]
    parts += [textwrap.fill(printable(line), COLUMNS) for line in (*footnotes(found), summary(found))]
    return "\n\n".join(part for part in parts if part)


def _sentence(found: Explanation) -> str:
    """The words, with the token in brackets; the start of a long sentence is left out."""
    if all(word == str(t) for t, word in enumerate(found.tokens)):
        return ""
    words = [printable(word) for word in found.tokens]
    words[found.position] = f"[{words[found.position]}]"
    begin, end = _stretch(words, found.position)
    shown = clip(" ".join(words[begin:end]), COLUMNS - 10, "…")
    return f"  {'... ' if begin else ''}{shown}{' ...' if end < len(words) else ''}"


def _stretch(words: list[str], t: int) -> tuple[int, int]:
    """As many words around t as a line holds, by turns before and after it."""
    begin, end = t, t + 1
    while end - begin < len(words):
        backward = begin > 0 and (end == len(words) or t - begin <= end - t)
        wider = (begin - 1, end) if backward else (begin, end + 1)
        if text_width(" ".join(words[slice(*wider)])) > COLUMNS - 10:
            break
        begin, end = wider
    return begin, end


def _paths(found: Explanation) -> str:
    """Tokens where the two paths differ, with both labels."""
    lines = [f"  {left('the paths differ at', 24)}  {left(f'with {found.label}', 20)}  with {found.rival}"]
    for t, (one, other) in enumerate(zip(found.path or (), found.rival_path or (), strict=True)):
        if one != other:
            lines.append(f"  {left(found.tokens[t], 24)}  {left(one, 20)}  {left(other, 20)}".rstrip())
    return "\n".join(lines)


def _table(table: Table) -> str:
    shares = SHARES if any(row.shares for row in table.rows) else 0
    room = COLUMNS - shares - 3 * NUMBER
    widest = max(text_width(printable(row.what)) for row in table.rows) + 2
    width = max(min(widest, room), min(text_width(table.title), room))
    one, other = (clip(printable(name), NUMBER - 1, "…") for name in table.columns)
    rows = [Row(table.title, "share" if shares else "", one, other, "adds")]
    rows += [replace(row, what=f"  {row.what}") for row in table.rows]
    return "\n".join(
        f"{left(row.what, width)}{right(row.shares, shares)}{_numbers(row)}".rstrip() for row in rows
    )


def _numbers(row: Row) -> str:
    return "".join(right(cell, NUMBER) for cell in (row.weight, row.rival_weight, row.adds))
