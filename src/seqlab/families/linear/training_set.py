"""From labels, weights and dictionaries to what the core trains on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import LabelIds
from seqlab.corpus import Corpus
from seqlab.encode import EncodedCorpus
from seqlab.errors import LabelError, Place
from seqlab.families.linear.clamps import Clamps, clamped
from seqlab.families.linear.model import LinearModel
from seqlab.tagging.door.constraints import Rules
from seqlab.tagging.door.dictionary import TagDictionary
from seqlab.tagging.door.labels import NOTHING, Gold
from seqlab.tagging.door.weights import Weights

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
