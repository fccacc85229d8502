"""Text in table cells of so many screen columns."""

from __future__ import annotations

from seqlab.views.text.width import clip, printable, text_width


def right(text: str, columns: int) -> str:
    """The text at the right edge of so many columns."""
    text = clip(printable(text), columns, "…")
    return " " * (columns - text_width(text)) + text


def left(text: str, columns: int) -> str:
    """The text at the left edge of so many columns."""
    text = clip(printable(text), columns, "…")
    return text + " " * (columns - text_width(text))
