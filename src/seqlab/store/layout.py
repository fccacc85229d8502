"""The safetensors format, and what ours puts into it.

    8 bytes      length of the header, little-endian
    header       JSON: name -> {"dtype", "shape", "data_offsets"}, and "__metadata__": string -> string; then blanks
    data         the tensors end to end, little-endian, without holes

Tensors stand in order of falling item size, so that each is aligned where it is mapped. Our metadata:

    format       "seqlab"
    version      of this layout; a reader refuses what is newer than itself
    kind         of the model
    settings     JSON
    record       JSON
    seqlab       the version of the library that wrote the file
    sha256       of the whole file, with 64 zeros in the place of this number
"""

from __future__ import annotations

import os
import struct

from seqlab.errors import StoreError

FORMAT = "seqlab"
VERSION = 1
METADATA = "__metadata__"
NO_DIGEST = "0" * 64
ALIGNMENT = 64  # of the data: what vector code likes best
MOST_HEADER = 100_000_000  # bytes; other readers of the format have the same limit
MOST_AXES = 8
FOREIGN = (b"lCRF", b"version: ", b"#mdl#")  # how models of other programs begin

# What a tensor holds, as `struct`, memoryviews and NumPy name it.
CODES = {
    "F64": "d",
    "I64": "q",
    "U64": "Q",
    "F32": "f",
    "I32": "i",
    "U32": "I",
    "F16": "e",
    "I16": "h",
    "U16": "H",
    "I8": "b",
    "U8": "B",
    "BOOL": "?",
}
SIZES = {name: struct.calcsize(f"<{code}") for name, code in CODES.items()}  # bytes


def file_name(path: str | os.PathLike[str]) -> str:
    """The path as a string."""
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path
    if not isinstance(name, str) or not name or "\0" in name:
        raise StoreError(f"the path of a model file is wanted, got {path!r:.80}")
    return name
