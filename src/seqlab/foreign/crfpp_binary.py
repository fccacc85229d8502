"""CRF++'s binary models, which its taggers read.

    version 100, kind 0, cost factor (a double), weights, columns, bytes of the trie
    bytes of the labels, the labels with a 0 after each; the same for the lines of the template, filled up with 0
    the trie: pairs (base, check) that lead from attributes to places of weights
    weights, 4 bytes each

The trie is a double array. A node has a number b; its child for byte c stands at b + c + 1, where check is b and base
the number of the child. A word that ends at node b has check b at b itself, and -1 - its value as base.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from seqlab.errors import Place, StoreError
from seqlab.foreign.crfpp import assembled, template_of
from seqlab.foreign.parts import ForeignModel, check_labels

HEAD = (100).to_bytes(4, "little") + bytes(4)
_START = struct.Struct("<IidIII")
MOST_SHARED = 256  # bytes of words for each entry of the trie; usual ones have ten

Ints = npt.NDArray[np.int64]


def read(content: bytes, encoding: str, columns: Sequence[str] | None) -> ForeignModel:
    """The model in a binary file of CRF++."""
    if len(content) < _START.size:
        raise StoreError(f"the file is cut short: the header takes {_START.size} bytes, found {len(content)}")
    _, _, cost, count, width, trie = _START.unpack_from(content)
    labels, at = _texts(content, _START.size, "the labels", encoding)
    check_labels(labels)
    patterns, at = _texts(content, at, "the template", encoding)
    if at + trie + 4 * count != len(content) or trie % 8:
        raise StoreError(
            f"byte {at}: a trie of {trie} bytes and {count} weights should follow to the end of the file, found "
            f"{len(content) - at} bytes"
        )
    weights = np.frombuffer(content, "<f4", count, at + trie).astype(np.float64)
    if not (np.isfinite(weights).all() and np.isfinite(cost)):
        raise StoreError(f"byte {at + trie}: the weights and the cost factor should be finite numbers")
    units = np.frombuffer(content, "<i4", trie // 4, at).reshape(-1, 2).astype(np.int64)
    places = {}
    for name, place in _words(units[:, 0], units[:, 1] % 2**32, at):
        text = _decoded(name, encoding, at)
        if text[:1] not in {"U", "B"} or text in places:
            raise StoreError(
                f"byte {at}: the attribute {text!r:.80} is there twice, or does not begin with U or B"
            )
        places[text] = (place, Place(within=(f"byte {at}",)))
    template = template_of([line for line in patterns if line], 1, columns)
    return assembled(tuple(labels), patterns, template, places, weights * cost, width)


def _texts(content: bytes, at: int, what: str, encoding: str) -> tuple[list[str], int]:
    """Strings with a 0 after each, and where they end."""
    size = int.from_bytes(content[at : at + 4], "little")
    end = at + 4 + size
    if end > len(content) or (size and content[end - 1]):
        raise StoreError(f"byte {at}: {what} take {size} bytes with a 0 at the end, which are not there")
    parts = content[at + 4 : end].rstrip(b"\0").split(b"\0")
    return [_decoded(part, encoding, at) for part in parts if part], end


def _decoded(text: bytes, encoding: str, at: int) -> str:
    try:
        return text.decode(encoding)
    except UnicodeDecodeError as error:
        raise StoreError(
            f"byte {at}: {text!r:.80} is not {encoding}; pass the encoding of the training data, as in "
            "encoding='latin-1'"
        ) from error


def _words(base: Ints, check: Ints, at: int) -> list[tuple[bytes, int]]:
    """All words of the trie with their values: from each end up to the root, a byte of all of them at a time."""
    if not len(base):
        return []
    slots = np.arange(len(base))
    ends = slots[(check == slots) & (base < 0) & (slots > 0)]
    inner = slots[(base > 0) & (base < len(base)) & (check > 0) & (check < len(base)) & (slots > 0)]
    came_from = np.full(len(base), -1)
    came_from[base[inner]] = inner
    lengths, steps, node = np.zeros(len(ends), dtype=np.int64), [], ends.copy()
    while (living := np.flatnonzero(node != base[0])).size:
        slot = came_from[node[living]]
        letter = slot - check[slot] - 1
        lengths[living] += 1
        # Words that share their beginnings cannot have many times the bytes of the trie, unless it runs in a circle.
        if (
            slot.min() < 0
            or not 0 <= letter.min() <= letter.max() <= 255
            or lengths.sum() > MOST_SHARED * len(base)
        ):
            raise StoreError(
                f"byte {at}: the trie of attributes is damaged: a word does not lead to its root"
            )
        node[living] = check[slot]
        steps.append((living, letter.astype(np.uint8)))
    stops = np.cumsum(lengths)
    letters = np.zeros(int(lengths.sum()), dtype=np.uint8)
    for back, (living, letter) in enumerate(steps, start=1):
        letters[stops[living] - back] = letter
    text = letters.tobytes()
    values = (-1 - base[ends]).tolist()
    return [
        (text[stop - length : stop], value)
        for stop, length, value in zip(stops.tolist(), lengths.tolist(), values, strict=True)
    ]
