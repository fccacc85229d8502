"""Corpora from files and streams: all at once, or sentence by sentence."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import IO, Any

from seqlab import _core
from seqlab.corpus import formats
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import Columns, Format, Options
from seqlab.corpus.io.source import CHUNK, Source, opened
from seqlab.corpus.sentence import Sentence
from seqlab.errors import CorpusError, CorpusWarning, OptionError, Place

Readable = str | os.PathLike[str] | IO[bytes] | IO[str]

BOM = b"\xef\xbb\xbf"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
UTF32 = b"\xff\xfe\0\0"
MOST_AT_ONCE = 16 << 20
CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))


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
    """Read the corpus in a file.

    source      a path, "-" for standard input, or a stream of bytes or text; gzip is noticed by itself
    format      "conll", "conllu", "slash", "text", "jsonl" or "crfsuite"; guessed from name and content when left out
    columns     names of the columns, or a mapping to pick cells: {"word": 0, "entity": -1}
    separator   between cells of "conll": a tab for single tabs, " " for any number of blanks; else as in the first line
    comments    True when lines that begin with # are comments in "conll"; or what they begin with
    docstart    whether lines that begin with -DOCSTART- are no tokens
    encoding    of the file
    """
    with opened(source, encoding) as bytes_in:
        intake = Intake(bytes_in, format, Options(columns, separator, comments, docstart), CHUNK)
        for _ in intake.blocks(whole_sentences=False):
            pass
    corpus = intake.format.take()
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
    """Read the sentences of a file one after another; only one block of it is in memory.

    block   bytes read at a time; the other arguments are those of read
    """
    if isinstance(block, bool) or not isinstance(block, int) or block < 1:
        raise OptionError(f"block must be a number of bytes from 1 up, got {block!r}", option="block")
    return Stream(source, format, Options(columns, separator, comments, docstart), encoding, block)


class Stream:
    """Sentences of a file: iterate over it, or over its blocks(). A path is opened anew every time."""

    def __init__(
        self,
        source: Any,
        format: str | None,  # noqa: A002
        options: Options,
        encoding: str,
        block: int,
    ) -> None:
        self._source = source
        self._format = format
        self._options = options
        self._encoding = encoding
        self._block = block

    def __iter__(self) -> Iterator[Sentence]:
        for corpus in self.blocks():
            yield from corpus

    def blocks(self) -> Iterator[Corpus]:
        """Give corpora of some thousand sentences, each with strings of its own."""
        count = 0
        with opened(self._source, self._encoding, self._block) as bytes_in:
            intake = Intake(bytes_in, self._format, self._options, self._block)
            for _ in intake.blocks(whole_sentences=True):
                while intake.remarks:
                    warnings.warn(intake.remarks.pop(0), CorpusWarning, stacklevel=2)
                corpus = intake.format.take()
                if corpus is not None and len(corpus):
                    count += len(corpus)
                    yield corpus
        if not count:
            raise intake.nothing()


class Intake:
    """A source on its way in: the first bytes looked at, the format settled, then block after block read by it.

    remarks   what deserves a warning, as it is found: file:line: what, what to do
    """

    def __init__(self, source: Source, format: str | None, options: Options, block_size: int) -> None:  # noqa: A002
        self._source = source
        self._size = block_size
        self._name = source.name
        head = source.read(block_size)
        _check_head(head, self._name)
        self.remarks: list[str] = []
        bom = head.startswith(BOM)
        if bom:
            head = head[len(BOM) :]
            self.remarks.append(
                f"{self._name}:1: the file begins with a UTF-8 byte-order mark, which was skipped and will be written "
                f"back; save the file as UTF-8 without it to silence this"
            )
        self._head = head
        kind: Any = formats.named(format) if format else formats.guessed(self._name, head)
        self.format: Format = kind(options._replace(name=self._name, guessed=not format, bom=bom))

    def blocks(self, *, whole_sentences: bool) -> Iterator[None]:
        """Feed the format; stop after every block, and a last time when there is no more."""
        by_line = not whole_sentences or self.format.line_is_sentence
        rest, chunk = b"", self._head
        while chunk:
            rest = rest + chunk if rest else chunk
            end = _core.last_sentence_end(rest, by_line)
            if end:
                self._feed(rest, end)
                rest = rest[end:]
                yield
            self._check_length(rest)
            # As much as is left over, so that a long sentence is not copied for every chunk; but not so much that a
            # line without end is read much further than the limit.
            chunk = self._source.read(max(self._size, min(len(rest), MOST_AT_ONCE)))
        if rest:
            self._feed(rest, len(rest))
        self.format.finish()
        yield

    def _feed(self, block: bytes, end: int) -> None:
        reader = self.format.reader
        seen = reader.first_crlf
        self.format.feed(block, end)
        if reader.first_crlf and not seen:
            self.remarks.append(
                f"{self._name}:{reader.first_crlf}: the line ends in CRLF as on Windows, which was read as a line "
                f"end and will be written back if all lines have it; save the file with LF to silence this"
            )

    def _check_length(self, rest: bytes) -> None:
        longest = self.format.longest_line
        if len(rest) - (rest.rfind(b"\n") + 1) > longest:
            line = self.format.reader.lines + rest.count(b"\n") + 1
            raise CorpusError(
                f"the line is longer than {longest >> 20} MB, but one line holds one token or one sentence; "
                f"is this the right file and format?",
                place=Place(path=self._name, line=line),
            )

    def nothing(self) -> CorpusError:
        """Say that no sentence came."""
        lines = self.format.reader.lines
        what = "only blank lines and comments" if lines else "nothing"
        return CorpusError(
            f"the file holds {what}, but at least one sentence is wanted; is it the right file?",
            place=Place(path=self._name, line=lines or 1),
        )


def _check_head(head: bytes, name: str) -> None:
    """Refuse files that no format should see."""
    place = Place(path=name, line=1)
    if head.startswith(UTF16):
        bits = 32 if head.startswith(UTF32) else 16
        raise CorpusError(
            f"the file begins with a UTF-{bits} byte-order mark, but UTF-8 is wanted; pass encoding='utf-{bits}'",
            place=place,
        )
    looked_at = head[:8192]
    odd = len(looked_at) - len(looked_at.translate(None, CONTROL))
    if b"\0" in looked_at and odd > 0.05 * len(looked_at):
        raise CorpusError(
            f"this looks like a binary file ({odd} of the first {len(looked_at)} bytes are control characters), but "
            f"text is wanted; is it the right file, or UTF-16 (pass encoding='utf-16')?",
            place=place,
        )
    if b"\r" in head and b"\n" not in head:
        raise CorpusError(
            "lines end in a lone CR as on old Macs, but LF or CRLF is wanted; "
            "convert the file, for example with `tr '\\r' '\\n'`",
            place=place,
        )
