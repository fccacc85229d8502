"""Training sets: labels, weights and dictionaries, checked and as the core trains on them."""

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
from seqlab.families.linear.model import LinearModel
from seqlab.tagging.door.constraints import Rules, TagDictionary
from seqlab.tagging.door.sentences import NOTHING, SEVERAL, Gold, Weights

Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Clamps:
    """Labels known in part, and tokens that count differently, as lists of labels that paths must keep to.

    A token of weight 2 counts as if its label had been seen twice: once with its sentence, once more where only tokens
    of that weight were labelled (eq:token-weights). So weights within a sentence become layers, each a labelling known
    in part.

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


Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """Everything about a training corpus that a learner must obey.

    gold      the labels, numbered as the model's
    weights   (tokens,)   what each token counts; None when every token counts 1
    active    (tokens, L) labels that a path may have at all; None for any
    """

    encoded: EncodedCorpus
    gold: Gold
    weights: Weights | None
    active: Bools | None

    def task(self, model: LinearModel, *, layered: bool) -> _core.Task:
        """What the core trains on, for a model of this shape.

        layered   whether weights of tokens are told by clamps (a likelihood) or as costs (learners that count mistakes)
        """
        encoded, node = self.encoded, self.encoded.node
        clamps = clamped(self.gold, encoded.offsets, self.weights, self.active, model.L, layered=layered)
        task = _core.Task(
            model.L,
            encoded.offsets,
            clamps.labels,
            node.indptr,
            node.ids,
            node.values,
            model.begin,
            model.label,
            model.move_number(),
        )
        if node.kin is not None:
            task.set_kin(node.kin)
        self._tell(task, model, clamps)
        if not layered and self.weights is not None:
            task.set_token_weights(np.ascontiguousarray(self.weights))
        return task

    def _tell(self, task: _core.Task, model: LinearModel, clamps: Clamps) -> None:
        if model.rules:
            task.set_rules(**model.rules.flags())
        if clamps.weight is not None and clamps.gold_weight is not None:
            task.set_weights(clamps.weight, clamps.gold_weight)
        if model.triple_seen is not None:
            task.set_triples(_numbers(model.triple_seen))
        if model.edge is not None and self.encoded.edge is not None:
            rows = self.encoded.edge
            task.set_edges(rows.indptr, rows.ids, rows.values, model.edge.begin, model.edge.move)
        if self.active is not None:
            task.set_active(*listed(self.active))
        if len(clamps.sequence):
            task.set_clamps(
                clamps.sequence, clamps.clamp_weight, clamps.row, clamps.list_offset, clamps.list_ids
            )


def listed(active: Bools) -> tuple[npt.NDArray[np.int64], LabelIds]:
    """Rows of flags as lists: offsets, and the numbers of the labels allowed."""
    offset = np.concatenate([[0], np.cumsum(active.sum(axis=1))]).astype(np.int64)
    return offset, np.nonzero(active)[1].astype(np.int32)


def keep_given(mask: Bools, gold: Gold) -> None:
    """True in (tokens, L) for the labels that tokens were given."""
    known = np.flatnonzero(gold.ids >= 0)
    mask[known, gold.ids[known]] = True
    for token, some in gold.sets.items():
        mask[token, list(some)] = True


def active_labels(dictionary: TagDictionary | None, corpus: Corpus, gold: Gold) -> Bools | None:
    """(tokens, L): what the dictionary allows, and always the labels given; None without a dictionary."""
    if dictionary is None:
        return None
    mask = dictionary.mask(corpus)
    keep_given(mask, gold)
    return mask


def only_given(gold: Gold, size: int) -> Bools:
    """(tokens, L): the labels given, or every label where none was."""
    mask: Bools = np.repeat((gold.ids == NOTHING)[:, None], size, axis=1)
    keep_given(mask, gold)
    return mask


def _numbers(seen: Bools) -> LabelIds:
    flat = seen.reshape(-1)
    return np.where(flat, np.cumsum(flat) - 1, -1).astype(np.int32)


def check_rules(gold: Gold, rules: Rules, offsets: npt.NDArray[np.int64], constraints: Any) -> None:
    """Refuse labels of training that the constraints forbid, naming the first."""
    if not rules or not len(gold.ids):
        return
    ids = gold.ids
    first = np.zeros(len(ids), dtype=bool)
    first[offsets[:-1][np.diff(offsets) > 0]] = True
    last = np.roll(first, -1)
    known = ids >= 0
    bad = np.zeros(len(ids), dtype=bool)
    bad[first & known] |= rules.no_start[ids[first & known]]
    bad[last & known] |= rules.no_end[ids[last & known]]
    pair = known.copy()
    pair[1:] &= known[:-1]
    pair &= ~first
    places = np.flatnonzero(pair)
    bad[places] |= rules.forbidden[ids[places - 1], ids[places]]
    if not bad.any():
        return
    token = int(np.argmax(bad))
    s = int(np.searchsorted(offsets, token, side="right")) - 1
    t = token - int(offsets[s])
    name = gold.names[ids[token]]
    if t and pair[token] and rules.forbidden[ids[token - 1], ids[token]]:
        what = f"{name!r} after {gold.names[ids[token - 1]]!r}"
    elif first[token] and rules.no_start[ids[token]]:
        what = f"{name!r} at the beginning"
    else:
        what = f"{name!r} at the end"
    more = int(bad.sum()) - 1
    raise LabelError(
        f"the label {what} breaks constraints={constraints!r}"
        + (f" (and so do {more} more tokens)" if more else "")
        + "; repair the labels (seqlab.tags.repair), or train without constraints",
        place=Place(s, t),
    )


def check_possible(lesson: TrainingSet, rules: Rules, constraints: Any) -> None:
    """Refuse sentences, labelled in part, of which no labelling keeps to constraints and dictionary."""
    gold, offsets = lesson.gold, lesson.encoded.offsets
    if not rules or not gold.partial:
        return
    open_tokens = np.flatnonzero(gold.ids < 0)
    allowed = only_given(gold, len(gold.names))
    if lesson.active is not None:
        allowed &= lesson.active
    for s in np.unique(np.searchsorted(offsets, open_tokens, side="right") - 1).tolist():
        t = _dead_end(allowed[offsets[s] : offsets[s + 1]], rules)
        if t is not None:
            raise LabelError(
                f"no labelling that fits the labels given keeps to "
                f"constraints={constraints!r}" + ("" if lesson.active is None else " and to allowed=..."),
                place=Place(s, t),
            )


def _dead_end(allowed: Bools, rules: Rules) -> int | None:
    """The first position of (T, L) that no path reaches, or None."""
    reached = allowed[0] & ~rules.no_start
    for t in range(len(allowed)):
        if t:
            reached = (~rules.forbidden[reached]).any(axis=0) & allowed[t]
        if t == len(allowed) - 1:
            reached = reached & ~rules.no_end
        if not reached.any():
            return t
    return None
