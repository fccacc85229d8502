"""Text of files: decoded, and read a few paragraphs at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seqlab.corpus.io.reader import BOM, CHUNK, UTF16, opened
from seqlab.errors import CorpusError, Place

LONGEST = 1 << 20  # bytes of a paragraph; a longer one is cut at the end of a sentence, or else at a blank
ENDS = (*(mark + blank for mark in (b".", b"!", b"?") for blank in (b" ", b"\n", b"\r\n")), "。".encode())


def read_text(source: Any, *, encoding: str = "utf-8") -> str:
    """Read a whole text.

    source     a path, "-" for standard input, or a stream of bytes or text; gzip is noticed by itself
    encoding   of the file; a byte-order mark at its beginning is left out, all else stays as it is
    """
    return "".join(stream_text(source, encoding=encoding))


def stream_text(source: Any, *, encoding: str = "utf-8", block: int = CHUNK >> 2) -> Iterator[str]:
    """Read a text in parts that end with an empty line, so that no sentence is cut; together they are the whole text.

    source, encoding   as for read_text
    block              bytes of a part, about; a paragraph of more than a megabyte is cut where a sentence seems to end,
                       else at the end of a line, else at a blank
    """
    with opened(source, encoding, block) as bytes_in:
        rest, line, first = bytearray(), 1, True
        while chunk := bytes_in.read(block):
            if first:
                if chunk.startswith(UTF16):
                    raise CorpusError(
                        "the file begins with a UTF-16 byte-order mark, but UTF-8 is wanted; pass encoding='utf-16'",
                        place=Place(path=bytes_in.name, line=1),
                    )
                chunk, first = chunk.removeprefix(BOM), False
            searched = max(len(rest) - 2, 0)
            rest += chunk
            end = _last_paragraph(rest, searched)
            if not end and len(rest) > LONGEST:
                end = _last_end(rest, searched if searched > LONGEST else 0)
            if end:
                part = bytes(rest[:end])
                yield _decoded(part, bytes_in.name, line)
                line += part.count(b"\n")
                del rest[:end]
        if rest:
            yield _decoded(bytes(rest), bytes_in.name, line)


def _last_paragraph(data: bytearray, begin: int) -> int:
    """Return where the last paragraph that ends in data does; 0 for none. Nothing before `begin` ends one."""
    return max(
        data.rfind(mark, begin) + len(mark) if mark in data[begin:] else 0 for mark in (b"\n\n", b"\n\r\n")
    )


def _last_end(data: bytearray, begin: int) -> int:
    """Return where the last sentence, line or word that ends in data does; 0 for none."""
    for marks in (ENDS, (b"\n",), (b" ", b"\t")):
        found = max((at + len(mark) for mark in marks if (at := data.rfind(mark, begin)) >= 0), default=0)
        if found:
            return found
    return 0


def _decoded(data: bytes, name: str, line: int) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        at = error.start - (before.rfind(b"\n") + 1)
        raise CorpusError(
            f"byte 0x{data[error.start]:02X} at byte {at + 1} of the line is not UTF-8; pass the encoding= that the "
            f"file was saved in, for example 'latin-1' or 'cp1252'",
            place=Place(path=name, line=line + before.count(b"\n")),
        ) from error
