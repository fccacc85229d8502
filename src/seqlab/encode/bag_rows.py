"""Ready-made attributes: bags of strings with weights, vectors, and functions that return bags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import BagColumn, Corpus, VectorColumn
from seqlab.encode.encoded import AttributeIds, Rows, Seen
from seqlab.encode.stored import KnownBags, KnownVectors
from seqlab.errors import CorpusError, Place, ShapeError, StoreError, TemplateError
from seqlab.features.own import FeatureFunction
from seqlab.store.state import text_arrays

NONE = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class BagsOfColumn:
    """Finds the bags in the column of this name."""

    name: str

    def __call__(self, corpus: Corpus) -> BagColumn:
        """Return the column, which must hold bags."""
        if not corpus.token_count:  # empty lists do not show their type
            return BagColumn(np.zeros(1, dtype=np.int64), NONE, None, _core.StringPool())
        column = corpus.data(self.name)
        if not isinstance(column, BagColumn):
            first = int(np.flatnonzero(corpus.lengths)[0])
            raise CorpusError(
                f"column {self.name!r} has {corpus[first][self.name][0]!r:.60}, but in training every token had a "
                f"list of strings or a dict; give its attributes, as in ['word=the', 'bias']",
                place=Place(first, 0, item="token"),
            )
        return column


@dataclass(frozen=True, slots=True, eq=False)
class PairBags(BagColumn):
    """Bags with a label pair per entry: moves (entries,) has the number of the pair, from * L + to."""

    moves: AttributeIds = field(default_factory=lambda: NONE)


@dataclass(frozen=True, slots=True)
class BagsOfFunction:
    """Calls the user's function at every token; with on_moves not at the first token of a sentence."""

    function: FeatureFunction
    on_moves: bool = False

    def __call__(self, corpus: Corpus) -> BagColumn:
        """Collect the bags that it returns."""
        pool = _core.StringPool()
        indptr, codes, weights = [0], [], []
        for number, sentence in enumerate(corpus):
            for t in range(len(sentence)):
                try:
                    bag = self.function(sentence, t) if t or not self.on_moves else []
                except (CorpusError, TemplateError) as error:
                    raise error.at(sentence=number) from error.__cause__
                for attribute, weight in bag:
                    codes.append(pool.intern(attribute))
                    weights.append(weight)
                indptr.append(len(codes))
        return BagColumn(
            np.array(indptr, dtype=np.int64),
            np.array(codes, dtype=np.int32),
            None if all(weight == 1 for weight in weights) else np.array(weights, dtype=np.float64),
            pool,
        )


class BagRows:
    """One attribute for every string of a bag.

    bags   finds the bags of a corpus
    pool   the known attributes, and possibly some that were dropped
    ids    their numbers by index in the pool, -1 for dropped ones
    """

    def __init__(
        self,
        bags: Callable[[Corpus], BagColumn],
        min_count: int,
        pool: _core.StringPool | None = None,
        ids: AttributeIds = NONE,
    ) -> None:
        self._bags = bags
        self._min_count = min_count
        self.pool = _core.StringPool() if pool is None else pool
        self._ids = ids
        self.zeros = (
            False  # whether learn() keeps attributes of value 0, so that they count as seen with a label
        )

    def __reduce__(self) -> tuple[Any, ...]:
        known = self.known()
        return BagRows, (self._bags, self._min_count, known.attributes, known.ids)

    @property
    def column(self) -> str | None:
        """The column of the bags; None when a function makes them."""
        return getattr(self._bags, "name", None)

    def learn(self, corpus: Corpus, threads: int) -> Seen:  # noqa: ARG002 -- nothing here is worth a thread
        """Count every string of the corpus; at least one occurrence is needed to stay."""
        bags = self._bags(corpus)
        if len(self.pool):
            of_code = _core.translate(bags.pool, self.pool)
            for code in np.flatnonzero(of_code < 0).tolist():
                of_code[code] = self.pool.intern(bags.pool.string(code))
            bags = replace(bags, codes=of_code[bags.codes], pool=self.pool)
        self.pool = bags.pool
        counts = np.bincount(bags.codes, minlength=len(self.pool)).astype(np.int64)
        known = np.full(len(counts), -1, dtype=np.int32)
        known[: len(self._ids)] = self._ids

        def number(numbers: AttributeIds) -> Rows:
            self._ids = numbers
            return _rows(bags, numbers, zeros=self.zeros)

        return Seen(counts, np.full(len(counts), max(self._min_count, 1), dtype=np.int32), known, number)

    def look_up(self, corpus: Corpus, threads: int) -> Rows:  # noqa: ARG002
        """Return the rows of another corpus, without unseen attributes."""
        bags = self._bags(corpus)
        if bags.pool is self.pool:
            return _rows(bags, self._ids)
        ids = np.append(self._ids, np.int32(-1))  # -1 for strings that are not in the pool
        return _rows(bags, ids[_core.translate(bags.pool, self.pool)])

    def extended(self) -> BagRows:
        """Copy the attributes, in the order of their numbers; the copy may learn again."""
        if self._in_order():
            return BagRows(self._bags, self._min_count, copy(self.pool), self._ids)
        kept = np.flatnonzero(self._ids >= 0)
        kept = kept[np.argsort(self._ids[kept])]
        pool = self.pool.chosen(kept.astype(np.int32))
        return BagRows(self._bags, self._min_count, pool, self._ids[kept])

    def with_bags(self, bags: Callable[[Corpus], BagColumn]) -> BagRows:
        """Copy this with another source of bags and the same attributes."""
        return BagRows(bags, self._min_count, self.pool, self._ids)

    def _in_order(self) -> bool:
        """Return True if all strings of the pool are attributes and have the same numbers there."""
        return len(self._ids) == len(self.pool) and np.array_equal(self._ids, np.arange(len(self._ids)))

    def restricted(self, numbers: AttributeIds) -> BagRows:
        """Copy the kept attributes: attribute a gets the number numbers[a], and is dropped where that is -1."""
        return BagRows(self._bags, self._min_count, self.pool, _renumbered(self._ids, numbers)).extended()

    def name(self, names: list[str]) -> None:
        """Write the names of the attributes to their numbers."""
        for text, i in zip(self.pool.strings(), self._ids.tolist(), strict=True):
            if i >= 0:
                names[i] = text

    def known(self) -> KnownBags:
        """Return the attributes in the order of their numbers."""
        kept = self if self._in_order() else self.extended()
        return KnownBags(self.column, kept._ids, kept.pool)

    def laid_out(self) -> dict[str, Any]:
        """Return the attributes by number as arrays, with a hash table from strings to indices."""
        known = self.known()
        strings = text_arrays("attributes", *known.attributes.arrays())
        return {**strings, "attributes.slots": known.attributes.slots(), "ids": known.ids}

    @staticmethod
    def of_laid_out(column: str, arrays: Mapping[str, Any]) -> BagRows:
        """Make rows that use such arrays in place, also from a file that was not checked."""
        pool = _core.laid_pool(*(arrays[f"attributes.{part}"] for part in ("bytes", "begins", "slots")))
        if len(pool) != len(arrays["ids"]):
            raise StoreError(f"{len(pool)} attributes should have as many ids, found {len(arrays['ids'])}")
        return BagRows(BagsOfColumn(column), 1, pool, arrays["ids"])


def _rows(bags: BagColumn, of_code: AttributeIds, *, zeros: bool = False) -> Rows:
    moves = bags.moves if isinstance(bags, PairBags) else None
    rows = Rows(bags.indptr, of_code.take(bags.codes), bags.weights, moves=moves)
    rows = rows.only(rows.ids >= 0)
    return rows if zeros else rows.effective()


def _renumbered(ids: AttributeIds, numbers: AttributeIds) -> AttributeIds:
    return np.append(numbers, np.int32(-1))[ids]  # -1 stays -1


class VectorRows:
    """One attribute for each of the D numbers of a token's vector, named column[0], column[1], ...

    ids   (D,)   their numbers, -1 for one that is left out
    """

    def __init__(self, column: str, ids: AttributeIds = NONE) -> None:
        self.column = column
        self._ids = ids

    def learn(self, corpus: Corpus, threads: int) -> Seen:  # noqa: ARG002
        """Count the vectors: every dimension occurs at every token."""
        vectors = self._vectors(corpus)
        size = vectors.shape[1]
        counts = np.full(size, len(vectors), dtype=np.int64)
        known = self._ids if len(self._ids) else np.full(size, -1, dtype=np.int32)

        def number(numbers: AttributeIds) -> Rows:
            self._ids = numbers
            return self._rows(vectors)

        return Seen(counts, np.zeros(size, dtype=np.int32), known, number)

    def look_up(self, corpus: Corpus, threads: int) -> Rows:  # noqa: ARG002
        """Return the rows of another corpus."""
        return self._rows(self._vectors(corpus))

    def extended(self) -> VectorRows:
        """Copy the attributes; the copy may learn again."""
        return VectorRows(self.column, self._ids)

    def restricted(self, numbers: AttributeIds) -> VectorRows:
        """Copy the kept attributes: attribute a gets the number numbers[a], and is dropped where that is -1."""
        return VectorRows(self.column, _renumbered(self._ids, numbers))

    def name(self, names: list[str]) -> None:
        """Write the names of the attributes to their numbers."""
        for d, i in enumerate(self._ids.tolist()):
            if i >= 0:
                names[i] = f"{self.column}[{d}]"

    def known(self) -> KnownVectors:
        """Return the numbers of the attributes."""
        return KnownVectors(self.column, self._ids)

    def _rows(self, vectors: npt.NDArray[np.float64]) -> Rows:
        tokens, ids = len(vectors), self._ids
        if (ids < 0).any():
            vectors, ids = np.ascontiguousarray(vectors[:, ids >= 0]), ids[ids >= 0]
        indptr = np.arange(tokens + 1, dtype=np.int64) * len(ids)
        return Rows(indptr, np.tile(ids, tokens), vectors.reshape(-1))

    def _vectors(self, corpus: Corpus) -> npt.NDArray[np.float64]:
        """Read finite vectors of the dimension of training."""
        if not corpus.token_count:  # empty lists do not show their type
            return np.zeros((0, len(self._ids)))
        column = corpus.data(self.column)
        if not isinstance(column, VectorColumn):
            raise CorpusError(f"column {self.column!r} held vectors in training, but does not here")
        vectors = np.ascontiguousarray(column.vectors, dtype=np.float64)
        if not np.isfinite(vectors).all():
            token, d = np.argwhere(~np.isfinite(vectors))[0].tolist()
            s = int(np.searchsorted(corpus.offsets, token, side="right")) - 1
            raise CorpusError(
                f"number {d} is {vectors[token, d]}, but finite numbers are wanted",
                place=Place(s, token - int(corpus.offsets[s]), within=(f"column {self.column!r}",)),
            )
        if len(self._ids) not in {0, vectors.shape[1]}:
            raise ShapeError(
                f"the vectors of column {self.column!r} have {vectors.shape[1]} numbers, but training had "
                f"{len(self._ids)}"
            )
        return vectors
