"""Names as the language spells them, and small helpers for messages."""

from __future__ import annotations

import re
from collections.abc import Iterable

NAME = re.compile(r"[^\W\d]\w*")


def near(name: str, known: Iterable[str]) -> str:
    """'; did you mean ...?' when a known name looks like this one, else nothing."""
    from difflib import get_close_matches  # slow to import

    lowered = {one.lower(): one for one in known}
    found = get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
    return f"; did you mean {lowered[found[0]]!r}?" if found else ""


def quoted(text: str, most: int = 40) -> str:
    """The text in quotes, cut when it is long."""
    return repr(text if len(text) <= most else text[: most - 3] + "...")
