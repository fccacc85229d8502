"""Columns that are computed from the sentence instead of read from the file; their names begin with "@".

@position          place of the token from 0: 0 to 4, 5-9, 10-19, 20-49, 50+
@from_end          the same from the end; 0 is the last token
@sentence_length   number of tokens, in the same steps
@first, @last      "yes" at the first / last token, absent elsewhere
@gazetteer(cities,word), @gazetteer(cities,lower(word))
                   B or I (B-class, I-class) inside an entry of the lexicon, found by longest match
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.features.functions import bucket

if TYPE_CHECKING:
    from seqlab.features.gazetteer import Gazetteer

PLAIN = ("position", "from_end", "sentence_length", "first", "last")


def gazetteer_of(column: str) -> Gazetteer | None:
    """The gazetteer that a column's name stands for, if it is one."""
    if not column.startswith("@gazetteer("):
        return None
    from seqlab.features.gazetteer import Gazetteer  # few templates have one

    return Gazetteer.named(column)


def plain_column(name: str, length: int) -> list[str | None]:
    """The computed columns that need nothing but the sentence's length; `name` begins with "@"."""
    places = range(length)
    match name:
        case "@position":
            return [bucket(t) for t in places]
        case "@from_end":
            return [bucket(length - 1 - t) for t in places]
        case "@sentence_length":
            return [bucket(length)] * length
        case "@first":
            return ["yes" if t == 0 else None for t in places]
        case "@last":
            return ["yes" if t == length - 1 else None for t in places]
    raise KeyError(name)
