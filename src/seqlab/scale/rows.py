"""Encoded corpora on disk: attributes and labels of a corpus in shards, and the encoder that made them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import LabelIds
from seqlab.corpus.columns import offsets_of, resolve
from seqlab.encode.encoded import Rows
from seqlab.encode.encoder import Encoder
from seqlab.encode.template_rows import Column, TemplateRows, read_columns
from seqlab.errors import CorpusError
from seqlab.scale.cache import Facts
from seqlab.scale.columns import ColumnStore, narrowed
from seqlab.scale.labels import apart, label_numbers, label_sets
from seqlab.scale.shards import Arrays, Shards, Spot, open_shard, write_shard
from seqlab.scale.vocabulary import BLOCK, Told, learn_attributes, located, source_columns

BYTES = 40  # of a token on disk, at most, where a template is all there is
LABEL = 4
TOGETHER = 4  # blocks in memory
LARGE = 1 << 14  # attributes of a conjunction whose table does not fit the cache


def write_rows(
    folder: Path,
    store: ColumnStore,
    encoder: Encoder,
    labels: Sequence[str],
    column: str,
    *,
    threads: int,
    room: int,
    told: Told = None,
) -> Facts:
    """Learn the attributes of a corpus on disk, and write it encoded.

    labels   their names, in the order of their numbers
    column   of the labels
    room     bytes for counts in memory
    """
    learned = learn_attributes(encoder, store, threads=threads, room=room, folder=folder, told=told)
    if not encoder.size and not encoder.edge_size:
        raise CorpusError("no attribute is left to learn from; lower min_count, or look at the features")
    numbers, sets = label_numbers(store, labels, column), label_sets(store, labels, column)
    marks = _core.PairMarks(encoder.size, len(labels))
    columns = CompactColumns.of(encoder, store)
    names, done = [], 0
    for i, shard in enumerate(store.shards):
        ids = numbers[store.codes(shard, column)]
        arrays = {"labels": ids}
        raw = _Raw(learned.valued)
        if columns is not None:
            arrays |= columns.arrays(i)
            parts = columns.rows(i, arrays, threads)
        else:
            parts = raw.kept(_encoded(encoder, store, i, threads))
        begin = 0
        for indptr, entries in parts:
            end = begin + len(indptr) - 1
            for some in (ids[begin:end], *apart(ids[begin:end], sets)):
                marks.add(indptr, entries, some, threads)
            begin = end
            if told is not None:
                told(store.tokens + done + begin)
        done += begin
        if columns is None:
            arrays |= raw.arrays()
        names.append(write_shard(folder, arrays))
    begins, paired = marks.pairs()
    extra: dict[str, Any] = {"counts": narrowed(np.diff(begins)), "labels": narrowed(paired)}
    if learned.cluster_codes is not None:
        extra["cluster_codes"] = learned.cluster_codes
    return {
        "shards": names,
        "weights": write_shard(folder, extra),
        "labels": list(labels),
        "column": column,
        "compact": None if columns is None else columns.most,
    }


Part = tuple[
    npt.NDArray[np.int64], npt.NDArray[np.int32]
]  # offsets of the entries of some tokens, and the entries


def _encoded(encoder: Encoder, store: ColumnStore, number: int, threads: int) -> Iterator[Rows]:
    """Encode a shard, block by block."""
    first = sum(shard.arrays.size("lengths") for shard in store.shards[:number])
    for block in store.blocks_of(number, BLOCK):
        with located(first):
            yield encoder.encode(block, threads=threads).checked().node
        first += len(block)


class _Raw:
    """Entries of a shard as they are, for attributes that are no function of columns."""

    def __init__(self, valued: bool) -> None:  # noqa: FBT001
        self._valued = valued
        self._parts: list[Rows] = []

    def kept(self, rows: Iterator[Rows]) -> Iterator[Part]:
        """Pass rows on, and keep them."""
        for one in rows:
            self._parts.append(one.effective())
            yield one.indptr, one.ids

    def arrays(self) -> dict[str, Any]:
        """Return the arrays of the shard."""
        lengths = np.concatenate([np.diff(part.indptr) for part in self._parts])
        arrays = {
            "indptr": np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)]),
            "ids": np.concatenate([part.ids for part in self._parts]),
        }
        if self._valued:
            values = [np.ones(len(part.ids)) if part.values is None else part.values for part in self._parts]
            arrays["values"] = np.concatenate(values)
        return arrays


@dataclass(frozen=True, eq=False)
class CompactColumns:
    """The columns that a template reads, from which its entries are made at every pass.

    sources   for each of them the number of the column in the store; None for one that is computed
    strings   of each
    quick     makes the entries
    most      conjunctions that may be written beside the columns
    """

    store: ColumnStore
    producer: TemplateRows
    sources: list[int | None]
    strings: list[Column]
    quick: _core.QuickRows
    most: int

    @staticmethod
    def of(encoder: Encoder, store: ColumnStore, most: int | None = None) -> CompactColumns | None:
        """Make them for an encoder with nothing but a template; None for any other.

        most   as it was when the shards were written; None: as many as there is room for
        """
        producer = encoder.producers[0]
        if len(encoder.producers) > 1 or not isinstance(producer, TemplateRows):
            return None
        strings = source_columns(producer, store)
        names, sources = list(store.kinds), []
        for name, calls in producer.plan.sources:
            plain = not calls and not name.startswith("@")
            own = store.columns[int(name[1:])] if plain and name.startswith("#") else name
            sources.append(names.index(resolve(own, store.columns)) if plain else None)
        if most is None:
            taken = LABEL + sum(store.widths) + sum(4 for source in sources if source is None)
            most = max(int((BYTES - 1 - taken) // 3), 0)
        quick = _core.QuickRows(producer.bank, strings, LARGE, most)
        return CompactColumns(store, producer, sources, strings, quick, most)

    def offsets(self, number: int) -> npt.NDArray[np.int64]:
        """(N + 1,)   offsets of the sentences of a shard, from 0."""
        return offsets_of(self.store.shards[number].arrays["lengths"])

    def columns(self, number: int, arrays: Mapping[str, Any]) -> list[tuple[npt.NDArray[np.uint8], int]]:
        """Return the codes of every column as bytes, and their size, of a shard whose own arrays are these."""
        of_store = self.store.shards[number].arrays
        codes = [
            arrays[f"source{j}"] if source is None else of_store[f"codes{source}"]
            for j, source in enumerate(self.sources)
        ]
        return [(one.view(np.uint8), one.itemsize) for one in codes]

    def spots(self, number: int, arrays: Arrays) -> list[Spot]:
        """Return the place of the codes of every column."""
        of_store = self.store.shards[number].arrays
        return [
            arrays.spot(f"source{j}") if source is None else of_store.spot(f"codes{source}")
            for j, source in enumerate(self.sources)
        ]

    def arrays(self, number: int) -> dict[str, Any]:
        """Compute what a shard has besides the columns of the store."""
        made: dict[str, Any] = {}
        computed = [j for j, source in enumerate(self.sources) if source is None]
        parts: dict[int, list[Any]] = {j: [] for j in computed}
        for block in self.store.blocks_of(number, BLOCK) if computed else ():
            columns = read_columns(self.producer.plan, block)
            for j in computed:
                codes, pool = columns[j]
                parts[j].append(np.append(_core.translate(pool, self.strings[j][1]), np.int32(-1))[codes])
        for j in computed:
            made[f"source{j}"] = narrowed(np.concatenate(parts[j]))
        made["written"] = self.quick.write(self.offsets(number), self.columns(number, made))
        return made

    def rows(self, number: int, arrays: Mapping[str, Any], threads: int) -> Iterator[Part]:
        """Make the entries of a shard, block by block, some of them at a time."""
        offsets, columns = self.offsets(number), self.columns(number, arrays)
        tokens, written = int(offsets[-1]), arrays["written"]

        def made(begin: int) -> Part:
            return self.quick.rows(offsets, columns, written, begin, min(begin + BLOCK, tokens))

        begins, together = range(0, tokens, BLOCK), min(threads, TOGETHER)
        with ThreadPoolExecutor(together) as pool:
            for first in range(0, len(begins), together):
                yield from pool.map(made, begins[first : first + together])


@dataclass(frozen=True, eq=False)
class RowStore:
    """An encoded corpus on disk.

    store    the corpus
    folder   of the shards
    facts    from its manifest
    encoder  as fit() would have made it
    """

    store: ColumnStore
    folder: Path
    facts: Facts
    encoder: Encoder

    @cached_property
    def compact(self) -> CompactColumns | None:
        """The columns that entries are made of; None if the shards have the entries."""
        most = self.facts["compact"]
        return None if most is None else CompactColumns.of(self.encoder, self.store, most)

    @cached_property
    def shards(self) -> Shards:
        """The shards, each compared with its name when first opened."""
        return Shards(self.folder, self.facts["shards"])

    @cached_property
    def weights(self) -> Mapping[str, npt.NDArray[Any]]:
        """Arrays about weights: those of pairs(), and cluster_codes if there are any."""
        return open_shard(self.folder / self.facts["weights"]).arrays

    def pairs(self) -> tuple[npt.NDArray[np.int64], LabelIds]:
        """Return begin (K + 1,) and label (pairs,) of the labels that each attribute was met with."""
        return offsets_of(self.weights["counts"]), self.weights["labels"].astype(np.int32)

    def offsets(self, only: int | None = None) -> npt.NDArray[np.int64]:
        """(N + 1,)   offsets of the sentences of all shards, or of one."""
        return self.store.offsets if only is None else offsets_of(self.store.shards[only].arrays["lengths"])

    def add_to(self, task: _core.Task, only: int | None = None, *, labelled: bool = True) -> None:
        """Give the shards to a task of the core, or one of them; with their labels, or without."""
        numbers = range(len(self.shards)) if only is None else (only,)
        for i in numbers:
            arrays = self.shards[i].arrays
            labels = arrays.spot("labels") if labelled else None
            if self.compact is None:
                values = arrays.spot("values") if "values" in arrays else None
                spots = (arrays.spot("indptr"), arrays.spot("ids"), values)
                task.add_shard(arrays.size("labels"), labels, *spots)
            else:
                file, at, _ = arrays.spot("written")
                written = (file, at, self.compact.quick.width)
                offsets, columns = self.compact.offsets(i), self.compact.spots(i, arrays)
                task.add_template_shard(labels, self.compact.quick, offsets, columns, written)

    def labels(self) -> Iterator[tuple[LabelIds, npt.NDArray[np.int64]]]:
        """Yield the label numbers and the offsets of the sentences of every shard."""
        for rows, columns in zip(self.shards, self.store.shards, strict=True):
            lengths = columns.arrays["lengths"]
            offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
            yield rows.arrays["labels"], offsets
