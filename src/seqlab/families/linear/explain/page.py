"""An explanation as a piece of HTML for a notebook: it needs nothing else, and suits light and dark pages."""

from __future__ import annotations

from html import escape

from seqlab.families.linear.explain.explanation import Explanation
from seqlab.families.linear.explain.wording import Row, Table, footnotes, question, summary, tables, verdict
from seqlab.views.html import cell, table
from seqlab.views.palette import DARK, LIGHT

ROWS = 20
STYLE = (
    "<style>.seqlab-why{font:14px/1.45 system-ui,sans-serif;max-width:60rem}"
    ".seqlab-why table{border-collapse:collapse;margin:.6rem 0;font-variant-numeric:tabular-nums}"
    ".seqlab-why th,.seqlab-why td{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #8884}"
    ".seqlab-why th:first-child,.seqlab-why td:first-child{text-align:left;max-width:26rem;overflow-wrap:anywhere}"
    f".seqlab-why mark{{background:{LIGHT['blue']}33;color:inherit;padding:0 .2em;border-radius:.2em}}"
    f".seqlab-why .for{{color:{LIGHT['blue']}}}.seqlab-why .against{{color:{LIGHT['vermilion']}}}"
    f"@media(prefers-color-scheme:dark){{.seqlab-why .for{{color:{DARK['blue']}}}"
    f".seqlab-why .against{{color:{DARK['vermilion']}}}}}</style>"
)


def explanation_html(found: Explanation) -> str:
    """The question, the sentence, the tables and the sum."""
    parts = [STYLE, '<div class="seqlab-why">', f"<h4>{escape(question(found))}</h4>", _sentence(found)]
    parts += [f"<p>{escape(line)}</p>" for line in verdict(found)]
    parts += [_table(table) for table in tables(found, ROWS) if table.rows]
    parts += [f"<p>{escape(line)}</p>" for line in (*footnotes(found), summary(found))]
    return "".join([*parts, "</div>"])


def _sentence(found: Explanation) -> str:
    words = [escape(word) for word in found.tokens]
    words[found.position] = f"<mark>{words[found.position]}</mark>"
    return f"<p>{' '.join(words)}</p>"


def _table(found: Table) -> str:
    shares = any(row.shares for row in found.rows)
    heads = [found.title, *(["share"] if shares else []), *found.columns, "adds"]
    return table(heads, (_line(row, shares=shares) for row in found.rows), kind="")


def _line(row: Row, *, shares: bool) -> str:
    cells = [row.what, *([row.shares] if shares else []), row.weight, row.rival_weight]
    side = "for" if row.adds.startswith("+") else "against"  # the sign says it too
    return f'<tr>{"".join(map(cell, cells))}<td class="{side}">{escape(row.adds)}</td></tr>'
