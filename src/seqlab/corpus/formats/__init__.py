"""The corpus formats: a file of this folder for each, and a line here. HACKING.md shows how to add one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from seqlab.errors import CorpusError
from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.corpus.formats.base import Format

# A line a format, in the order in which messages name them: its name, which is that of its module, and whether files
# of it have a place for predicted labels. Whoever only asks for names loads no format.
FORMATS = {
    "conll": True,
    "conllu": True,
    "slash": True,
    "text": False,
    "jsonl": True,
    "crfsuite": False,
}
NAMES = tuple(FORMATS)
LABELLED = tuple(name for name, place in FORMATS.items() if place)
LOOKED_AT = 1 << 13  # bytes

_module, _ = when_used(__name__, {})


def named(name: str) -> type[Format]:
    """Find the format with this name: FORMAT of its module."""
    if name not in NAMES:
        raise CorpusError(f"unknown format {name!r}: known are {', '.join(map(repr, NAMES))}")
    found: type[Format] = _module(name).FORMAT
    return found


def by_suffix(path: str) -> list[type[Format]]:
    """Find the formats that the end of a file name tells, without a final .gz."""
    stem, suffix = os.path.splitext(path.lower())  # noqa: PTH122  (names of streams are no paths)
    suffix = os.path.splitext(stem)[1] if suffix == ".gz" else suffix  # noqa: PTH122
    return [known for known in map(named, NAMES) if suffix and suffix in known.suffixes]


def guessed(path: str, head: bytes) -> type[Format]:
    """Find the format of a file by its name, and by its first lines where the name tells none, or several."""
    lines = head[:LOOKED_AT].decode("utf-8", "replace").split("\n")
    if len(lines) > 2 and len(head) > LOOKED_AT:
        lines.pop()  # cut in the middle
    elif lines[-1] == "":
        lines.pop()  # what stands behind the last line end
    filled = [line for line in lines if line.strip()]
    blank_lines = len(filled) < len(lines)
    candidates = by_suffix(path) or map(named, NAMES)
    return max(candidates, key=lambda known: known.likeness(filled, blank_lines=blank_lines))
