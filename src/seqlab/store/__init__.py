"""Model files: one file in safetensors format each, written atomically, mapped and checked when read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used
from seqlab.store.state import State

if TYPE_CHECKING:
    from seqlab.store.reading import from_bytes, is_foreign, load, read, revived
    from seqlab.store.writing import as_bytes, save, write
else:  # otherwise a type checker would accept any attribute
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "reading": ("from_bytes", "is_foreign", "load", "read", "revived"),
            "writing": ("as_bytes", "save", "write"),
        },
    )

__all__ = ["State", "as_bytes", "from_bytes", "is_foreign", "load", "read", "revived", "save", "write"]
