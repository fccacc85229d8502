"""Places of tokens and spans in a text: checked, and counted as other languages do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.errors import CorpusError, Place

Places = npt.NDArray[np.int64]
Pair = tuple[int, int]


def ascending(text: str, sentences: Iterable[Any]) -> tuple[Places, Places, Places]:
    """Return begins, ends and sentence offsets of tokens that a user gave, checked.

    sentences   lists of (begin, end), or one such list
    """
    outer = list(sentences)
    one = bool(outer) and _is_pair(outer[0])
    begins: list[int] = []
    ends: list[int] = []
    offsets = [0]
    for number, inner in enumerate([outer] if one else outer):
        for position, given in enumerate(inner):
            place = Place(None if one else number, position, item="token")
            begin, end = checked_pair(given, len(text), place)
            if ends and begin < ends[-1]:
                raise CorpusError(
                    f"the token at {begin} to {end} begins before the one before it ends, at {ends[-1]}; tokens come "
                    f"in the order of the text and do not overlap",
                    place=place,
                )
            begins.append(begin)
            ends.append(end)
        if len(ends) > offsets[-1]:
            offsets.append(len(ends))
    return (*(np.array(one, dtype=np.int64) for one in (begins, ends, offsets)),)  # type: ignore[return-value]


def checked_pair(given: Any, size: int, place: Place | None = None) -> Pair:
    """Return (begin, end) of a part of a text that is not empty and lies in it."""
    if not _is_pair(given):
        raise CorpusError(f"a pair (begin, end) of whole numbers is wanted, got {given!r:.80}", place=place)
    begin, end = int(given[0]), int(given[1])
    if not 0 <= begin < end <= size:
        why = "is empty" if begin == end else "ends before it begins" if end < begin else "is not in the text"
        raise CorpusError(
            f"the part from {begin} to {end} {why}: the text has {size} code points, and 0 <= begin < end <= {size} is "
            f"wanted",
            place=place,
        )
    return begin, end


def _is_pair(given: Any) -> bool:
    return (
        isinstance(given, Sequence)
        and not isinstance(given, (str, bytes))
        and len(given) >= 2
        and all(isinstance(one, (int, np.integer)) and not isinstance(one, bool) for one in given[:2])
    )


def checked_spans(text: str, spans: Iterable[Any]) -> Iterator[tuple[int, int, str, float | None]]:
    """Yield (begin, end, label, probability) of spans that a user gave, in the order of the text."""
    found = []
    for number, given in enumerate(spans):
        place = Place(position=number, item="span")
        begin, end = checked_pair(given, len(text), place)
        if len(given) < 3 or not isinstance(given[2], str):
            raise CorpusError(f"a span is (begin, end, label), got {tuple(given)!r:.80}", place=place)
        found.append((begin, end, given[2], given[4] if len(given) > 4 else None))
    yield from sorted(found, key=lambda one: (one[0], -one[1]))


def utf16_places(text: str) -> Places:
    """Return (code points + 1,): the offset in UTF-16 units of each code point, and of the end."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    places = np.zeros(len(points) + 1, dtype=np.int64)
    np.cumsum(1 + (points > 0xFFFF), out=places[1:])
    return places


def checked_text(text: Any) -> str:
    """Return a text; anything else is an error."""
    if isinstance(text, str):
        return text
    hint = "; decode it first: data.decode('utf-8')" if isinstance(text, (bytes, bytearray)) else ""
    raise CorpusError(f"a text (str) is wanted, got {text!r:.60} ({type(text).__name__}){hint}")
