"""What the model sees at one token, as a table in plain text."""

from __future__ import annotations

from collections.abc import Sequence

from seqlab.features.model import Feature
from seqlab.features.text import feature_text
from seqlab.features.values import View, attribute, why_absent


def shown(features: Sequence[Feature], view: View, t: int, *, bigram: bool) -> str:
    """Feature | attribute, for labels first, then for pairs of labels."""
    nodes = [(feature_text(f), _seen(f, view, t)) for f in features if f.on_node]
    edges = [(feature_text(f), _seen(f, view, t)) for f in features if f.on_edge]
    if bigram:
        edges.insert(0, ("", "the plain pair of labels"))
    if t == 0 and edges:
        edges = [("", "nothing: there is no pair at the first token")]
    width = max((len(text) for text, _ in nodes + edges), default=0)
    lines = [f"token {t} of {view.length}{_row(view, t)}"]
    for title, rows in (("labels see", nodes), ("pairs of labels see", edges)):
        if rows:
            lines += ["", title, *(f"  {text:<{width}} | {seen}" for text, seen in rows)]
    return "\n".join(lines)


def _seen(feature: Feature, view: View, t: int) -> str:
    text = attribute(feature, view, t)
    return f"(absent: {why_absent(feature, view, t)})" if text is None else text


def _row(view: View, t: int) -> str:
    """The token itself: its value in every column that holds text."""
    cells = [(name, view.sentence[name][t]) for name in view.columns]
    found = [f"{name}={cell!r}" for name, cell in cells if isinstance(cell, str)]
    return ": " + ", ".join(found) if found else ""
