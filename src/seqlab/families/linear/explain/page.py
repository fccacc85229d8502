"""An explanation as a piece of HTML for a notebook: it needs nothing else, and suits light and dark pages."""

from __future__ import annotations

import html
from collections.abc import Iterator

from seqlab.families.linear.explain.explanation import Explanation
from seqlab.families.linear.explain.wording import Row, Table, footnotes, question, summary, tables, verdict

ROWS = 20
STYLE = (
    "<style>.seqlab-why{font:14px/1.45 system-ui,sans-serif;max-width:60rem}"
    ".seqlab-why table{border-collapse:collapse;margin:.6rem 0;font-variant-numeric:tabular-nums}"
    ".seqlab-why th,.seqlab-why td{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #8884}"
    ".seqlab-why th:first-child,.seqlab-why td:first-child{text-align:left;max-width:26rem;overflow-wrap:anywhere}"
    ".seqlab-why mark{background:#0b5cad33;color:inherit;padding:0 .2em;border-radius:.2em}"
    ".seqlab-why .for{color:#0b5cad}.seqlab-why .against{color:#c2500f}</style>"
)


def explanation_html(found: Explanation) -> str:
    """The question, the sentence, the tables and the sum."""
    parts = [STYLE, '<div class="seqlab-why">', f"<h4>{_safe(question(found))}</h4>", _sentence(found)]
    parts += [f"<p>{_safe(line)}</p>" for line in verdict(found)]
    parts += [_table(table) for table in tables(found, ROWS) if table.rows]
    parts += [f"<p>{_safe(line)}</p>" for line in (*footnotes(found), summary(found))]
    return "".join([*parts, "</div>"])


def _sentence(found: Explanation) -> str:
    words = [_safe(word) for word in found.tokens]
    words[found.position] = f"<mark>{words[found.position]}</mark>"
    return f"<p>{' '.join(words)}</p>"


def _table(table: Table) -> str:
    shares = any(row.shares for row in table.rows)
    heads = [table.title, *(["share"] if shares else []), *table.columns, "adds"]
    head = "".join(f'<th scope="col">{_safe(name)}</th>' for name in heads)
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(_lines(table, shares=shares))}</tbody></table>"
    )


def _lines(table: Table, *, shares: bool) -> Iterator[str]:
    for row in table.rows:
        cells = [row.what, *([row.shares] if shares else []), row.weight, row.rival_weight]
        plain = "".join(f"<td>{_safe(cell)}</td>" for cell in cells)
        yield f'<tr>{plain}<td class="{_side(row)}">{_safe(row.adds)}</td></tr>'


def _side(row: Row) -> str:
    """The sign says it too, so colour is never the only sign."""
    return "for" if row.adds.startswith("+") else "against"


def _safe(text: str) -> str:
    return html.escape(text, quote=True)
