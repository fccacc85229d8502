"""Pages of HTML that need nothing else, in the looks of the report."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from seqlab.evaluation.page_style import STYLE
from seqlab.tuning.comparison import NAMES, figure_text, rate_text, seconds_text, size_text

if TYPE_CHECKING:
    from seqlab.tuning.comparison import Comparison

MORE_STYLE = """
.scores tr.best > * { font-weight: 650; border-top: 2px solid var(--blue); border-bottom: 2px solid var(--blue); }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .8rem 1rem;
  overflow-x: auto; }
.scores td { white-space: nowrap; }
figure { margin: 1rem 0; overflow-x: auto; }
figcaption { color: var(--faint); font-size: .9rem; max-width: 46rem; }
svg { max-width: 100%; height: auto; }
"""


def page_of(title: str, parts: Iterable[str]) -> str:
    """A whole page with these parts, which are HTML already."""
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{MORE_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n<h1>{escape(title)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def table_of(found: Comparison) -> str:
    """The table of a comparison."""
    head = [
        "model",
        *(NAMES[name] for name in found.columns),
        "p against the best",
        "training",
        "tokens/s",
        "size",
    ]
    rows = "".join(_row(found, number) for number in range(len(found.rows)))
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    notes = " ".join(f"{escape(note)}." for note in found.notes()[:1])
    return (
        f'<div class="scroll"><table class="scores"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
        f'<p class="faint">{notes}</p>'
    )


def _row(found: Comparison, number: int) -> str:
    row = found.rows[number]
    figures = [figure_text(row, name) for name in found.columns]
    p = "best" if row.p_best is None else f"{row.p_best:.2g} {row.mark}"
    cells = [
        *figures,
        p,
        seconds_text(row.training_seconds),
        rate_text(row.tokens_per_second),
        size_text(row.size),
    ]
    kind = ' class="best"' if number == found.best and len(found.rows) > 1 else ""
    filled = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<tr{kind}><th scope="row">{escape(row.name)}</th>{filled}</tr>'
