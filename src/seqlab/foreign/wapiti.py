"""Wapiti's models.

    #mdl#2#1234         kind (0 maxent, 1 MEMM, 2 CRF; older files have none), number of weights
    #rdr#19/2/0         patterns, columns that they read, whether "u" is put before attributes
    12:u:w=%x[0,0],     a pattern: its length in bytes, its text, a comma
    #qrk#22             labels, then one a line in the same way
    #qrk#8000           attributes, the same
    17=0x1.8p-3         place and value of a weight that is not 0

Attributes have their weights one after another: one for each label after "u", one for each pair of labels after "b",
both after "*".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from seqlab.errors import StoreError
from seqlab.features import Template
from seqlab.foreign.parts import Floats, ForeignModel, Ints, check_labels, check_width, decoded, used

HEAD = b"#mdl#"
MEMM = 1
_LENGTH = re.compile(rb"\s*([0-9]{1,9}):")
_WEIGHT = re.compile(rb"([0-9]{1,18})=([-+0-9a-fA-FxXpPinfINFty.]{1,40})\s*")


def read(content: bytes, encoding: str, columns: Sequence[str] | None) -> ForeignModel:
    """Read the model in a file of Wapiti."""
    file = _File(content, encoding)
    kind, count = file.header(rb"#mdl#(?:([0-9]{1,3})#)?([0-9]{1,18})\n", "#mdl#kind#weights")
    patterns_count, width, prefixed = file.header(
        rb"#rdr#([0-9]{1,9})/([0-9]{1,6})(?:/([0-9]))?\n", "#rdr#patterns/columns/prefix"
    )
    if prefixed:
        raise StoreError(
            "the model puts 'u' before its attributes, which a maximum-entropy model (--me) does; it labels "
            "single lines and no sentences, and cannot be converted",
            line=2,
        )
    width = check_width(width or 0, content, line=2)
    first = file.line
    patterns = file.strings(patterns_count or 0, "pattern")
    text = (
        "\n" * (first - 1) + "\n".join(patterns) + "\n"
    )  # so that messages have the line numbers of this file
    template = Template.from_wapiti(text, columns=columns) if patterns else None
    labels = tuple(file.strings(file.header(rb"#qrk#([0-9]{1,9})\n", "#qrk#labels")[0] or 0, "label"))
    check_labels(labels)
    cut = any("%m" in pattern or "%M" in pattern for pattern in patterns)
    names = file.strings(
        file.header(rb"#qrk#([0-9]{1,9})\n", "#qrk#attributes")[0] or 0, "attribute", lenient=cut
    )
    if len(set(names)) != len(names):
        raise StoreError("an attribute is there twice")
    places, values = file.weights(count or 0)
    plain = next((line for line in patterns if line.startswith("b") and "%" not in line), None)
    return _model(labels, names, places, values, template, plain, width, kind)


class _File:
    """Headers, strings with length prefixes, and weights, read sequentially."""

    def __init__(self, content: bytes, encoding: str) -> None:
        self._content = content
        self._encoding = encoding
        self._at = 0

    @property
    def line(self) -> int:
        """The number of the next line, counted from 1."""
        return self._content.count(b"\n", 0, self._at) + 1

    def header(self, pattern: bytes, wanted: str) -> tuple[int | None, ...]:
        """Read the numbers in a line."""
        found = re.compile(pattern).match(self._content, self._at)
        if found is None:
            raise StoreError(f"{wanted} is wanted, found {self._rest(30)!r}", line=self.line)
        self._at = found.end()
        return tuple(None if group is None else int(group) for group in found.groups())

    def strings(self, count: int, what: str, *, lenient: bool = False) -> list[str]:
        """Read the next `count` strings.

        lenient   invalid UTF-8 is escaped, because a pattern may split a character
        """
        texts = []
        for number in range(count):
            found = _LENGTH.match(self._content, self._at)
            end = found.end() + int(found[1]) if found is not None else 0
            if found is None or self._content[end : end + 1] != b",":
                raise self._unwanted(
                    f"{what} {number} is wanted, as its length in bytes, its text and a comma"
                )
            self._at = end + 2 if self._content[end + 1 : end + 2] == b"\n" else end + 1
            text = self._content[found.end() : end]
            if lenient:
                texts.append(text.decode(self._encoding, "backslashreplace"))
            else:
                texts.append(decoded(text, self._encoding, f"the {what} ", line=lambda: self.line - 1))
        return texts

    def weights(self, count: int) -> tuple[Ints, Floats]:
        """Read (places, values) of the next `count` weights, to the end of the file."""
        places, values = [], []
        for _ in range(count):
            found = _WEIGHT.match(self._content, self._at)
            if found is None:
                raise self._unwanted("a weight is wanted, as in 12=0x1.8p+0")
            try:
                value = float.fromhex(found[2].decode("ascii"))
            except (ValueError, OverflowError):
                value = float("nan")
            if not np.isfinite(value):
                raise StoreError(
                    f"a finite number is wanted, as in 0x1.8p+0, found {found[2]!r}", line=self.line
                )
            places.append(int(found[1]))
            values.append(value)
            self._at = found.end()
        if self._content[self._at :].strip():
            raise StoreError(f"{count} weights are wanted, but more follow", line=self.line)
        if len(set(places)) != len(places):
            raise StoreError("two weights have the same place")
        return np.array(places, dtype=np.int64), np.array(values, dtype=np.float64)

    def _rest(self, most: int) -> bytes:
        return self._content[self._at : self._at + most].partition(b"\n")[0]

    def _unwanted(self, wanted: str) -> StoreError:
        rest = self._rest(40)
        return StoreError(f"{wanted}; {f'found {rest!r}' if rest else 'the file ends'}", line=self.line)


def _model(
    labels: tuple[str, ...],
    names: list[str],
    places: Ints,
    values: Floats,
    template: Template | None,
    plain: str | None,
    width: int,
    kind: int | None,
) -> ForeignModel:
    L = len(labels)
    sizes = {"u": L, "b": L * L, "*": L + L * L}
    for name in names:
        if name[:1] not in sizes:
            raise StoreError(f"the attribute {name!r:.80} should begin with u, b or *")
    begin = np.cumsum([0, *(sizes[name[0]] for name in names)], dtype=np.int64)
    if len(places) and places.max() >= begin[-1]:
        raise StoreError(
            f"there is a weight at {int(places.max())}, but attributes and labels have {begin[-1]}"
        )
    attribute = np.searchsorted(begin, places, side="right") - 1
    cell = places - begin[attribute]
    letter = np.array([ord(name[0]) for name in names], dtype=np.int64)[attribute]
    both = letter == ord("*")
    node = (letter == ord("u")) | (both & (cell < L))
    cell = np.where(both & ~node, cell - L, cell)
    if template is None and not node.all():
        raise StoreError(
            "the model has no patterns, and attributes for pairs of labels that come ready made; seqlab takes "
            "ready-made attributes for labels only"
        )
    moves, seen = np.zeros(L * L), np.zeros((L, L), dtype=bool)
    if plain in names:
        own = ~node & (attribute == names.index(plain))
        moves[cell[own]], seen = values[own], ~seen
    on_node, on_edge = (used(names, attribute[some], cell[some], values[some]) for some in (node, ~node))
    return ForeignModel(
        "Wapiti", labels, on_node, moves.reshape(L, L), seen, on_edge, template, width, local=kind == MEMM
    )
