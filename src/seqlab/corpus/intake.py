"""A source on its way in: the first bytes looked at, the format settled, then block after block to the parser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seqlab import _core
from seqlab.corpus import guess
from seqlab.corpus.formats import PARSERS
from seqlab.corpus.options import Options
from seqlab.corpus.parsers import Parser
from seqlab.corpus.source import CHUNK, Source, opened
from seqlab.errors import CorpusError

BOM = b"\xef\xbb\xbf"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
UTF32 = b"\xff\xfe\0\0"
MOST_AT_ONCE = 16 << 20
CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))


class Intake:
    """What is read, by which parser.

    remarks   what deserves a warning, as it is found: file:line: what, what to do
    """

    def __init__(self, source: Source, options: Options, block_size: int) -> None:
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
        self.parser: Parser = _parser(head, options._replace(name=self._name, bom=bom))

    def blocks(self, *, whole_sentences: bool) -> Iterator[None]:
        """Feeds the parser; stops after every block, and a last time when the parser has finished."""
        by_line = not whole_sentences or self.parser.line_is_sentence
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
        self.parser.finish()
        yield

    def _feed(self, block: bytes, end: int) -> None:
        seen = self.parser.first_crlf
        self.parser.feed(block, end)
        if self.parser.first_crlf and not seen:
            self.remarks.append(
                f"{self._name}:{self.parser.first_crlf}: the line ends in CRLF as on Windows, which was read as a line "
                f"end and will be written back if all lines have it; save the file with LF to silence this"
            )

    def _check_length(self, rest: bytes) -> None:
        begin = rest.rfind(b"\n") + 1
        if len(rest) - begin > self.parser.longest_line:
            from seqlab.corpus.troubles import long_line

            line = self.parser.lines + rest.count(b"\n") + 1
            raise long_line(self._name, line, self.parser.longest_line)

    def nothing(self) -> CorpusError:
        """What to say when no sentence came."""
        what = "only blank lines and comments" if self.parser.lines else "nothing"
        return CorpusError(
            f"{self._name}:{self.parser.lines or 1}: the file holds {what}, but at least one sentence is wanted; "
            f"is it the right file?",
            path=self._name,
            line=self.parser.lines or 1,
        )


def in_blocks(
    source: Any, options: Options, encoding: str = "utf-8", block_size: int = CHUNK
) -> Iterator[Intake]:
    """The intake of a source, after every block of whole sentences; what its parser has then may be taken."""
    with opened(source, encoding, block_size) as bytes_in:
        intake = Intake(bytes_in, options, block_size)
        for _ in intake.blocks(whole_sentences=True):
            yield intake


def _parser(head: bytes, options: Options) -> Parser:
    if options.format:
        if options.format not in PARSERS:
            raise CorpusError(f"unknown format {options.format!r}: known are {', '.join(map(repr, PARSERS))}")
        return PARSERS[options.format](options)
    found = guess.by_name_and_content(options.name, head)
    return PARSERS[found](options._replace(format=found, guessed=True))


def _check_head(head: bytes, name: str) -> None:
    """Files that no parser should see."""
    if head.startswith(UTF16):
        bits = 32 if head.startswith(UTF32) else 16
        raise CorpusError(
            f"{name}:1: the file begins with a UTF-{bits} byte-order mark, but UTF-8 is wanted; "
            f"pass encoding='utf-{bits}'",
            path=name,
            line=1,
        )
    looked_at = head[:8192]
    odd = len(looked_at) - len(looked_at.translate(None, CONTROL))
    if b"\0" in looked_at and odd > 0.05 * len(looked_at):
        raise CorpusError(
            f"{name}:1: this looks like a binary file ({odd} of the first {len(looked_at)} bytes are control "
            f"characters), but text is wanted; is it the right file, or UTF-16 (pass encoding='utf-16')?",
            path=name,
            line=1,
        )
    if b"\r" in head and b"\n" not in head:
        raise CorpusError(
            f"{name}:1: lines end in a lone CR as on old Macs, but LF or CRLF is wanted; "
            f"convert the file, for example with `tr '\\r' '\\n'`",
            path=name,
            line=1,
        )
