"""CRFsuite's binary models.

    header     "lCRF", size of the file, "FOMC", version; counts; where each chunk begins
    "FEAT"     weights: (kind, from, to, weight) -- kind 0 from an attribute to a label, 1 from a label to a label
    "CQDB"     twice: the names of the labels, and of the attributes, by number
    "LFRF", "AFRF"   which weights each label and attribute has, which the weights say themselves

All numbers are little-endian and have 4 bytes; weights are doubles.
"""

from __future__ import annotations

import struct

import numpy as np

from seqlab.errors import StoreError
from seqlab.foreign.cqdb import names_of
from seqlab.foreign.parts import MOST_LABELS, ForeignModel, Ints, Weighted, check_labels

MAGIC = b"lCRF"
_HEADER = struct.Struct("<4sI4sIIIIIIIII")
_CHUNK = struct.Struct("<4sII")
_WEIGHT = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
STATE, MOVE = 0, 1


def read(content: bytes, encoding: str) -> ForeignModel:
    """The model in a file of CRFsuite."""
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
    labels = names_of(content, at_labels, L, "label", encoding)
    check_labels(labels)
    attributes = names_of(content, at_attributes, K, "attribute", encoding)
    return _model(tuple(labels), attributes, _weights(content, at_weights), at_weights)


def _weights(content: bytes, begin: int) -> np.ndarray:
    """The entries of FEAT, as they stand there."""
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
    limit = np.where(kind == STATE, K, L)
    _refuse((kind != STATE) & (kind != MOVE), begin, "its kind should be 0 or 1")
    _refuse(source >= limit, begin, "it comes from a label or attribute that is not there")
    _refuse(target >= L, begin, "it leads to a label that is not there")
    _refuse(~np.isfinite(weight), begin, "it is no finite number")
    _refuse(_repeated(kind * (K + L) * L + source * L + target), begin, "it is there twice")
    state = kind == STATE
    moves, seen = np.zeros((L, L)), np.zeros((L, L), dtype=bool)
    moves[source[~state], target[~state]] = weight[~state]
    seen[source[~state], target[~state]] = True
    node = Weighted(attributes, source[state], target[state], weight[state])
    return ForeignModel("CRFsuite", labels, node, moves, seen)


def _refuse(bad: np.ndarray, begin: int, why: str) -> None:
    if bad.any():
        first = int(np.argmax(bad))
        at = begin + _CHUNK.size + first * _WEIGHT.itemsize
        raise StoreError(f"byte {at}: weight {first} is wrong: {why}")


def _repeated(keys: Ints) -> np.ndarray:
    """True for an entry whose key an earlier one has."""
    order = np.argsort(keys, kind="stable")
    again = np.zeros(len(keys), dtype=bool)
    again[order[1:]] = keys[order[1:]] == keys[order[:-1]]
    return again
