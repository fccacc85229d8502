"""The corpus formats: a file of this folder for each, and a line here. HACKING.md shows how to add one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.corpus.formats.base import named
else:
    __getattr__, __dir__ = when_used(__name__, {"base": ("named",)})

# A line a format, in the order in which messages name them: its name, which is that of its module, and whether files
# of it have a place for predicted labels. Asking for names loads no format.
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

__all__ = ["FORMATS", "LABELLED", "NAMES", "named"]
