"""Attributes that come ready made: bags of strings with weights, vectors, and functions that give bags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import BagColumn, Corpus, VectorColumn
from seqlab.encode.encoded import Rows
from seqlab.errors import CorpusError, ShapeError

Met = TypeVar("Met")
Counts = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]


class BagRows:
    """One attribute for every string of a bag; `bags` finds the bags of a corpus."""

    def __init__(self, bags: Callable[[Corpus], BagColumn], min_count: int) -> None:
        self._bags = bags
        self._min_count = min_count
        self._pool = _core.StringPool()
        self._ids: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)  # by number in the pool
        self._met: BagColumn | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": self._pool.arrays(), "_met": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _pool=_core.pool_of(*state["_pool"]))

    def learn(self, corpus: Corpus, threads: int) -> None:  # noqa: ARG002 -- nothing here is worth a thread
        """Meet every attribute of the corpus."""
        self._met = self._bags(corpus)
        self._pool = self._met.pool

    def counts(self) -> Counts:
        """How often each attribute was met, and how often it must be to stay: at least once."""
        codes = _met(self._met).codes
        counts = np.bincount(codes, minlength=len(self._pool)).astype(np.int64)
        return counts, np.full(len(counts), max(self._min_count, 1), dtype=np.int32)

    def number(self, numbers: npt.NDArray[np.int32]) -> Rows:
        """Give the attributes their final numbers; the rows of what learn() read."""
        bags, self._met = _met(self._met), None
        self._ids = numbers
        return _rows(bags, numbers)

    def look_up(self, corpus: Corpus, threads: int) -> Rows:  # noqa: ARG002
        """The rows of another corpus, without what was never met."""
        bags = self._bags(corpus)
        known = _core.translate(bags.pool, self._pool)
        ids = np.append(self._ids, np.int32(-1))  # -1 for strings the pool does not have
        return _rows(bags, ids[known])

    def name(self, names: list[str]) -> None:
        """Write the names of the attributes to their numbers."""
        for text, i in zip(self._pool.strings(), self._ids.tolist(), strict=True):
            if i >= 0:
                names[i] = text


def _rows(bags: BagColumn, of_code: npt.NDArray[np.int32]) -> Rows:
    ids = of_code[bags.codes]
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
        self._ids: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._met: npt.NDArray[np.float64] | None = None

    def learn(self, corpus: Corpus, threads: int) -> None:  # noqa: ARG002
        """Meet the vectors."""
        self._met = self._vectors(corpus)
        self._size = self._met.shape[1]

    def counts(self) -> Counts:
        """Every number of the vector is met at every token."""
        tokens = len(_met(self._met))
        return np.full(self._size, tokens, dtype=np.int64), np.zeros(self._size, dtype=np.int32)

    def number(self, numbers: npt.NDArray[np.int32]) -> Rows:
        """Give the attributes their final numbers; the rows of what learn() read."""
        vectors, self._met = _met(self._met), None
        self._ids = numbers
        return self._rows(vectors)

    def look_up(self, corpus: Corpus, threads: int) -> Rows:  # noqa: ARG002
        """The rows of another corpus."""
        vectors = self._vectors(corpus)
        if vectors.shape[1] != self._size:
            raise ShapeError(
                f"the vectors of column {self._column!r} have {vectors.shape[1]} numbers, but training had {self._size}"
            )
        return self._rows(vectors)

    def name(self, names: list[str]) -> None:
        """Write the names of the attributes to their numbers."""
        for d, i in enumerate(self._ids.tolist()):
            names[i] = f"{self._column}[{d}]"

    def _rows(self, vectors: npt.NDArray[np.float64]) -> Rows:
        tokens = len(vectors)
        indptr = np.arange(tokens + 1, dtype=np.int64) * self._size
        return Rows(indptr, np.tile(self._ids, tokens), vectors.reshape(-1))

    def _vectors(self, corpus: Corpus) -> npt.NDArray[np.float64]:
        if not corpus.token_count:  # lists without a token do not say what they hold
            return np.zeros((0, self._size))
        column = corpus.data(self._column)
        if not isinstance(column, VectorColumn):
            raise CorpusError(f"column {self._column!r} held vectors in training, but does not here")
        vectors = np.ascontiguousarray(column.vectors, dtype=np.float64)
        if not np.isfinite(vectors).all():
            token, d = np.argwhere(~np.isfinite(vectors))[0].tolist()
            raise CorpusError(
                f"column {self._column!r}: number {d} of token {token} (of the whole corpus) is {vectors[token, d]}, "
                "but finite numbers are wanted"
            )
        return vectors


def _met(value: Met | None) -> Met:
    if value is None:
        raise RuntimeError("counts() and number() follow learn()")
    return value
