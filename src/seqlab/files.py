"""Atomic writing: a file appears under its name only when it is complete."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from seqlab.errors import FileError, OptionError


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces `path` when the block ends without an error.

    It is written to a temporary file in the same folder, synced to disk, then renamed; it keeps the permissions of the
    old file. After an error the old file is unchanged, and the temporary one is removed; one that a killed program
    left is removed by the next that writes the same file.
    """
    target = Path(os.path.realpath(checked_name(path)))
    mode = _mode_of(target)
    _remove_leftovers(target)
    temporary, file = target, None
    try:
        temporary, file = _opened_beside(target)
        if mode is not None:
            temporary.chmod(mode)
        yield file
        file.flush()
        os.fsync(file.fileno())
        if os.name == "nt":  # which renames closed files only, and has no locks
            file.close()
        temporary.replace(target)
    except OSError as error:
        if _is_temporary(target, os.path.basename(str(error.filename))):  # noqa: PTH119  the user does not know the temporary name
            raise type(error)(error.errno, error.strerror, str(path)) from None
        raise
    finally:
        if file is not None:
            with contextlib.suppress(OSError):  # the bytes are on disk, or there was an error already
                file.close()
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
    _sync_folder(target.parent)


def checked_name(path: str | os.PathLike[str]) -> str:
    """Return a path as a string; a name that no file can have is an error."""
    name = os.fsdecode(path)
    try:
        bad = b"\0" in os.fsencode(name)
    except UnicodeEncodeError:  # half of a surrogate pair, which no encoding of names has
        bad = True
    if bad:
        raise OptionError(
            f"{name!r:.200} cannot be the name of a file: it has a character that no name can have"
        )
    return name


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file atomically; text as UTF-8, with a question mark for characters that UTF-8 cannot encode."""
    try:
        with replaced(path) as file:
            file.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)
    except OSError as error:
        raise FileError.of(error, os.fsdecode(path)) from error


def _beginning(target: Path) -> str:
    """Return how the names of temporary files of a target begin; short, for a file system that counts bytes."""
    return f".{target.name[:40]}."


def _is_temporary(target: Path, name: str) -> bool:
    """Return True for the name of a temporary file of a target."""
    return re.fullmatch(re.escape(_beginning(target)) + r"[0-9a-f]{16}\.tmp", name) is not None


def _opened_beside(target: Path) -> tuple[Path, BinaryIO]:
    """Make a temporary file in the same folder, because only there is renaming atomic, and lock it."""
    while True:
        temporary = target.with_name(f"{_beginning(target)}{os.urandom(8).hex()}.tmp")
        file = temporary.open("xb")
        locked(file.fileno())  # until it is closed, also by the end of the program
        if os.fstat(file.fileno()).st_nlink:
            return temporary, file
        with contextlib.suppress(OSError):  # another program took it for a leftover before it was locked
            file.close()


def locked(handle: int) -> bool:
    """Lock an open file until it is closed; False if another has the lock, or the system has no locks."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _remove_leftovers(target: Path) -> None:
    """Remove temporary files of this target that no running program writes."""
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for found in [entry.path for entry in entries if _is_temporary(target, entry.name)]:
            with contextlib.suppress(OSError):
                _remove_unlocked(found)


def _remove_unlocked(path: str) -> None:
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        if stat.S_ISREG(os.fstat(handle).st_mode) and locked(handle):
            os.unlink(path)  # noqa: PTH108
    finally:
        os.close(handle)


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
