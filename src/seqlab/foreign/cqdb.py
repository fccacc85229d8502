"""CQDB, the table of names inside CRFsuite's models.

header    "CQDB", size, flags, 0x62445371, room for names, where the places of the names stand
tables    256 pairs of numbers, which lead from names to numbers; not needed here
records   number, length of the name with its closing 0, the name
places    of record 0, 1, 2, ..., from the beginning of this chunk
"""

from __future__ import annotations

import struct

import numpy as np

from seqlab.errors import StoreError

_HEADER = struct.Struct("<4sIIIII")
_RECORD = struct.Struct("<II")
BYTE_ORDER = 0x62445371


def names_of(content: bytes, begin: int, count: int, what: str, encoding: str) -> list[str]:
    """The names with the numbers 0 .. count - 1 in the chunk that begins here."""
    if begin + _HEADER.size > len(content):
        raise StoreError(f"the names of the {what}s begin at {begin}, behind the end of the file")
    chunk, size, _, order, _, places_at = _HEADER.unpack_from(content, begin)
    if chunk != b"CQDB" or order != BYTE_ORDER:
        raise StoreError(f"byte {begin}: the names of the {what}s should begin with b'CQDB', found {chunk!r}")
    if begin + size > len(content):
        raise StoreError(f"byte {begin}: the names of the {what}s end behind the end of the file")
    if not count:
        return []
    if places_at + 4 * count > size:
        raise StoreError(f"byte {begin}: there is no room for the places of {count} {what}s")
    places = np.frombuffer(content, "<u4", count, begin + places_at).tolist()
    found = _Names(content, begin, size, what, encoding)
    return [found.name(number, place) for number, place in enumerate(places)]


class _Names:
    """Reads one name after another; together they have no more bytes than the chunk, however it is made."""

    def __init__(self, content: bytes, begin: int, size: int, what: str, encoding: str) -> None:
        self._content = content
        self._begin, self._size = begin, size
        self._what, self._encoding = what, encoding
        self._left = size
        self._met: set[str] = set()

    def name(self, number: int, place: int) -> str:
        """The name in the record at this place, which must have this number."""
        if place < _HEADER.size or place + _RECORD.size > self._size:
            raise StoreError(
                f"byte {self._begin}: {self._what} {number} has its name outside of the chunk, at {place}"
            )
        at = self._begin + place
        own, length = _RECORD.unpack_from(self._content, at)
        self._left -= _RECORD.size + length
        inside = length and place + _RECORD.size + length <= self._size and self._left >= 0
        key = self._content[at + _RECORD.size : at + _RECORD.size + length] if inside else b""
        if own != number or not inside or key[-1:] != b"\0":
            raise StoreError(
                f"byte {at}: the name of {self._what} {number} is wanted, found number {own} and length {length}"
            )
        name = self._decoded(key[:-1], at + _RECORD.size)
        if name in self._met:
            raise StoreError(f"byte {at}: the {self._what} {name!r:.80} is there twice")
        self._met.add(name)
        return name

    def _decoded(self, name: bytes, at: int) -> str:
        try:
            return name.decode(self._encoding)
        except UnicodeDecodeError as error:
            raise StoreError(
                f"byte {at}: the {self._what} {name!r:.80} is not {self._encoding}; pass the encoding of the training "
                "data, as in encoding='latin-1'"
            ) from error
