"""How often each word had each label, as the counted hidden Markov model keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.errors import CorpusError, OptionError, StoreError
from seqlab.families.hmm.emissions.symbols import MISSING
from seqlab.store.state import Array, State, text_arrays

Offsets = npt.NDArray[np.int64]
LARGEST_TOTAL = 1e300  # sums of counts stay numbers


def as_pool(words: Sequence[str] | _core.StringPool) -> _core.StringPool:
    """Distinct strings as a pool with the same numbers."""
    if isinstance(words, _core.StringPool):
        return words
    pool = _core.StringPool()
    for i, word in enumerate(words):
        if pool.intern(word) != i:
            reason = (
                "is there twice" if isinstance(word, str) and pool.find(word) >= 0 else "is no sound string"
            )
            raise CorpusError(f"words[{i}] is {word!r:.60}, which {reason}; distinct strings are wanted")
    return pool


@dataclass(frozen=True, eq=False)
class WordCounts:
    """Counts above 0 of words that were counted at least once.

    pool    V words
    begin   (V + 1,)     the entries of word i are begin[i] .. begin[i + 1]
    label   (entries,)   rising within a word
    count   (entries,)
    L       number of labels
    """

    pool: _core.StringPool
    begin: Offsets
    label: npt.NDArray[np.int32]
    count: npt.NDArray[np.float64]
    L: int

    @staticmethod
    def of(
        pool: _core.StringPool,
        codes: npt.NDArray[np.int32],
        label_ids: npt.NDArray[np.int32],
        weights: npt.NDArray[np.float64] | None,
        L: int,
    ) -> WordCounts:
        """Tokens with the numbers of their words and labels, and what they count (eq:counting)."""
        gone = pool.find(MISSING)
        if weights is not None or gone >= 0:
            some = (codes != gone) & (True if weights is None else weights > 0)
            codes, label_ids = codes[some], label_ids[some]
            weights = None if weights is None else weights[some]
        if not len(codes):
            raise OptionError("not one token has a word and a weight above 0, so there is nothing to count")
        numbers, used = _core.compact_pool(np.ascontiguousarray(codes), pool)
        whole = np.array([0, len(numbers)], dtype=np.int64)
        return WordCounts(used, *_core.count_words(numbers, label_ids, weights, whole, len(used), L), L)

    def __reduce__(self) -> tuple[object, ...]:
        return _revived, (*self.pool.arrays(), self.begin, self.label, self.count, self.L)

    @cached_property
    def label_totals(self) -> npt.NDArray[np.float64]:
        """(L,) how often each label was counted."""
        return np.bincount(self.label, self.count, self.L).astype(np.float64)

    def relabelled(self, to: npt.NDArray[np.int32], L: int) -> WordCounts:
        """The same with label i called to[i]."""
        return WordCounts(self.pool, self.begin, to[self.label], self.count, L)

    def plus(self, other: WordCounts) -> WordCounts:
        """Both together."""
        pool, numbers = _core.join_pools([self.pool, other.pool])
        codes = [
            n[np.repeat(np.arange(len(n)), np.diff(one.begin))]
            for n, one in zip(numbers, (self, other), strict=True)
        ]
        return WordCounts.of(
            pool,
            np.concatenate(codes).astype(np.int32),
            np.concatenate([self.label, other.label]),
            np.concatenate([self.count, other.count]),
            self.L,
        )

    # ------------------------------------------------------------------------------------------ as plain data

    def arrays(self) -> dict[str, Array]:
        """For a model file."""
        text, begins = self.pool.arrays()
        counts: dict[str, Array] = {
            "word.begin": self.begin,
            "word.label": self.label,
            "word.count": self.count,
        }
        return {**text_arrays("words", text, begins), **counts}

    @staticmethod
    def from_state(state: State, L: int) -> WordCounts:
        """From arrays() in a state that somebody may have tampered with."""
        pool = _core.pool_of(*state.text("words"))
        if pool is None:
            raise StoreError("the words are not sound UTF-8, or one of them is there twice")
        count = state.finite("word.count", (None,))
        begin = state.offsets("word.begin", len(count), count=len(pool))
        label = state.numbers("word.label", (len(count),), L)
        word = np.repeat(np.arange(len(pool)), np.diff(begin))
        rises = (np.diff(word) > 0) | (np.diff(label) > 0)
        if not len(count) or not (np.diff(begin) > 0).all() or not rises.all():
            raise StoreError("every word should have labels, each of them once, in rising order")
        if not (count > 0).all() or not float(count.sum()) < LARGEST_TOTAL:
            raise StoreError("the counts of words should be above 0, and their sum a number")
        return WordCounts(pool, begin, label, count, L)


def _revived(text: Array, begins: Offsets, begin: Offsets, label: Array, count: Array, L: int) -> WordCounts:
    return WordCounts(_core.pool_of(text, begins), begin, label, count, L)
