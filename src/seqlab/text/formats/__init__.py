"""The formats of texts with places: one module in this folder and one line here for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.text.formats.base import guessed, named
else:
    __getattr__, __dir__ = when_used(__name__, {"base": ("guessed", "named")})

# The name of each format, which is that of its module, in the order of messages. Listing them imports none.
NAMES = ("doccano", "prodigy", "labelstudio", "brat", "webanno")

__all__ = ["NAMES", "guessed", "named"]
