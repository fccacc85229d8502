"""What commands write: bytes to standard output or to a file that is there whole or not at all."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from seqlab.errors import OptionError


def check_target(path: str, what: str) -> None:
    """Refuse a name that cannot be a file's before anything is read; `what` will be in it."""
    from pathlib import Path

    target = Path(path)
    if target.is_dir():
        raise OptionError(f"{path}: this is a directory, but {what} needs the name of a file")
    if not target.parent.is_dir():
        raise OptionError(f"{path}: there is no folder {str(target.parent)!r}; make it first")


def put_pieces(target: str, pieces: Iterable[bytes]) -> None:
    """Write bytes as they come, to a file or for - to standard output."""
    if target == "-":
        for piece in pieces:
            put_bytes(piece)
        sys.stdout.buffer.flush()
        return
    from seqlab.cli.terminal.signals import orderly
    from seqlab.corpus.io.writer import opened_target

    with orderly(), opened_target(target) as put:
        for piece in pieces:
            put(piece)


def put_bytes(data: bytes) -> None:
    """Write bytes to standard output, all of them: with PYTHONUNBUFFERED a pipe takes some at a time."""
    out, rest = sys.stdout.buffer, memoryview(data)
    while rest:
        rest = rest[out.write(rest) or 0 :]
