"""Where bytes go: a file that appears only when it is complete, standard output, or a stream."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from seqlab.errors import CorpusError, Place
from seqlab.files import replaced

Put = Callable[[bytes], object]

STANDARD_OUTPUT = 1


@contextlib.contextmanager
def opened_target(target: Any) -> Iterator[Put]:
    """A function that takes bytes; a file gets its name when the block ends without an error."""
    if isinstance(target, str) and target == "-":
        with open(STANDARD_OUTPUT, "wb", closefd=False) as out:  # a descriptor, not a path
            yield out.write
    elif isinstance(target, (str, os.PathLike)) and isinstance(os.fspath(target), str):
        with _file(Path(os.fspath(target))) as put:
            yield put
    elif hasattr(target, "write"):
        yield _into_stream(target)
    else:
        raise TypeError(f"a path, '-' for standard output, or a stream is wanted, got {target!r:.80}")


def is_text(stream: Any) -> bool:
    """Whether a stream takes str; those of tempfile and codecs are known by their encoding only."""
    return isinstance(stream, io.TextIOBase) or getattr(stream, "encoding", None) is not None


def _into_stream(stream: Any) -> Put:
    if is_text(stream):
        return lambda piece: stream.write(piece.decode("utf-8"))
    put: Put = stream.write
    return put


@contextlib.contextmanager
def _file(path: Path) -> Iterator[Put]:
    """A file is replaced when it is complete; a device or a pipe cannot be replaced."""
    unchanged = "; nothing was changed"
    try:
        goal = path.resolve() if path.is_symlink() else path
        if goal.is_dir():
            raise CorpusError(
                "this is a directory, but the name of a file is wanted", place=Place(path=str(path))
            )
        if goal.exists() and not goal.is_file():
            unchanged = ""
            with goal.open("wb") as out:
                yield out.write
        else:
            with _replaced(goal) as put:
                yield put
    except OSError as error:
        raise CorpusError(
            f"{path!s:.200}: the file cannot be written ({error.strerror or error}){unchanged}",
            path=str(path),
        ) from error


@contextlib.contextmanager
def _replaced(goal: Path) -> Iterator[Put]:
    """Write a file whole or not at all; one that ends in .gz is packed."""
    with replaced(goal) as out:
        if goal.suffix == ".gz":
            # No name and no time inside: the same corpus gives the same bytes.
            with gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0) as packed:
                yield packed.write
        else:
            yield out.write
