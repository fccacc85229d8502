"""Reader and writer of CRFsuite's binary model files.

    header     "lCRF", size of the file, "FOMC", version; counts; offset of each chunk
    "FEAT"     weights: (kind, from, to, weight) -- kind 0 from an attribute to a label, 1 from a label to a label
    "CQDB"     twice: the names of the labels, and of the attributes, by number
    "LFRF", "AFRF"   the weights of each label and attribute; redundant: read by cpp/linear/crfsuite alone

A chunk of names:

    header     "CQDB", size, flags, 0x62445371, capacity for names, offset of the list of places
    tables     256 pairs (offset, size) of hash tables, each with twice as many buckets as names
    records    number, length of the name with its closing 0, the name
    buckets    (hash, offset of the record); the offset of an empty one is 0. A name is looked up in table hash % 256,
               from bucket (hash / 256) % size up to the first empty one
    places     offsets of record 0, 1, 2, ..., from the beginning of this chunk

Chunks of references ("LFRF", "AFRF") have the offset of a list for each attribute or label (and two more, 0).

All numbers are little-endian and have 4 bytes; weights are doubles.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.errors import StoreError
from seqlab.foreign.parts import MOST_LABELS, ForeignModel, Pooled, Weighted, check_labels, decoded, used

MAGIC = b"lCRF"
_HEADER = struct.Struct("<4sI4sIIIIIIIII")
_CHUNK = struct.Struct("<4sII")
_WEIGHT = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
STATE, MOVE = 0, 1
_NAMES = struct.Struct("<4sIIIII")
_RECORD = struct.Struct("<II")
BYTE_ORDER = 0x62445371
TABLES = 256
LARGEST_FILE = 2**32 - 1  # offsets have 4 bytes


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
    return _model(tuple(labels), attributes, content, at_weights)


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


def _model(labels: tuple[str, ...], attributes: Sequence[str], content: bytes, begin: int) -> ForeignModel:
    """Make the model: at once where all weights are sound and rise, as those of CRFsuite itself do."""
    entries = _weights(content, begin)
    L, K = len(labels), len(attributes)
    first = begin + _CHUNK.size
    quick = _core.crfsuite_weights(content, first, first + entries.nbytes, K, L)
    if quick is not None:
        attribute, cell, values, starts, given, there = quick
        node = Weighted(attributes, attribute, cell, values, starts)
        return ForeignModel("CRFsuite", labels, node, given.reshape(L, L), there.reshape(L, L).view(np.bool_))
    kind = entries["kind"]
    source, target = entries["source"].astype(np.int64), entries["target"].astype(np.int64)
    weight = entries["weight"].astype(np.float64)
    state = kind == STATE
    keys = kind.astype(np.int64) * (K + L) * L + source * L + target
    repeated = np.zeros(len(kind), dtype=bool)
    if not (np.diff(keys) > 0).all():  # CRFsuite sorts them
        _, first = np.unique(keys, return_index=True)
        repeated[:] = True
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


def _names(content: bytes, begin: int, count: int, what: str, encoding: str) -> Sequence[str]:
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
    utf8 = encoding.lower().replace("-", "") == "utf8"
    pool = _core.crfsuite_names(content, begin, count) if utf8 else None
    if pool is not None:
        return Pooled(pool)
    return _one_by_one(content, begin, size, places_at, count, what, encoding)


def _one_by_one(
    content: bytes, begin: int, size: int, places_at: int, count: int, what: str, encoding: str
) -> list[str]:
    """Read names one by one, and raise an error for the first that is wrong."""
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


# ------------------------------------------------------------------------------------------------ writing


def written(model: ForeignModel) -> bytes:
    """Return the content of a CRFsuite model file.

    Weights of 0 and attributes without weights are left out; all labels are kept.
    """
    node, active = model.node, model.node.weight != 0
    node = used(node.names, node.attribute[active], node.cell[active], node.weight[active])
    order = np.lexsort((node.cell, node.attribute))
    source, target = np.nonzero(model.move_seen & (model.moves != 0))
    entries = np.zeros(len(order) + len(source), _WEIGHT)
    entries["kind"] = np.repeat([STATE, MOVE], [len(order), len(source)])
    entries["source"] = np.concatenate([node.attribute[order], source])
    entries["target"] = np.concatenate([node.cell[order], target])
    entries["weight"] = np.concatenate([node.weight[order], model.moves[source, target]])
    L, K = len(model.labels), len(node.names)
    chunks = [_CHUNK.pack(b"FEAT", _CHUNK.size + entries.nbytes, len(entries)) + entries.tobytes()]
    chunks += [_named(model.labels, "label"), _named(node.names, "attribute")]
    places = np.cumsum([_HEADER.size, *map(len, chunks)]).tolist()
    chunks.append(b"\0" * (-places[-1] % 4))
    moves = np.bincount(source, minlength=L)
    at_moves = places[-1] + len(chunks[-1])
    chunks.append(_references(b"LFRF", at_moves, moves, len(order), 2))
    at_states = at_moves + len(chunks[-1])
    chunks.append(_references(b"AFRF", at_states, np.bincount(node.attribute, minlength=K), 0, 0))
    size = at_states + len(chunks[-1])
    if size > LARGEST_FILE:
        raise StoreError(f"a file of CRFsuite has at most {LARGEST_FILE} bytes, but this model takes {size}")
    head = _HEADER.pack(MAGIC, size, b"FOMC", 100, 0, L, K, *places[:3], at_moves, at_states)
    return b"".join([head, *chunks])


def _references(name: bytes, begin: int, counts: npt.NDArray[np.int64], first: int, more: int) -> bytes:
    """Make a chunk of references: label or attribute i has counts[i] weights, numbered consecutively from `first`."""
    table = _CHUNK.size + 4 * (len(counts) + more)
    starts = np.cumsum(counts) - counts  # number of the first weight
    lists = np.zeros(len(counts) + int(counts.sum()), "<u4")
    heads = starts + np.arange(len(counts))
    inner = np.ones(len(lists), dtype=bool)
    inner[heads] = False
    lists[heads] = counts
    lists[inner] = first + np.arange(int(counts.sum()))
    offsets = np.zeros(len(counts) + more, "<u4")
    offsets[: len(counts)] = begin + table + 4 * heads
    return _CHUNK.pack(name, table + lists.nbytes, len(offsets)) + offsets.tobytes() + lists.tobytes()


def _named(names: Sequence[str], what: str) -> bytes:
    """Make a chunk of names, numbered in this order."""
    keys = [name.encode() + b"\0" for name in names]
    bad = next((name for name, key in zip(names, keys, strict=True) if b"\0" in key[:-1]), None)
    if bad is not None:
        raise StoreError(
            f"a file of CRFsuite has no place for the {what} {bad!r:.80}, which contains a zero byte"
        )
    lengths = np.array([len(key) for key in keys], dtype=np.int64)
    sizes = _RECORD.size + lengths
    begin = _NAMES.size + 8 * TABLES
    places = begin + np.cumsum(sizes) - sizes
    records = b"".join([_RECORD.pack(number, len(key)) + key for number, key in enumerate(keys)])
    heads, buckets = _tables(keys, lengths, places, begin + len(records))
    back = begin + len(records) + buckets.nbytes
    end = back + 4 * len(keys)
    head = _NAMES.pack(b"CQDB", end, 0, BYTE_ORDER, len(keys), back if keys else 0)
    return b"".join([head, heads.tobytes(), records, buckets.tobytes(), places.astype("<u4").tobytes()])


def _tables(
    keys: list[bytes], lengths: npt.NDArray[np.int64], places: npt.NDArray[np.int64], begin: int
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Return the 256 hash tables as (256, 2) offset and size, and their buckets as (buckets, 2) hash and offset."""
    values = _hashes(keys, lengths)
    table = values % TABLES
    room = 2 * np.bincount(table, minlength=TABLES)
    starts = np.cumsum(room) - room
    heads = np.stack([np.where(room > 0, begin + 8 * starts, 0), room], axis=1).astype("<u4")
    buckets = np.zeros((int(room.sum()), 2), "<u4")
    taken = bytearray(len(buckets))
    chosen = []
    sizes, firsts = room[table], starts[table]
    at = ((values >> 8) % np.maximum(sizes, 1)).tolist()
    for bucket, size, first in zip(at, sizes.tolist(), firsts.tolist(), strict=True):
        place = first + bucket
        while taken[place]:
            place = place + 1 if place + 1 < first + size else first
        taken[place] = 1
        chosen.append(place)
    buckets[chosen, 0], buckets[chosen, 1] = values, places
    return heads, buckets


def _hashes(keys: list[bytes], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """Compute Jenkins' hash "lookup3" of every key (hashlittle, from 0): (keys,)."""
    found = np.zeros(len(keys), np.uint32)
    rounds = np.maximum(lengths - 1, 0) // 12 + 1
    for count in np.unique(rounds).tolist():
        some = np.flatnonzero(rounds == count)
        padded = b"".join([keys[i].ljust(12 * count, b"\0") for i in some.tolist()])
        words = np.frombuffer(padded, "<u4").reshape(len(some), count, 3)
        a = b = c = (0xDEADBEEF + lengths[some]).astype(np.uint32)
        for i in range(count - 1):
            a, b, c = _mixed(a + words[:, i, 0], b + words[:, i, 1], c + words[:, i, 2])
        found[some] = _finished(a + words[:, -1, 0], b + words[:, -1, 1], c + words[:, -1, 2])
    return found


Words = npt.NDArray[np.uint32]


def _turned(x: Words, bits: int) -> Words:
    return (x << np.uint32(bits)) | (x >> np.uint32(32 - bits))


def _mixed(a: Words, b: Words, c: Words) -> tuple[Words, Words, Words]:
    for bits in (4, 6, 8, 16, 19, 4):
        # One of six steps; then the three words rotate.
        a, c = (a - c) ^ _turned(c, bits), c + b
        a, b, c = b, c, a
    return a, b, c


def _finished(a: Words, b: Words, c: Words) -> Words:
    for bits in (14, 11, 25, 16, 4, 14, 24):
        c = (c ^ b) - _turned(b, bits)
        a, b, c = b, c, a
    return b
