"""Which features of a template always come together: what a word says, its prefixes and suffixes say again.

Training sums the weights of such a family once for every word instead of at every token (docs/decisions/0012).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from seqlab.encode.encoded import Kin
from seqlab.features.model import Atom, Feature

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
    """The values that it is found from: the same cell after none, some or all of its functions."""
    for count in range(len(atom.calls) + 1):
        yield atom._replace(calls=atom.calls[:count])
