"""Counts of attributes larger than memory: runs on disk, divided by a hash of their keys and merged part by part."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.scale.shards import disk_error

PARTS = 16  # files of a group: one is in memory when it is merged
ATTRIBUTE = 64  # bytes of an attribute while it is counted

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


class Counted(NamedTuple):
    """Attributes of one group that stay: those known before, then the others in order of first appearance.

    values     (n, atoms)   the numbers of their values
    counts     (n,)
    distinct   attributes of the group before those met too seldom were dropped
    uses       their occurrences
    """

    values: Ints
    counts: Longs
    distinct: int
    uses: int


@dataclass(slots=True)
class Runs:
    """Counts of the attributes of a bank, some of them on disk.

    room    bytes that attributes may take in memory before they are written to disk
    known   of each group how many attributes the bank knew before: they come first, in their order, and stay
    """

    bank: _core.Bank
    atoms: list[int]
    folder: Path
    room: int
    tally: _core.Tally
    known: list[int]
    spilled: int = 0

    def add(self, ids: Ints, tokens: int, begin: int) -> None:
        """Add the rows of a block that the bank has learned; spill what takes too much room."""
        self.bank.add_to(self.tally, ids, tokens, begin)
        if sum(self.bank.group_sizes()) * ATTRIBUTE > self.room:
            self._spill()

    def merged(self, least: list[int]) -> list[Counted]:
        """Return the attributes of every group that were met at least so often."""
        if not self.spilled:
            return [_kept(*record, least[g]) for g, record in enumerate(self._records())]
        self._spill()
        return [self._from_disk(g, least[g]) for g in range(len(self.atoms))]

    def _records(self) -> list[tuple[Ints, Longs, Longs]]:
        """Return values, counts and first appearances of what is in memory, by group."""
        made = []
        for g, (ids, values) in enumerate(self.bank.state()[2]):
            counts, first = self.tally.group(g) if len(ids) else (np.zeros(0, np.int64),) * 2
            first = first[ids]
            if not self.spilled:  # what was known before comes before all tokens
                first = np.where(ids < self.known[g], ids.astype(np.int64) - self.known[g], first)
            made.append((values.reshape(len(ids), self.atoms[g]), counts[ids], first))
        return made

    def _spill(self) -> None:
        try:
            for g, (values, counts, first) in enumerate(self._records()):
                part = _hashed(values) % PARTS
                record = np.concatenate(
                    [values, *(number.reshape(-1, 1).view(np.int32) for number in (counts, first))], axis=1
                )
                for p in range(PARTS):
                    with (self.folder / f"group{g}-{p}").open("ab") as file:
                        file.write(np.ascontiguousarray(record[part == p]).data)
        except OSError as error:
            raise disk_error(error, self.folder) from error
        self.bank.forget()
        self.tally = _core.Tally()
        self.spilled += 1
        _core.return_memory()

    def _from_disk(self, group: int, least: int) -> Counted:
        kept, firsts = [], []
        distinct = uses = 0
        atoms = self.atoms[group]
        for p in range(PARTS):
            path = self.folder / f"group{group}-{p}"
            try:
                record = np.fromfile(path, dtype=np.int32).reshape(-1, atoms + 4)
                path.unlink()
            except OSError as error:
                raise disk_error(error, self.folder) from error
            counts, first = (
                np.ascontiguousarray(record[:, atoms + at : atoms + at + 2]).view(np.int64).reshape(-1)
                for at in (0, 2)
            )
            values, counts, first = _summed(record[:, :atoms], counts, first)
            distinct, uses = distinct + len(counts), uses + int(counts.sum())
            stays = (counts >= least) | (first < 0)
            kept.append((values[stays], counts[stays]))
            firsts.append(first[stays])
        order = np.argsort(np.concatenate(firsts))
        values = np.concatenate([part for part, _ in kept])[order]
        return Counted(values, np.concatenate([part for _, part in kept])[order], distinct, uses)


def _kept(values: Ints, counts: Longs, first: Longs, least: int) -> Counted:
    stays = np.flatnonzero((counts >= least) | (first < 0))
    stays = stays[np.argsort(first[stays])]
    return Counted(values[stays], counts[stays], len(counts), int(counts.sum()))


def _hashed(values: Ints) -> npt.NDArray[np.uint64]:
    mixed = np.zeros(len(values), dtype=np.uint64)
    for column in values.T:
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
    return mixed >> np.uint64(40)


def _summed(values: Ints, counts: Longs, first: Longs) -> tuple[Ints, Longs, Longs]:
    """Add up the counts of equal values, and take the earliest of their first appearances."""
    if not len(values):
        return values, counts, first
    order = np.lexsort(values.T[::-1]) if values.shape[1] else np.arange(len(values))
    values, counts, first = values[order], counts[order], first[order]
    new = np.ones(len(values), dtype=bool)
    new[1:] = (values[1:] != values[:-1]).any(axis=1)
    begins = np.flatnonzero(new)
    return values[begins], np.add.reduceat(counts, begins), np.minimum.reduceat(first, begins)
