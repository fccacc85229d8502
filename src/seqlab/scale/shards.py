"""Shard files: arrays of contiguous sentences, page-aligned, mapped when opened, named by their content.

    bytes 0-7       "SEQSHARD"
    bytes 8-15      length of the header, little-endian
    header          JSON: {"arrays": {name: [dtype, shape, offset]}, "facts": {...}}
    arrays          each at a multiple of a page

A file is called by the digest of its bytes, so that a shard whose bytes have changed does not have its name any more.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.errors import Place, StoreError
from seqlab.files import replaced

MAGIC = b"SEQSHARD"
PAGE = mmap.ALLOCATIONGRANULARITY
SUFFIX = ".shard"
DIGITS = 32  # of the digest, in a name

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """An open shard.

    path     of its file
    arrays   mapped, by name
    facts    what else was written
    whole    the mapped bytes of the file, for those who let go of its pages
    """

    path: Path
    arrays: Mapping[str, Array]
    facts: Mapping[str, Any]
    whole: npt.NDArray[np.uint8]


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


def open_shard(path: str | os.PathLike[str], *, verify: bool = True) -> Shard:
    """Map a shard file.

    verify   compare the digest of its bytes with its name, which reads all of them
    """
    file_path = Path(path)
    try:
        with file_path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            whole: npt.NDArray[np.uint8] = (
                np.memmap(file, dtype=np.uint8, mode="r") if size else np.zeros(0, dtype=np.uint8)
            )
    except FileNotFoundError:
        raise StoreError(
            "a shard of the cache is gone; remove the folder that it was in, and it is made anew",
            place=Place(path=str(path)),
        ) from None
    except OSError as error:
        raise StoreError(
            f"a shard of the cache cannot be read ({error.strerror or error})", place=Place(path=str(path))
        ) from error
    if verify:
        digest = hashlib.sha256(whole.data).hexdigest()
        let_go(whole)
        if digest[:DIGITS] + SUFFIX != file_path.name:
            raise altered(file_path)
    try:
        length = int.from_bytes(whole[8:16].tobytes(), "little")
        if whole[:8].tobytes() != MAGIC or 16 + length > size:
            raise altered(file_path)
        told = json.loads(whole[16 : 16 + length].tobytes())
        arrays = {}
        for name, (dtype, shape, at) in told["arrays"].items():
            kind = np.dtype(dtype)
            count = int(np.prod(shape, dtype=np.int64))
            if at + count * kind.itemsize > size:
                raise altered(file_path)
            flat = np.frombuffer(whole, dtype=kind, count=count, offset=at) if count else np.zeros(0, kind)
            arrays[name] = flat.reshape(shape)
    except (ValueError, KeyError, TypeError) as error:
        raise altered(file_path) from error
    return Shard(file_path, arrays, told["facts"], whole)


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


def let_go(whole: npt.NDArray[np.uint8]) -> None:
    """Let the system take back the pages of a mapped file; they are read again when they are needed."""
    mapped = getattr(whole, "_mmap", None)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


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
