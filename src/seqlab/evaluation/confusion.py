"""Which label was taken for which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seqlab.evaluation.inputs import Paired
from seqlab.evaluation.scores import Counts
from seqlab.tags.coding import Codes


@dataclass(frozen=True, slots=True)
class Mistake:
    """A label taken for another, and how often."""

    gold: str
    predicted: str
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """Pairs of gold and predicted labels with their counts; only those that occur are held.

    labels            names, in alphabetical order
    gold, predicted   (P,) numbers in labels
    times             (P,) how often that pair occurs
    """

    labels: tuple[str, ...]
    gold: Codes
    predicted: Codes
    times: Counts

    @property
    def counts(self) -> Counts:
        """(L, L): row gold, column predicted."""
        table = np.zeros((len(self.labels), len(self.labels)), dtype=np.int64)
        table[self.gold, self.predicted] = self.times
        return table

    def mistakes(self, most: int | None = None) -> list[Mistake]:
        """The pairs of different labels, most frequent first."""
        wrong = np.flatnonzero(self.gold != self.predicted)
        order = wrong[np.argsort(-self.times[wrong], kind="stable")][:most]
        return [
            Mistake(self.labels[self.gold[i]], self.labels[self.predicted[i]], int(self.times[i]))
            for i in order
        ]

    def among(self, most: int) -> tuple[list[str], Counts]:
        """The labels with the most mistakes (on either side), in alphabetical order, and their part of `counts`."""
        wrong = self.gold != self.predicted
        size = len(self.labels)
        share = np.bincount(self.gold[wrong], self.times[wrong], size)
        share += np.bincount(self.predicted[wrong], self.times[wrong], size)
        chosen = np.sort(np.argsort(-share, kind="stable")[: min(most, int((share > 0).sum()))])
        place = np.full(size, -1)
        place[chosen] = np.arange(len(chosen))
        inside = (place[self.gold] >= 0) & (place[self.predicted] >= 0)
        table = np.zeros((len(chosen), len(chosen)), dtype=np.int64)
        table[place[self.gold[inside]], place[self.predicted[inside]]] = self.times[inside]
        return [self.labels[i] for i in chosen], table


def confusion_of(data: Paired) -> Confusion:
    """The confusion of all tokens."""
    size = len(data.gold.values)
    pairs = data.gold.codes.astype(np.int64) * size + data.predicted.codes
    distinct, times = np.unique(pairs, return_counts=True)
    return Confusion(
        tuple(data.gold.values),
        (distinct // size).astype(np.int32),
        (distinct % size).astype(np.int32),
        times.astype(np.int64),
    )
