"""Corpora as arrays of numbers: attributes made, interned and numbered in the core."""

from __future__ import annotations

from seqlab.encode.encoded import EncodedCorpus, Rows
from seqlab.encode.encoder import Encoder, encode

__all__ = ["EncodedCorpus", "Encoder", "Rows", "encode"]
