"""Facts of single tokens that a training out of core keeps in memory: weights, and lists of labels they may have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.arrays import LabelIds
from seqlab.corpus import Corpus
from seqlab.families.linear.model import Begins
from seqlab.families.linear.training import PartialLabels, begins_of, partial_labels
from seqlab.learning.monitor import Weights
from seqlab.scale.disk import Disk
from seqlab.scale.sizes import resident
from seqlab.tagging.door.constraints import Bools
from seqlab.tagging.door.sentences import Gold

Block = tuple[Corpus, Gold, Begins]  # sentences, their labels, and their offsets
Mask = Callable[[Corpus, Gold], Bools | None]  # (tokens, L) labels that tokens may have; None for all


@dataclass(frozen=True, slots=True, eq=False)
class Restrictions:
    """Weights of tokens and lists of their labels, as the core reads them.

    partial   labels that are not known, and layers of weights
    active    offsets and numbers of the labels that each token may have; None for all
    weights   (tokens,)   costs of mistakes; None if all are 1
    size      bytes of all of them
    """

    partial: PartialLabels
    active: tuple[Begins, LabelIds] | None
    weights: Weights | None
    size: int

    @staticmethod
    def of(
        blocks: Iterable[Block],
        mask: Mask,
        weights: Weights | None,
        size: int,
        *,
        layered: bool,
        disk: Disk,
        tokens: int,
    ) -> Restrictions:
        """Collect them block by block; refuse them as soon as it is clear that they need too much memory.

        weights   (tokens,)   of all tokens, or None
        layered   as for TrainingSet.task
        tokens    of all blocks
        """
        parts: list[tuple[int, PartialLabels]] = []
        counts: list[Any] = []
        active: list[LabelIds] = []
        done = taken = 0
        before = resident()
        for corpus, gold, offsets in blocks:
            end = done + len(gold.ids)
            own = None if weights is None else weights[done:end]
            allowed = mask(corpus, gold)
            partial = partial_labels(gold, offsets, own, allowed, size, layered=layered)
            parts.append((len(corpus), partial))
            taken += sum(getattr(partial, name).nbytes for name in _SIZED)
            if allowed is not None:
                counts.append(allowed.sum(axis=1, dtype=np.int32))
                active.append(np.nonzero(allowed)[1].astype(np.int32))
                taken += 12 * len(gold.ids) + active[-1].nbytes
            done = end
            needed = before + 2 * taken * tokens // max(done, 1)  # in parts, and joined
            disk.check(needed, "weights of tokens and lists of the labels that they may have")
        lists = (begins_of(np.concatenate(counts)), np.concatenate(active)) if active else None
        return Restrictions(_joined(parts), lists, None if layered else weights, taken)

    def give(self, task: _core.Task) -> None:
        """Tell the task of the core; its labels are those of `partial`."""
        partial = self.partial
        if partial.weight is not None and partial.gold_weight is not None:
            task.set_weights(partial.weight, partial.gold_weight)
        if self.active is not None:
            task.set_active(*self.active)
        if len(partial.sequence):
            lists = (partial.list_offset, partial.list_ids)
            task.set_clamps(partial.sequence, partial.partial_weight, partial.row, *lists)
        if self.weights is not None:
            task.set_token_weights(np.ascontiguousarray(self.weights))


_SIZED = ("labels", "sequence", "partial_weight", "row", "list_offset", "list_ids")


def _joined(parts: list[tuple[int, PartialLabels]]) -> PartialLabels:
    """Join the partial labels of blocks: sentences and lists are numbered through."""
    sentences = rows = ids = 0
    sequence, row, offset, weight, gold_weight = [], [], [np.zeros(1, dtype=np.int64)], [], []
    plain = all(part.weight is None for _, part in parts)
    for count, part in parts:
        sequence.append(part.sequence + sentences)
        row.append(part.row + rows)
        offset.append(part.list_offset[1:] + ids)
        weight.append(np.ones(count) if part.weight is None else part.weight)
        gold_weight.append(np.ones(count) if part.gold_weight is None else part.gold_weight)
        sentences, rows = sentences + count, rows + len(part.list_offset) - 1
        ids += len(part.list_ids)
    return PartialLabels(
        np.ascontiguousarray(np.concatenate([part.labels for _, part in parts])),
        None if plain else np.concatenate(weight),
        None if plain else np.concatenate(gold_weight),
        np.concatenate(sequence),
        np.concatenate([part.partial_weight for _, part in parts]),
        np.concatenate(row),
        np.concatenate(offset),
        np.concatenate([part.list_ids for _, part in parts]),
    )
