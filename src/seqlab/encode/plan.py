"""A template compiled for the core: which columns, which functions on them, which features over their values.

Features that always come together are families: what a word says, its prefixes and suffixes say again. Training sums
the weights of a family once for every word instead of at every token (docs/decisions/0012).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.encode.encoded import Kin
from seqlab.features.model import Atom, Call, Feature
from seqlab.features.template import Template
from seqlab.features.values import passed_through

LARGEST_NUMBER = 2**31 - 1

Symbols = list[str | None]


class Source(NamedTuple):
    """A column that the core reads: one of the corpus or a computed one, after the functions only Python knows."""

    column: str
    calls: tuple[Call, ...] = ()


class Plan:
    """Features compiled for _core.Bank.

    sources   columns in the order the bank numbers them
    pieces    for each group of features the text round their values
    least     for each group how often an attribute must occur to be kept
    """

    def __init__(self, template: Template, min_count: int, *, on_moves: bool) -> None:
        """Compile the features that labels see, or (`on_moves`) those that pairs of labels see."""
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
        """Those of the template that are seen here."""
        return [one for one in self.template.features if (one.on_edge if self.on_moves else one.on_node)]

    def bank(self) -> _core.Bank:
        """Compile the features; the bank has learned nothing yet."""
        return _core.Bank(*self.compiled(), self.on_moves)

    def compiled(self) -> tuple[list[Any], list[Any], int]:
        """Return kinds of values, features over them, and how many columns they read, as the core takes them."""
        values = [
            (column, calls, pool, before, after)
            for (column, calls, before, after), pool in zip(self._values, self.pools(), strict=True)
        ]
        return values, self._features, len(self.sources)

    def groups(self) -> list[int]:
        """Return the number of the group that each feature belongs to."""
        return [group for _, group in self._features]

    def pools(self) -> list[int]:
        """Return the pool that each kind of values keeps its strings in: the number of the first kind that has it.

        "U:%x[0,0]" and "U:%x[0,1]" write the same attribute when word and tag are spelled alike, so that spelling must
        have one number: kinds that meet in one place of one group share a pool.
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
        """For each group the pools of its attributes' values."""
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
        """Number the atom's values; atoms that differ only in place share them."""
        native = all(
            _core.has_function(call.name) and all(isinstance(argument, int) for argument in call.args)
            for call in atom.calls
        )
        source = Source(atom.column, () if native else atom.calls)
        calls = atom.calls if native else ()
        if (source, calls) not in self._number:
            self._number[source, calls] = len(self._values)
            if source not in self.sources:
                self.sources.append(source)
            specs = [(call.name, _within(int(call.args[0]) if call.args else 0)) for call in calls]
            before, after = (self._outside(side, atom.calls) for side in self.template.boundary[:2])
            self._values.append((self.sources.index(source), specs, before, after))
        return self._number[source, calls]

    def _outside(self, symbols: tuple[str, ...], calls: tuple[Call, ...]) -> Symbols:
        """Find what is read before or after the sentence, by distance."""
        if not self.template.boundary.calls:
            return list(symbols)
        return [passed_through(calls, symbol, self.template.lexicons) for symbol in symbols]


def _within(number: int) -> int:
    """Limit the number to the largest that the core takes: no word, sentence or count goes so far."""
    return max(-LARGEST_NUMBER, min(LARGEST_NUMBER, number))


MOST_FAMILIES = 100
COST_OF_A_SUM = 8  # in entries: its row is written, read, cleared, added

Family = tuple[int, list[int]]  # the head, and all that come with it, itself among them


def families(
    features: Sequence[Feature], groups: Sequence[int], sizes: Sequence[int], uses: Sequence[int], worth: int
) -> list[Family]:
    """Features by number, families that save most first.

    groups   the group of attributes that each feature makes
    sizes    how many attributes each group has
    uses     how many tokens have one of them
    worth    entries that a family must save

    A feature that shares its attributes with another has no family: who meets one cannot tell which made it.
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


def kin_of(
    found: Sequence[Family], groups: Sequence[int], sizes: Sequence[int], numbers: npt.NDArray[np.int32]
) -> Kin:
    """For every attribute 2 f + 1 when it is a head of family f, 2 f + 2 when it comes with one, 0 for neither.

    numbers   the numbers of the attributes, one group after the other; -1 for those that were dropped

    Attributes after the last of these numbers, which other producers may have, are left out.
    """
    of_group = np.zeros(len(sizes), dtype=np.uint8)
    for family, (head, members) in enumerate(found):
        of_group[[groups[member] for member in members]] = 2 * family + 2
        of_group[groups[head]] = 2 * family + 1
    stays = numbers >= 0
    kin = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=np.uint8)
    kin[numbers[stays]] = np.repeat(of_group, sizes)[stays]
    return kin


def _determined(features: Sequence[Feature], some: set[int]) -> dict[int, set[int]]:
    """For each of some features those that come wherever it does: all they read is found from what it reads."""
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
    """Entries that are no longer looked at: one at each use in place of all, and those of each head once."""
    return uses * (members - 1) - heads * (members + COST_OF_A_SUM)


def _sources(atom: Atom) -> Iterator[Atom]:
    """List the values that it is found from: the same cell after none, some or all of its functions."""
    for count in range(len(atom.calls) + 1):
        yield atom._replace(calls=atom.calls[:count])
