"""Corpora from files and streams: all at once, or sentence by sentence."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import IO, Any

from seqlab.corpus.corpus import Corpus
from seqlab.corpus.intake import Intake, in_blocks
from seqlab.corpus.options import Columns, Options
from seqlab.corpus.sentence import Sentence
from seqlab.corpus.source import CHUNK, opened
from seqlab.errors import CorpusWarning, OptionError

Readable = str | os.PathLike[str] | IO[bytes] | IO[str]


def read(
    source: Readable,
    format: str | None = None,  # noqa: A002
    columns: Columns = None,
    *,
    separator: str | None = None,
    comments: bool | str = False,
    docstart: bool = True,
    encoding: str = "utf-8",
) -> Corpus:
    """The corpus in a file.

    source      a path, "-" for standard input, or a stream of bytes or text; gzip is noticed by itself
    format      "conll", "conllu", "slash", "text", "jsonl" or "crfsuite"; guessed from name and content when left out
    columns     names of the columns, or a mapping to pick cells: {"word": 0, "entity": -1}
    separator   between cells of "conll": a tab for single tabs, " " for any number of blanks; else as in the first line
    comments    True when lines that begin with # are comments in "conll"; or what they begin with
    docstart    whether lines that begin with -DOCSTART- are no tokens
    encoding    of the file
    """
    options = Options(format, columns, separator, comments, docstart)
    with opened(source, encoding) as bytes_in:
        intake = Intake(bytes_in, options, CHUNK)
        for _ in intake.blocks(whole_sentences=False):
            pass
    corpus = intake.parser.take()
    if corpus is None or not len(corpus):
        raise intake.nothing()
    for remark in intake.remarks:
        warnings.warn(remark, CorpusWarning, stacklevel=2)
    return corpus


def stream(
    source: Readable,
    format: str | None = None,  # noqa: A002
    columns: Columns = None,
    *,
    separator: str | None = None,
    comments: bool | str = False,
    docstart: bool = True,
    encoding: str = "utf-8",
    block: int = CHUNK,
) -> Stream:
    """The sentences of a file one after another; only one block of it is in memory.

    block   bytes read at a time; the other arguments are those of read
    """
    if isinstance(block, bool) or not isinstance(block, int) or block < 1:
        raise OptionError(f"block must be a number of bytes from 1 up, got {block!r}")
    return Stream(source, Options(format, columns, separator, comments, docstart), encoding, block)


class Stream:
    """Sentences of a file: iterate over it, or over its blocks(). A path is opened anew every time."""

    def __init__(self, source: Any, options: Options, encoding: str, block: int) -> None:
        self._source = source
        self._options = options
        self._encoding = encoding
        self._block = block

    def __iter__(self) -> Iterator[Sentence]:
        for corpus in self.blocks():
            yield from corpus

    def blocks(self) -> Iterator[Corpus]:
        """Corpora of some thousand sentences, each with strings of its own."""
        count = 0
        for intake in in_blocks(self._source, self._options, self._encoding, self._block):
            while intake.remarks:
                warnings.warn(intake.remarks.pop(0), CorpusWarning, stacklevel=2)
            corpus = intake.parser.take()
            if corpus is not None and len(corpus):
                count += len(corpus)
                yield corpus
        if not count:
            raise intake.nothing()
