"""Read corpora from files and streams: decompress and decode, detect the format, read block by block."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from seqlab import _core
from seqlab.arrays import is_iterable
from seqlab.corpus.columns import checked
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import ONE_LINE, Columns, Format, Options, guessed, named
from seqlab.corpus.sentence import Sentence
from seqlab.errors import CorpusError, CorpusWarning, EmptyError, OptionError, Place

CHUNK = 1 << 22
GZIP = b"\x1f\x8b"
OTHER_PACKERS = {b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


class Source:
    """Bytes of a file or stream, decompressed and recoded as UTF-8.

    name   for messages
    """

    def __init__(self, name: str, stream: IO[Any], *, named_gz: bool, encoding: str, head: int) -> None:
        self.name = name
        self._raw: Any = stream
        self._file = stream
        self._encoding = encoding
        self._decoder = None if is_utf8(encoding) else codecs.getincrementaldecoder(encoding)()
        self._line = 1  # line that the decoder has reached
        self._ended = False
        self._pending = begin = self._read_raw(head)
        if begin.startswith(GZIP):
            import gzip  # slow to import

            chained: Any = _Chained(begin, stream)
            self._raw, self._pending = gzip.GzipFile(fileobj=chained), b""
        elif named_gz and begin:
            raise self._error(
                f"the name ends in .gz, but the file does not begin like a gzip file "
                f"({_shown(begin[:4])}); decompress or rename it",
                line=1,
            )
        packer = next((name for magic, name in OTHER_PACKERS.items() if begin.startswith(magic)), None)
        if packer:
            what = f"compressed with {packer}, but only plain text and gzip are read"
            raise self._error(f"the file is {what}; decompress it first", line=1)

    def _error(self, message: str, line: int | None = None) -> CorpusError:
        return CorpusError(message, place=Place(path=self.name, line=line))

    def position(self) -> int:
        """Return how many bytes of a file were read, as they lie there."""
        return self._file.tell()

    def read(self, size: int) -> bytes:
        """Read about `size` bytes of UTF-8, b"" at the end."""
        while not self._ended:
            data = self._pending or self._read_raw(size)
            self._pending = b""
            self._ended = not data
            text = data if self._decoder is None else self._recoded(data)
            if text:
                return text
        return b""

    def _read_raw(self, size: int) -> bytes:
        try:
            return self._bytes(self._raw.read(size))
        except UnicodeDecodeError as error:
            what = f"the stream was opened as text and cannot be decoded ({error})"
            raise self._error(f"{what}; open it in binary mode") from error
        except _gzip_errors() as error:
            why = "it ends too early" if isinstance(error, EOFError) else str(error)
            what = f"the gzip file is broken or cut off ({why})"
            raise self._error(f"{what}; copy or download it again, or see what `gzip -t` says") from error
        except OSError as error:
            raise self._error(f"reading failed ({error.strerror or error})") from error

    def _bytes(self, data: Any) -> bytes:
        if isinstance(data, (bytes, bytearray, memoryview)):
            return bytes(data)
        if isinstance(data, str):
            self._decoder = None  # the stream is already decoded
            try:
                return data.encode("utf-8")
            except UnicodeEncodeError as error:
                what = f"the stream's text holds {data[error.start]!r}, which UTF-8 cannot write"
                raise self._error(f"{what}; open the stream in binary mode") from error
        if data is None:
            what = "the stream has no data yet and does not wait for any"
            raise self._error(f"{what}; let it block, or pipe it through cat")
        raise TypeError(
            f"{self.name}: read() of the stream gave {type(data).__name__}, but bytes or str are wanted"
        )

    def _recoded(self, data: bytes) -> bytes:
        """Recode the next piece as UTF-8; b"" marks the end."""
        assert self._decoder is not None  # noqa: S101  # or nothing is recoded
        try:
            recoded = self._decoder.decode(data, final=not data).encode("utf-8")
        except UnicodeError as error:
            line, what = self._line, str(error)
            if isinstance(error, UnicodeDecodeError):
                line += error.object[: error.start].count(b"\n")
                what = f"{_shown(error.object[error.start : error.end])}: {error.reason}"
            message = f"not {self._encoding} ({what}); pass the encoding= that the file was saved in"
            raise self._error(message, line) from error
        self._line += recoded.count(b"\n")
        return recoded


class _Chained:
    """A stream whose first bytes have been read already."""

    def __init__(self, head: bytes, rest: Any) -> None:
        self._head = io.BytesIO(head)
        self._rest = rest

    def read(self, size: int) -> bytes:
        data: bytes = self._head.read(size) or self._rest.read(size)
        return data


@contextlib.contextmanager
def opened(source: Any, encoding: str = "utf-8", block: int = CHUNK) -> Iterator[Source]:
    """Open a path, "-" for standard input, or a stream of bytes or text.

    At least 64 kB are read first, to detect format and compression.
    """
    with contextlib.ExitStack() as stack:
        stream, name = _stream_of(source, stack)
        # A stream may already be decompressed although its name ends in .gz: gzip.open gives such ones.
        named_gz = stream is not source and name.endswith(".gz")
        yield Source(name, stream, named_gz=named_gz, encoding=encoding, head=max(block, 1 << 16))


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
    name = getattr(source, "name", None)
    return source, name if isinstance(name, str) else "<stream>"


def _open(path: str) -> IO[bytes]:
    place = Place(path=path)
    try:
        return open(path or ".", "rb")  # noqa: PTH123  (pathlib is slow to import)
    except IsADirectoryError:
        message = "this is a directory, but a file is wanted; name one file in it"
        raise CorpusError(message, place=place) from None
    except FileNotFoundError:
        looked = f"looked for it from {os.getcwd()}"  # noqa: PTH109
        hint = "wrap text in io.StringIO to read it as a file" if "\n" in path else looked
        message = f"{path!r:.200}: there is no such file; {hint}"
        raise CorpusError(message, path=path) from None
    except PermissionError:
        raise CorpusError("permission denied; see who may read it with `ls -l`", place=place) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CorpusError(f"{path!r:.200}: the file cannot be opened ({reason})", path=path) from error


def _gzip_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that reading a gzip file may raise; called only when one was raised."""
    import gzip
    import zlib

    return EOFError, gzip.BadGzipFile, zlib.error


def is_utf8(encoding: str) -> bool:
    """Return True if an encoding needs no decoder; an unknown or binary encoding is an error."""
    try:
        "".encode(encoding)  # hex and zip are codecs, too, but not text encodings
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
    missing: str | None = None,
    sequence: str | None = None,
    encoding: str = "utf-8",
) -> Corpus:
    """Read the corpus in a file.

    source      a path, "-" for standard input, or a stream of bytes or text; gzip is noticed by itself
    format      "conll", "conllu", "slash", "text", "jsonl", "crfsuite", "csv", "npy", "conllup" or "huggingface";
                guessed from name and content when left out
    columns     names of the columns, or a mapping to pick cells: {"word": 0, "entity": -1}
    separator   between cells of "conll": a tab for single tabs, " " for any number of blanks; of "csv": any character.
                Detected when left out
    comments    True when lines that begin with # are comments in "conll"; or what they begin with
    docstart    True if lines that begin with -DOCSTART- begin a document; False if they are tokens
    missing     the cell for a missing value, such as "_", in all columns but the words; in JSON null always is one
    sequence    the column of "csv" that names the sentence of a row; by default one called sentence or sequence
    encoding    of the file
    """
    if is_array_file(source, format):
        return _arrays(source, columns)
    options = _options(columns, separator, comments, docstart, missing, sequence)
    with opened(source, encoding) as bytes_in:
        intake = Intake(bytes_in, format, options, CHUNK)
        for _ in intake.blocks(whole_sentences=False):
            pass
    corpus = intake.format.take()
    if corpus is None or not len(corpus):
        raise intake.nothing()
    for remark in intake.remarks:
        warnings.warn(remark, CorpusWarning, stacklevel=2)
    return corpus


def _options(columns: Columns, *others: Any) -> Options:
    """Collect and check the options of reading, before a file is opened."""
    if isinstance(columns, str) or not (columns is None or is_iterable(columns)):
        checked(columns)
    made = Options(columns, *others)
    checked_mark(made.missing)
    return made


def checked_mark(missing: Any) -> str | None:
    """Check that the mark of missing values is a string or None."""
    if missing is None or isinstance(missing, str):
        return missing
    message = f"missing must be a string, the cell of a missing value, got {missing!r:.60}"
    raise OptionError(message, option="missing")


def stream(
    source: Readable,
    format: str | None = None,  # noqa: A002
    columns: Columns = None,
    *,
    separator: str | None = None,
    comments: bool | str = False,
    docstart: bool = True,
    missing: str | None = None,
    sequence: str | None = None,
    encoding: str = "utf-8",
    block: int = CHUNK,
) -> Stream:
    """Read the sentences of a file one after another; only one block of it is in memory.

    block   bytes read at a time; source, format, columns, separator, comments, docstart, missing, sequence and
            encoding are those of read
    """
    if isinstance(block, bool) or not isinstance(block, int) or block < 1:
        raise OptionError(f"block must be a number of bytes from 1 up, got {block!r}", option="block")
    options = _options(columns, separator, comments, docstart, missing, sequence)
    return Stream(source, format, options, encoding, block)


@dataclass(eq=False, repr=False)
class Stream:
    """Sentences of a file: iterate over it, or over its blocks(). A path is opened again for every iteration.

    position   tells how many bytes of the file were read; None before
    """

    _source: Any
    _format: str | None
    _options: Options
    _encoding: str
    _block: int
    position: Callable[[], int] | None = field(default=None, init=False)

    def __iter__(self) -> Iterator[Sentence]:
        for corpus in self.blocks():
            yield from corpus

    def blocks(self) -> Iterator[Corpus]:
        """Yield corpora of some thousand sentences, each with its own strings."""
        if is_array_file(self._source, self._format):
            yield _arrays(self._source, self._options.columns)
            return
        count = 0
        with opened(self._source, self._encoding, self._block) as bytes_in:
            intake = Intake(bytes_in, self._format, self._options, self._block)
            self.position = bytes_in.position
            for _ in intake.blocks(whole_sentences=True):
                while intake.remarks:
                    warnings.warn(intake.remarks.pop(0), CorpusWarning, stacklevel=2)
                corpus = intake.format.take()
                if corpus is not None and len(corpus):
                    count += len(corpus)
                    yield corpus
        if not count:
            raise intake.nothing()


def is_array_file(source: Any, form: str | None) -> bool:
    """Return True if a source is a NumPy file, by the option `format` or by its name."""
    name = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", "")
    return form == "npy" or (form is None and str(name).lower().endswith((".npy", ".npz")))


def _arrays(source: Any, columns: Columns) -> Corpus:
    from seqlab.corpus.formats.npy import read_arrays

    return read_arrays(source, columns)


class Intake:
    """A source being read: its first bytes inspected, the format detected, then read block by block.

    remarks   warnings, in order: file:line: what is unusual, what to do
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
        """Feed the format; yield after every block, and once more at the end."""
        by_line = not whole_sentences or self.format.line_is_sentence or self.format.joins_blocks
        rest, chunk, longest = b"", self._head, self.format.longest_line
        while chunk:
            rest = rest + chunk if rest else chunk
            end = _core.last_sentence_end(rest, by_line)
            if end:
                self._feed(rest, end)
                rest = rest[end:]
                yield
            if len(rest) - (rest.rfind(b"\n") + 1) > longest:
                line = self.format.reader.lines + rest.count(b"\n") + 1
                raise CorpusError(
                    f"the line is longer than {longest >> 20} MB, {ONE_LINE}",
                    place=Place(path=self._name, line=line),
                )
            # As much as is left over, so that a long sentence is not copied for every chunk; but not so much that a
            # line without end is read much further than the limit.
            chunk = self._source.read(max(self._size, min(len(rest), MOST_AT_ONCE)))
        if rest:
            self._feed(rest, len(rest))
        self.format.reader.finish()
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

    def nothing(self) -> EmptyError:
        """Make the error for a file without sentences."""
        lines = self.format.reader.lines
        what = "only blank lines and comments" if lines else "nothing"
        return EmptyError(
            f"the file holds {what}, but at least one sentence is wanted; is it the right file?",
            place=Place(path=self._name, line=lines or 1),
        )


def _check_head(head: bytes, name: str) -> None:
    """Reject files that are not text."""
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
