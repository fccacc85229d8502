"""CRFsuite's binary models.

    header     "lCRF", size of the file, "FOMC", version; counts; where each chunk begins
    "FEAT"     weights: (kind, from, to, weight) -- kind 0 from an attribute to a label, 1 from a label to a label
    "CQDB"     twice: the names of the labels, and of the attributes, by number
    "LFRF", "AFRF"   which weights each label and attribute has, which the weights say themselves

A chunk of names:

    header     "CQDB", size, flags, 0x62445371, room for names, where the places of the names stand
    tables     256 pairs of numbers, which lead from names to numbers; not needed here
    records    number, length of the name with its closing 0, the name
    places     of record 0, 1, 2, ..., from the beginning of this chunk

All numbers are little-endian and have 4 bytes; weights are doubles.
"""

from __future__ import annotations

import struct

import numpy as np

from seqlab.errors import StoreError
from seqlab.foreign.parts import MOST_LABELS, ForeignModel, Weighted, check_labels, decoded

MAGIC = b"lCRF"
_HEADER = struct.Struct("<4sI4sIIIIIIIII")
_CHUNK = struct.Struct("<4sII")
_WEIGHT = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
STATE, MOVE = 0, 1
_NAMES = struct.Struct("<4sIIIII")
_RECORD = struct.Struct("<II")
BYTE_ORDER = 0x62445371


def read(content: bytes, encoding: str) -> ForeignModel:
    """Read the model in a file of CRFsuite."""
    if len(content) < _HEADER.size:
        raise StoreError(
            f"the file is cut short: the header takes {_HEADER.size} bytes, but there are only {len(content)}"
        )
    _, size, kind, version, _, L, K, at_weights, at_labels, at_attributes, *_ = _HEADER.unpack_from(content)
    if size > len(content):
        raise StoreError(f"the file is cut short: it should have {size} bytes, but has {len(content)}")
    if kind != b"FOMC" or version != 100:
        raise StoreError(
            f"byte 8: a model of kind b'FOMC' and version 100 is wanted, found {kind!r} and {version}"
        )
    if L > MOST_LABELS:
        raise StoreError(f"byte 20: the model has {L} labels, but {MOST_LABELS} is the most")
    labels = _names(content, at_labels, L, "label", encoding)
    check_labels(labels)
    attributes = _names(content, at_attributes, K, "attribute", encoding)
    return _model(tuple(labels), attributes, _weights(content, at_weights), at_weights)


def _weights(content: bytes, begin: int) -> np.ndarray:
    """Read the entries of FEAT."""
    if begin + _CHUNK.size > len(content):
        raise StoreError(f"byte 28: the weights begin at {begin}, behind the end of the file")
    name, size, count = _CHUNK.unpack_from(content, begin)
    if name != b"FEAT":
        raise StoreError(f"byte {begin}: the weights should begin with b'FEAT', found {name!r}")
    end = begin + _CHUNK.size + count * _WEIGHT.itemsize
    if end > len(content) or _CHUNK.size + count * _WEIGHT.itemsize > size:
        raise StoreError(
            f"byte {begin}: {count} weights end at {end}, behind the end of the file or of its chunk"
        )
    return np.frombuffer(content, _WEIGHT, count, begin + _CHUNK.size)


def _model(labels: tuple[str, ...], attributes: list[str], entries: np.ndarray, begin: int) -> ForeignModel:
    L, K = len(labels), len(attributes)
    kind = entries["kind"]
    source, target = entries["source"].astype(np.int64), entries["target"].astype(np.int64)
    weight = entries["weight"].astype(np.float64)
    state = kind == STATE
    _, first = np.unique(kind * (K + L) * L + source * L + target, return_index=True)
    repeated = np.ones(len(kind), dtype=bool)
    repeated[first] = False
    for wrong, why in (
        (~state & (kind != MOVE), "its kind should be 0 or 1"),
        (source >= np.where(state, K, L), "it comes from a label or attribute that is not there"),
        (target >= L, "it leads to a label that is not there"),
        (~np.isfinite(weight), "it is no finite number"),
        (repeated, "it is there twice"),
    ):
        if wrong.any():
            number = int(np.argmax(wrong))
            at = begin + _CHUNK.size + number * _WEIGHT.itemsize
            raise StoreError(f"byte {at}: weight {number} is wrong: {why}")
    moves, seen = np.zeros((L, L)), np.zeros((L, L), dtype=bool)
    moves[source[~state], target[~state]] = weight[~state]
    seen[source[~state], target[~state]] = True
    node = Weighted(attributes, source[state], target[state], weight[state])
    return ForeignModel("CRFsuite", labels, node, moves, seen)


def _names(content: bytes, begin: int, count: int, what: str, encoding: str) -> list[str]:
    """Read the names with the numbers 0 .. count - 1 in the chunk that begins here."""
    if begin + _NAMES.size > len(content):
        raise StoreError(f"the names of the {what}s begin at {begin}, behind the end of the file")
    chunk, size, _, order, _, places_at = _NAMES.unpack_from(content, begin)
    if chunk != b"CQDB" or order != BYTE_ORDER:
        raise StoreError(f"byte {begin}: the names of the {what}s should begin with b'CQDB', found {chunk!r}")
    if begin + size > len(content):
        raise StoreError(f"byte {begin}: the names of the {what}s end behind the end of the file")
    if not count:
        return []
    if places_at + 4 * count > size:
        raise StoreError(f"byte {begin}: there is no room for the places of {count} {what}s")
    names: dict[str, None] = {}
    left = size  # all names together are no longer than the chunk
    for number, place in enumerate(np.frombuffer(content, "<u4", count, begin + places_at).tolist()):
        if place < _NAMES.size or place + _RECORD.size > size:
            raise StoreError(f"byte {begin}: {what} {number} has its name outside of the chunk, at {place}")
        at = begin + place
        own, length = _RECORD.unpack_from(content, at)
        left -= _RECORD.size + length
        inside = length and place + _RECORD.size + length <= size and left >= 0
        key = content[at + _RECORD.size : at + _RECORD.size + length] if inside else b""
        if own != number or key[-1:] != b"\0":
            raise StoreError(
                f"byte {at}: the name of {what} {number} is wanted, found number {own} and length {length}"
            )
        name = decoded(key[:-1], encoding, f"byte {at + _RECORD.size}: the {what} ")
        if name in names:
            raise StoreError(f"byte {at}: the {what} {name!r:.80} is there twice")
        names[name] = None
    return list(names)
