"""How often each word had each label, as the counted hidden Markov model keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.errors import OptionError, StoreError
from seqlab.families.hmm.emissions.symbols import MISSING
from seqlab.store.codec import Array, Pool
from seqlab.store.codec import Offsets as StoredOffsets

Offsets = npt.NDArray[np.int64]
LARGEST_TOTAL = 1e300  # sums of counts stay numbers


@dataclass(frozen=True, eq=False)
class WordCounts:
    """Counts above 0 of words that were counted at least once.

    pool    V words
    begin   (V + 1,)     the entries of word i are begin[i] .. begin[i + 1]
    label   (entries,)   rising within a word
    count   (entries,)
    L       number of labels
    """

    pool: Annotated[_core.StringPool, Pool("words")]
    begin: Annotated[Offsets, StoredOffsets("entries", "words")]
    label: Annotated[npt.NDArray[np.int32], Array(np.int32, "entries", least=0, below="L")]
    count: Annotated[npt.NDArray[np.float64], Array(np.float64, "entries", finite=True)]
    L: int

    def check(self) -> None:
        """Refuse counts of a file that training never gives."""
        word = np.repeat(np.arange(len(self.pool)), np.diff(self.begin))
        rises = (np.diff(word) > 0) | (np.diff(self.label) > 0)
        if not len(self.count) or not (np.diff(self.begin) > 0).all() or not rises.all():
            raise StoreError("every word should have labels, each of them once, in rising order")
        if not (self.count > 0).all() or not float(self.count.sum()) < LARGEST_TOTAL:
            raise StoreError("the counts of words should be above 0, and their sum a number")

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

    @property
    def label_totals(self) -> npt.NDArray[np.float64]:
        """(L,) how often each label was counted."""
        return np.bincount(self.label, self.count, self.L).astype(np.float64)

    def relabelled(self, to: npt.NDArray[np.int32], L: int) -> WordCounts:
        """Return the same counts with label i called to[i]."""
        return WordCounts(self.pool, self.begin, to[self.label], self.count, L)

    def plus(self, other: WordCounts) -> WordCounts:
        """Add the counts of another."""
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


def _revived(
    text: npt.NDArray[np.uint8],
    begins: Offsets,
    begin: Offsets,
    label: npt.NDArray[np.int32],
    count: npt.NDArray[np.float64],
    L: int,
) -> WordCounts:
    return WordCounts(_core.pool_of(text, begins), begin, label, count, L)
