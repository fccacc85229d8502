"""A file becomes a State: mapped, and nothing in it believed before it is checked."""

from __future__ import annotations

import json
import math
import mmap
import os
import stat
from typing import Any, NamedTuple

import numpy as np

from seqlab.errors import StoreError
from seqlab.store.layout import (
    CODES,
    FOREIGN,
    FORMAT,
    METADATA,
    MOST_AXES,
    MOST_HEADER,
    NO_DIGEST,
    SIZES,
    VERSION,
    file_name,
)
from seqlab.store.state import Array, State

Buffer = bytes | mmap.mmap


class Tensor(NamedTuple):
    """What the header says of a tensor, checked.

    dtype   a name in layout.CODES
    begin   the place of its first byte in the file
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    begin: int


def read(path: str | os.PathLike[str], *, verify: bool = False) -> State:
    """Read a model file. Its arrays are mapped: they come from the disk when they are used.

    verify   also compare the file with the checksum in it, which means to read every byte
    """
    name = file_name(path)
    try:
        content = _mapped(name)
        if verify:
            _check_sum(content)
        return _state(content)
    except StoreError as error:
        raise error.at(path=name) from error.__cause__
    except OSError as error:
        raise StoreError(f"cannot read {name!r}: {error.strerror or error}", path=name) from error


def revived(content: bytes, *, verify: bool = False) -> State:
    """The state in what as_bytes() gave."""
    if verify:
        _check_sum(content)
    return _state(content)


def _mapped(name: str) -> Buffer:
    with open(name, "rb") as file:  # noqa: PTH123  (pathlib is slow to import)
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise StoreError("this is no file")
        if not found.st_size:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _state(content: Buffer) -> State:
    header, data = _header(content)
    metadata = _metadata(header.pop(METADATA, None))
    arrays = {tensor.name: _array(tensor, content) for tensor in _tensors(header, len(content), data)}
    return State(
        metadata["kind"],
        _object(metadata["settings"], "the settings"),
        arrays,
        _object(metadata["record"], "the record"),
    )


# ------------------------------------------------------------------------------------------------ header


def _header(content: Buffer) -> tuple[dict[str, Any], int]:
    """The header, and where the data begins."""
    size = len(content)
    if any(content[: len(start)] == start for start in FOREIGN):
        raise StoreError(
            "this is a model of CRFsuite, CRF++ or Wapiti; seqlab.convert_model(path) makes it ours"
        )
    if size < 8:
        raise StoreError(f"this is no model file: it has {size} bytes, the length of a header takes 8")
    length = int.from_bytes(content[:8], "little")
    if length > MOST_HEADER or content[8:9] != b"{":
        raise StoreError("this is no model file: it does not begin as a safetensors file does")
    if length > size - 8:
        raise StoreError(f"the file is cut short: its header has {length} bytes, but only {size - 8} follow")
    return _object(_decoded(content[8 : 8 + length]), "the header"), 8 + length


def _decoded(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise StoreError(f"the header is not UTF-8: {error.reason} at byte {error.start + 8}") from error


def _object(text: str, what: str) -> dict[str, Any]:
    try:
        value = json.loads(text, object_pairs_hook=_distinct)
    except StoreError:
        raise
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise StoreError(f"{what} is not JSON: {reason:.200}") from error
    if not isinstance(value, dict):
        raise StoreError(f"{what} should be a JSON object, found {value!r:.80}")
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise StoreError(f"the header has {key!r:.80} twice")
        made[key] = value
    return made


def _metadata(given: Any) -> dict[str, str]:
    if not (isinstance(given, dict) and given.get("format") == FORMAT):
        raise StoreError("this is a safetensors file, but not one that seqlab wrote")
    version = given.get("version")
    if not (isinstance(version, str) and version.isascii() and version.isdigit() and len(version) < 10):
        raise StoreError(f"the version of the format should be a number, found {version!r:.80}")
    if int(version) > VERSION:
        raise StoreError(
            f"the file has format {version}, this seqlab reads up to {VERSION}; it was written by seqlab "
            f"{given.get('seqlab')!r:.40}: update seqlab to read it"
        )
    for key in ("kind", "settings", "record"):
        if not isinstance(given.get(key), str):
            raise StoreError(
                f"the entry {key!r} of the metadata should be a string, found {given.get(key)!r:.80}"
            )
    return given


# ------------------------------------------------------------------------------------------------ tensors


def _tensors(header: dict[str, Any], size: int, data: int) -> list[Tensor]:
    """All of them, which fill a file of `size` bytes from `data` to its end."""
    room = size - data
    placed = sorted((*_place(name, entry, room), name, entry) for name, entry in header.items())
    end = 0
    for begin, behind, name, _ in placed:
        if begin != end:
            what = "overlaps the one before it" if begin < end else "leaves a hole before it"
            raise StoreError(f"the tensor {name!r:.80} {what}: it begins at {begin}, {end} is wanted")
        end = behind
    if end != room:
        raise StoreError(f"the tensors have {end} bytes, but the file has {room} for them")
    return [
        Tensor(name, entry["dtype"], tuple(entry["shape"]), data + begin) for begin, _, name, entry in placed
    ]


def _place(name: str, entry: Any, room: int) -> tuple[int, int]:
    """Where a tensor begins and ends; its entry in the header is checked on the way."""
    if not (isinstance(entry, dict) and entry.keys() == {"dtype", "shape", "data_offsets"}):
        raise StoreError(
            f"the tensor {name!r:.80} should have dtype, shape and data_offsets, found {entry!r:.80}"
        )
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not (isinstance(dtype, str) and dtype in CODES):
        raise StoreError(f"the tensor {name!r:.80} has the unknown dtype {dtype!r:.80}")
    if not (_sizes(shape) and len(shape) <= MOST_AXES and _addressable(shape)):
        raise StoreError(f"the tensor {name!r:.80} has the impossible shape {shape!r:.80}")
    if not (_sizes(offsets) and len(offsets) == 2 and offsets[0] <= offsets[1] <= room):
        raise StoreError(
            f"the tensor {name!r:.80} should lie within {room} bytes, but its data_offsets are {offsets!r:.80}; "
            "is the file cut short?"
        )
    begin, end = offsets
    wanted = math.prod(shape) * SIZES[dtype]
    if end - begin != wanted:
        raise StoreError(
            f"the tensor {name!r:.80} of shape {shape} and dtype {dtype} takes {wanted} bytes, found {end - begin}"
        )
    return begin, end


def _sizes(given: Any) -> bool:
    return isinstance(given, list) and all(type(size) is int and 0 <= size < 2**63 for size in given)


def _addressable(shape: list[int]) -> bool:
    """NumPy wants this of an array without any entry, too."""
    return math.prod(max(size, 1) for size in shape) < 2**59


def _array(tensor: Tensor, content: Buffer) -> Array:
    dtype, count = np.dtype(f"<{CODES[tensor.dtype]}"), math.prod(tensor.shape)
    if not count:
        return np.zeros(tensor.shape, dtype=dtype)
    raw = np.frombuffer(content, dtype=np.uint8, count=count * dtype.itemsize, offset=tensor.begin)
    if dtype.kind == "b" and raw.max() > 1:
        raise StoreError(f"the tensor {tensor.name!r:.80} should hold 0 and 1, found {raw.max()}")
    array = raw.view(dtype).reshape(tensor.shape)
    # Other writers may not align; and what is kept in memory is of this machine's byte order.
    array = array if array.flags.aligned else array.copy()
    return array.astype(dtype.newbyteorder("="), copy=False)


# ------------------------------------------------------------------------------------------------ checksum


def _check_sum(content: Buffer) -> None:
    header, data = _header(content)
    metadata = header.get(METADATA)
    stated = metadata.get("sha256") if isinstance(metadata, dict) else None
    if not (isinstance(stated, str) and len(stated) == len(NO_DIGEST) and stated.isascii()):
        raise StoreError("the file has no checksum")
    head = content[:data]
    at = head.rfind(stated.encode())
    blank = head[:at] + NO_DIGEST.encode() + head[at + len(stated) :]
    import hashlib  # slow to import

    digest = hashlib.sha256(blank)
    with memoryview(content) as view:
        digest.update(view[data:])
    if digest.hexdigest() != stated:
        raise StoreError("the file is not as it was written: its checksum differs")
