"""Corpora to files and streams."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import IO, Any

from seqlab.corpus import formats
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.extras import Layout
from seqlab.corpus.formats.base import Format
from seqlab.corpus.io.target import is_text, opened_target
from seqlab.errors import CorpusError

BOM = b"\xef\xbb\xbf"


def write(
    corpus: Corpus,
    target: str | os.PathLike[str] | IO[bytes] | IO[str],
    format: str | None = None,  # noqa: A002
    columns: Iterable[str] | None = None,
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
) -> None:
    """Write a corpus; what was read is given back byte for byte when format and columns are the same.

    target      a path, "-" for standard output, or a stream; compressed when the name ends in .gz. A file appears under
                its name only when it is complete
    format      as for read; when left out: what the name says, else what the corpus was read as, else "conll"
    columns     which columns to write, in this order; all of them when left out
    separator   between cells of "conll"
    encoding    of the file
    """
    if not isinstance(corpus, Corpus):
        raise TypeError(f"write wants a Corpus first, got {corpus!r:.80}")
    chosen = corpus if columns is None else corpus.select(*columns)
    kind = _format(chosen, target, format)
    layout = layout_for(chosen, kind, separator)
    recode = bytes if is_text(target) else _recoder(encoding)
    pieces = kind.render(chosen, layout)  # checks everything before the first piece
    with opened_target(target) as out:
        for piece in _ends(pieces, layout):
            out(recode(piece))


def _format(corpus: Corpus, target: Any, format: str | None) -> type[Format]:  # noqa: A002
    if format is not None:
        return formats.named(format)
    told = formats.by_suffix(os.fspath(target)) if isinstance(target, (str, os.PathLike)) else []
    return told[0] if told else formats.named(corpus.layout.format or "conll")


def layout_for(corpus: Corpus, kind: type[Format], separator: str | None = None) -> Layout:
    """Lay out a corpus as it was read, if it was read in this format."""
    layout = corpus.layout if corpus.layout.format == kind.name else kind.fresh_layout(corpus.layout.newline)
    if separator is None:
        return layout
    one = isinstance(separator, str) and len(separator) == 1 and separator not in "\r\n\0"
    if kind.name != "conll" or not one:
        raise CorpusError(
            f"separator must be one character, for format 'conll' only, got {separator!r} for {kind.name!r}"
        )
    return replace(layout, separator=separator)


def _ends(pieces: Iterable[bytes], layout: Layout) -> Iterator[bytes]:
    """The pieces with the byte-order mark before them, and without the last line end if there was none."""
    if layout.bom:
        yield BOM
    last = b""
    for piece in pieces:
        yield last
        last = piece
    newline = layout.newline.encode()
    yield last.removesuffix(newline) if not layout.final_newline else last


def _recoder(encoding: str) -> Any:
    try:
        if codecs.lookup(encoding).name == "utf-8":
            return bytes
        encoder = codecs.getincrementalencoder(encoding)()
    except (LookupError, TypeError):
        raise CorpusError(
            f"unknown encoding {encoding!r}; common ones are 'utf-8', 'latin-1' and 'utf-16'"
        ) from None

    def recode(piece: bytes) -> bytes:
        try:
            return encoder.encode(piece.decode("utf-8"))
        except UnicodeEncodeError as error:
            raise CorpusError(
                f"{encoding} cannot write {error.object[error.start]!r}; pass encoding='utf-8', which can"
            ) from None

    return recode
