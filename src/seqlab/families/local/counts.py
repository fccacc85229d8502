"""How often words had labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from seqlab.errors import StoreError
from seqlab.store.codec import Array
from seqlab.tagging.door.labels import NOTHING, Gold

Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How often words had labels, as entries sorted by word and label.

    word, label   (entries,)
    count         (entries,)   weights and shares add up
    seen          (words,)     how many tokens of each word had a label, whatever they weigh
    """

    word: Annotated[Numbers, Array(np.int32, "entries", least=0, below="V")]
    label: Annotated[Numbers, Array(np.int32, "entries", least=0, below="L")]
    count: Annotated[npt.NDArray[np.float64], Array(np.float64, "entries", least=0, finite=True)]
    seen: Annotated[npt.NDArray[np.int64], Array(np.int64, "V", least=0)]

    def check(self) -> None:
        """Refuse entries that are not in order, and counts of nothing."""
        if (np.diff(_keys(self.word, self.label)) <= 0).any() or not self.count.any():
            raise StoreError("the counts should be in the order of words and labels, and not all 0")

    @staticmethod
    def of(
        words: npt.NDArray[np.int64],
        gold: Gold,
        weights: npt.NDArray[np.float64] | None,
        worth: npt.NDArray[np.float64] | None,
    ) -> Counts:
        """Tokens with the numbers of their words, their labels, and what they weigh."""
        token, label, share = gold.entries(weights, worth)
        seen = np.bincount(words[gold.ids != NOTHING], minlength=int(words.max(initial=-1)) + 1)
        return Counts._added(words[token], label, share, seen)

    @staticmethod
    def _added(word: Any, label: Any, count: Any, seen: Any) -> Counts:
        """Entries of the same word and label added up."""
        _, first, place = np.unique(_keys(word, label), return_index=True, return_inverse=True)
        added = np.bincount(place, count, len(first)).astype(np.float64)
        return Counts(word[first].astype(np.int32), label[first].astype(np.int32), added, seen)

    def relabelled(self, labels: Sequence[str], new: Sequence[str]) -> Counts:
        """Renumber the labels; there may be more of them than before."""
        place = np.array([new.index(label) for label in labels], dtype=np.int32)
        return Counts(self.word, place[self.label], self.count, self.seen)

    def plus(self, other: Counts) -> Counts:
        """Both added up; the same words and labels have the same numbers in both."""
        seen = np.zeros(max(len(self.seen), len(other.seen)), dtype=np.int64)
        seen[: len(self.seen)] += self.seen
        seen[: len(other.seen)] += other.seen
        word, label, count = (
            np.concatenate([mine, theirs])
            for mine, theirs in (
                (self.word, other.word),
                (self.label, other.label),
                (self.count, other.count),
            )
        )
        return Counts._added(word, label, count, seen)

    def rows(self, words: npt.NDArray[np.int64], size: int, *, rare: bool) -> npt.NDArray[np.float64]:
        """(len(words), L) counts of these words; those of all words, or of words seen once, for a word numbered -1."""
        table = np.zeros((len(words), size))
        begin, end = np.searchsorted(self.word, words), np.searchsorted(self.word, words, side="right")
        lengths = end - begin
        row = np.repeat(np.arange(len(words)), lengths)
        entry = np.arange(int(lengths.sum())) + np.repeat(begin - np.cumsum(lengths) + lengths, lengths)
        table[row, self.label[entry]] = self.count[entry]
        table[~table.any(axis=1)] = self._unknown(size, rare=rare)
        return table

    def _unknown(self, size: int, *, rare: bool) -> npt.NDArray[np.float64]:
        once = (self.seen[self.word] == 1) & (self.count > 0)
        chosen = once if rare and once.any() else np.ones(len(self.word), dtype=bool)
        return np.bincount(self.label[chosen], self.count[chosen], size).astype(np.float64)


def _keys(word: Any, label: Any) -> npt.NDArray[np.int64]:
    """One number for each word and label, in the order of both."""
    size = int(label.max(initial=0)) + 1
    keys: npt.NDArray[np.int64] = word.astype(np.int64) * size + label
    return keys
