"""Corpora: sentences with named columns, read from files, lists and tables, and written back."""

from __future__ import annotations

from seqlab.corpus.builtin import demo_corpus
from seqlab.corpus.columns import BagColumn, Column, StringColumn, VectorColumn
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.extras import Extras, Layout
from seqlab.corpus.reading import Stream, read, stream
from seqlab.corpus.sentence import Sentence, Token
from seqlab.corpus.writing import write

__all__ = [
    "BagColumn",
    "Column",
    "Corpus",
    "Extras",
    "Layout",
    "Sentence",
    "Stream",
    "StringColumn",
    "Token",
    "VectorColumn",
    "demo_corpus",
    "read",
    "stream",
    "write",
]
