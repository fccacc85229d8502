"""The cache of a training on disk: entries made once, whole or not at all, found again by what they are made of."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from seqlab.errors import OptionError, Place, StoreError
from seqlab.files import checked_name
from seqlab.scale.shards import altered, disk_error, write_json

MANIFEST = "manifest.json"
FORMAT = 3  # of entries; others are not looked at
LEFT = re.compile(r"\.[a-z]+(?:-[0-9a-f]{16})?\.([0-9a-f]{8})\.(\d+)\.[0-9a-f]{8}\.tmp")  # machine, program

Facts = dict[str, Any]


class Cache:
    """A folder of entries.

    An entry is a folder of its own, called by its kind and the digest of what it was made of. It is made under another
    name, its manifest is written last, and it is renamed when it is complete: what a killed program leaves is never
    taken for an entry, and other files of the folder are not touched.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def entry(self, kind: str, made_of: Any, make: Callable[[Path], Facts]) -> tuple[Path, Facts]:
        """Return the folder and the facts of an entry, which make(folder) writes and returns if there is none yet.

        made_of   everything that the entry depends on, as plain data
        """
        key = digest_of([FORMAT, kind, made_of])
        path = self.folder / f"{kind}-{key}"
        if not path.exists():
            self._make(path, make)
        return path, read_manifest(path)

    def _make(self, path: Path, make: Callable[[Path], Facts]) -> None:
        with self.temporary(path.name) as made:
            try:
                facts = make(made)
            except OSError as error:
                raise disk_error(error, self.folder) from error
            write_json(made / MANIFEST, facts)
            with contextlib.suppress(OSError):  # another program was quicker: its entry is as good
                made.rename(path)
            if not path.exists():
                raise StoreError(
                    "the cache cannot be written: a finished entry could not be renamed",
                    place=Place(path=str(path)),
                )

    @contextlib.contextmanager
    def temporary(self, name: str) -> Iterator[Path]:
        """Make a folder for a while: it is removed at the end, and if the program is killed, by the next one."""
        self._remove_leftovers()
        made = self.folder / f".{name}.{_machine()}.{os.getpid()}.{secrets.token_hex(4)}.tmp"
        try:
            made.mkdir()
        except OSError as error:
            raise disk_error(error, self.folder) from error
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def _remove_leftovers(self) -> None:
        """Remove what programs of this machine that are gone have left."""
        for one in self.folder.glob(".*.tmp"):
            found = LEFT.fullmatch(one.name)
            if found and found[1] == _machine() and not _alive(int(found[2])):
                shutil.rmtree(one, ignore_errors=True)


def _machine() -> str:
    """Name this machine in a few digits: only here can anyone tell if a program is gone."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def read_manifest(path: Path) -> Facts:
    """Read the facts of an entry; a folder without them is no entry of ours."""
    try:
        told = json.loads((path / MANIFEST).read_bytes())
    except FileNotFoundError:
        raise StoreError(
            f"the folder has no {MANIFEST}, so it is not complete or not ours; remove it, and it is made anew",
            place=Place(path=str(path)),
        ) from None
    except OSError as error:
        raise StoreError(
            f"the cache cannot be read ({error.strerror or error})", place=Place(path=str(path / MANIFEST))
        ) from error
    except ValueError:
        raise altered(path / MANIFEST) from None
    if not isinstance(told, dict):
        raise altered(path / MANIFEST)
    return told


def digest_of(value: Any) -> str:
    """Compute a short digest of plain data."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def digest_of_file(path: str) -> str:
    """Compute the digest of the bytes of a file."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise StoreError(
            f"the file cannot be read ({error.strerror or error})", place=Place(path=path)
        ) from error


@contextlib.contextmanager
def opened(cache: str | os.PathLike[str] | None) -> Iterator[Cache]:
    """Open a cache in a folder, which is made if there is none; without a name in a temporary one, removed after."""
    if cache is None:
        with tempfile.TemporaryDirectory(prefix="seqlab-cache-") as name:
            yield Cache(Path(name))
        return
    if not isinstance(cache, (str, os.PathLike)):
        raise OptionError(f"cache must be the path of a folder, got {cache!r:.60}", option="cache")
    folder = Path(checked_name(cache))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OptionError(
            f"cache={str(folder)!r} is a file, but a folder is wanted; name another", option="cache"
        ) from None
    except OSError as error:
        raise disk_error(error, folder) from error
    yield Cache(folder)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def names_of(shards: Mapping[str, Any]) -> list[str]:
    """Return the names of the shards of an entry: their digests, which name the data they hold."""
    return [str(name) for name in shards["shards"]]
