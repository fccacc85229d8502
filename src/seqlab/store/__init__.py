"""Models as files: one file in safetensors format each, written whole or not at all, mapped and checked when read."""

from __future__ import annotations

from seqlab.state import State
from seqlab.store.reading import read, revived
from seqlab.store.saving import Stored, from_bytes, load, misfits_told, save
from seqlab.store.writing import as_bytes, write

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
