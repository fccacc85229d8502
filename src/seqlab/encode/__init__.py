"""Encoding of corpora as arrays of numbers: attributes made, interned and numbered in the core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.encode.encoded import EncodedCorpus, Rows
    from seqlab.encode.encoder import Encoder, encode
    from seqlab.encode.template_rows import TemplateRows
else:  # otherwise a type checker would accept any attribute
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "encoded": ("EncodedCorpus", "Rows"),
            "encoder": ("Encoder", "encode"),
            "template_rows": ("TemplateRows",),
        },
    )

__all__ = ["EncodedCorpus", "Encoder", "Rows", "TemplateRows", "encode"]
