"""Shard files: arrays of contiguous sentences, page-aligned, read piece by piece, named by their content.

    bytes 0-7       "SEQSHARD"
    bytes 8-15      length of the header, little-endian
    header          JSON: {"arrays": {name: [dtype, shape, offset]}, "facts": {...}}
    arrays          each at a multiple of a page

A file is called by the digest of its bytes, so that a shard whose bytes have changed does not have its name any more.
They are compared when it is opened; from then on every piece that is read is followed by a look at the size and the
times of the file, so that nothing is used of one that is cut off, changed or removed later. Nothing is mapped: a mapped
file that is cut off would end the program.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.errors import Place, StoreError
from seqlab.files import replaced

MAGIC = b"SEQSHARD"
PAGE = mmap.ALLOCATIONGRANULARITY
SUFFIX = ".shard"
DIGITS = 32  # of the digest, in a name

Array = npt.NDArray[Any]


Spot = tuple[_core.CheckedFile, int, int]  # of an array: its file, its first byte, and the bytes of a row


class Arrays(Mapping[str, Array]):
    """The arrays of an open shard, each read when it is asked for."""

    def __init__(
        self, file: _core.CheckedFile, places: Mapping[str, tuple[np.dtype[Any], list[int], int]]
    ) -> None:
        self._file, self._places = file, places

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __getitem__(self, name: str) -> Array:
        kind, shape, at = self._places[name]
        made = np.empty(shape, dtype=kind)
        if made.size:
            with unchanged():
                self._file.read(at, made.reshape(-1).view(np.uint8))
        return made

    def size(self, name: str) -> int:
        """Return the length of an array, without reading it."""
        return int(self._places[name][1][0])

    def bytes(self, name: str) -> int:
        """Return the bytes that an array takes."""
        kind, shape, _ = self._places[name]
        return kind.itemsize * int(np.prod(shape, dtype=np.int64))

    def spot(self, name: str) -> Spot:
        """Return the place of an array, for the core, which reads it piece by piece."""
        kind, shape, at = self._places[name]
        return self._file, at, kind.itemsize * int(np.prod(shape[1:], dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """An open shard.

    path     of its file
    arrays   by name
    facts    what else was written
    """

    path: Path
    arrays: Arrays
    facts: Mapping[str, Any]


def write_shard(folder: Path, arrays: Mapping[str, Array], facts: Mapping[str, Any] | None = None) -> str:
    """Write arrays to a shard file in a folder, and return its name."""
    places: dict[str, tuple[str, list[int], int]] = {}
    kept = {name: np.ascontiguousarray(array) for name, array in arrays.items()}

    def header(begin: int) -> bytes:
        at = begin
        for name, array in kept.items():
            places[name] = (array.dtype.str, list(array.shape), at)
            at += -(-array.nbytes // PAGE) * PAGE
        return json.dumps({"arrays": places, "facts": dict(facts or {})}, separators=(",", ":")).encode()

    begin = PAGE
    while len(content := header(begin)) + 16 > begin:
        begin += PAGE
    digest = hashlib.sha256()
    temporary = folder / "next.shard"
    try:
        with temporary.open("wb") as file:

            def put(data: Any) -> None:
                digest.update(data)
                file.write(data)

            put((MAGIC + len(content).to_bytes(8, "little") + content).ljust(begin, b"\0"))
            for array in kept.values():
                put(array.reshape(-1).view(np.uint8).data)
                put(b"\0" * (-array.nbytes % PAGE))
            file.flush()
            os.fsync(file.fileno())
        name = digest.hexdigest()[:DIGITS] + SUFFIX
        temporary.replace(folder / name)
    except OSError as error:
        raise disk_error(error, folder) from error
    return name


def open_shard(path: str | os.PathLike[str]) -> Shard:
    """Open a shard file, and compare its bytes with its name."""
    file_path = Path(path)
    with unchanged():
        file = _core.CheckedFile(os.fspath(file_path))
        if _digest_of(file)[:DIGITS] + SUFFIX != file_path.name:
            raise altered(file_path)
        try:
            told = json.loads(_read(file, 16, int.from_bytes(_read(file, 8, 8), "little")))
            places = {name: (np.dtype(kind), shape, at) for name, (kind, shape, at) in told["arrays"].items()}
            facts = told["facts"]
        except (ValueError, KeyError, TypeError) as error:  # not ours, though its name fits
            raise altered(file_path) from error
    return Shard(file_path, Arrays(file, places), facts)


def _read(file: _core.CheckedFile, at: int, size: int) -> bytes:
    if at + size > file.size:
        raise altered(Path(file.path))
    made = np.empty(size, dtype=np.uint8)
    file.read(at, made)
    return made.tobytes()


def _digest_of(file: _core.CheckedFile) -> str:
    digest, room = hashlib.sha256(), np.empty(1 << 20, dtype=np.uint8)
    for at in range(0, file.size, len(room)):
        piece = room[: min(len(room), file.size - at)]
        file.read(at, piece)
        digest.update(piece.data)
    return digest.hexdigest()


@contextlib.contextmanager
def unchanged() -> Iterator[None]:
    """Make the error of the core for a file that is gone or has changed one of ours, which says what to do."""
    try:
        yield
    except _core.FileChanged as error:
        path = Path(str(error))
        raise (altered if path.exists() else _gone)(path) from None


def _gone(path: Path) -> StoreError:
    return StoreError(
        "a shard of the cache is gone; remove the folder that it was in, and it is made anew",
        place=Place(path=str(path)),
    )


class Shards(Sequence[Shard]):
    """The shards of an entry, each opened, and compared with its name, when it is first asked for."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._paths = [folder / name for name in names]
        self._open: dict[int, Shard] = {}

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(number)
        number %= len(self)
        if number not in self._open:
            self._open[number] = open_shard(self._paths[number])
        return self._open[number]


def altered(path: Path) -> StoreError:
    """Make the error for a file of the cache that is not as it was written."""
    return StoreError(
        "this file of the cache was changed or cut off after it was written; remove the folder that it is in, and it "
        "is made anew",
        place=Place(path=str(path)),
    )


def disk_error(error: OSError, folder: Path) -> StoreError:
    """Make the error for a cache that cannot be written."""
    return StoreError(
        f"the cache cannot be written: {error.strerror or error}; nothing of this step is kept. Make room, or choose "
        f"another folder with cache=",
        place=Place(path=str(folder)),
    )


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a small file of the cache, atomically."""
    try:
        with replaced(path) as file:
            file.write(json.dumps(content, indent=1, sort_keys=True).encode())
    except OSError as error:
        raise disk_error(error, path.parent) from error
