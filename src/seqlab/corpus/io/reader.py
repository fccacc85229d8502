"""Corpora from files and streams: bytes are unpacked and recoded, the format settled, block after block read."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
import warnings
from collections.abc import Iterator
from typing import IO, Any

from seqlab import _core
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import Columns, Format, Options, guessed, named
from seqlab.corpus.sentence import Sentence
from seqlab.errors import CorpusError, CorpusWarning, OptionError, Place

CHUNK = 1 << 22
GZIP = b"\x1f\x8b"
OTHER_PACKERS = {b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


class Source:
    """Where bytes come from.

    name   for messages
    """

    def __init__(self, name: str, stream: IO[Any], *, named_gz: bool, encoding: str, head: int) -> None:
        self.name = name
        self._raw: Any = stream
        self._recode = None if is_utf8(encoding) else Recoder(name, encoding)
        self._ended = False
        self._start(head, named_gz=named_gz)

    def _start(self, size: int, *, named_gz: bool) -> None:
        head = self._read_raw(size)
        self._pending = head
        if head.startswith(GZIP):
            import gzip  # slow to import

            self._raw = gzip.GzipFile(fileobj=_Chained(head, self._raw))
            self._pending = b""
        elif named_gz and head:
            raise CorpusError(
                f"the name ends in .gz, but the file does not begin like a gzip file "
                f"({_shown(head[:4])}); decompress or rename it",
                place=Place(path=self.name, line=1),
            )
        for magic, packer in OTHER_PACKERS.items():
            if head.startswith(magic):
                raise CorpusError(
                    f"the file is compressed with {packer}, but only plain text and gzip are read; "
                    f"decompress it first",
                    place=Place(path=self.name, line=1),
                )

    def read(self, size: int) -> bytes:
        """About `size` bytes of UTF-8, b"" at the end."""
        while not self._ended:
            data = self._pending or self._read_raw(size)
            self._pending = b""
            self._ended = not data
            text = data if self._recode is None else self._recode(data)
            if text:
                return text
        return b""

    def _read_raw(self, size: int) -> bytes:
        try:
            return self._bytes(self._raw.read(size))
        except EOFError:
            raise self._broken_gzip("it ends too early") from None
        except _gzip_errors() as error:
            raise self._broken_gzip(str(error)) from error
        except UnicodeDecodeError as error:
            raise CorpusError(
                f"the stream was opened as text and cannot be decoded ({error}); open it in binary mode",
                place=Place(path=self.name),
            ) from error
        except OSError as error:
            raise CorpusError(
                f"reading failed ({error.strerror or error})", place=Place(path=self.name)
            ) from error

    def _broken_gzip(self, why: str) -> CorpusError:
        return CorpusError(
            f"the gzip file is broken or cut off ({why}); copy or download it again, "
            f"or see what `gzip -t` says",
            place=Place(path=self.name),
        )

    def _bytes(self, data: Any) -> bytes:
        if isinstance(data, bytes):
            return data
        if isinstance(data, str):
            self._recode = None  # the stream has decoded it already
            try:
                return data.encode("utf-8")
            except UnicodeEncodeError as error:
                raise CorpusError(
                    f"the stream's text holds {data[error.start]!r}, which UTF-8 cannot write; "
                    f"open the stream in binary mode",
                    place=Place(path=self.name),
                ) from error
        if isinstance(data, (bytearray, memoryview)):
            return bytes(data)
        if data is None:
            raise CorpusError(
                "the stream has no data yet and does not wait for any; let it block, or pipe it through cat",
                place=Place(path=self.name),
            )
        raise TypeError(
            f"{self.name}: read() of the stream gave {type(data).__name__}, but bytes or str are wanted"
        )


class Recoder:
    """Other encodings to UTF-8, piece by piece."""

    def __init__(self, name: str, encoding: str) -> None:
        self._name = name
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._line = 1

    def __call__(self, data: bytes) -> bytes:
        """UTF-8 of the next piece; b"" as the piece says that there is no more."""
        try:
            text = self._decoder.decode(data, final=not data)
            recoded = text.encode("utf-8")
        except UnicodeError as error:
            raise self._unreadable(error) from error
        self._line += recoded.count(b"\n")
        return recoded

    def _unreadable(self, error: UnicodeError) -> CorpusError:
        line, what = self._line, str(error)
        if isinstance(error, UnicodeDecodeError):
            line += error.object[: error.start].count(b"\n")
            what = f"{_shown(error.object[error.start : error.end])}: {error.reason}"
        return CorpusError(
            f"not {self._encoding} ({what}); pass the encoding= that the file was saved in",
            place=Place(path=self._name, line=line),
        )


class _Chained(io.RawIOBase):
    """A stream whose first bytes have been read already."""

    def __init__(self, head: bytes, rest: Any) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._head:
            part = self._head if size < 0 else self._head[:size]
            self._head = self._head[len(part) :]
            return part
        data: bytes = self._rest.read(size)
        return data


@contextlib.contextmanager
def opened(source: Any, encoding: str = "utf-8", block: int = CHUNK) -> Iterator[Source]:
    """The source behind a path, "-" for standard input, or a stream of bytes or text.

    At least 64 kB are read at first, since format and compression are seen from them.
    """
    with contextlib.ExitStack() as stack:
        stream, name = _stream_of(source, stack)
        # A stream may have decompressed what its name says is compressed: gzip.open gives such ones.
        named_gz = stream is not source and name.endswith(".gz")
        yield Source(name, stream, named_gz=named_gz, encoding=encoding, head=max(block, 1 << 16))


def name_of(source: Any) -> str:
    """What messages call a source."""
    if isinstance(source, (str, os.PathLike)):
        return "<stdin>" if source == "-" else os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


def _stream_of(source: Any, stack: contextlib.ExitStack) -> tuple[IO[Any], str]:
    if isinstance(source, str) and source == "-":
        if sys.stdin is None:
            raise CorpusError("standard input is closed, so '-' cannot be read; name a file", path="<stdin>")
        return sys.stdin.buffer, "<stdin>"
    if isinstance(source, (str, os.PathLike)) and isinstance(os.fspath(source), str):
        return stack.enter_context(_open(os.fspath(source))), os.fspath(source)
    if not hasattr(source, "read"):
        hint = "; wrap bytes in io.BytesIO" if isinstance(source, (bytes, bytearray)) else ""
        raise TypeError(f"a path, '-' for standard input, or a stream is wanted, got {source!r:.80}{hint}")
    return source, name_of(source)


def _open(path: str) -> IO[bytes]:
    try:
        return open(path or ".", "rb")  # noqa: PTH123  (pathlib is slow to import)
    except IsADirectoryError:
        raise CorpusError(
            "this is a directory, but a file is wanted; name one file in it", place=Place(path=path)
        ) from None
    except FileNotFoundError:
        hint = (
            "wrap text in io.StringIO to read it as a file"
            if "\n" in path
            else f"looked for it from {os.getcwd()}"  # noqa: PTH109
        )
        raise CorpusError(f"{path!r:.200}: there is no such file; {hint}", path=path) from None
    except PermissionError:
        raise CorpusError(
            "permission denied; see who may read it with `ls -l`", place=Place(path=path)
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CorpusError(f"{path!r:.200}: the file cannot be opened ({reason})", path=path) from error


def _gzip_errors() -> tuple[type[Exception], ...]:
    """What reading a gzip file may raise, beside EOFError; asked only when something was raised."""
    import gzip
    import zlib

    return gzip.BadGzipFile, zlib.error


def is_utf8(encoding: str) -> bool:
    """Whether an encoding needs no other decoder than ours; one that does not exist, or is none of text, is refused."""
    try:
        "".encode(encoding)  # hex and zip are found, too, but are none of text
    except (LookupError, TypeError):
        raise CorpusError(
            f"unknown encoding {encoding!r}; common ones are 'utf-8', 'latin-1', 'cp1252', 'utf-16' and 'gb18030'"
        ) from None
    return codecs.lookup(encoding).name in {"utf-8", "utf-8-sig"}


def _shown(data: bytes) -> str:
    return "bytes " + " ".join(f"0x{byte:02X}" for byte in data)


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
        kind: Any = named(format) if format else guessed(self._name, head)
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
