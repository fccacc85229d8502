"""Corpora: sentences with named columns, read from files, lists and tables, and written back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.corpus.columns import BagColumn, Column, StringColumn, VectorColumn
    from seqlab.corpus.corpus import Corpus
    from seqlab.corpus.io.demo import demo_corpus
    from seqlab.corpus.io.reader import Stream, read, stream
    from seqlab.corpus.io.streams import CorpusStream, stream_corpus
    from seqlab.corpus.io.writer import write
    from seqlab.corpus.origin import Extras, Layout
    from seqlab.corpus.sentence import Sentence, Token
else:  # otherwise a type checker would accept any attribute
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "columns": ("BagColumn", "Column", "StringColumn", "VectorColumn"),
            "corpus": ("Corpus",),
            "io.demo": ("demo_corpus",),
            "io.reader": ("Stream", "read", "stream"),
            "io.streams": ("CorpusStream", "stream_corpus"),
            "origin": ("Extras", "Layout"),
            "sentence": ("Sentence", "Token"),
            "io.writer": ("write",),
        },
    )

__all__ = [
    "BagColumn",
    "Column",
    "Corpus",
    "CorpusStream",
    "Extras",
    "Layout",
    "Sentence",
    "Stream",
    "StringColumn",
]
__all__ += ["Token", "VectorColumn", "demo_corpus", "read", "stream", "stream_corpus", "write"]
