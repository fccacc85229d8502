"""Sharing out the width of the screen."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from seqlab.views.text.width import text_width

MAX_HEAD = 14  # screen columns that a long token may claim for itself


def bands(widths: Sequence[int], room: int) -> list[range]:
    """Cut columns of these widths into rows that fit the room; one too wide stands alone."""
    cuts, used = [0], 0
    for column, width in enumerate(widths):
        if used and used + width > room:
            cuts.append(column)
            used = 0
        used += width
    cuts.append(len(widths))
    return [range(a, b) for a, b in itertools.pairwise(cuts) if a < b]


def align_points(values: Sequence[str]) -> list[str]:
    """Numbers moved right so that their decimal points stand under each other; "" stays ""."""
    whole = [len(value.partition(".")[0]) for value in values]
    widest = max((w for w, value in zip(whole, values, strict=True) if value), default=0)
    return [" " * (widest - w) + value if value else "" for w, value in zip(whole, values, strict=True)]


def head_width(head: str) -> int:
    """Screen columns for a token above its column."""
    return min(text_width(head), MAX_HEAD)


def centre(width: int, room: int) -> int:
    """The offset that puts something of this width in the middle of the room."""
    return max(room - width, 0) // 2
