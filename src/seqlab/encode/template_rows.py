"""Attributes from a template, made in the core from the columns that it reads, given as codes and strings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import Corpus, StringColumn, VectorColumn
from seqlab.encode.encoded import AttributeIds, Rows, Seen
from seqlab.encode.plan import Plan, families, kin_of
from seqlab.encode.stored import Group, KnownTemplate
from seqlab.errors import CorpusError, ShapeError, StoreError, TemplateError
from seqlab.features import Template
from seqlab.features.lexicon import Lexicon, gazetteer_of, plain_column
from seqlab.features.model import Call
from seqlab.features.values import missing_column, passed_through

Groups = list[tuple[AttributeIds, AttributeIds]]  # of each group the ids, and the values of one after another
Column = tuple[npt.NDArray[np.int32], _core.StringPool]  # codes of all tokens, NO_VALUE where there is none
NO_VALUE = -1


class TemplateRows:
    """The features of a template that labels see, or those that pairs of labels see, as the plan says.

    bank   the compiled features; other tables may read it, while it does not learn
    """

    column = None  # of ready-made attributes

    def __init__(
        self,
        plan: Plan,
        state: tuple[Sequence[_core.StringPool], Sequence[_core.StringPool], Groups] | None = None,
    ) -> None:
        self.plan = plan
        self.bank = plan.bank()
        self._known: list[AttributeIds] = []  # of each group the numbers that it had before learn()
        if state is not None:
            self.bank.restore(*state)

    def __reduce__(self) -> tuple[Any, ...]:
        return TemplateRows, (self.plan, self.bank.state())

    def learn(self, corpus: Corpus, threads: int) -> Seen:
        """See every attribute of the corpus, group by group; those known before come first in their group."""
        columns, ids, indptr = self._space(corpus)
        self.bank.learn(columns, corpus.offsets, ids, threads)
        sizes = self.bank.group_sizes()
        counts = self.bank.counts(ids, corpus.token_count, threads)
        known = np.full(sum(sizes), -1, dtype=np.int32)
        for before, begin in zip(self._known, np.cumsum([0, *sizes]).tolist(), strict=False):
            known[begin : begin + len(before)] = before

        def number(numbers: AttributeIds) -> Rows:
            self._known = []
            plan, uses = self.plan, [int(part.sum()) for part in np.split(counts, np.cumsum(sizes)[:-1])]
            found = families(plan.features(), plan.groups(), sizes, uses, worth=corpus.token_count // 2)
            kin = kin_of(found, plan.groups(), sizes, numbers)
            ids.resize(self.bank.number(numbers, ids, indptr, threads), refcheck=False)
            return Rows(indptr, ids, kin=kin)

        return Seen(counts, np.repeat(np.array(self.plan.least, dtype=np.int32), sizes), known, number)

    def look_up(self, corpus: Corpus, threads: int) -> Rows:
        """Return the rows of another corpus, without what was never seen."""
        columns, ids, indptr = self._space(corpus)
        ids.resize(self.bank.look_up(columns, corpus.offsets, ids, indptr, threads), refcheck=False)
        return Rows(indptr, ids)

    def _space(self, corpus: Corpus) -> tuple[list[Column], AttributeIds, npt.NDArray[np.int64]]:
        """Read the columns, and make room for the attributes: as many at each token as the template has features."""
        tokens, width = corpus.token_count, self.bank.stride
        if tokens * width > 2**40:
            raise ShapeError(
                f"{tokens} tokens with {width} features each are too many for one call; encode it in blocks"
            )
        columns = read_columns(self.plan, corpus)
        return columns, np.empty(tokens * width, dtype=np.int32), np.empty(tokens + 1, dtype=np.int64)

    def name(self, names: list[str]) -> None:
        """Write the names of the attributes to their numbers."""
        self.bank.name_attributes(names, [list(pieces) for pieces in self.plan.pieces])

    def extended(self) -> TemplateRows:
        """Copy the attributes, in the order of their numbers; the copy may learn once more."""
        words, pools, groups = self._by_number()
        counted = [(np.arange(len(ids), dtype=np.int32), values.reshape(-1)) for ids, values in groups]
        other = TemplateRows(self.plan, (words, pools, counted))
        other._known = [ids for ids, _ in groups]
        return other

    def restricted(self, numbers: AttributeIds) -> TemplateRows:
        """Copy what stays: attribute a is known under numbers[a], and not at all where that is -1."""
        words, pools, groups = self._by_number()
        kept = [(numbers[ids[numbers[ids] >= 0]], values[numbers[ids] >= 0]) for ids, values in groups]
        pools, used = _used(pools, [values for _, values in kept], self.plan.places())
        # Without words to remember values for, no value comes back that no attribute has.
        fresh = [_core.StringPool() for _ in words]
        restored = [(ids, rows.reshape(-1)) for (ids, _), rows in zip(kept, used, strict=True)]
        return TemplateRows(self.plan, (fresh, pools, restored))

    def known(self) -> KnownTemplate:
        """Return the strings seen, and the values and numbers of every attribute."""
        words, pools, groups = self._by_number()
        values = {number: pools[number] for number in set(self.plan.pools())}
        return KnownTemplate(
            self.plan.on_moves, tuple(words), values, tuple(Group(ids, rows) for ids, rows in groups)
        )

    @staticmethod
    def of(known: KnownTemplate, template: Template, min_count: int) -> TemplateRows:
        """Make rows that know what known() told."""
        plan = Plan(template, min_count, on_moves=known.on_moves)
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
        rows = TemplateRows(plan, (known.words, pools, groups))
        if rows.bank.group_sizes() != [len(group.ids) for group in known.group]:
            raise StoreError("the same attribute has two numbers")
        return rows

    def _by_number(self) -> tuple[list[_core.StringPool], list[_core.StringPool], Groups]:
        """Return the bank's state, each group by rising id; values have a row for each attribute."""
        words, pools, groups = self.bank.state()
        ordered = []
        for (ids, values), pieces in zip(groups, self.plan.pieces, strict=True):
            order = np.argsort(ids)
            ordered.append((ids[order], values.reshape(len(ids), len(pieces) - 1)[order]))
        return words, pools, ordered


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


# ------------------------------------------------------------------------------------------------ columns


def read_columns(plan: Plan, corpus: Corpus) -> list[Column]:
    """Read every source of the plan, each column of the corpus once."""
    lexicons = plan.template.lexicons
    names = dict.fromkeys(source.column for source in plan.sources)
    columns = {name: _column(name, corpus, lexicons) for name in names}
    return [
        _passed_through(columns[name], calls, lexicons) if calls else columns[name]
        for name, calls in plan.sources
    ]


def _column(name: str, corpus: Corpus, lexicons: Mapping[str, Lexicon]) -> Column:
    """Read a column of the corpus, by name or by number ("#1"), or compute one ("@position")."""
    if not name.startswith("@"):
        strings = _strings(name, corpus)
        return strings.codes, strings.pool
    gazetteer = gazetteer_of(name)
    if gazetteer is not None:
        tokens = _strings(gazetteer.column, corpus).nested(corpus.offsets)
        return _interned(value for sentence in tokens for value in gazetteer.values(sentence, lexicons))
    # It depends on nothing but the sentence's length, and is made once for each length that occurs.
    if len(corpus) == 1:
        return _interned(plain_column(name, corpus.token_count))
    different, which = np.unique(corpus.lengths, return_inverse=True)
    codes, pool = _interned(value for length in different.tolist() for value in plain_column(name, length))
    shifts = (np.cumsum(different) - different)[which] - corpus.offsets[:-1]
    return codes[np.arange(corpus.token_count) + np.repeat(shifts, corpus.lengths)], pool


def _strings(name: str, corpus: Corpus) -> StringColumn:
    columns = corpus.columns
    if name.startswith("#"):
        if int(name[1:]) >= len(columns):
            raise missing_column(name, columns)
        name = columns[int(name[1:])]
    if name in columns and not isinstance(corpus.data(name), StringColumn):
        held = "vectors" if isinstance(corpus.data(name), VectorColumn) else "ready-made attributes"
        raise TemplateError(
            f"the template reads column {name!r} as text, but it holds {held}; features=None takes them as they are"
        )
    try:
        return corpus.strings(name)
    except CorpusError as error:
        raise missing_column(name, columns) from error


def _passed_through(column: Column, calls: tuple[Call, ...], lexicons: Mapping[str, Lexicon]) -> Column:
    """Apply functions that only Python knows, once per distinct string."""
    codes, pool = column
    used = np.unique(codes)
    used = used[used != NO_VALUE]
    texts = pool.strings()
    results, made = _interned(passed_through(calls, texts[code], lexicons) for code in used.tolist())
    of_code = np.full(len(pool) + 1, NO_VALUE, dtype=np.int32)  # the last entry serves code -1
    of_code[used] = results
    return of_code[codes], made


def _interned(values: Iterable[str | None]) -> Column:
    pool = _core.StringPool()
    codes = [NO_VALUE if value is None else pool.intern(value) for value in values]
    return np.array(codes, dtype=np.int32), pool
