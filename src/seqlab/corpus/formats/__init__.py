"""The corpus formats: one module in this folder and one line here for each. HACKING.md shows how to add one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.corpus.formats.base import named
else:
    __getattr__, __dir__ = when_used(__name__, {"base": ("named",)})

# One line per format, in the order of messages: its name, which is that of its module, and True if its files
# can hold predicted labels. Listing the names imports no format.
FORMATS = {
    "conll": True,
    "conllu": True,
    "slash": True,
    "text": False,
    "jsonl": True,
    "crfsuite": False,
    "csv": True,
    "npy": False,
    "conllup": True,
    "huggingface": False,
}
NAMES = tuple(FORMATS)
LABELLED = tuple(name for name, place in FORMATS.items() if place)

__all__ = ["FORMATS", "LABELLED", "NAMES", "named"]
