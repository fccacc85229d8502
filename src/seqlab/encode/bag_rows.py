"""Attributes that come ready made: bags of strings with weights, vectors, and functions that give bags."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import BagColumn, Corpus, VectorColumn
from seqlab.corpus.bags import Bag
from seqlab.encode.encoded import AttributeIds, Met, Rows
from seqlab.encode.stored import KnownBags, KnownVectors
from seqlab.errors import CorpusError, Place, ShapeError, StoreError, TemplateError
from seqlab.features.own import FeatureFunction
from seqlab.store.state import text_arrays

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class BagsOfColumn:
    """Finds the bags in the column of this name."""

    name: str

    def __call__(self, corpus: Corpus) -> BagColumn:
        """The column, which must hold bags."""
        if not corpus.token_count:  # lists without a token do not say what they hold
            return BagColumn(
                np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), None, _core.StringPool()
            )
        column = corpus.data(self.name)
        if not isinstance(column, BagColumn):
            first = int(np.flatnonzero(corpus.lengths)[0])
            raise CorpusError(
                f"column {self.name!r} has {corpus[first][self.name][0]!r:.60}, but in training every token had a "
                f"list of strings or a dict; give its attributes, as in ['word=the', 'bias']",
                place=Place(first, 0, item="token"),
            )
        return column


@dataclass(frozen=True, slots=True)
class BagsOfFunction:
    """Calls the user's function at every token."""

    function: FeatureFunction

    def __call__(self, corpus: Corpus) -> BagColumn:
        """What it gave."""
        pool = _core.StringPool()
        indptr, codes, weights = [0], [], []
        for number, sentence in enumerate(corpus):
            for t in range(len(sentence)):
                for attribute, weight in self._asked(number, sentence, t):
                    codes.append(pool.intern(attribute))
                    weights.append(weight)
                indptr.append(len(codes))
        return BagColumn(
            np.array(indptr, dtype=np.int64),
            np.array(codes, dtype=np.int32),
            None if all(weight == 1 for weight in weights) else np.array(weights, dtype=np.float64),
            pool,
        )

    def _asked(self, number: int, sentence: Any, t: int) -> Bag:
        try:
            return self.function(sentence, t)
        except (CorpusError, TemplateError) as error:
            raise error.at(sentence=number) from error.__cause__


class BagRows:
    """One attribute for every string of a bag; `bags` finds the bags of a corpus."""

    def __init__(self, bags: Callable[[Corpus], BagColumn], min_count: int) -> None:
        self._bags = bags
        self._min_count = min_count
        self._pool = _core.StringPool()
        self._ids: AttributeIds = np.zeros(0, dtype=np.int32)  # by number in the pool
        self._read: BagColumn | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return BagRows.of, (self.known(), self._bags, self._min_count)

    @property
    def column(self) -> str | None:
        """The column of the bags; None when a function makes them."""
        return getattr(self._bags, "name", None)

    @property
    def pool(self) -> _core.StringPool:
        """The attributes that it knows, and maybe some that it has dropped."""
        return self._pool

    def learn(self, corpus: Corpus, threads: int) -> None:  # noqa: ARG002 -- nothing here is worth a thread
        """Meet every attribute of the corpus."""
        bags = self._bags(corpus)
        self._read = _with_pool(bags, self._pool) if len(self._pool) else bags
        self._pool = self._read.pool

    def met(self) -> Met:
        """Every string of the pool; it must be met at least once."""
        counts = np.bincount(_read(self._read).codes, minlength=len(self._pool)).astype(np.int64)
        known = np.full(len(counts), -1, dtype=np.int32)
        known[: len(self._ids)] = self._ids
        return Met(counts, np.full(len(counts), max(self._min_count, 1), dtype=np.int32), known)

    def number(self, numbers: AttributeIds) -> Rows:
        """Give the attributes their final numbers; the rows of what learn() read."""
        bags, self._read = _read(self._read), None
        self._ids = numbers
        return _rows(bags, numbers)

    def extended(self) -> BagRows:
        """Another one with the same attributes, in the order of their numbers; it may learn once more."""
        other = BagRows(self._bags, self._min_count)
        kept = np.flatnonzero(self._ids >= 0)
        kept = kept[np.argsort(self._ids[kept])]
        texts = self._pool.strings()
        for code in kept.tolist():
            other._pool.intern(texts[code])
        other._ids = self._ids[kept]
        return other

    def restricted(self, numbers: AttributeIds) -> BagRows:
        """Another one that knows attribute a under numbers[a], and not at all where that is -1."""
        other = BagRows(self._bags, self._min_count)
        known = self._ids >= 0
        other._pool, other._ids = self._pool, self._ids.copy()
        other._ids[known] = numbers[self._ids[known]]
        return other.extended()

    def knowing(self, names: Sequence[str]) -> BagRows:
        """Another one that knows these attributes, each of which is there once, by their places in the list."""
        other = BagRows(self._bags, self._min_count)
        for name in names:
            other._pool.intern(name)
        other._ids = np.arange(len(names), dtype=np.int32)
        return other

    def laid_out(self) -> dict[str, Any]:
        """Return the attributes in the order of their numbers as arrays, with the table from strings to places."""
        kept = self.extended()
        strings = text_arrays("attributes", *kept._pool.arrays())
        return {**strings, "attributes.slots": kept._pool.slots(), "ids": kept._ids}

    @staticmethod
    def of_laid_out(column: str, arrays: Mapping[str, Any]) -> BagRows:
        """Return rows that look at such arrays where they lie, in a file that nobody has checked, too."""
        rows = BagRows(BagsOfColumn(column), 1)
        rows._pool = _core.laid_pool(*(arrays[f"attributes.{part}"] for part in ("bytes", "begins", "slots")))
        if len(rows._pool) != len(arrays["ids"]):
            raise StoreError(
                f"{len(rows._pool)} attributes should have as many ids, found {len(arrays['ids'])}"
            )
        rows._ids = arrays["ids"]
        return rows

    def known(self) -> KnownBags:
        """Return the attributes in the order of their numbers."""
        kept = self.extended()
        return KnownBags(self.column, kept._ids, kept._pool)

    @staticmethod
    def of(known: KnownBags, bags: Callable[[Corpus], BagColumn], min_count: int) -> BagRows:
        """Make rows that know what known() told."""
        rows = BagRows(bags, min_count)
        rows._pool, rows._ids = known.attributes, known.ids
        return rows

    def look_up(self, corpus: Corpus, threads: int) -> Rows:  # noqa: ARG002
        """The rows of another corpus, without what was never met."""
        bags = self._bags(corpus)
        if bags.pool is self._pool:
            return _rows(bags, self._ids)
        known = _core.translate(bags.pool, self._pool)
        ids = np.append(self._ids, np.int32(-1))  # -1 for strings the pool does not have
        return _rows(bags, ids[known])

    def name(self, names: list[str]) -> None:
        """Write the names of the attributes to their numbers."""
        for text, i in zip(self._pool.strings(), self._ids.tolist(), strict=True):
            if i >= 0:
                names[i] = text


def _with_pool(bags: BagColumn, pool: _core.StringPool) -> BagColumn:
    """The same bags; their strings stand in `pool`, which gets those that are new to it."""
    of_code = _core.translate(bags.pool, pool)
    for code in np.flatnonzero(of_code < 0).tolist():
        of_code[code] = pool.intern(bags.pool.string(code))
    return BagColumn(bags.indptr, of_code[bags.codes], bags.weights, pool)


def _rows(bags: BagColumn, of_code: npt.NDArray[np.int32]) -> Rows:
    ids = of_code.take(bags.codes)
    kept = ids >= 0
    if bags.weights is not None:
        kept &= bags.weights != 0  # a feature that counts nothing is not there
    if kept.all():
        return Rows(bags.indptr, ids, bags.weights)
    before = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    return Rows(before[bags.indptr], ids[kept], None if bags.weights is None else bags.weights[kept])


class VectorRows:
    """One attribute for each of the D numbers of a token's vector, named column[0], column[1], ..."""

    def __init__(self, column: str) -> None:
        self._column = column
        self._size = 0
        self._ids: AttributeIds = np.zeros(0, dtype=np.int32)
        self._read: npt.NDArray[np.float64] | None = None

    @property
    def column(self) -> str:
        """The column of the vectors."""
        return self._column

    def learn(self, corpus: Corpus, threads: int) -> None:  # noqa: ARG002
        """Meet the vectors."""
        self._read = self._sized(corpus) if self._size else self._vectors(corpus)
        self._size = self._read.shape[1]

    def met(self) -> Met:
        """Every number of the vector is met at every token."""
        counts = np.full(self._size, len(_read(self._read)), dtype=np.int64)
        return Met(counts, np.zeros(self._size, dtype=np.int32), self._ids if len(self._ids) else None)

    def number(self, numbers: AttributeIds) -> Rows:
        """Give the attributes their final numbers; the rows of what learn() read."""
        vectors, self._read = _read(self._read), None
        self._ids = numbers
        return self._rows(vectors)

    def extended(self) -> VectorRows:
        """Another one with the same attributes."""
        other = VectorRows(self._column)
        other._size, other._ids = self._size, self._ids
        return other

    def restricted(self, numbers: AttributeIds) -> VectorRows:
        """Another one that knows attribute a under numbers[a], and not at all where that is -1."""
        other = VectorRows(self._column)
        other._size, other._ids = self._size, self._ids.copy()
        known = self._ids >= 0
        other._ids[known] = numbers[self._ids[known]]
        return other

    def known(self) -> KnownVectors:
        """Return the numbers of the attributes; -1 for a number of the vector that is left out."""
        return KnownVectors(self._column, self._ids)

    @staticmethod
    def of(known: KnownVectors) -> VectorRows:
        """Make rows that know what known() told."""
        rows = VectorRows(known.column)
        rows._ids, rows._size = known.ids, len(known.ids)
        return rows

    def look_up(self, corpus: Corpus, threads: int) -> Rows:  # noqa: ARG002
        """The rows of another corpus."""
        return self._rows(self._sized(corpus))

    def _sized(self, corpus: Corpus) -> npt.NDArray[np.float64]:
        """Vectors with as many numbers as those of training."""
        vectors = self._vectors(corpus)
        if vectors.shape[1] != self._size:
            raise ShapeError(
                f"the vectors of column {self._column!r} have {vectors.shape[1]} numbers, but training had {self._size}"
            )
        return vectors

    def name(self, names: list[str]) -> None:
        """Write the names of the attributes to their numbers."""
        for d, i in enumerate(self._ids.tolist()):
            if i >= 0:
                names[i] = f"{self._column}[{d}]"

    def _rows(self, vectors: npt.NDArray[np.float64]) -> Rows:
        tokens, ids = len(vectors), self._ids
        if (ids < 0).any():
            vectors, ids = np.ascontiguousarray(vectors[:, ids >= 0]), ids[ids >= 0]
        indptr = np.arange(tokens + 1, dtype=np.int64) * len(ids)
        return Rows(indptr, np.tile(ids, tokens), vectors.reshape(-1))

    def _vectors(self, corpus: Corpus) -> npt.NDArray[np.float64]:
        if not corpus.token_count:  # lists without a token do not say what they hold
            return np.zeros((0, self._size))
        column = corpus.data(self._column)
        if not isinstance(column, VectorColumn):
            raise CorpusError(f"column {self._column!r} held vectors in training, but does not here")
        vectors = np.ascontiguousarray(column.vectors, dtype=np.float64)
        if not np.isfinite(vectors).all():
            token, d = np.argwhere(~np.isfinite(vectors))[0].tolist()
            s = int(np.searchsorted(corpus.offsets, token, side="right")) - 1
            raise CorpusError(
                f"number {d} is {vectors[token, d]}, but finite numbers are wanted",
                place=Place(s, token - int(corpus.offsets[s]), within=(f"column {self._column!r}",)),
            )
        return vectors


def _read(value: Read | None) -> Read:
    if value is None:
        raise RuntimeError("met() and number() follow learn()")
    return value
