"""Write models to files: under a temporary name first, then renamed to replace the old one."""

from __future__ import annotations

import io
import json
import os
import sys
from typing import Any, BinaryIO

import numpy as np

from seqlab.errors import StoreError
from seqlab.files import replaced
from seqlab.store.reading import (
    ALIGNMENT,
    CODES,
    FORMAT,
    METADATA,
    MOST_HEADER,
    NO_DIGEST,
    VERSION,
    file_name,
)
from seqlab.store.state import Array, State, as_utf8

NAMES = {np.dtype(f"<{code}"): name for name, code in CODES.items()}


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, atomically."""
    state = getattr(model, "state", None)
    if not callable(state):
        raise StoreError(f"a model that can be stored is wanted, got {model!r:.80}")
    write(path, state())


def write(path: str | os.PathLike[str], state: State) -> str:
    """Write a state to a file, atomically: readers find the old file or the new one. Returns its checksum."""
    header, tensors = _laid_out(state)
    name = file_name(path)
    try:
        with replaced(name) as file:
            return _put(file, header, tensors)
    except OSError as error:
        raise StoreError(f"cannot write {name!r}: {error.strerror or error}", path=name) from error


def as_bytes(state: State) -> bytes:
    """Return the bytes that write() would write."""
    buffer = io.BytesIO()
    _put(buffer, *_laid_out(state))
    return buffer.getvalue()


# ------------------------------------------------------------------------------------------------ layout


def _put(file: BinaryIO, header: bytes, tensors: list[Array]) -> str:
    import hashlib  # slow to import

    digest = hashlib.sha256(header)
    file.write(header)
    for tensor in tensors:
        view = tensor.reshape(-1).view(np.uint8).data
        digest.update(view)
        file.write(view)
    file.seek(header.rindex(NO_DIGEST.encode()))
    file.write(digest.hexdigest().encode())
    return digest.hexdigest()


def _laid_out(state: State) -> tuple[bytes, list[Array]]:
    """Lay out the beginning of the file up to the data, and the tensors in order."""
    tensors = {name: _plain(name, array) for name, array in state.arrays.items()}
    # Arrays of whole cache lines come first among those of equal item size, so that each begins on one.
    keys = ((-one.dtype.itemsize, one.nbytes % ALIGNMENT != 0, name) for name, one in tensors.items())
    order = [name for _, _, name in sorted(keys)]
    header: dict[str, Any] = {}
    end = 0
    for name in order:
        tensor = tensors[name]
        places = [end, end := end + tensor.nbytes]
        header[name] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": places}
    # Last, so that the position of the digest is known from the end.
    header[METADATA] = {
        "format": FORMAT,
        "version": str(VERSION),
        "seqlab": library_version(),
        "kind": as_utf8(state.kind, "the kind").decode(),
        "settings": _json(state.settings, "settings"),
        "record": _json(state.record, "record"),
        "sha256": NO_DIGEST,
    }
    content = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    content += b" " * (-(len(content) + 8) % ALIGNMENT)
    if len(content) > MOST_HEADER:
        raise StoreError(
            f"the settings and names of the model take {len(content)} bytes, but a model file has room "
            f"for {MOST_HEADER}; keep long lists as arrays"
        )
    return len(content).to_bytes(8, "little") + content, [tensors[name] for name in order]


def _plain(name: str, array: Array) -> Array:
    """Convert an array to its form in the file: little-endian, C order."""
    if not isinstance(array, np.ndarray):
        raise StoreError(f"the array {name!r} is no NumPy array but {array!r:.80}")
    plain = np.ascontiguousarray(array).reshape(array.shape)  # ascontiguousarray makes () into (1,)
    plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    if plain.dtype not in NAMES:
        raise StoreError(f"the array {name!r} holds {plain.dtype}, which a model file cannot")
    if not name or name == METADATA:
        raise StoreError(f"an array cannot be called {name!r}")
    as_utf8(name, "the name of an array")
    return plain


def library_version() -> str:
    """Return the version of seqlab that runs, whatever is installed meanwhile."""
    return str(
        sys.modules["seqlab"].__version__
    )  # which stands above this room, and is there whenever this runs


def _json(value: dict[str, Any], where: str) -> str:
    _check_plain(value, where)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=lambda scalar: scalar.item())


def _check_plain(value: Any, where: str) -> None:
    """Reject values that JSON cannot represent exactly."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise StoreError(f"{where} cannot be stored: keys must be strings, but there is {key!r:.80}")
            as_utf8(key, f"a key of {where}")
            _check_plain(inner, f"{where}[{key!r:.40}]")
    elif isinstance(value, (list, tuple)):
        for number, inner in enumerate(value):
            _check_plain(inner, f"{where}[{number}]")
    elif isinstance(value, str):
        as_utf8(value, where)
    elif value is not None and not isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)):
        raise StoreError(f"{where} cannot be stored: it is {value!r:.80}, not a string, number, list or dict")
