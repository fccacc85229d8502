"""Write corpora to files and streams; a file appears only when it is complete."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import Format, by_suffix, named
from seqlab.corpus.io.reader import BOM, checked_mark, is_utf8
from seqlab.corpus.origin import Layout
from seqlab.errors import CorpusError, Place
from seqlab.files import checked_name, replaced

Put = Callable[[bytes], object]

STANDARD_OUTPUT = 1


@contextlib.contextmanager
def opened_target(target: Any) -> Iterator[Put]:
    """Provide a function that writes bytes; a file gets its name when the block ends without an error."""
    if isinstance(target, str) and target == "-":
        with open(STANDARD_OUTPUT, "wb", closefd=False) as out:  # a file descriptor, not a path
            yield out.write
    elif isinstance(target, (str, os.PathLike)) and isinstance(os.fspath(target), str):
        with _file(Path(checked_name(target))) as put:
            yield put
    elif hasattr(target, "write"):
        yield (lambda piece: target.write(piece.decode("utf-8"))) if is_text(target) else target.write
    else:
        raise TypeError(f"a path, '-' for standard output, or a stream is wanted, got {target!r:.80}")


def is_text(stream: Any) -> bool:
    """Return True if a stream takes str; those of tempfile and codecs are recognised by their encoding."""
    return isinstance(stream, io.TextIOBase) or getattr(stream, "encoding", None) is not None


@contextlib.contextmanager
def _file(path: Path) -> Iterator[Put]:
    """Replace a file when it is complete, compressed if it ends in .gz; devices and pipes are written directly."""
    unchanged = "; nothing was changed"
    try:
        goal = path.resolve() if path.is_symlink() else path
        if goal.is_dir():
            message = "this is a directory, but the name of a file is wanted"
            raise CorpusError(message, place=Place(path=str(path)))
        device = goal.exists() and not goal.is_file()
        if device:
            unchanged = ""
        with contextlib.ExitStack() as stack:
            out: Any = stack.enter_context(goal.open("wb") if device else replaced(goal))
            if goal.suffix == ".gz" and not device:
                # No name and no time in the header: equal corpora give equal bytes.
                out = stack.enter_context(gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0))
            yield out.write
    except OSError as error:
        what = f"{path!s:.200}: the file cannot be written ({error.strerror or error}){unchanged}"
        raise CorpusError(what, path=str(path)) from error


def write(
    corpus: Corpus,
    target: str | os.PathLike[str] | IO[bytes] | IO[str],
    format: str | None = None,  # noqa: A002
    columns: Iterable[str] | None = None,
    *,
    separator: str | None = None,
    missing: str | None = None,
    encoding: str = "utf-8",
) -> None:
    """Write a corpus; one that was read is written byte for byte as it was, if format and columns are the same.

    target      a path, "-" for standard output, or a stream; compressed when the name ends in .gz. A file appears under
                its name only when it is complete
    format      as for read; by default chosen by the file name, else the format that the corpus was read from, else
                "conll"
    columns     which columns to write, in this order; all of them when left out
    separator   between cells of "conll" and "csv"
    missing     the cell for a missing value; by default the one used when the corpus was read; null in JSON
    encoding    of the file
    """
    if not isinstance(corpus, Corpus):
        raise TypeError(f"write wants a Corpus first, got {corpus!r:.80}")
    chosen = corpus if columns is None else corpus.select(*columns)
    kind = named((chosen.layout.format or "conll") if format is None else format)
    if format is None and isinstance(target, (str, os.PathLike)):
        fitting = by_suffix(os.fspath(target))
        own = kind.name in ("csv", "conllup", "huggingface") and kind in fitting
        kind = kind if own else next(iter(fitting), kind)
    layout = layout_for(chosen, kind, separator)
    mark = layout.missing if missing is None else checked_mark(missing)
    if not kind.holds_missing:
        mark = next((one for one in (mark, corpus.layout.missing, kind.mark) if one is not None), None)
    if mark is not None or not kind.holds_missing:
        chosen = kind.marked(chosen, mark)
    recode = bytes if is_text(target) else recoder(encoding)
    pieces = kind.render(chosen, layout)  # checks everything before the first piece
    others = kind.beside(chosen, layout)
    if others and not (isinstance(target, (str, os.PathLike)) and os.fspath(target) != "-"):
        raise CorpusError(f"{kind.title} needs {', '.join(others)} beside the file; name a file to write")
    with opened_target(target) as out:
        for piece in _ends(pieces, layout):
            out(recode(piece))
    for name, data in others.items():
        with opened_target(Path(target).parent / name) as out:  # type: ignore[arg-type]
            out(data)


def layout_for(corpus: Corpus, kind: type[Format], separator: str | None = None) -> Layout:
    """Return the layout of the original file, if the corpus was read in this format."""
    layout = corpus.layout if corpus.layout.format == kind.name else kind.fresh_layout(corpus.layout.newline)
    if separator is None:
        return layout
    one = isinstance(separator, str) and len(separator) == 1 and separator not in "\r\n\0"
    if kind.name not in ("conll", "csv") or not one:
        raise CorpusError(
            f"separator must be one character, for format 'conll' or 'csv' only, got {separator!r} for {kind.name!r}"
        )
    return replace(layout, separator=separator)


def _ends(pieces: Iterable[bytes], layout: Layout) -> Iterator[bytes]:
    """Yield the pieces with the byte-order mark before them, and without the last line end if there was none."""
    if layout.bom:
        yield BOM
    last = b""
    for piece in pieces:
        yield last
        last = piece
    newline = layout.newline.encode()
    yield last.removesuffix(newline) if not layout.final_newline else last


def recoder(encoding: str, what: str = "", advice: str = "pass encoding='utf-8', which can") -> Any:
    """Make a function that converts UTF-8 to another encoding; `what` and `advice` are part of its error message."""
    is_utf8(encoding)  # raises an error for an unknown encoding
    if codecs.lookup(encoding).name == "utf-8":
        return bytes
    encoder = codecs.getincrementalencoder(encoding)()

    def recode(piece: bytes) -> bytes:
        try:
            return encoder.encode(piece.decode("utf-8"))
        except UnicodeEncodeError as error:
            raise CorpusError(
                f"{encoding} cannot write {what}{error.object[error.start]!r}; {advice}"
            ) from None

    return recode
