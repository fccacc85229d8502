"""Counts of n-grams, and the table of probabilities that they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.errors import LabelError, OptionError
from seqlab.learning.smoothing import MLE, AddLambda, KneserNey, Smoothing, WittenBell
from seqlab.tagging.transitions import END, START

Codes = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Discounts = tuple[tuple[float, float, float], ...]

MOST_ORDER = 5
# How symbols are numbered while counting: the words come last, because there may be more of them later.
RAW_START, RAW_END, RAW_WORDS = 0, 1, 2
NONE = -1


@dataclass(frozen=True, eq=False)
class Tokens:
    """Sentences of strings.

    codes     (tokens,)   the number of each token's string in the pool
    offsets   (N + 1,)    sentence i has tokens offsets[i] .. offsets[i + 1]
    """

    codes: Codes
    offsets: Offsets
    pool: _core.StringPool

    def place(self, token: int) -> tuple[int, int]:
        """Sentence and position of a token."""
        sentence = int(np.searchsorted(self.offsets, token, side="right")) - 1
        return sentence, token - int(self.offsets[sentence])


@dataclass(frozen=True, eq=False)
class Counted:
    """What was counted: every word under its own name, so that more can be counted later."""

    pool: _core.StringPool
    ngrams: _core.NgramCounts
    end: bool

    @staticmethod
    def of(tokens: Tokens, order: int, *, end: bool) -> Counted:
        """Count the n-grams of up to order + 1 symbols (eq:ngram)."""
        size = RAW_WORDS + len(tokens.pool)
        codes = tokens.codes + np.int32(RAW_WORDS)
        ngrams = _core.count_ngrams(codes, tokens.offsets, order, RAW_START, RAW_END if end else NONE, size)
        return Counted(tokens.pool, ngrams, end)

    def __reduce__(self) -> tuple[object, ...]:
        return _counted, (*self.pool.arrays(), self.ngrams.arrays(), self.end)

    def plus(self, other: Counted) -> Counted:
        """Both added up."""
        pool, (mine, theirs) = _core.join_pools([self.pool, other.pool])
        size = RAW_WORDS + len(pool)
        parts = [
            _core.join_ngrams([one.ngrams], _shifted(numbers), size)
            for one, numbers in ((self, mine), (other, theirs))
        ]
        ngrams = _core.join_ngrams(parts, np.arange(size, dtype=np.int32), size)
        return Counted(pool, ngrams, self.end)

    @property
    def order(self) -> int:
        """How many symbols a history has at most."""
        return self.ngrams.order

    def word_counts(self) -> npt.NDArray[np.int64]:
        """(words,) how often each word of the pool was seen."""
        counts: npt.NDArray[np.int64] = self.ngrams.arrays()[0][2][RAW_WORDS:]
        return counts


def _shifted(numbers: Codes) -> Codes:
    """The same map with the two symbols that are no words before it."""
    special = np.array([RAW_START, RAW_END], dtype=np.int32)
    return np.concatenate([special, numbers + np.int32(RAW_WORDS)]).astype(np.int32)


@dataclass(frozen=True, eq=False)
class Symbols:
    """The symbols that can follow a history: words by name, then the unknown word, then the end.

    names   of all of them, in this order; the start symbol, which only begins histories, has the next number
    pool    the same with the start symbol, for numbers by name
    """

    names: tuple[str, ...]
    pool: _core.StringPool
    unknown: str | None
    end: bool

    @staticmethod
    def of(words: Sequence[str], unknown: str | None, *, end: bool) -> Symbols:
        """Words without the unknown one, in any order."""
        names = tuple(sorted(words)) + (() if unknown is None else (unknown,)) + ((END,) if end else ())
        pool = _core.StringPool()
        for name in (*names, START):
            pool.intern(name)
        return Symbols(names, pool, unknown, end)

    def __reduce__(self) -> tuple[object, ...]:
        return _symbols, ([name for name in self.words if name != self.unknown], self.unknown, self.end)

    @property
    def words(self) -> tuple[str, ...]:
        """All names but that of the end."""
        return self.names[:-1] if self.end else self.names

    @property
    def end_code(self) -> int:
        """The number of the end; -1 if sentences have none."""
        return len(self.names) - 1 if self.end else NONE

    @property
    def unknown_code(self) -> int:
        """The number of the unknown word; -1 if there is none."""
        return NONE if self.unknown is None else len(self.names) - 1 - self.end

    def numbers(self, pool: _core.StringPool) -> Codes:
        """The number of every string of a pool: the unknown one's, or -1, for those that are no words here."""
        numbers = np.array(_core.translate(pool, self.pool))
        special = numbers >= len(self.names) - self.end  # text has no start and no end of its own
        numbers[special | (numbers < 0)] = self.unknown_code
        return numbers


@dataclass(frozen=True, eq=False)
class NgramModel:
    """Probabilities of symbols after histories.

    discounts   those of Kneser-Ney for n-grams of 1, 2, ... symbols; () for other smoothing
    """

    symbols: Symbols
    table: _core.NgramTable
    discounts: Discounts = ()

    @staticmethod
    def of(counted: Counted, symbols: Symbols, smoothing: Smoothing) -> NgramModel:
        """Probabilities from counts; words that are no symbols are counted as the unknown one."""
        words = symbols.numbers(counted.pool)
        if (words < 0).any():
            strange = counted.pool.string(int(np.argmax(words < 0)))
            raise LabelError(
                f"{strange!r:.80} was counted, but it is not in the vocabulary of {len(symbols.words)}, and there is "
                f"no unknown word; call fit"
            )
        start, end = len(symbols.names), symbols.end_code if symbols.end else 0
        numbers = np.concatenate([np.array([start, end]), words]).astype(np.int32)
        ngrams = _core.join_ngrams([counted.ngrams], numbers, start + 1)
        return NgramModel(symbols, *_core.estimate_ngrams(ngrams, *_method(smoothing)))

    def __reduce__(self) -> tuple[object, ...]:
        return _model, (self.symbols, self.table.arrays(), self.table.flat, self.discounts)

    @property
    def order(self) -> int:
        """How many symbols a history has at most."""
        return self.table.order

    def log_probs(self, codes: Codes, offsets: Offsets, threads: int) -> npt.NDArray[np.float64]:
        """Log-probability of every symbol and of every end, one sentence after another (eq:backoff)."""
        out = np.empty(len(codes) + (len(offsets) - 1 if self.symbols.end else 0))
        self.table.score(codes, offsets, self.symbols.end_code, threads, out)
        return out

    def following(self, history: Codes, *, start: bool) -> npt.NDArray[np.float64]:
        """(names,) probabilities after a history; with `start`, it begins a sentence."""
        out = np.empty(len(self.symbols.names))
        self.table.next(history, start, out)
        return out

    def sample(self, n: int, most: int, seed: int) -> tuple[Codes, Offsets]:
        """Codes and offsets of n sentences."""
        return self.table.sample(n, self.symbols.end_code, most, seed)


def _method(smoothing: Smoothing) -> tuple[_core.NgramSmoothing, float, Any]:
    kinds = _core.NgramSmoothing
    if isinstance(smoothing, AddLambda) and smoothing.value > 0:
        return kinds.add_lambda, float(smoothing.value), None
    if isinstance(smoothing, (MLE, AddLambda)):
        return kinds.mle, 0.0, None
    if isinstance(smoothing, WittenBell):
        return kinds.witten_bell, 0.0, None
    if isinstance(smoothing, KneserNey):
        return kinds.kneser_ney, 0.0, smoothing.three()
    raise OptionError(
        f"a chain of symbols has no smoothing {smoothing!r}; it has 'mle', 'add-lambda', 'witten-bell' and 'kneser-ney'"
    )


# What unpickling calls.


def _counted(text: Any, begins: Any, levels: list[Any], end: bool) -> Counted:  # noqa: FBT001
    return Counted(_core.pool_of(text, begins), _core.NgramCounts.of(levels), end)


def _symbols(words: list[str], unknown: str | None, end: bool) -> Symbols:  # noqa: FBT001
    return Symbols.of(words, unknown, end=end)


def _model(symbols: Symbols, levels: list[Any], flat: bool, discounts: Discounts) -> NgramModel:  # noqa: FBT001
    return NgramModel(symbols, _core.NgramTable.of(levels, flat=flat), discounts)
