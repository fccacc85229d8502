"""Corpora as arrays of numbers: attributes made, interned and numbered in the core."""

from __future__ import annotations

from seqlab.encode.encoded import EncodedCorpus, Rows
from seqlab.encode.encoder import Encoder, encode
from seqlab.encode.template_rows import TemplateRows

__all__ = ["EncodedCorpus", "Encoder", "Rows", "TemplateRows", "encode"]
