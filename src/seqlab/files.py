"""Atomic writing: a file appears under its name only when it is complete."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces `path` when the block ends without an error.

    It is written to a temporary file in the same folder, synced to disk, then renamed; it keeps the permissions of the
    old file. After an error the old file is unchanged, and the temporary one is removed.
    """
    target = Path(os.path.realpath(path))
    mode = _mode_of(target)
    # In the same folder, because only there is renaming atomic.
    temporary = target.with_name(f".{target.name[:100]}.{os.urandom(8).hex()}.tmp")
    try:
        with temporary.open("xb") as file:
            if mode is not None:
                temporary.chmod(mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        if error.filename == str(temporary):  # the user does not know the temporary name
            raise type(error)(error.errno, error.strerror, str(path)) from None
        raise
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    _sync_folder(target.parent)


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file atomically; text as UTF-8, with a question mark for characters that UTF-8 cannot encode."""
    with replaced(path) as file:
        file.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)


def _mode_of(target: Path) -> int | None:
    """Return the permissions of the file that will be replaced, if there is one."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise FileExistsError(17, "it is there already and is no file", str(target))
    return stat.S_IMODE(found.st_mode)


def _sync_folder(folder: Path) -> None:
    """Sync the folder, so that the new name survives a crash; skipped where folders cannot be opened."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
