"""Read model files: mapped when they are large, and checked before use.

A model file is a safetensors file:

    8 bytes      length of the header, little-endian
    header       JSON: name -> {"dtype", "shape", "data_offsets"}, and "__metadata__": string -> string; then blanks
    data         the tensors end to end, little-endian, without holes

Tensors are sorted by falling item size, so that each is aligned in the mapped file. Our metadata:

    format       "seqlab"
    version      of this layout; a reader refuses what is newer than itself
    kind         of the model
    settings     JSON
    record       JSON
    seqlab       the version of the library that wrote the file
    sha256       of the whole file, with 64 zeros instead of this number
"""

from __future__ import annotations

import json
import math
import mmap
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from seqlab.errors import OptionError, Place, SeqlabError, StoreError
from seqlab.files import checked_name
from seqlab.store.state import Array, State

FORMAT = "seqlab"
VERSION = 1
METADATA = "__metadata__"
NO_DIGEST = "0" * 64
ALIGNMENT = 64  # of the data: what vector code likes best
MOST_HEADER = 100_000_000  # bytes; other readers of the format have the same limit
MOST_AXES = 8
MAPPED = 1 << 22  # bytes; smaller files are read, in at most 0.2 ms
FOREIGN = (b"lCRF", b"version: ", b"#mdl#")  # first bytes of models of other programs

# Types of tensors in the format and in NumPy: F64 is f8.
CODES = {f"{kind}{8 * size}": f"{kind.lower()}{size}" for kind in "FIU" for size in (8, 4, 2, 1)}
CODES = {name: code for name, code in CODES.items() if name != "F8"} | {"BOOL": "?"}
# Exceptions that corrupt data may raise in code that expects valid data.
MISFITS = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError)

Model = TypeVar("Model")
Kinds = Mapping[str, Callable[[State], Model]]  # constructors of models from states, by kind
Functions = Mapping[str, Callable[..., Any]]
Buffer = bytes | mmap.mmap


# ------------------------------------------------------------------------------------------------ models


def load(
    path: str | os.PathLike[str],
    kinds: Kinds[Model],
    *,
    functions: Functions | None = None,
    verify: bool = False,
    mapped: bool = True,
) -> Model:
    """Read a model.

    kinds       functions that make a model from a state, by kind
    functions   feature functions that the model needs, by name: a file has only their names, and loading one never
                imports or runs code that it names
    verify      also compare the file with the checksum in it
    mapped      False reads a large file instead of mapping it
    """
    name = file_name(path)
    return _made(read(name, verify=verify, mapped=mapped), kinds, functions, name)


def from_bytes(
    content: bytes, kinds: Kinds[Model], *, functions: Functions | None = None, verify: bool = False
) -> Model:
    """Read a model from the result of as_bytes(); the options are those of load()."""
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise StoreError(f"the bytes of a model are wanted, got {content!r:.80}")
    return _made(revived(bytes(content), verify=verify), kinds, functions, None)


def _made(state: State, kinds: Kinds[Model], functions: Functions | None, where: str | None) -> Model:
    if state.kind not in kinds:
        known = ", ".join(map(repr, sorted(kinds)))
        raise StoreError(
            f"models of kind {state.kind!r:.80} are unknown here, only {known}", place=Place(path=where)
        )
    with misfits_told(where):
        return kinds[state.kind](state.replaced(functions=dict(functions or {}), where=where))


@contextmanager
def misfits_told(where: str | None) -> Iterator[None]:
    """Convert every error to one about the file `where`, while a model is made from the file."""
    try:
        yield
    except SeqlabError as error:
        raise StoreError(error.message, place=error.place._replace(path=where)) from error
    except MemoryError as error:
        more = f" ({error!s:.100})" if str(error) else ""
        message = f"there is not enough memory for this model{more}; the file may be in order"
        raise StoreError(message, place=Place(path=where)) from error
    except MISFITS as error:
        raise StoreError(
            f"what the file says does not fit together: {type(error).__name__}: {error!s:.200}",
            place=Place(path=where),
        ) from error


# ------------------------------------------------------------------------------------------------ files


def file_name(path: str | os.PathLike[str]) -> str:
    """Return the path as a string."""
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path
    if not isinstance(name, str) or not name or "\0" in name:
        raise StoreError(f"the path of a model file is wanted, got {path!r:.80}")
    try:
        return checked_name(name)
    except OptionError as error:
        raise StoreError(error.message) from None


def read(path: str | os.PathLike[str], *, verify: bool | str = False, mapped: bool = True) -> State:
    """Read a model file. The arrays of a large one are mapped: they come from the disk when they are used.

    verify   also compare the file with the checksum in it, which means to read every byte; a string is the checksum
             that it must have
    mapped   False reads large files too, so that later changes of the file have no effect
    """
    name = file_name(path)
    try:
        return _state(_content(name, mapped=mapped), verify=verify)
    except StoreError as error:
        raise error.at(path=name) from error.__cause__
    except OSError as error:
        raise StoreError(f"cannot read {name!r}: {error.strerror or error}", path=name) from error


def is_foreign(path: str | os.PathLike[str]) -> bool:
    """Return True if a file begins as a model of another program does; a file that cannot be read does not."""
    name = file_name(path)
    try:
        with open(name, "rb", opener=_at_once) as file:
            found = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return found and _begins_foreign(file.read(16))
    except OSError:
        return False


def _at_once(name: str, flags: int) -> int:
    """Open without waiting: a pipe would else wait for its writer."""
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def _begins_foreign(content: Buffer) -> bool:
    return any(content[: len(start)] == start for start in FOREIGN)


def revived(content: bytes, *, verify: bool = False) -> State:
    """Return the state from the result of as_bytes()."""
    return _state(content, verify=verify)


def _content(name: str, *, mapped: bool) -> Buffer:
    with open(name, "rb", opener=_at_once) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise StoreError("this is no file, but a pipe or a device")
        if not mapped or found.st_size <= MAPPED:
            return file.read()
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _state(content: Buffer, *, verify: bool | str) -> State:
    if verify:
        _check_sum(content, verify if isinstance(verify, str) else None)
    header, data = _header(content)
    metadata = _metadata(header.pop(METADATA, None))
    return State(
        metadata["kind"],
        _object(metadata["settings"], "the settings"),
        _arrays(header, content, data),
        _object(metadata["record"], "the record"),
    )


# ------------------------------------------------------------------------------------------------ header


def _header(content: Buffer) -> tuple[dict[str, Any], int]:
    """Return the header, and the offset of the data."""
    size = len(content)
    if _begins_foreign(content):
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
    try:
        text = content[8 : 8 + length].decode()
    except UnicodeDecodeError as error:
        raise StoreError(f"the header is not UTF-8: {error.reason} at byte {error.start + 8}") from error
    return _object(text, "the header"), 8 + length


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
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise StoreError(f"the header has {twice!r:.80} twice")
    return made


def _metadata(given: Any) -> dict[str, str]:
    if not (isinstance(given, dict) and given.get("format") == FORMAT):
        raise StoreError("this is a safetensors file, but not one that seqlab wrote")
    version = given.get("version")
    if not (isinstance(version, str) and re.fullmatch("[0-9]{1,9}", version)):
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


def _arrays(header: dict[str, Any], content: Buffer, data: int) -> dict[str, Array]:
    """Make arrays of all tensors, which fill the file from `data` to its end."""
    room = len(content) - data
    placed = sorted((*_place(name, entry, room), name, entry) for name, entry in header.items())
    end = 0
    for begin, behind, name, _ in placed:
        if begin != end:
            what = "overlaps the one before it" if begin < end else "leaves a hole before it"
            raise StoreError(f"the tensor {name!r:.80} {what}: it begins at {begin}, {end} is wanted")
        end = behind
    if end != room:
        raise StoreError(f"the tensors have {end} bytes, but the file has {room} for them")
    return {name: _array(name, entry, content, data + begin) for begin, _, name, entry in placed}


def _place(name: str, entry: Any, room: int) -> tuple[int, int]:
    """Compute begin and end of a tensor; its entry in the header is checked."""
    if not (isinstance(entry, dict) and entry.keys() == {"dtype", "shape", "data_offsets"}):
        raise StoreError(
            f"the tensor {name!r:.80} should have dtype, shape and data_offsets, found {entry!r:.80}"
        )
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not (isinstance(dtype, str) and dtype in CODES):
        raise StoreError(f"the tensor {name!r:.80} has the unknown dtype {dtype!r:.80}")
    # NumPy requires the limits also for an array without entries.
    sound = _sizes(shape) and len(shape) <= MOST_AXES and math.prod(max(size, 1) for size in shape) < 2**59
    if not sound:
        raise StoreError(f"the tensor {name!r:.80} has the impossible shape {shape!r:.80}")
    if not (_sizes(offsets) and len(offsets) == 2 and offsets[0] <= offsets[1] <= room):
        raise StoreError(
            f"the tensor {name!r:.80} should lie within {room} bytes, but its data_offsets are {offsets!r:.80}; "
            "is the file cut short?"
        )
    begin, end = offsets
    wanted = math.prod(shape) * np.dtype(f"<{CODES[dtype]}").itemsize
    if end - begin != wanted:
        raise StoreError(
            f"the tensor {name!r:.80} of shape {shape} and dtype {dtype} takes {wanted} bytes, found {end - begin}"
        )
    return begin, end


def _sizes(given: Any) -> bool:
    return isinstance(given, list) and all(type(size) is int and 0 <= size < 2**63 for size in given)


def _array(name: str, entry: dict[str, Any], content: Buffer, begin: int) -> Array:
    dtype, shape = np.dtype(f"<{CODES[entry['dtype']]}"), entry["shape"]
    count = math.prod(shape)
    if not count:
        return np.zeros(shape, dtype=dtype)
    raw = np.frombuffer(content, dtype=np.uint8, count=count * dtype.itemsize, offset=begin)
    if dtype.kind == "b" and raw.max() > 1:
        raise StoreError(f"the tensor {name!r:.80} should hold 0 and 1, found {raw.max()}")
    array = raw.view(dtype).reshape(shape)
    # Other writers may not align; and arrays in memory have this machine's byte order.
    array = array if array.flags.aligned else array.copy()
    return array.astype(dtype.newbyteorder("="), copy=False)


# ------------------------------------------------------------------------------------------------ checksum


def _check_sum(content: Buffer, wanted: str | None) -> None:
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
    if digest.hexdigest() != stated or wanted not in {None, stated}:
        raise StoreError("the file is not as it was written: its checksum differs")
