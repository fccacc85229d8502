"""Models as files: one file in safetensors format each, written whole or not at all, mapped and checked when read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used
from seqlab.store.state import State

if TYPE_CHECKING:
    from seqlab.store.reading import read, revived
    from seqlab.store.saving import Stored, from_bytes, load, misfits_told, save
    from seqlab.store.writing import as_bytes, write
else:  # a type checker would take any name for one of the package
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "reading": ("read", "revived"),
            "saving": ("Stored", "from_bytes", "load", "misfits_told", "save"),
            "writing": ("as_bytes", "write"),
        },
    )

__all__ = [
    "State",
    "Stored",
    "as_bytes",
    "from_bytes",
    "load",
    "misfits_told",
    "read",
    "revived",
    "save",
    "write",
]
