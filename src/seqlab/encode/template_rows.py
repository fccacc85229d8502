"""Attributes of a template, computed in the core from the columns that it reads."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import Corpus, StringColumn, VectorColumn
from seqlab.encode.encoded import AttributeIds, ClusterCodes, Rows, Seen
from seqlab.encode.stored import Group, KnownTemplate
from seqlab.errors import CorpusError, ShapeError, StoreError, TemplateError
from seqlab.features.lexicon import EDGES, Lexicon, gazetteer_of, plain_column
from seqlab.features.model import Atom, Call, Feature
from seqlab.features.template import Template
from seqlab.features.values import missing_column, passed_through

LARGEST_NUMBER = 2**31 - 1

Symbols = list[str | None]


class Source(NamedTuple):
    """A column for the core: one of the corpus or a computed one, after functions that exist only in Python."""

    column: str
    calls: tuple[Call, ...] = ()


class Plan:
    """Features compiled for _core.Bank.

    sources   columns in the order the bank numbers them
    pieces    for each group of features the text round their values
    least     for each group how often an attribute must occur to be kept
    """

    def __init__(self, template: Template, min_count: int, *, on_moves: bool) -> None:
        """Compile the features of node attributes, or (`on_moves`) of edge attributes."""
        self.template = template
        self.on_moves = on_moves
        self.sources: list[Source] = []
        self.pieces: list[tuple[str, ...]] = []
        self.least: list[int] = []
        self._values: list[tuple[int, list[tuple[str, int]], Symbols, Symbols]] = []
        self._features: list[tuple[list[tuple[int, int, bool]], int]] = []
        self._number: dict[tuple[Source, tuple[Call, ...]], int] = {}
        for feature in self.features():
            self._add(feature, min_count)

    def features(self) -> list[Feature]:
        """Return the features with at most one attribute per token; several_rows.py has the others."""
        seen = (one for one in self.template.features if (one.on_edge if self.on_moves else one.on_node))
        return [one for one in seen if one not in self.template.several]

    def bank(self) -> _core.Bank:
        """Compile the features to an untrained bank."""
        return _core.Bank(*self.compiled(), self.on_moves)

    def compiled(self) -> tuple[list[Any], list[Any], int]:
        """Return kinds of values, features over them, and the number of columns, as arguments of the core."""
        values = [
            (column, calls, pool, before, after)
            for (column, calls, before, after), pool in zip(self._values, self.pools(), strict=True)
        ]
        return values, self._features, len(self.sources)

    def groups(self) -> list[int]:
        """Return the number of the group that each feature belongs to."""
        return [group for _, group in self._features]

    def pools(self) -> list[int]:
        """Return the pool of each kind of values: the number of the first kind that uses it.

        "U:%x[0,0]" and "U:%x[0,1]" write the same attribute when word and tag are equal strings, so that string must
        have one number: kinds that can occur at the same position of one group share a pool.
        """
        pools = list(range(len(self._values)))
        first: dict[tuple[int, int], int] = {}
        for atoms, group in self._features:
            for place, (values, _, _) in enumerate(atoms):
                one, other = sorted((pools[values], pools[first.setdefault((group, place), values)]))
                if one != other:
                    pools = [one if pool == other else pool for pool in pools]
        return pools

    def places(self) -> list[list[int]]:
        """Return for each group the pools of its attributes' values."""
        pools = self.pools()
        places: list[list[int]] = [[] for _ in self.pieces]
        for atoms, group in self._features:
            places[group] = [pools[values] for values, _, _ in atoms]
        return places

    def _add(self, feature: Feature, min_count: int) -> None:
        atoms = [(self._values_of(atom), _within(atom.offset), atom.absolute) for atom in feature.atoms]
        least = _within(max(feature.min_count, min_count))
        if feature.pieces in self.pieces:
            group = self.pieces.index(feature.pieces)
            self.least[group] = min(self.least[group], least)
        else:
            group = len(self.pieces)
            self.pieces.append(feature.pieces)
            self.least.append(least)
        self._features.append((atoms, group))

    def _values_of(self, atom: Atom) -> int:
        """Number the atom's values; atoms that differ only in offset share them."""
        native = is_native(atom.calls)
        source = Source(atom.column, () if native else atom.calls)
        calls = atom.calls if native else ()
        if (source, calls) not in self._number:
            self._number[source, calls] = len(self._values)
            if source not in self.sources:
                self.sources.append(source)
            specs = native_calls(calls)
            before, after = (self._outside(side, atom.calls) for side in self.template.boundary[:2])
            self._values.append((self.sources.index(source), specs, before, after))
        return self._number[source, calls]

    def _outside(self, symbols: tuple[str, ...], calls: tuple[Call, ...]) -> Symbols:
        """Find the symbols read before or after the sentence, by distance."""
        if not self.template.boundary.calls:
            return list(symbols)
        return [passed_through(calls, symbol, self.template.lexicons) for symbol in symbols]


def is_native(calls: Sequence[Call]) -> bool:
    """Return True if the core has all of these functions."""
    return all(
        _core.has_function(call.name) and all(isinstance(argument, int) for argument in call.args)
        for call in calls
    )


def native_calls(calls: Sequence[Call]) -> list[tuple[str, int]]:
    """Convert calls to the form that the core takes."""
    return [(call.name, _within(int(call.args[0]) if call.args else 0)) for call in calls]


def _within(number: int) -> int:
    """Limit the number to the largest that the core accepts, which no real input reaches."""
    return max(-LARGEST_NUMBER, min(LARGEST_NUMBER, number))


MOST_FAMILIES = 100
COST_OF_A_SUM = 8  # in entries: to write, read, clear and add its row

Family = tuple[int, list[int]]  # the head, and all features that occur with it, itself included


def families(
    features: Sequence[Feature], groups: Sequence[int], sizes: Sequence[int], uses: Sequence[int], worth: int
) -> list[Family]:
    """Find families of features whose attributes always occur together, those that save most first.

    groups   the group of attributes that each feature makes
    sizes    number of attributes of each group
    uses     number of tokens with one of them
    worth    smallest number of entries that a family must save

    A feature that shares its attributes with another has no family: an attribute does not show which feature made it.
    """
    alone = Counter(groups)
    free = {f for f in range(len(features)) if alone[groups[f]] == 1}
    made = _determined(features, free)
    found: list[Family] = []
    while free and len(found) < MOST_FAMILIES:
        saved = {
            head: _saved(len(made[head] & free), sizes[groups[head]], uses[groups[head]])
            for head in sorted(free)
        }
        best = max(saved, key=saved.__getitem__)
        if saved[best] < max(1, worth):
            break
        found.append((best, sorted(made[best] & free)))
        free -= made[best]
    return found


def cluster_codes_of(
    found: Sequence[Family], groups: Sequence[int], sizes: Sequence[int], numbers: npt.NDArray[np.int32]
) -> ClusterCodes:
    """Compute for every attribute 2 f + 1 if it is a head of family f, 2 f + 2 if it is a member, 0 for neither.

    numbers   the numbers of the attributes, one group after the other; -1 for those that were dropped

    Attributes after the last of these numbers, which other producers may have, are left out.
    """
    of_group = np.zeros(len(sizes), dtype=np.uint8)
    for family, (head, members) in enumerate(found):
        of_group[[groups[member] for member in members]] = 2 * family + 2
        of_group[groups[head]] = 2 * family + 1
    stays = numbers >= 0
    cluster_codes = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=np.uint8)
    cluster_codes[numbers[stays]] = np.repeat(of_group, sizes)[stays]
    return cluster_codes


def _determined(features: Sequence[Feature], some: set[int]) -> dict[int, set[int]]:
    """Find for each of some features those that it determines: all they read is computed from what it reads."""
    readers: dict[Atom, set[int]] = defaultdict(set)
    for head in some:
        for atom in features[head].atoms:
            readers[atom].add(head)
    made: dict[int, set[int]] = {head: set() for head in some}
    for feature in some:
        heads = set(some)
        for atom in features[feature].atoms:
            heads &= set().union(*(readers.get(source, ()) for source in _sources(atom)))
        for head in heads:
            made[head].add(feature)
    return made


def _saved(members: int, heads: int, uses: int) -> int:
    """Count the entries saved: one per use in place of all members, minus those of each head."""
    return uses * (members - 1) - heads * (members + COST_OF_A_SUM)


def _sources(atom: Atom) -> Iterator[Atom]:
    """List the values it can be computed from: the same cell after none, some or all of its functions."""
    for count in range(len(atom.calls) + 1):
        yield atom._replace(calls=atom.calls[:count])


Groups = list[tuple[AttributeIds, AttributeIds]]  # of each group the ids, and the values of one after another
Column = tuple[npt.NDArray[np.int32], _core.StringPool]  # codes of all tokens, NO_VALUE where there is none
NO_VALUE = -1


class TemplateRows:
    """Rows of the node features of a template, or of its edge features, according to the plan.

    bank, state   the compiled features, which other tables may read while it does not learn; what they have learned
    """

    column = None  # of ready-made attributes

    def __init__(
        self,
        plan: Plan,
        state: tuple[Sequence[_core.StringPool], Sequence[_core.StringPool], Groups] | None = None,
    ) -> None:
        self.plan = plan
        self.bank = plan.bank()
        self._known: list[AttributeIds] = []  # the numbers of each group before learn()
        if state is not None:
            self.bank.restore(*state)

    def __reduce__(self) -> tuple[Any, ...]:
        return TemplateRows, (self.plan, self.bank.state())

    def learn(self, corpus: Corpus, threads: int) -> Seen:
        """Count every attribute of the corpus by group, on threads; known ones come first in their group."""
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
            cluster_codes = cluster_codes_of(found, plan.groups(), sizes, numbers)
            ids.resize(self.bank.number(numbers, ids, indptr, threads), refcheck=False)
            return Rows(indptr, ids, cluster_codes=cluster_codes)

        return Seen(counts, np.repeat(np.array(self.plan.least, dtype=np.int32), sizes), known, number)

    def look_up(self, corpus: Corpus, threads: int) -> Rows:
        """Return the rows of another corpus, without unseen attributes; threads: how many to use."""
        columns, ids, indptr = self._space(corpus)
        ids.resize(self.bank.look_up(columns, corpus.offsets, ids, indptr, threads), refcheck=False)
        return Rows(indptr, ids)

    def _space(self, corpus: Corpus) -> tuple[list[Column], AttributeIds, npt.NDArray[np.int64]]:
        """Read the columns, and allocate the attributes: one per token and feature."""
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
        """Copy the attributes, in the order of their numbers; the copy may learn again."""
        words, pools, groups = self._by_number()
        counted = [(np.arange(len(ids), dtype=np.int32), values.reshape(-1)) for ids, values in groups]
        other = TemplateRows(self.plan, (words, pools, counted))
        other._known = [ids for ids, _ in groups]
        return other

    def restricted(self, numbers: AttributeIds) -> TemplateRows:
        """Copy the kept attributes: attribute a gets the number numbers[a], and is dropped where that is -1."""
        words, pools, groups = self._by_number()
        kept = [(numbers[ids[numbers[ids] >= 0]], values[numbers[ids] >= 0]) for ids, values in groups]
        pools, used = _used(pools, [values for _, values in kept], self.plan.places())
        # Without stored words, only values of kept attributes remain.
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
        """Make rows of a template from the result of known(); min_count is that of the Encoder."""
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
    """Return pools without unused strings, and the values (attributes, places) of each group in them."""
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
    columns = {name: column_of(name, corpus, lexicons) for name in names}
    return [passed(columns[name], calls, lexicons) for name, calls in plan.sources]


def column_of(name: str, corpus: Corpus, lexicons: Mapping[str, Lexicon]) -> Column:
    """Read a column of the corpus, by name or by number ("#1"), or compute one ("@position")."""
    if not name.startswith("@"):
        strings = _strings(name, corpus)
        return strings.codes, strings.pool
    gazetteer = gazetteer_of(name)
    if gazetteer is not None:
        tokens = _strings(gazetteer.column, corpus).nested(corpus.offsets)
        return _interned(value for sentence in tokens for value in gazetteer.values(sentence, lexicons))
    # It depends only on the length of the sentence, and is computed once for each length.
    if len(corpus) == 1:
        return _interned(plain_column(name, corpus.token_count))
    if name in EDGES:  # read by most presets
        begins, ends = corpus.offsets[:-1], corpus.offsets[1:] - 1
        places = (begins if name == "@first" else ends)[begins <= ends]
        codes = np.full(corpus.token_count, NO_VALUE, dtype=np.int32)
        codes[places], pool = _interned(["yes"][: len(places)])
        return codes, pool
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
        return corpus.strings(name, missing=True)
    except CorpusError as error:
        raise missing_column(name, columns) from error


def passed(column: Column, calls: tuple[Call, ...], lexicons: Mapping[str, Lexicon]) -> Column:
    """Apply functions that exist only in Python, once per distinct string; without any the column stays as it is."""
    if not calls:
        return column
    codes, pool = column
    used = np.unique(codes)
    used = used[used != NO_VALUE]
    texts = pool.strings()
    results, made = _interned(passed_through(calls, texts[code], lexicons) for code in used.tolist())
    of_code = np.full(len(pool) + 1, NO_VALUE, dtype=np.int32)  # the last entry is for code -1
    of_code[used] = results
    return of_code[codes], made


def _interned(values: Iterable[str | None]) -> Column:
    pool = _core.StringPool()
    codes = [NO_VALUE if value is None else pool.intern(value) for value in values]
    return np.array(codes, dtype=np.int32), pool
