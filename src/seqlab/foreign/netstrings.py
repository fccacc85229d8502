"""Wapiti's files: headers, strings with their lengths before them, and weights."""

from __future__ import annotations

import re

import numpy as np

from seqlab.errors import StoreError
from seqlab.foreign.parts import Floats, Ints

_LENGTH = re.compile(rb"\s*([0-9]{1,9}):")


class Netstrings:
    """A file that is read from its beginning to its end."""

    def __init__(self, content: bytes, encoding: str) -> None:
        self._content = content
        self._encoding = encoding
        self._at = 0

    @property
    def line(self) -> int:
        """The number of the line that comes next, counted from 1."""
        return self._content.count(b"\n", 0, self._at) + 1

    def header(self, pattern: bytes, wanted: str) -> tuple[int | None, ...]:
        """The numbers in a line."""
        found = re.compile(pattern).match(self._content, self._at)
        if found is None:
            rest = self._content[self._at : self._at + 30].partition(b"\n")[0]
            raise StoreError(f"{wanted} is wanted, found {rest!r}", line=self.line)
        self._at = found.end()
        return tuple(None if group is None else int(group) for group in found.groups())

    def strings(self, count: int, what: str, *, lenient: bool = False) -> list[str]:
        """The next `count` strings.

        lenient   bytes that are no characters are spelled out, as a pattern does that cuts a character in two
        """
        return [self._decoded(self._string(number, what), what, lenient=lenient) for number in range(count)]

    def weights(self, count: int, pattern: re.Pattern[bytes]) -> tuple[Ints, Floats]:
        """(places, values) of the next `count` weights, to the end of the file."""
        places, values = [], []
        for _ in range(count):
            found = pattern.match(self._content, self._at)
            if found is None:
                raise StoreError(f"a weight is wanted, as in 12=0x1.8p+0; {self._found()}", line=self.line)
            places.append(int(found[1]))
            values.append(self._value(found[2]))
            self._at = found.end()
        if self._content[self._at :].strip():
            raise StoreError(f"{count} weights are wanted, but more follow", line=self.line)
        if len(set(places)) != len(places):
            raise StoreError("two weights have the same place")
        return np.array(places, dtype=np.int64), np.array(values, dtype=np.float64)

    def _string(self, number: int, what: str) -> bytes:
        found = _LENGTH.match(self._content, self._at)
        end = found.end() + int(found[1]) if found is not None else 0
        if found is None or self._content[end : end + 1] != b",":
            raise StoreError(
                f"{what} {number} is wanted, as its length in bytes, its text and a comma; {self._found()}",
                line=self.line,
            )
        self._at = end + 2 if self._content[end + 1 : end + 2] == b"\n" else end + 1
        return self._content[found.end() : end]

    def _decoded(self, text: bytes, what: str, *, lenient: bool) -> str:
        try:
            return text.decode(self._encoding, "backslashreplace" if lenient else "strict")
        except UnicodeDecodeError as error:
            raise StoreError(
                f"the {what} {text!r:.80} is not {self._encoding}; pass the encoding of the "
                "training data, as in encoding='latin-1'",
                line=self.line - 1,
            ) from error

    def _value(self, text: bytes) -> float:
        try:
            value = float.fromhex(text.decode("ascii"))
        except (ValueError, OverflowError):
            value = float("nan")
        if not np.isfinite(value):
            raise StoreError(f"a finite number is wanted, as in 0x1.8p+0, found {text!r}", line=self.line)
        return value

    def _found(self) -> str:
        rest = self._content[self._at : self._at + 40].partition(b"\n")[0]
        return f"found {rest!r}" if rest else "the file ends"
