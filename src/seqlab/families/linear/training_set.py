"""Training sets: labels, weights and dictionaries, checked and prepared for the core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import LabelIds
from seqlab.corpus import Corpus
from seqlab.encode import EncodedCorpus
from seqlab.errors import LabelError, Place
from seqlab.families.linear.model import Begins, LinearModel
from seqlab.tagging.door.constraints import Bools, Rules, TagDictionary
from seqlab.tagging.door.sentences import NOTHING, SEVERAL, Gold, Weights


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """The labels, weights and restrictions of a training corpus.

    gold      the labels, numbered as the model's
    weights   (tokens,)   weight of each token; None when all are 1
    active    (tokens, L) allowed labels; None for all
    """

    encoded: EncodedCorpus
    gold: Gold
    weights: Weights | None
    active: Bools | None

    def task(self, model: LinearModel, *, layered: bool) -> _core.Task:
        """Make the task of the core, for a model with these weights.

        layered   weights of tokens become partial labels (likelihood learners), not costs (mistake-driven learners)
        """
        encoded, node, edge = self.encoded, self.encoded.node, self.encoded.edge
        partial = partial_labels(
            self.gold, encoded.offsets, self.weights, self.active, model.L, layered=layered
        )
        rows = (node.indptr, node.ids, node.values)
        moves = _numbered(model.move_seen)
        task = _core.Task(model.L, encoded.offsets, partial.labels, *rows, model.begin, model.label, moves)
        if node.cluster_codes is not None:
            task.set_kin(node.cluster_codes)
        if model.rules:
            task.set_rules(**model.rules.flags())
        if partial.weight is not None and partial.gold_weight is not None:
            task.set_weights(partial.weight, partial.gold_weight)
        if model.triple_seen is not None:
            task.set_triples(_numbered(model.triple_seen))
        if model.edge is not None and edge is not None:
            task.set_edges(edge.indptr, edge.ids, edge.values, model.edge.begin, model.edge.move)
        if self.active is not None:
            counts = self.active.sum(axis=1)
            task.set_active(_begins(counts), np.nonzero(self.active)[1].astype(np.int32))
        if len(partial.sequence):
            lists = (partial.list_offset, partial.list_ids)
            task.set_clamps(partial.sequence, partial.partial_weight, partial.row, *lists)
        if not layered and self.weights is not None:
            task.set_token_weights(np.ascontiguousarray(self.weights))
        return task


def _numbered(seen: Bools) -> LabelIds:
    """Number the True entries of a table, read row by row; -1 for the others."""
    flat = seen.reshape(-1)
    return np.where(flat, np.cumsum(flat) - 1, -1).astype(np.int32)


def _begins(sizes: Any) -> Begins:
    """Compute offsets of lists that are stored one after another, and the end of the last."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def keep_given(mask: Bools, gold: Gold) -> None:
    """Set (tokens, L) to True for the given labels of tokens."""
    token, label, _ = gold.entries()
    mask[token, label] = True


def active_labels(dictionary: TagDictionary | None, corpus: Corpus, gold: Gold) -> Bools | None:
    """Compute (tokens, L): labels that the dictionary allows, and the given ones; None without a dictionary."""
    if dictionary is None:
        return None
    mask = dictionary.mask(corpus)
    keep_given(mask, gold)
    return mask


def only_given(gold: Gold, size: int) -> Bools:
    """Compute (tokens, L): the given labels, or every label where none was given."""
    mask: Bools = np.repeat((gold.ids == NOTHING)[:, None], size, axis=1)
    keep_given(mask, gold)
    return mask


# --------------------------------------------------------------------------------- labels in part, weights of tokens


@dataclass(frozen=True, slots=True, eq=False)
class PartialLabels:
    """Partial labels, and tokens with different weights, as lists of allowed labels.

    A token of weight 2 counts as if its label had been seen twice: once with its sentence, once in a copy where only
    tokens of that weight are labelled (eq:token-weights). So weights within a sentence become layers, each with partial
    labels.

    labels         (tokens,)     -1 in sentences that are not fully labelled
    weight         (sentences,)  weight of log Z of a sentence; None when all are 1
    gold_weight    (sentences,)  weight of its full labelling; 0 where it has none
    sequence       (lists,)      the sentence of each partial labelling, rising
    partial_weight (lists,)
    row            (lists,)      offset of its lists
    list_offset, list_ids        one list of labels for every token of every partial labelling
    """

    labels: LabelIds
    weight: Weights | None
    gold_weight: Weights | None
    sequence: Begins
    partial_weight: Weights
    row: Begins
    list_offset: Begins
    list_ids: LabelIds


def partial_labels(
    gold: Gold,
    offsets: Begins,
    weights: Weights | None,
    active: Bools | None,
    size: int,
    *,
    layered: bool,
) -> PartialLabels:
    """Make partial labels for the sentences that need any; all others have full labels."""
    lengths = np.diff(offsets)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    worth = np.ones(len(gold.ids)) if weights is None else weights
    weight = np.zeros(len(lengths)) if weights is not None else np.ones(len(lengths))
    if weights is not None:
        np.maximum.at(weight, sentence, weights)
    odd = np.zeros(len(lengths), dtype=bool)
    odd[sentence[gold.ids < 0]] = True
    if layered:
        odd[sentence[worth != weight[sentence]]] = True
    labels = np.where(odd[sentence], np.int32(-1), gold.ids).astype(np.int32) if odd.any() else gold.ids
    gold_weight = np.where(odd, 0.0, weight)
    partial: list[tuple[int, float, int]] = []  # sentence, weight, the first of its lists
    lists: list[Sequence[int]] = []
    everything = range(size)
    for s in np.flatnonzero(odd).tolist():
        span = slice(offsets[s], offsets[s + 1])
        weight[s], gold_weight[s], layers = _layers(gold.ids[span], worth[span], layered=layered)
        if gold_weight[s]:
            labels[span] = gold.ids[span]
        for amount, known in layers:
            partial.append((s, amount, len(lists)))
            for token, given in enumerate(known.tolist(), int(offsets[s])):
                if given:
                    lists.append(gold.sets.get(token) or (int(gold.ids[token]),))
                else:
                    lists.append(everything if active is None else np.flatnonzero(active[token]).tolist())
    plain = weights is None and not odd.any()
    sequence, amounts, row = zip(*partial, strict=True) if partial else ((), (), ())
    return PartialLabels(
        np.ascontiguousarray(labels),
        None if plain else weight,
        None if plain else gold_weight,
        np.array(sequence, dtype=np.int64),
        np.array(amounts, dtype=np.float64),
        np.array(row, dtype=np.int64),
        _begins([len(some) for some in lists]),
        np.array([y for some in lists for y in some], dtype=np.int32),
    )


def _layers(
    ids: LabelIds, worth: Weights, *, layered: bool
) -> tuple[float, float, list[tuple[float, Bools]]]:
    """Split a sentence into the weights of log Z and of its full labelling, and layers (weight, known tokens)."""
    told = ids != NOTHING
    levels = np.unique(worth[told & (worth > 0)]).tolist()
    if not levels:
        return 0.0, 0.0, []
    if not layered:
        mean = float(worth[told].mean())
        return mean, 0.0, [(mean, told)]
    full = before = 0.0
    layers = []
    for level in levels:
        known = told & (worth >= level)
        if known.all() and not (ids == SEVERAL).any():
            full += level - before
        else:
            layers.append((level - before, known))
        before = level
    return before, full, layers


# ---------------------------------------------------------------------------------------------- at the door


def check_rules(gold: Gold, rules: Rules, offsets: Begins, constraints: Any) -> None:
    """Raise an error for training labels that the constraints forbid, naming the first."""
    if not rules or not len(gold.ids):
        return
    known, ids = gold.ids >= 0, np.maximum(gold.ids, 0)
    before, pair = np.roll(ids, 1), known & np.roll(known, 1)
    first = np.zeros(len(ids), dtype=bool)
    first[offsets[:-1][np.diff(offsets) > 0]] = True
    after = pair & ~first & rules.forbidden[before, ids]
    start = known & first & rules.no_start[ids]
    end = known & np.roll(first, -1) & rules.no_end[ids]
    bad = after | start | end
    if not bad.any():
        return
    token = int(np.argmax(bad))
    s = int(np.searchsorted(offsets, token, side="right")) - 1
    where = "at the beginning" if start[token] else "at the end"
    if after[token]:
        where = f"after {gold.names[before[token]]!r}"
    more = int(bad.sum()) - 1
    raise LabelError(
        f"the label {gold.names[ids[token]]!r} {where} breaks constraints={constraints!r}"
        + (f" (and so do {more} more tokens)" if more else "")
        + "; repair the labels (seqlab.tags.repair), or train without constraints",
        place=Place(s, token - int(offsets[s])),
    )


def check_possible(data: TrainingSet, rules: Rules, constraints: Any) -> None:
    """Raise an error for partly labelled sentences without a labelling that constraints and dictionary allow."""
    gold, offsets = data.gold, data.encoded.offsets
    if not rules or not gold.partial:
        return
    allowed = only_given(gold, len(gold.names))
    if data.active is not None:
        allowed &= data.active
    for s in np.unique(np.searchsorted(offsets, np.flatnonzero(gold.ids < 0), side="right") - 1).tolist():
        t = _dead_end(allowed[offsets[s] : offsets[s + 1]], rules)
        if t is not None:
            raise LabelError(
                f"no labelling that fits the labels given keeps to "
                f"constraints={constraints!r}" + ("" if data.active is None else " and to allowed=..."),
                place=Place(s, t),
            )


def _dead_end(allowed: Bools, rules: Rules) -> int | None:
    """Find the first position of (T, L) that no path reaches, or None."""
    reached: npt.NDArray[np.bool_] = ~rules.no_start
    for t, here in enumerate(allowed):
        reached = (reached if t == 0 else (~rules.forbidden[reached]).any(axis=0)) & here
        if t == len(allowed) - 1:
            reached = reached & ~rules.no_end
        if not reached.any():
            return t
    return None
