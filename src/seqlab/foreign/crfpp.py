"""Read CRF++ models: text, as written by `crf_learn -t`, and binary.

Text: five parts with an empty line after each: the header (version, cost-factor, maxid, xsize), the labels, the
template, the attributes with the places of their weights, the weights. An attribute of a U line has a weight for each
label, one of a B line a weight for each pair of labels.

Binary:

    version 100, kind 0, cost factor (a double), weights, columns, bytes of the trie
    bytes of the labels, the labels with a 0 after each; the same for the lines of the template, filled up with 0
    the trie: pairs (base, check) that lead from attributes to places of weights
    weights, 4 bytes each

The trie is a double array. A node has a number b; its child for byte c stands at b + c + 1, where check is b and base
the number of the child. A word that ends at node b has check b at b itself, and -1 - its value as base.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from seqlab.errors import Place, StoreError
from seqlab.features import Template
from seqlab.foreign.parts import (
    Floats,
    ForeignModel,
    Ints,
    Weighted,
    check_labels,
    check_width,
    decoded,
    used,
)

TEXT_HEAD = b"version:"
BINARY_HEAD = (100).to_bytes(4, "little") + bytes(4)
_START = struct.Struct("<IidIII")
MOST_SHARED = 256  # bytes of words for each entry of the trie; usual ones have ten
LONGEST = 1 << 16  # bytes of the longest word


def read_text(content: bytes, encoding: str, columns: Sequence[str] | None) -> ForeignModel:
    """Read the model in a text file of CRF++."""
    lines = _Lines(content, encoding)
    header = _header(lines)
    width = check_width(int(header["xsize"]), content, line=1)
    labels = tuple(lines.block("the labels"))
    check_labels(labels)
    blank = "\n" * (lines.number - 1)  # so that messages have the line numbers of this file
    patterns = lines.block("the template")
    template = Template.from_crfpp(blank + "\n".join(patterns) + "\n", columns=columns)
    places = _places(lines)
    weights = _weights(lines, header["maxid"]) * header["cost-factor"]
    return _model(labels, patterns, template, places, weights, width)


def read_binary(content: bytes, encoding: str, columns: Sequence[str] | None) -> ForeignModel:
    """Read the model in a binary file of CRF++."""
    if len(content) < _START.size:
        raise StoreError(f"the file is cut short: the header takes {_START.size} bytes, found {len(content)}")
    _, _, cost, count, width, trie = _START.unpack_from(content)
    check_width(width, content, "byte 20: ")
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
        text = decoded(name, encoding, f"byte {at}: ")
        if text[:1] not in {"U", "B"} or text in places:
            raise StoreError(
                f"byte {at}: the attribute {text!r:.80} is there twice, or does not begin with U or B"
            )
        places[text] = (place, Place(within=(f"byte {at}",)))
    template = Template.from_crfpp("\n".join(patterns) + "\n", columns=columns)
    return _model(tuple(labels), patterns, template, places, weights * cost, width)


def _model(
    labels: tuple[str, ...],
    patterns: Sequence[str],
    template: Template,
    places: Mapping[str, tuple[int, Place]],
    weights: Floats,
    width: int,
) -> ForeignModel:
    """Combine the parts; `places` has for each attribute the offset of its weights, and its line."""
    L = len(labels)
    wanted = sum(L if name[0] == "U" else L * L for name in places)
    if wanted > len(weights):
        raise StoreError(f"the attributes have {wanted} weights, but there are only {len(weights)}")
    node, edge = _weighted(places, "U", L, weights), _weighted(places, "B", L * L, weights)
    plain = next((line for line in patterns if line.startswith("B") and "%x[" not in line), None)
    moves, seen = np.zeros((L, L)), np.zeros((L, L), dtype=bool)
    if plain is not None and plain in places:
        begin, _ = places[plain]
        moves, seen = weights[begin : begin + L * L].reshape(L, L), ~seen
    return ForeignModel("CRF++", labels, node, moves, seen, edge, template, width)


def _weighted(places: Mapping[str, tuple[int, Place]], letter: str, size: int, weights: Floats) -> Weighted:
    """Gather the `size` weights of each attribute that begins with this letter; zeros are left out."""
    names = [name for name in places if name[0] == letter]
    for name in names:
        place, where = places[name]
        if place + size > len(weights):
            raise StoreError(
                f"the attribute {name!r:.80} has weights {place} to {place + size - 1}, but there are "
                f"only {len(weights)}",
                place=where,
            )
    begins = np.array([places[name][0] for name in names], dtype=np.int64)
    table = weights[begins[:, None] + np.arange(size)]
    attribute, cell = np.nonzero(table)
    return used(names, attribute, cell, table[attribute, cell])


class _Lines:
    """Lines of a file with Unix or Windows line ends, read from first to last.

    number   of the next line, counted from 1
    """

    def __init__(self, content: bytes, encoding: str) -> None:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError as error:
            raise StoreError(
                f"this is not {encoding}; pass the encoding of the training data, as in encoding='latin-1'",
                line=content.count(b"\n", 0, error.start) + 1,
            ) from error
        self.lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
        self.number = 1

    def block(self, what: str) -> list[str]:
        """Read the lines up to the next empty one, which is skipped."""
        begin = self.number - 1
        try:
            end = self.lines.index("", begin)
        except ValueError:
            raise StoreError(
                f"the file is cut short in {what}: an empty line should end them",
                line=len(self.lines),
            ) from None
        self.number = end + 2
        return self.lines[begin:end]


def _header(lines: _Lines) -> dict[str, float]:
    found: dict[str, float] = {"cost-factor": 1.0}
    first = lines.number
    for number, line in enumerate(lines.block("the header"), start=first):
        name, _, value = line.partition(":")
        try:
            found[name] = float(value)
        except ValueError as error:
            raise StoreError(f"a name and a number are wanted, found {line!r:.80}", line=number) from error
    for name in ("version", "maxid", "xsize"):
        if not 0 <= found.get(name, -1) <= 2**31:
            raise StoreError(f"the header should say {name!r}, as a number", line=first)
    if not np.isfinite(found["cost-factor"]):
        raise StoreError("the cost-factor should be a finite number", line=first)
    return found


def _places(lines: _Lines) -> dict[str, tuple[int, Place]]:
    """Read the offset of the weights of each attribute, and its line."""
    found: dict[str, tuple[int, Place]] = {}
    first = lines.number
    for number, line in enumerate(lines.block("the attributes"), start=first):
        place, _, name = line.partition(" ")
        if not (place.isascii() and place.isdigit() and len(place) < 12) or name[:1] not in {"U", "B"}:
            raise StoreError(
                f"the place of a weight and an attribute that begins with U or B are wanted, "
                f"found {line!r:.80}",
                line=number,
            )
        if name in found:
            raise StoreError(f"the attribute {name!r:.80} is there twice", line=number)
        found[name] = (int(place), Place(line=number))
    return found


def _weights(lines: _Lines, count: float) -> Floats:
    """Read weights as CRF++ uses them: its taggers read the binary form, with floats of 4 bytes."""
    first = lines.number
    given = lines.lines[first - 1 :]
    if len(given) != count:
        raise StoreError(f"{count:.0f} weights are wanted (maxid), found {len(given)}", line=first)
    weights = np.empty(len(given))
    for i, line in enumerate(given):
        try:
            weights[i] = float(line)
        except ValueError as error:
            raise StoreError(f"a weight is wanted, found {line!r:.80}", line=first + i) from error
    with np.errstate(over="ignore"):
        rounded = weights.astype(np.float32).astype(np.float64)
    if not np.isfinite(rounded).all():
        i = int(np.argmin(np.isfinite(rounded)))
        raise StoreError(f"the weight {given[i]!r:.80} is no finite float", line=first + i)
    return rounded


def _texts(content: bytes, at: int, what: str, encoding: str) -> tuple[list[str], int]:
    """Read strings with a 0 after each, and the end of the last."""
    size = int.from_bytes(content[at : at + 4], "little")
    end = at + 4 + size
    if end > len(content) or (size and content[end - 1]):
        raise StoreError(f"byte {at}: {what} take {size} bytes with a 0 at the end, which are not there")
    parts = content[at + 4 : end].rstrip(b"\0").split(b"\0")
    return [decoded(part, encoding, f"byte {at}: ") for part in parts if part], end


def _words(base: Ints, check: Ints, at: int) -> list[tuple[bytes, int]]:
    """Find all words of the trie with their values: from each leaf to the root, one byte of all words at a time."""
    if not len(base):
        return []
    slots = np.arange(len(base))
    ends = slots[(check == slots) & (base < 0) & (slots > 0)]
    inner = slots[(base > 0) & (base < len(base)) & (check > 0) & (check < len(base)) & (slots > 0)]
    came_from = np.full(len(base), -1)
    came_from[base[inner]] = inner
    steps: list[tuple[Ints, npt.NDArray[np.uint8]]] = []
    lengths, node = np.zeros(len(ends), dtype=np.int64), ends.copy()
    while (living := np.flatnonzero(node != base[0])).size:
        slot = came_from[node[living]]
        letter = slot - check[slot] - 1
        lengths[living] += 1
        # Limits for damaged files: a word visits an entry once, unless there is a cycle, and words that share prefixes
        # cannot be many times as long as the trie.
        if (
            slot.min() < 0
            or not 0 <= letter.min() <= letter.max() <= 255
            or len(steps) >= min(len(base), LONGEST)
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
