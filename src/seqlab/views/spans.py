"""Text with coloured spans, as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from seqlab.views.notebook import Markup
from seqlab.views.palette import LIGHT, SERIES

KEPT = "\n\t\u00a0\u200c\u200d\u3000"  # blanks, and what joins the parts of an emoji
LONGEST = 20_000  # code points of a text that a notebook shows


def marked(text: str, spans: Sequence[Any]) -> Markup:
    """Show a text with its spans on colours, each with its label; of overlapping ones the outer.

    spans   (begin, end, label, ...) by rising begin
    """
    colours = {label: LIGHT[SERIES[i % len(SERIES)]] for i, label in enumerate(sorted({s[2] for s in spans}))}
    pieces, at = [], 0
    for begin, end, label, *_ in spans:
        if begin < at or end > LONGEST:
            continue
        pieces.append(_plain(text[at:begin]))
        shade = f"background:{colours[label]}40;border-radius:.2em;padding:.05em .2em"
        name = f'<small style="opacity:.75;margin-left:.3em;font-weight:600">{_plain(label)}</small>'
        pieces.append(f'<span style="{shade}">{_plain(text[begin:end])}{name}</span>')
        at = end
    pieces.append(_plain(text[at : max(at, LONGEST)]))
    rest = f"<p>… {len(text) - LONGEST:,} more characters</p>" if len(text) > LONGEST else ""
    return Markup(f'<div style="white-space:pre-wrap;line-height:1.9">{"".join(pieces)}</div>{rest}')


def _plain(text: str) -> str:
    """Escape a text; a question mark for what a page cannot show."""
    return "".join(
        char if char.isprintable() or char in KEPT else "?" for char in escape(text.replace("\r\n", "\n"))
    )
