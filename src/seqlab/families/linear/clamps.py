"""Labels known in part, and tokens that count differently, as lists of labels that paths must keep to.

A token of weight 2 counts as if its label had been seen twice: once with its sentence, once more where only tokens
of that weight were labelled (eq:token-weights). So weights within a sentence become layers, each a labelling known
in part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from seqlab.arrays import LabelIds
from seqlab.tagging.door.labels import NOTHING, SEVERAL, Gold
from seqlab.tagging.door.weights import Weights

Offsets = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Clamps:
    """What the core is told of labels and weights.

    labels         (tokens,)     -1 in sentences that are not labelled through and through
    weight         (sentences,)  what log Z of a sentence counts; None when everything counts 1
    gold_weight    (sentences,)  what its full labelling counts; 0 where it has none
    sequence       (clamps,)     the sentence of each clamp, rising
    clamp_weight   (clamps,)
    row            (clamps,)     where its lists begin
    list_offset, list_ids        one list of labels for every token of every clamp
    """

    labels: LabelIds
    weight: Weights | None
    gold_weight: Weights | None
    sequence: Offsets
    clamp_weight: Weights
    row: Offsets
    list_offset: Offsets
    list_ids: LabelIds


def clamped(
    gold: Gold,
    offsets: Offsets,
    weights: Weights | None,
    active: Bools | None,
    size: int,
    *,
    layered: bool,
) -> Clamps:
    """Clamps for the sentences that need any; all others go by their labels alone."""
    lengths = np.diff(offsets)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    per_sentence = np.ones(len(lengths)) if weights is None else _largest(weights, offsets)
    odd = np.zeros(len(lengths), dtype=bool)
    odd[sentence[gold.ids < 0]] = True
    if weights is not None and layered:
        odd[sentence[weights != per_sentence[sentence]]] = True
    weight = None if weights is None and not odd.any() else per_sentence
    labels = np.where(odd[sentence], np.int32(-1), gold.ids).astype(np.int32) if odd.any() else gold.ids
    maker = _Maker(gold, offsets, weights, active, size)
    gold_weight = None if weight is None else np.where(odd, 0.0, per_sentence)
    for s in np.flatnonzero(odd).tolist():
        assert weight is not None and gold_weight is not None  # noqa: PT018, S101  (odd sentences make both)
        weight[s], gold_weight[s] = maker.add(s, layered=layered)
        if gold_weight[s]:
            labels[offsets[s] : offsets[s + 1]] = gold.ids[offsets[s] : offsets[s + 1]]
    return Clamps(np.ascontiguousarray(labels), weight, gold_weight, *maker.arrays())


def _largest(weights: Weights, offsets: Offsets) -> Weights:
    """The largest weight of each sentence, 0 for an empty one."""
    lengths = np.diff(offsets)
    found = np.zeros(len(lengths))
    some = lengths > 0
    if some.any():
        found[some] = np.maximum.reduceat(weights, offsets[:-1][some])
    return found


class _Maker:
    """Collects clamps sentence by sentence."""

    def __init__(
        self, gold: Gold, offsets: Offsets, weights: Weights | None, active: Bools | None, size: int
    ) -> None:
        self.gold, self.offsets, self.weights, self.active, self.size = gold, offsets, weights, active, size
        self.everything = tuple(range(size))
        self.sequence: list[int] = []
        self.clamp_weight: list[float] = []
        self.row: list[int] = []
        self.lists: list[Sequence[int]] = []

    def add(self, s: int, *, layered: bool) -> tuple[float, float]:
        """The layers of a sentence; what log Z and the full labelling count."""
        tokens = np.arange(self.offsets[s], self.offsets[s + 1])
        told = tokens[self.gold.ids[tokens] != NOTHING]
        worth = np.ones(len(tokens)) if self.weights is None else self.weights[tokens]
        of_told = worth[told - tokens[0]] if len(tokens) else worth
        if not len(told) or not of_told.max() > 0:
            return 0.0, 0.0
        if not layered:
            self._clamp(s, tokens, told, float(of_told.mean()))
            return float(of_told.mean()), 0.0
        full = 0.0
        before = 0.0
        for level in np.unique(of_told[of_told > 0]).tolist():
            known = told[of_told >= level]
            if len(known) == len(tokens) and not (self.gold.ids[known] == SEVERAL).any():
                full += level - before
            else:
                self._clamp(s, tokens, known, level - before)
            before = level
        return before, full

    def _clamp(
        self, s: int, tokens: npt.NDArray[np.int64], known: npt.NDArray[np.int64], weight: float
    ) -> None:
        self.sequence.append(s)
        self.clamp_weight.append(weight)
        self.row.append(len(self.lists))
        inside = set(known.tolist())
        self.lists += [self._labels(token, known=token in inside) for token in tokens.tolist()]

    def _labels(self, token: int, *, known: bool) -> Sequence[int]:
        if known:
            label = int(self.gold.ids[token])
            return (label,) if label >= 0 else self.gold.sets[token]
        return self.everything if self.active is None else np.flatnonzero(self.active[token]).tolist()

    def arrays(self) -> tuple[Offsets, Weights, Offsets, Offsets, LabelIds]:
        sizes = [len(some) for some in self.lists]
        return (
            np.array(self.sequence, dtype=np.int64),
            np.array(self.clamp_weight, dtype=np.float64),
            np.array(self.row, dtype=np.int64),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.array([y for some in self.lists for y in some], dtype=np.int32),
        )
