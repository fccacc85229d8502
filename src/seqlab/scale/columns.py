"""Corpora on disk: columns of numbers in shards, with their strings beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import BagColumn, Corpus, StringColumn, VectorColumn
from seqlab.corpus.columns import Column, offsets_of
from seqlab.errors import CorpusError, Place
from seqlab.scale.cache import Facts
from seqlab.scale.shards import Shard, Shards, open_shard, write_shard

SHARD = 64 << 20  # bytes of a shard, as it will be when its sentences are encoded
TOKEN, ENTRY, NUMBER = 40, 12, 8  # bytes of a token of strings, of an entry of a bag, of a number of a vector
GOLD = "<labels>"  # the column of labels that came beside the sentences
KINDS: Mapping[type, str] = {StringColumn: "strings", BagColumn: "bags", VectorColumn: "vectors"}

Ints = npt.NDArray[np.integer[Any]]
Floats = npt.NDArray[np.float64]
Pieces = dict[str, npt.NDArray[Any]]  # of a column: codes, and counts and weights of bags; or vectors


def costs(corpus: Corpus) -> npt.NDArray[np.int64]:
    """(N,)   bytes of the sentences of a corpus in shards, estimated."""
    lengths, offsets = corpus.lengths, corpus.offsets
    cost = lengths.astype(np.int64) * TOKEN
    for column in map(corpus.data, corpus.columns):
        if isinstance(column, BagColumn):
            cost += (column.indptr[offsets[1:]] - column.indptr[offsets[:-1]]) * ENTRY
        elif isinstance(column, VectorColumn):
            cost += lengths * (column.width * NUMBER)
    return cost


def _end_of_shard(ends: npt.NDArray[np.int64], spent: int) -> int:
    """Return the number of the sentence after a shard; ends are sums of costs, of which `spent` came before it."""
    return min(int(np.searchsorted(ends, spent + SHARD, side="left")) + 1, len(ends))


def cuts_of(corpus: Corpus) -> npt.NDArray[np.int64]:
    """(S + 1,)   numbers of the sentences between the S shards that the corpus has on disk."""
    ends, cuts = np.cumsum(costs(corpus)), [0]
    while cuts[-1] < len(ends):
        cuts.append(_end_of_shard(ends, int(ends[cuts[-1] - 1]) if cuts[-1] else 0))
    return np.array(cuts)


def blocks_between(offsets: npt.NDArray[np.int64], tokens: int) -> Iterator[tuple[int, int]]:
    """Cut sentences with these offsets into blocks of so many tokens; yield the first sentence and the one after."""
    first = 0
    while first < len(offsets) - 1:
        last = int(np.searchsorted(offsets, offsets[first] + tokens, side="right")) - 1
        last = min(max(last, first + 1), len(offsets) - 1)
        yield first, last
        first = last


def spread_out(corpus: Corpus, first: int, step: int, spent: int = 0) -> slice:
    """Choose every step-th sentence from the first on, until they cost as much as a shard.

    spent   what sentences of earlier blocks cost already
    """
    ends = np.cumsum(costs(corpus)[first::step]) + spent
    count = int(np.searchsorted(ends, SHARD, side="left")) + 1
    return slice(first, first + step * count, step)


class ColumnWriter:
    """Writes blocks of a corpus to shards; where one ends depends on the sentences alone, not on the blocks.

    folder   for the shards
    told     called with the number of tokens after every block
    """

    def __init__(self, folder: Path, told: Callable[[int], None] | None = None) -> None:
        self._folder, self._told = folder, told
        self._kinds: dict[str, str] = {}
        self._widths: dict[str, int] = {}
        self._pools: dict[str, _core.StringPool] = {}
        self._parts: list[
            tuple[npt.NDArray[np.int64], Floats, dict[str, Pieces]]
        ] = []  # of the shard to come
        self._cost = 0
        self._shards: list[str] = []
        self.tokens = self.sentences = 0

    def add(self, corpus: Corpus, gold: StringColumn | None = None) -> None:
        """Add the next sentences, and the labels beside them, if they came so."""
        columns = {name: corpus.data(name) for name in corpus.columns}
        if gold is not None:
            columns[GOLD] = gold
        self._check(columns)
        numbered = {name: self._numbered(name, column) for name, column in columns.items()}
        lengths, weights = corpus.lengths, corpus.weights
        first, ends = 0, np.cumsum(costs(corpus))
        while first < len(lengths):
            spent = int(ends[first - 1]) if first else 0
            last = _end_of_shard(ends, spent - self._cost)
            begin, end = int(corpus.offsets[first]), int(corpus.offsets[last])
            cut = {name: _pieces(column, begin, end) for name, column in numbered.items()}
            self._parts.append((lengths[first:last], weights[first:last], cut))
            self._cost += int(ends[last - 1]) - spent
            if self._cost >= SHARD:
                self._flush()
            first = last
        self.tokens += corpus.token_count
        self.sentences += len(corpus)
        if self._told is not None:
            self._told(self.tokens)

    def finish(self, facts: Facts) -> Facts:
        """Write the last shard and the strings, and return the facts of the entry."""
        self._flush()
        strings: dict[str, Any] = {}
        for i, name in enumerate(self._kinds):
            if name in self._pools:
                strings[f"text{i}"], strings[f"begins{i}"] = self._pools[name].arrays()
        return {
            **facts,
            "shards": self._shards,
            "strings": write_shard(self._folder, strings),
            "columns": list(self._kinds.items()),
            "tokens": self.tokens,
            "sentences": self.sentences,
        }

    def _check(self, columns: Mapping[str, Column]) -> None:
        kinds = {name: KINDS[type(column)] for name, column in columns.items()}
        widths = {name: one.width for name, one in columns.items() if isinstance(one, VectorColumn)}
        if not self._kinds:
            self._kinds, self._widths = kinds, widths
        elif kinds != self._kinds or widths != self._widths:
            names, before = (", ".join(map(repr, some)) for some in (kinds, self._kinds))
            raise CorpusError(
                f"the sentences have other columns than those before: {names}, but there were {before}",
                place=Place(self.sentences),
            )

    def _numbered(self, name: str, column: Column) -> Column:
        """Number the strings of a column as all blocks do, in order of first appearance."""
        if isinstance(column, VectorColumn):
            return column
        pool = self._pools.setdefault(name, _core.StringPool())
        used = (column if isinstance(column, StringColumn) else column.strings).compact()
        of_code = _core.intern_all(pool, used.pool)
        codes = np.append(of_code, np.int32(-1))[used.codes]
        return (
            StringColumn(codes, pool)
            if isinstance(column, StringColumn)
            else BagColumn(column.indptr, codes, column.weights, pool)
        )

    def _flush(self) -> None:
        if not self._parts:
            return
        arrays: dict[str, Any] = {
            "lengths": np.concatenate([lengths for lengths, _, _ in self._parts]).astype(np.int32)
        }
        weights = np.concatenate([weights for _, weights, _ in self._parts])
        if not (weights == 1).all():
            arrays["weights"] = weights
        for i, (name, kind) in enumerate(self._kinds.items()):
            parts = [columns[name] for _, _, columns in self._parts]
            if kind == "vectors":
                arrays[f"vectors{i}"] = np.concatenate([part["vectors"] for part in parts])
                continue
            arrays[f"codes{i}"] = narrowed(np.concatenate([part["codes"] for part in parts]))
            if kind == "bags":
                arrays[f"counts{i}"] = narrowed(np.concatenate([part["counts"] for part in parts]))
                if any("weights" in part for part in parts):
                    given = [part.get("weights", np.ones(len(part["codes"]))) for part in parts]
                    arrays[f"weights{i}"] = np.concatenate(given)
        self._shards.append(write_shard(self._folder, arrays))
        self._parts, self._cost = [], 0


def narrowed(numbers: Ints) -> Ints:
    """Convert whole numbers to the smallest signed type that has room for them."""
    low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
    kind = next(
        kind
        for kind in (np.int8, np.int16, np.int32)
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max
    )
    return numbers.astype(kind, copy=False)


def _pieces(column: Any, begin: int, end: int) -> Pieces:
    """Cut a column into the arrays that its shard has of these tokens, numbers in as few bytes as they need."""
    if isinstance(column, StringColumn):
        return {"codes": narrowed(column.codes[begin:end])}
    if isinstance(column, VectorColumn):
        return {"vectors": column.vectors[begin:end]}
    first, last = int(column.indptr[begin]), int(column.indptr[end])
    codes, counts = column.codes[first:last], np.diff(column.indptr[begin : end + 1])
    weights = {} if column.weights is None else {"weights": column.weights[first:last]}
    return {"codes": narrowed(codes), "counts": narrowed(counts), **weights}


def _joined(columns: Sequence[Any]) -> Column:
    """Join columns whose strings are numbered alike."""
    first = columns[0]
    if isinstance(first, VectorColumn):
        return VectorColumn(np.concatenate([one.vectors for one in columns]))
    codes = np.concatenate([one.codes for one in columns])
    if isinstance(first, StringColumn):
        return StringColumn(codes, first.pool)
    weights = None if first.weights is None else np.concatenate([one.weights for one in columns])
    return BagColumn(
        offsets_of(np.concatenate([np.diff(one.indptr) for one in columns])), codes, weights, first.pool
    )


@dataclass(frozen=True, eq=False)
class ColumnStore:
    """A corpus on disk.

    folder   of its shards
    facts    from its manifest
    """

    folder: Path
    facts: Facts
    _values: dict[str, list[list[str]]] = field(default_factory=dict, repr=False)

    @property
    def tokens(self) -> int:
        """Tokens of all sentences."""
        return int(self.facts["tokens"])

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return int(self.facts["sentences"])

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, without the labels that came beside them."""
        return tuple(name for name, _ in self.facts["columns"] if name != GOLD)

    @cached_property
    def kinds(self) -> dict[str, str]:
        """Contents of each column: "strings", "bags" or "vectors"."""
        return dict(self.facts["columns"])

    @cached_property
    def pools(self) -> dict[str, _core.StringPool]:
        """The strings of the columns, in order of first appearance; each is used."""
        arrays = open_shard(self.folder / self.facts["strings"]).arrays
        names = [name for name, _ in self.facts["columns"]]
        return {
            name: _core.pool_of(arrays[f"text{i}"], arrays[f"begins{i}"])
            for i, name in enumerate(names)
            if f"text{i}" in arrays
        }

    @cached_property
    def shards(self) -> Shards:
        """The shards, each compared with its name when first opened."""
        return Shards(self.folder, self.facts["shards"])

    @property
    def widths(self) -> list[float]:
        """Bytes of a token in each array of the shards."""
        names = list(self.shards[0].arrays)
        return [sum(shard.arrays.bytes(name) for shard in self.shards) / self.tokens for name in names]

    @cached_property
    def offsets(self) -> npt.NDArray[np.int64]:
        """(N + 1,)   sentence i has tokens offsets[i] .. offsets[i + 1]."""
        return offsets_of(np.concatenate([[0][:0], *(shard.arrays["lengths"] for shard in self.shards)]))

    @cached_property
    def weights(self) -> Floats | None:
        """(N,)   weights of the sentences, as a CRFsuite file gives them; None if all are 1."""
        if not any("weights" in shard.arrays for shard in self.shards):
            return None
        ones = (np.ones(shard.arrays.size("lengths")) for shard in self.shards)
        return np.concatenate(
            [s.arrays.get("weights", one) for s, one in zip(self.shards, ones, strict=True)]
        )

    def codes(self, shard: Shard, name: str) -> npt.NDArray[np.int32]:
        """Read the codes of a column of strings in a shard."""
        i = list(self.kinds).index(name)
        return shard.arrays[f"codes{i}"].astype(np.int32)

    def blocks(self, tokens: int) -> Iterator[tuple[int, Corpus]]:
        """Yield corpora of about this many tokens, each with the number of its first sentence."""
        first = 0
        for number in range(len(self.shards)):
            for corpus in self.blocks_of(number, tokens):
                yield first, corpus
                first += len(corpus)

    def blocks_of(self, number: int, tokens: int) -> Iterator[Corpus]:
        """Yield the corpora of one shard."""
        arrays = dict(self.shards[number].arrays)
        offsets = offsets_of(arrays["lengths"])
        starts = {
            i: offsets_of(arrays[f"counts{i}"])
            for i, kind in enumerate(self.kinds.values())
            if kind == "bags"
        }
        for first, last in blocks_between(offsets, tokens):
            begin, end = int(offsets[first]), int(offsets[last])
            columns = {
                name: self._column(arrays, i, name, kind, begin, end, starts)
                for i, (name, kind) in enumerate(self.kinds.items())
                if name != GOLD
            }
            yield Corpus(columns, offsets[first : last + 1] - begin)

    def in_memory(self, numbers: Sequence[int] | None = None) -> Corpus:
        """Read the corpus, or some of its shards."""
        some = range(len(self.shards)) if numbers is None else numbers
        parts = [corpus for number in some for corpus in self.blocks_of(number, 1 << 62)]
        joined = {name: _joined([part.data(name) for part in parts]) for name in self.columns}
        return Corpus(joined, offsets_of(np.concatenate([part.lengths for part in parts])))

    def _column(
        self,
        arrays: Mapping[str, Any],
        i: int,
        name: str,
        kind: str,
        begin: int,
        end: int,
        starts: Mapping[int, Any],
    ) -> Column:
        if kind == "vectors":
            return VectorColumn(np.array(arrays[f"vectors{i}"][begin:end]))
        if kind == "strings":
            codes = arrays[f"codes{i}"][begin:end].astype(np.int32)
            return StringColumn(codes, self.pools[name], self._values.setdefault(name, []))
        indptr = starts[i][begin : end + 1]
        own = slice(int(indptr[0]), int(indptr[-1]))
        weights = arrays.get(f"weights{i}")
        if weights is None and any(f"weights{i}" in other.arrays for other in self.shards):
            weights = np.ones(len(arrays[f"codes{i}"]))
        return BagColumn(
            indptr - indptr[0],
            arrays[f"codes{i}"][own].astype(np.int32),
            None if weights is None else np.array(weights[own]),
            self.pools[name],
        )


def write_columns(
    folder: Path,
    blocks: Iterable[tuple[Corpus, StringColumn | None]],
    facts: Facts,
    told: Callable[[int], None] | None = None,
) -> Facts:
    """Write a corpus to a folder, block by block; each block may have labels beside it."""
    writer = ColumnWriter(folder, told)
    for corpus, gold in blocks:
        writer.add(corpus, gold)
    return writer.finish(facts)
