"""Symbols and their numbers: words, or whole numbers from 0 up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.corpus import Corpus, StringColumn, VectorColumn
from seqlab.corpus.columns import token_place
from seqlab.errors import CorpusError, OptionError, Place, StoreError
from seqlab.families.hmm.emissions.base import SymbolRows, as_floats
from seqlab.shown import Brief
from seqlab.store.fields import Field, Sizes
from seqlab.store.state import State, string_arrays

MISSING = "\0"  # represents a missing word in a column of words; no text contains it
MOST_NUMBERS = 10_000_000  # limit of symbols that are numbers: each has a row, used or not


@dataclass(frozen=True, eq=False, repr=False)
class Symbols(Brief):
    """V symbols by number.

    words   the words in order; None when symbols are the whole numbers 0 .. V - 1
    """

    count: int
    words: tuple[str, ...] | None = None

    @cached_property
    def number(self) -> Mapping[str, int]:
        """Map from word to number."""
        return {word: i for i, word in enumerate(self.words or ())}

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, i: int) -> str | int:
        return i if self.words is None else self.words[i]

    # ------------------------------------------------------------------------------------------ reading

    @staticmethod
    def of(given: Any) -> Symbols:
        """Read a user's list of words, or the number of whole numbers."""
        if isinstance(given, Symbols):
            return given
        if isinstance(given, (int, np.integer)) and not isinstance(given, bool) and given > 0:
            if given > MOST_NUMBERS:
                raise OptionError(
                    f"there can be {MOST_NUMBERS:,} whole numbers as symbols at most, got {given}"
                )
            return Symbols(int(given))
        if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
            raise OptionError(
                f"symbols must be a list of words, or how many numbers there are, got {given!r:.60}"
            )
        words = list(given)
        if words == list(range(len(words))) and words:
            return Symbols(len(words))
        for i, word in enumerate(words):
            if not isinstance(word, str) or word == MISSING:
                raise OptionError(f"symbols[{i}] must be a word, got {word!r:.60}")
        twice = [word for word, times in Counter(words).items() if times > 1]
        if twice or not words:
            raise OptionError(f"symbols must be different words, at least one; {twice[:1]!r} came twice")
        return Symbols(len(words), tuple(words))

    @staticmethod
    def seen_in(corpus: Corpus, column: str | None) -> Symbols:
        """Collect the symbols of training data: words in the order of their first use, numbers up to the largest."""
        data = corpus.data(str(column))
        if isinstance(data, StringColumn):
            words = tuple(word for word in data.compact().values if word != MISSING)
            if not words:
                raise CorpusError("every observation is missing, so there is no symbol to learn about")
            return Symbols(len(words), words)
        numbers = whole_numbers(corpus, column)
        largest = int(numbers.max(initial=-1))
        if largest < 0:
            raise CorpusError("every observation is missing, so there is no symbol to learn about")
        if largest >= MOST_NUMBERS:
            raise CorpusError(
                f"the symbol {largest} would need a table of so many rows, "
                f"and {MOST_NUMBERS:,} is the most; number symbols from 0 without gaps, or give them as words",
                place=place(corpus, int(np.argmax(numbers))),
            )
        return Symbols(largest + 1)

    def joined(self, other: Symbols) -> Symbols:
        """Append the new symbols of another instance."""
        if (self.words is None) != (other.words is None):
            kinds = ("words", "whole numbers") if other.words is None else ("whole numbers", "words")
            raise CorpusError(
                f"the model has {kinds[0]} for symbols, but the data are {kinds[1]}; give the same kind"
            )
        if self.words is None or other.words is None:
            return self if self.count >= other.count else other
        new = tuple(word for word in other.words if word not in self.number)
        return Symbols(self.count + len(new), self.words + new) if new else self

    def rows(self, corpus: Corpus, column: str | None, *, unknown: str) -> SymbolRows:
        """Number the tokens of a corpus; `unknown`: "error", or "missing" for unknown symbols."""
        data = corpus.data(str(column)) if corpus.token_count else None
        if data is None or _nothing(data):
            return listed(np.full(corpus.token_count, -1, dtype=np.int32))
        if isinstance(data, StringColumn) != (self.words is not None):
            have = "words" if self.words is not None else "whole numbers"
            raise CorpusError(
                f"the observations of training were {have}, but those of column {column!r} are not; give the same kind"
            )
        if isinstance(data, StringColumn):
            words = data.filled(MISSING).compact()
            ids = np.array([self.number.get(word, -1) for word in words.values], dtype=np.int32)[words.codes]
            strange = (ids < 0) & (words.codes != words.pool.find(MISSING))
        else:
            numbers = whole_numbers(corpus, column)
            strange = numbers >= self.count
            ids = np.where(strange, -1, numbers).astype(np.int32)
        if unknown == "error" and strange.any():
            token = int(np.argmax(strange))
            one = (
                int(data.vectors[token, 0])
                if isinstance(data, VectorColumn)
                else data.values[data.codes[token]]
            )
            known = f"0 to {self.count - 1}" if self.words is None else f"{self.count} words"
            raise CorpusError(
                f"the symbol {one!r:.60} was never seen in training, which had {known}; "
                f"HMM(unknown='missing') treats it as not observed",
                place=place(corpus, token),
            )
        return listed(ids)


class Stored(Field):
    """Symbols as a stored field of a fitted value: their number, and an array of the words, if they are words."""

    def __init__(self, size: str) -> None:
        self.size = size

    def put(self, state: State, name: str, value: Symbols) -> None:
        """Write the symbols."""
        state.settings[name] = len(value)
        state.arrays.update(string_arrays(name, value.words or ()))

    def get(self, state: State, name: str, sizes: Sizes) -> Symbols:
        """Read the symbols."""
        count, words = state.number(name, 1), tuple(state.strings(name))
        if words and (len(words) != count or len(set(words)) != count):
            raise StoreError(f"{count} different symbols are wanted, found {len(words)}")
        sizes[self.size] = count
        return Symbols(count, words or None)


def _nothing(data: Any) -> bool:
    """Return True if every token of a column is missing: then words and numbers cannot be told apart."""
    if isinstance(data, StringColumn):
        return data.filled(MISSING).compact().values == [MISSING]
    return isinstance(data, VectorColumn) and bool(np.isnan(data.vectors).all())


def listed(ids: npt.NDArray[np.int32]) -> SymbolRows:
    """Make one symbol per token, none where the number is -1."""
    there = ids >= 0
    if there.all():
        return SymbolRows(np.arange(len(ids) + 1, dtype=np.int64), np.ascontiguousarray(ids))
    begin = np.concatenate([[0], np.cumsum(there)]).astype(np.int64)
    return SymbolRows(begin, np.ascontiguousarray(ids[there]))


def whole_numbers(corpus: Corpus, column: str | None) -> npt.NDArray[np.int64]:
    """Read (T,) symbols that are numbers, -1 for a missing one (NaN)."""
    data = corpus.data(str(column))
    if not isinstance(data, VectorColumn) or data.vectors.shape[1] != 1:
        raise CorpusError(
            f"column {column!r} should hold words or whole numbers, one for every token; "
            f"for vectors there are Gaussian() and Poisson(), for lists of features FeatureBag()"
        )
    values = data.vectors[:, 0]
    missing = np.isnan(values)
    bad = ~missing & ((values < 0) | (values != np.floor(values)) | (values > 2**53))
    if bad.any():
        token = int(np.argmax(bad))
        raise CorpusError(
            f"a symbol is a word or a whole number from 0 up, got {values[token]:g}; "
            f"for real numbers there is emissions=Gaussian()",
            place=place(corpus, token),
        )
    return np.where(missing, -1, values).astype(np.int64)


def place(corpus: Corpus, token: int) -> Place:
    """Find sentence and position of a token of the corpus."""
    return corpus.located(*token_place(corpus.offsets, token))


def checked_probabilities(table: Any, name: str, shape: Sequence[int | None], *, sums: bool = True) -> Any:
    """Read an array of probabilities whose last axis sums to one."""
    array = as_floats(table, name)
    fits = array.ndim == len(shape) and all(w in {None, n} for w, n in zip(shape, array.shape, strict=True))
    if not fits:
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise OptionError(f"{name} has shape {array.shape}, but ({wanted}) is wanted")
    bad = ~np.isfinite(array) | (array < 0)
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        raise OptionError(
            f"{name}[{', '.join(map(str, at))}] is {array[at]}, but a probability is from 0 to 1"
        )
    total = array.sum(axis=-1)
    wrong = np.abs(total - 1) > 1e-6
    if sums and wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        row = f"row {', '.join(map(str, at))} of {name}" if at else name
        raise OptionError(f"{row} sums to {float(total[at]):.9g}, but probabilities sum to 1")
    return array / total[..., None] if sums else array
