"""How often words had labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.errors import StoreError
from seqlab.store.state import Array, State
from seqlab.tagging.door.labels import NOTHING, Gold


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How often words had labels, as entries sorted by word and label.

    word, label   (entries,)
    count         (entries,)   weights and shares add up
    seen          (words,)     how many tokens of each word had a label, whatever they weigh
    """

    word: npt.NDArray[np.int64]
    label: npt.NDArray[np.int64]
    count: npt.NDArray[np.float64]
    seen: npt.NDArray[np.int64]
    size: int  # L

    @staticmethod
    def of(
        words: npt.NDArray[np.int64],
        gold: Gold,
        weights: npt.NDArray[np.float64] | None,
        worth: npt.NDArray[np.float64] | None,
    ) -> Counts:
        """Tokens with the numbers of their words, their labels, and what they weigh."""
        size = len(gold.names)
        token = np.flatnonzero(gold.ids >= 0)
        label = gold.ids[token].astype(np.int64)
        share = np.ones(len(token))
        if gold.sets:
            several = [(t, y, 1.0 / len(some)) for t, some in gold.sets.items() for y in some]
            more = [np.array(part) for part in zip(*several, strict=True)]
            token, label = np.concatenate([token, more[0]]), np.concatenate([label, more[1]])
            share = np.concatenate([share, more[2]])
        if weights is not None:
            share = share * weights[token]
        if worth is not None:
            share = share * worth[label]
        seen = np.bincount(words[gold.ids != NOTHING], minlength=int(words.max(initial=-1)) + 1)
        return Counts._added(words[token], label, share, seen, size)

    def arrays(self) -> dict[str, Array]:
        """For a model file."""
        word, label = self.word.astype(np.int32), self.label.astype(np.int32)
        return {"word": word, "label": label, "count": self.count, "seen": self.seen}

    @staticmethod
    def from_state(state: State, words: int, size: int) -> Counts:
        """From arrays() in a state that somebody may have tampered with."""
        word = state.numbers("word", (None,), words).astype(np.int64)
        label = state.numbers("label", (len(word),), size).astype(np.int64)
        count, seen = state.finite("count", (len(word),)), state.array("seen", np.int64, (words,))
        if (
            (np.diff(word * size + label) <= 0).any()
            or (count < 0).any()
            or not count.any()
            or (seen < 0).any()
        ):
            raise StoreError(
                "the counts should be in the order of words and labels, from 0 up, and not all 0"
            )
        return Counts(word, label, count, seen, size)

    @staticmethod
    def _added(word: Any, label: Any, count: Any, seen: Any, size: int) -> Counts:
        """Entries of the same word and label added up."""
        keys, place = np.unique(word * size + label, return_inverse=True)
        added = np.bincount(place, count, len(keys)).astype(np.float64)
        return Counts(keys // size, keys % size, added, seen, size)

    def relabelled(self, labels: Sequence[str], new: Sequence[str]) -> Counts:
        """The same with the labels renumbered, more of them than before."""
        place = np.array([new.index(label) for label in labels], dtype=np.int64)
        return Counts(self.word, place[self.label], self.count, self.seen, len(new))

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
        return Counts._added(word, label, count, seen, self.size)

    def rows(self, words: npt.NDArray[np.int64], *, rare: bool) -> npt.NDArray[np.float64]:
        """(len(words), L) counts of these words; those of all words, or of words seen once, for a word numbered -1."""
        table = np.zeros((len(words), self.size))
        begin, end = np.searchsorted(self.word, words), np.searchsorted(self.word, words, side="right")
        lengths = end - begin
        row = np.repeat(np.arange(len(words)), lengths)
        entry = np.arange(int(lengths.sum())) + np.repeat(begin - np.cumsum(lengths) + lengths, lengths)
        table[row, self.label[entry]] = self.count[entry]
        table[~table.any(axis=1)] = self._unknown(rare=rare)
        return table

    def _unknown(self, *, rare: bool) -> npt.NDArray[np.float64]:
        once = (self.seen[self.word] == 1) & (self.count > 0)
        chosen = once if rare and once.any() else np.ones(len(self.word), dtype=bool)
        return np.bincount(self.label[chosen], self.count[chosen], self.size).astype(np.float64)
