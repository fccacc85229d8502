"""Columns that are computed from the sentence instead of read from the file; their names begin with "@".

@position          place of the token from 0: 0 to 4, 5-9, 10-19, 20-49, 50+
@from_end          the same from the end; 0 is the last token
@sentence_length   number of tokens, in the same steps
@first, @last      "yes" at the first / last token, absent elsewhere
@gazetteer(cities,word), @gazetteer(cities,lower(word))
                   B or I (B-class, I-class) inside an entry of the lexicon, found by longest match
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from seqlab.features.functions import bucket
from seqlab.features.lexicon import FOLDS, Lexicon, longest_matches

PLAIN = ("position", "from_end", "sentence_length", "first", "last")


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """A gazetteer column: which lexicon, over which column, compared in which case (None, "lower", "upper")."""

    lexicon: str
    column: str
    fold: str | None = None

    @property
    def name(self) -> str:
        """The column's name."""
        read = self.column if self.fold is None else f"{self.fold}({self.column})"
        return f"@gazetteer({self.lexicon},{read})"

    def values(self, tokens: Sequence[str], lexicons: Mapping[str, Lexicon]) -> list[str | None]:
        """The column for the values of `self.column`."""
        folded = tokens if self.fold is None else [FOLDS[self.fold](token) for token in tokens]
        return longest_matches(folded, lexicons[self.lexicon].phrases(self.fold))


def gazetteer_of(column: str) -> Gazetteer | None:
    """The gazetteer that a column's name stands for, if it is one."""
    if not column.startswith("@gazetteer("):
        return None
    lexicon, _, read = column.removeprefix("@gazetteer(").removesuffix(")").partition(",")
    for fold in FOLDS:
        if read.startswith(f"{fold}(") and read.endswith(")"):
            return Gazetteer(lexicon, read.removeprefix(f"{fold}(").removesuffix(")"), fold)
    return Gazetteer(lexicon, read)


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
