"""Attributes from a template, made in the core from the columns that it reads, given as codes and strings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import Corpus, StringColumn, VectorColumn
from seqlab.encode.encoded import AttributeIds, Kin, Met, Rows
from seqlab.encode.plan import Plan, Source, families, kin_of
from seqlab.encode.stored import Group, KnownTemplate
from seqlab.errors import CorpusError, ShapeError, StoreError, TemplateError
from seqlab.features import Template
from seqlab.features.lexicon import gazetteer_of, plain_column
from seqlab.features.model import Call, TemplateLike
from seqlab.features.values import missing_column, passed_through

Codes = npt.NDArray[np.int32]
NO_VALUE = -1


@dataclass(frozen=True, slots=True)
class Given:
    """A column as the core reads it: unlike a column of a corpus it may have tokens without a value.

    codes   (tokens,)   numbers in the pool, NO_VALUE where there is none
    """

    codes: Codes
    pool: _core.StringPool


class ColumnReader:
    """Reads the columns that one template asks for off one corpus, each of them once."""

    def __init__(self, template: TemplateLike, corpus: Corpus) -> None:
        self.template = template
        self.corpus = corpus
        self._columns: dict[str, Given] = {}

    def read(self, sources: Iterable[Source]) -> list[tuple[Codes, _core.StringPool]]:
        """(codes, pool) of every source; code -1 where there is no value."""
        return [(column.codes, column.pool) for column in map(self._source, sources)]

    def _source(self, source: Source) -> Given:
        column = self.column(source.column)
        return self._passed_through(column, source.calls) if source.calls else column

    def column(self, name: str) -> Given:
        """A column of the corpus, by name or by number ("#1"), or a computed one ("@position")."""
        if name not in self._columns:
            self._columns[name] = self._computed(name) if name.startswith("@") else self._read(name)
        return self._columns[name]

    def _read(self, name: str) -> Given:
        column = self._strings(name)
        return Given(column.codes, column.pool)

    def _strings(self, name: str) -> StringColumn:
        columns = self.corpus.columns
        if name.startswith("#"):
            number = int(name[1:])
            if number >= len(columns):
                raise missing_column(name, columns)
            name = columns[number]
        if name in columns and not isinstance(self.corpus.data(name), StringColumn):
            held = "vectors" if isinstance(self.corpus.data(name), VectorColumn) else "ready-made attributes"
            raise TemplateError(
                f"the template reads column {name!r} as text, but it holds {held}; features=None takes them as they are"
            )
        try:
            return self.corpus.strings(name)
        except CorpusError as error:
            raise missing_column(name, columns) from error

    def _computed(self, name: str) -> Given:
        gazetteer = gazetteer_of(name)
        if gazetteer is None:
            return _by_length(name, self.corpus.lengths)
        tokens = self._strings(gazetteer.column).nested(self.corpus.offsets)
        return _column_of(
            value for sentence in tokens for value in gazetteer.values(sentence, self.template.lexicons)
        )

    def _passed_through(self, column: Given, calls: tuple[Call, ...]) -> Given:
        """The column after functions that only Python knows: once per distinct string."""
        used = np.unique(column.codes)
        used = used[used != NO_VALUE]
        texts = column.pool.strings()
        results = _column_of(
            passed_through(calls, texts[code], self.template.lexicons) for code in used.tolist()
        )
        of_code = np.full(len(column.pool) + 1, NO_VALUE, dtype=np.int32)  # the last entry serves code -1
        of_code[used] = results.codes
        return Given(of_code[column.codes], results.pool)


def _column_of(values: Iterable[str | None]) -> Given:
    pool = _core.StringPool()
    codes = [NO_VALUE if value is None else pool.intern(value) for value in values]
    return Given(np.array(codes, dtype=np.int32), pool)


def _by_length(name: str, lengths: npt.NDArray[np.int64]) -> Given:
    """A column that depends on nothing but the sentence's length, made once for each length that occurs."""
    different, which = np.unique(lengths, return_inverse=True)
    flat = _column_of(value for length in different.tolist() for value in plain_column(name, length))
    begins = np.concatenate([[0], np.cumsum(different)])[:-1]
    return Given(flat.codes[_stretches(begins[which], lengths)], flat.pool)


def _stretches(
    begins: npt.NDArray[np.int64], lengths: Sequence[int] | npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """begins[0], begins[0] + 1, ... for lengths[0] numbers, then begins[1], ..."""
    lengths = np.asarray(lengths, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    shifts: npt.NDArray[np.int64] = np.repeat(begins - starts[:-1], lengths)
    return np.arange(int(starts[-1]), dtype=np.int64) + shifts


class TemplateRows:
    """The features of a template that labels see, or those that pairs of labels see, as the plan says."""

    def __init__(self, plan: Plan) -> None:
        self.template = plan.template
        self._plan = plan
        self._bank = plan.bank()
        self._read: AttributeIds | None = None  # rows of fixed width, from learn() to number()
        self._known: list[AttributeIds] = []  # of each group the numbers that it had before learn()
        self._tokens, self._threads = 0, 1  # of learn()
        self._uses: list[int] = []  # of each group how many tokens have one of its attributes

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, (self._plan, *self._bank.state())

    @property
    def column(self) -> None:
        """No column of ready-made attributes."""

    @property
    def width(self) -> int:
        """Features of the template."""
        return self._bank.stride

    @property
    def plan(self) -> Plan:
        """The features that it was compiled from."""
        return self._plan

    @property
    def bank(self) -> _core.Bank:
        """The compiled features, for tables of another kind; it must not learn meanwhile."""
        return self._bank

    def columns(self, corpus: Corpus) -> list[tuple[Codes, _core.StringPool]]:
        """(codes, pool) of every column that the bank reads."""
        return ColumnReader(self.template, corpus).read(self._plan.sources)

    def learn(self, corpus: Corpus, threads: int) -> None:
        """Meet every attribute of the corpus."""
        columns = self.columns(corpus)
        self._read, self._tokens, self._threads = self._space(corpus), corpus.token_count, threads
        self._bank.learn(columns, corpus.offsets, self._read, threads)

    def met(self) -> Met:
        """The attributes of one group after the other; those known before come first in their group."""
        sizes = self._bank.group_sizes()
        least = np.repeat(np.array(self._plan.least, dtype=np.int32), sizes)
        counts = self._bank.counts(_read(self._read), self._tokens, self._threads)
        self._uses = [int(part.sum()) for part in np.split(counts, np.cumsum(sizes)[:-1])]
        return Met(counts, least, self._known_of(sizes) if self._known else None)

    def number(self, numbers: npt.NDArray[np.int32]) -> Rows:
        """Give the attributes their final numbers, in the order of met(); the rows of what learn() read."""
        ids, self._read = _read(self._read), None
        self._known = []
        kin = self._kin(numbers)
        indptr = np.empty(self._tokens + 1, dtype=np.int64)
        return _packed(ids, indptr, self._bank.number(numbers, ids, indptr, self._threads), kin)

    def look_up(self, corpus: Corpus, threads: int) -> Rows:
        """The rows of another corpus, without what was never met."""
        columns = self.columns(corpus)
        ids = self._space(corpus)
        indptr = np.empty(corpus.token_count + 1, dtype=np.int64)
        return _packed(ids, indptr, self._bank.look_up(columns, corpus.offsets, ids, indptr, threads))

    def name(self, names: list[str]) -> None:
        """Write the names of the attributes to their numbers."""
        self._bank.name_attributes(names, [list(pieces) for pieces in self._plan.pieces])

    def extended(self) -> TemplateRows:
        """Another one with the same attributes, in the order of their numbers; it may learn once more."""
        other = TemplateRows(self._plan)
        words, pools, groups = self._bank.state()
        groups = self._by_number(groups)
        counted = [(np.arange(len(ids), dtype=np.int32), values.reshape(-1)) for ids, values in groups]
        other._known = [ids for ids, _ in groups]
        other._bank.restore(words, pools, counted)
        return other

    def knowing(
        self, pools: list[_core.StringPool], groups: list[tuple[AttributeIds, AttributeIds]]
    ) -> TemplateRows:
        """Another one that knows the attributes of these groups: their numbers, and the values of one after another."""
        other = TemplateRows(self._plan)
        other._bank.restore([_core.StringPool() for _ in self._plan.sources], pools, groups)
        return other

    def restricted(self, numbers: AttributeIds) -> TemplateRows:
        """Another one that knows attribute a under numbers[a], and not at all where that is -1."""
        words, pools, groups = self._bank.state()
        kept = []
        for ids, values in self._by_number(groups):
            stays = numbers[ids] >= 0
            kept.append((numbers[ids[stays]], values[stays]))
        other = TemplateRows(self._plan)
        pools, used = _used(pools, [values for _, values in kept], self._plan.places())
        # Without words to remember values for, no value comes back that no attribute has.
        fresh = [_core.StringPool() for _ in words]
        restored = [(ids, rows.reshape(-1)) for (ids, _), rows in zip(kept, used, strict=True)]
        other._bank.restore(fresh, pools, restored)
        return other

    # ------------------------------------------------------------------------------------------ as plain data

    def known(self) -> KnownTemplate:
        """Return the strings seen, and the values and numbers of every attribute."""
        words, pools, groups = self._bank.state()
        values = {number: pools[number] for number in set(self._plan.pools())}
        by_number = tuple(Group(ids, rows) for ids, rows in self._by_number(groups))
        return KnownTemplate(self._plan.on_moves, tuple(words), values, by_number)

    @staticmethod
    def of(known: KnownTemplate, template: Template, min_count: int) -> TemplateRows:
        """Make rows that know what known() told."""
        plan = Plan.of(template, min_count, on_moves=known.on_moves)
        rows = TemplateRows(plan)
        leaders, places = plan.pools(), plan.places()
        fits = len(known.words) == len(plan.sources) and set(known.values) == set(leaders)
        if not fits or len(known.group) != len(places):
            raise StoreError("the strings and attributes do not fit the template")
        pools = [
            known.values[number] if leader == number else _core.StringPool()
            for number, leader in enumerate(leaders)
        ]
        for group, of_place in zip(known.group, places, strict=True):
            if group.values.shape[1] != len(of_place) or any(
                len(group.ids) and group.values[:, place].max() >= len(pools[pool])
                for place, pool in enumerate(of_place)
            ):
                raise StoreError("the values of an attribute should be numbers of strings, found others")
        groups = [(group.ids, group.values.reshape(-1)) for group in known.group]
        rows._bank.restore(list(known.words), pools, groups)
        if rows._bank.group_sizes() != [len(group.ids) for group in known.group]:
            raise StoreError("the same attribute has two numbers")
        return rows

    def _by_number(self, groups: list[tuple[Any, Any]]) -> list[tuple[AttributeIds, AttributeIds]]:
        """(ids, values) of each group by rising id; values get a row for each attribute."""
        ordered = []
        for (ids, values), pieces in zip(groups, self._plan.pieces, strict=True):
            order = np.argsort(ids)
            ordered.append((ids[order], values.reshape(len(ids), len(pieces) - 1)[order]))
        return ordered

    def _kin(self, numbers: AttributeIds) -> Kin:
        plan, sizes = self._plan, self._bank.group_sizes()
        found = families(plan.features(), plan.groups(), sizes, self._uses, worth=self._tokens // 2)
        return kin_of(found, plan.groups(), sizes, numbers)

    def _known_of(self, sizes: list[int]) -> AttributeIds:
        known = np.full(sum(sizes), -1, dtype=np.int32)
        for before, begin in zip(self._known, np.cumsum([0, *sizes]).tolist(), strict=False):
            known[begin : begin + len(before)] = before
        return known

    def _space(self, corpus: Corpus) -> AttributeIds:
        if corpus.token_count * self.width > 2**40:
            raise ShapeError(
                f"{corpus.token_count} tokens with {self.width} features each are too many for one call; "
                "encode it in blocks"
            )
        return np.empty(corpus.token_count * self.width, dtype=np.int32)


def _read(ids: AttributeIds | None) -> AttributeIds:
    if ids is None:
        raise RuntimeError("met() and number() follow learn()")
    return ids


def _used(
    pools: list[_core.StringPool], groups: list[AttributeIds], places: list[list[int]]
) -> tuple[list[_core.StringPool], list[AttributeIds]]:
    """Pools without the strings that no attribute has, and the values (attributes, places) of each group in them."""
    used = [np.zeros(len(pool), dtype=bool) for pool in pools]
    for values, of_place in zip(groups, places, strict=True):
        for place, pool in enumerate(of_place):
            used[pool][values[:, place]] = True
    made = []
    for strings, flags in zip(pools, used, strict=True):
        made.append(_core.StringPool())
        texts = strings.strings()
        for number in np.flatnonzero(flags).tolist():
            made[-1].intern(texts[number])
    number_of = [np.cumsum(flags, dtype=np.int32) - np.int32(1) for flags in used]
    renumbered = []
    for values, of_place in zip(groups, places, strict=True):
        columns = [number_of[pool][values[:, place]] for place, pool in enumerate(of_place)]
        renumbered.append(np.stack(columns, axis=1) if columns else values)
    return made, renumbered


def _packed(ids: AttributeIds, indptr: npt.NDArray[np.int64], count: int, kin: Kin | None = None) -> Rows:
    """Without the space behind the last entry; it is given back when it is worth it."""
    if count < len(ids):
        ids.resize(count, refcheck=False)
    return Rows(indptr, ids, kin=kin)


def _revived(plan: Plan, words: list[Any], pools: list[Any], groups: list[Any]) -> TemplateRows:
    """Make rows of what a pickle holds."""
    rows = TemplateRows(plan)
    rows._bank.restore(words, pools, groups)
    return rows
