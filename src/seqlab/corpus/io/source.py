"""Bytes of a file or stream, in chunks: plain or compressed, UTF-8 or recoded on the way."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import IO, Any

from seqlab.errors import CorpusError, Place

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
