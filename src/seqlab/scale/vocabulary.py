"""Learn the attributes of a corpus on disk, numbered exactly as if it were in memory."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.encode.bag_rows import NONE, BagRows, BagsOfColumn, VectorRows
from seqlab.encode.encoded import AttributeIds, ClusterCodes, Producer, numbered
from seqlab.encode.encoder import Encoder
from seqlab.encode.several_rows import BagsOfFeatures
from seqlab.encode.template_rows import (
    Column,
    TemplateRows,
    cluster_codes_of,
    column_of,
    families,
    passed,
    read_columns,
)
from seqlab.errors import SeqlabError
from seqlab.features.lexicon import gazetteer_of, plain_column
from seqlab.scale.columns import ColumnStore
from seqlab.scale.spill import Runs

BLOCK = 1 << 16  # tokens encoded at once

Told = Callable[[int], None] | None


class Tallied(NamedTuple):
    """Attributes of one producer that stay.

    counts    (n,)   their occurrences
    least     (n,)   occurrences needed to stay
    known     (n,)   its earlier number, which it keeps, -1 for a new one
    number    makes the producer that knows them by these numbers, and what occurs together
    valued    True if some value is not 1
    """

    counts: npt.NDArray[np.int64]
    least: npt.NDArray[np.int32]
    known: AttributeIds
    number: Callable[[AttributeIds], tuple[Producer, ClusterCodes | None]]
    valued: bool = False


class Learned(NamedTuple):
    """Facts of the attributes besides the encoder: codes of those that occur together, and if there are values."""

    cluster_codes: ClusterCodes | None
    valued: bool


def learn_attributes(
    encoder: Encoder, store: ColumnStore, *, threads: int, room: int, folder: Path, told: Told = None
) -> Learned:
    """Learn the attributes of a corpus on disk, in addition to those that the encoder has.

    room     bytes for counts in memory
    folder   for counts that need more
    told     called with the number of tokens after every block
    """
    _, first = next(store.blocks(BLOCK))
    known = bool(encoder.size or encoder.edge_size)
    producers, on_moves = encoder.learners(first, encoder.labels, extend=known)
    seen, of_moves = (
        [_tallied(one, store, threads, room, folder, told) for one in some] for some in (producers, on_moves)
    )
    edges, edge_size = numbered(of_moves, encoder.edge_size) if of_moves else ([], 0)
    parts, size = numbered(seen, encoder.size) if seen else ([], 0)
    made = [part.number(own) for part, own in zip(seen, parts, strict=True)]
    codes = next((some for _, some in made if some is not None), None)
    if codes is not None and len(codes) < size:
        codes = np.pad(codes, (0, size - len(codes)))
    edge = [part.number(own)[0] for part, own in zip(of_moves, edges, strict=True)]
    encoder.take([producer for producer, _ in made], edge, size, edge_size)
    return Learned(codes, any(part.valued for part in seen))


def _tallied(producer: Any, store: ColumnStore, threads: int, room: int, folder: Path, told: Told) -> Tallied:
    if isinstance(producer, TemplateRows):
        with tempfile.TemporaryDirectory(dir=folder, prefix="counts-") as spilled:
            return _of_template(producer, store, threads, room, Path(spilled), told)
    if isinstance(producer, BagRows):
        return _of_bags(producer, store)
    return _of_vectors(producer, store)


# ------------------------------------------------------------------------------------------------ templates


def _of_template(
    producer: TemplateRows, store: ColumnStore, threads: int, room: int, folder: Path, told: Told
) -> Tallied:
    plan, bank = producer.plan, producer.bank
    bank.learn_words(source_columns(producer, store), np.zeros(1, dtype=np.int64))
    atoms = [len(pieces) - 1 for pieces in plan.pieces]
    before = producer._known or [NONE for _ in atoms]
    runs = Runs(bank, atoms, folder, room, _core.Tally(), [len(ids) for ids in before])
    begin = 0
    for sentence, block in store.blocks(BLOCK):
        with located(sentence):
            columns = read_columns(plan, block)
        ids = np.empty(block.token_count * bank.stride, dtype=np.int32)
        bank.learn(columns, block.offsets, ids, threads)
        runs.add(ids, block.token_count, begin)
        begin += block.token_count
        if told is not None:
            told(begin)
    groups = runs.merged(plan.least)
    bank.forget()

    def number(numbers: AttributeIds) -> tuple[Producer, ClusterCodes]:
        sizes = [len(group.counts) for group in groups]
        words, pools, _ = bank.state()
        own = np.split(numbers, np.cumsum(sizes)[:-1]) if sizes else []
        made = [(ids, group.values.reshape(-1)) for ids, group in zip(own, groups, strict=True)]
        distinct, uses = [group.distinct for group in groups], [group.uses for group in groups]
        found = families(plan.features(), plan.groups(), distinct, uses, worth=store.tokens // 2)
        return TemplateRows(plan, (words, pools, made)), cluster_codes_of(
            found, plan.groups(), sizes, numbers
        )

    counts = np.concatenate([group.counts for group in groups]) if groups else np.zeros(0, np.int64)
    known = [
        np.pad(ids, (0, len(group.counts) - len(ids)), constant_values=-1)
        for ids, group in zip(before, groups, strict=True)
    ]
    return Tallied(counts, np.ones(len(counts), dtype=np.int32), np.concatenate([NONE, *known]), number)


def source_columns(producer: TemplateRows, store: ColumnStore) -> list[Column]:
    """Return every string of each column that a template reads once, in the order of a corpus in memory."""
    plan = producer.plan
    lexicons = plan.template.lexicons
    made: dict[str, Column] = {}
    for name in dict.fromkeys(source.column for source in plan.sources):
        if not name.startswith("@"):
            _, block = next(store.blocks(1))
            pool = column_of(name, block, lexicons)[1]
        elif gazetteer_of(name) is not None:
            pool = _core.StringPool()
            for _, block in store.blocks(BLOCK):
                _core.intern_all(pool, column_of(name, block, lexicons)[1])
        else:
            pool = _core.StringPool()
            for length in np.unique(np.diff(store.offsets)).tolist():
                for text in plain_column(name, length):
                    if text is not None:
                        pool.intern(text)
        made[name] = (np.arange(len(pool), dtype=np.int32), pool)
    return [passed(made[name], calls, lexicons) for name, calls in plan.sources]


# ------------------------------------------------------------------------------------------------ bags and vectors


def _of_bags(producer: BagRows, store: ColumnStore) -> Tallied:
    bags, pool, before = producer._bags, producer.pool, producer._ids
    if isinstance(bags, BagsOfColumn):
        pool = _behind(pool, store.pools[bags.name])
    elif isinstance(bags, BagsOfFeatures):
        pool = _behind(pool, _strings_of_features(bags, store))
    counts, valued = np.zeros(len(pool), dtype=np.int64), False
    for sentence, block in store.blocks(BLOCK):
        with located(sentence):
            found = bags(block)
        if found.pool is not pool:
            of_code = _core.intern_all(pool, found.pool)
            counts = np.pad(counts, (0, len(pool) - len(counts)))
            np.add.at(counts, of_code, np.bincount(found.codes, minlength=len(of_code)))
        else:
            counts += np.bincount(found.codes, minlength=len(pool))
        valued = valued or not _plain(found.weights)
    least = np.full(len(counts), max(producer._min_count, 1), dtype=np.int32)

    known = np.pad(before, (0, len(counts) - len(before)), constant_values=-1)

    def number(numbers: AttributeIds) -> tuple[Producer, None]:
        return BagRows(bags, producer._min_count, pool, numbers), None

    return Tallied(counts, least, known, number, valued)


def _behind(known: _core.StringPool, pool: _core.StringPool) -> _core.StringPool:
    """Add strings to those known before, if there are any."""
    if not len(known):
        return pool
    _core.intern_all(known, pool)
    return known


def _strings_of_features(bags: BagsOfFeatures, store: ColumnStore) -> _core.StringPool:
    """Write the attributes of features that give several, in the order of the strings that they read."""
    pool = _core.StringPool()
    for feature in bags.features():
        keys = None
        for _, block in store.blocks(BLOCK):
            own = bags.keys(feature, block)
            keys = np.unique(own if keys is None else np.concatenate([keys, own]), axis=0)
        if keys is not None:
            _, block = next(store.blocks(1))
            bags.intern(feature, block, keys, pool)
    return pool


def _of_vectors(producer: VectorRows, store: ColumnStore) -> Tallied:
    width = next(
        shard.arrays[f"vectors{i}"].shape[1]
        for shard in store.shards
        for i, name in enumerate(store.kinds)
        if name == producer.column
    )
    counts = np.full(width, store.tokens, dtype=np.int64)
    known = producer._ids if len(producer._ids) else np.full(width, -1, dtype=np.int32)

    def number(numbers: AttributeIds) -> tuple[Producer, None]:
        return VectorRows(producer.column, numbers), None

    columns: Any = (block.data(producer.column) for _, block in store.blocks(BLOCK))
    valued = not all(_plain(column.vectors) for column in columns)
    return Tallied(counts, np.zeros(width, dtype=np.int32), known, number, valued)


def _plain(values: npt.NDArray[Any] | None) -> bool:
    """Return True if all values are 1, apart from those of 0, which have no effect."""
    return values is None or bool(((values == 1) | (values == 0)).all())


@contextlib.contextmanager
def located(first: int) -> Iterator[None]:
    """Add the number of a block's first sentence to the place of errors."""
    try:
        yield
    except SeqlabError as error:
        raise error.at(offset=first) from error.__cause__
