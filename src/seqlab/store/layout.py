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
from typing import Any

import numpy as np

from seqlab.errors import StoreError

FORMAT = "seqlab"
VERSION = 1
METADATA = "__metadata__"
NO_DIGEST = "0" * 64
ALIGNMENT = 64  # of the data: what vector code likes best
MOST_HEADER = 100_000_000  # bytes; other readers of the format have the same limit
MOST_AXES = 8
FOREIGN = (b"lCRF", b"version: ", b"#mdl#")  # how models of other programs begin

DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "I64": np.dtype("<i8"),
    "U64": np.dtype("<u8"),
    "F32": np.dtype("<f4"),
    "I32": np.dtype("<i4"),
    "U32": np.dtype("<u4"),
    "F16": np.dtype("<f2"),
    "I16": np.dtype("<i2"),
    "U16": np.dtype("<u2"),
    "I8": np.dtype("i1"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype("?"),
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def file_name(path: str | os.PathLike[str]) -> str:
    """The path as a string."""
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path
    if not isinstance(name, str) or not name or "\0" in name:
        raise StoreError(f"the path of a model file is wanted, got {path!r:.80}")
    return name
