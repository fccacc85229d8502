"""Gazetteers: columns computed from a lexicon, whose entries may have several tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from seqlab.features.functions import FOLDS
from seqlab.features.lexicon import Lexicon, longest_matches


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """A gazetteer column: which lexicon, over which column, compared in which case (None, "lower", "upper")."""

    lexicon: str
    column: str
    fold: str | None = None

    @staticmethod
    def named(column: str) -> Gazetteer:
        """The gazetteer that has this name."""
        lexicon, _, read = column.removeprefix("@gazetteer(").removesuffix(")").partition(",")
        for fold in FOLDS:
            if read.startswith(f"{fold}(") and read.endswith(")"):
                return Gazetteer(lexicon, read.removeprefix(f"{fold}(").removesuffix(")"), fold)
        return Gazetteer(lexicon, read)

    @property
    def name(self) -> str:
        """The column's name."""
        read = self.column if self.fold is None else f"{self.fold}({self.column})"
        return f"@gazetteer({self.lexicon},{read})"

    def values(self, tokens: Sequence[str], lexicons: Mapping[str, Lexicon]) -> list[str | None]:
        """The column for the values of `self.column`."""
        folded = tokens if self.fold is None else [FOLDS[self.fold](token) for token in tokens]
        return longest_matches(folded, lexicons[self.lexicon].phrases(self.fold))
