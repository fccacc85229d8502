"""n-best lists as numbers: features interned once, right candidates marked, and how good the lists are."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.corpus import Corpus
from seqlab.errors import LabelError, Place, ShapeError
from seqlab.families.rerank.candidates import CandidateList
from seqlab.families.rerank.features import ListFeatures
from seqlab.families.rerank.learners import Lists
from seqlab.tagging.door.labels import label_lists

Labels = tuple[str, ...]
Bools = npt.NDArray[np.bool_]
SCORE, SCORE_NAME = 0, "generator score"  # the feature that every candidate has


@dataclass(frozen=True, slots=True)
class Oracle:
    """How good n-best lists are.

    accuracy              tokens that are right when the best labelling of every list is taken
    first_accuracy        tokens that are right when the first one is taken
    sentence_accuracy     lists that hold the right labelling
    first_sentence_accuracy   lists whose first labelling is right
    mean_length           labellings in a list, on average
    """

    accuracy: float
    first_accuracy: float
    sentence_accuracy: float
    first_sentence_accuracy: float
    mean_length: float


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Numbers of features; number 0 is the generator's score."""

    names: tuple[str, ...]
    number: Mapping[str, int]

    @staticmethod
    def learned(
        features: ListFeatures, sentences: Sequence[Any], lists: Sequence[CandidateList], least: int
    ) -> tuple[Vocabulary, Lists]:
        """The features of these lists that tell candidates apart, and the lists as numbers."""
        number = {SCORE_NAME: SCORE}
        entries = _Entries()
        for s, one in enumerate(lists):
            bags = _telling(features.of_list(sentences[s], one.labels, f"sentence {s}"))
            for score, bag in zip(_centred(one), bags, strict=True):
                ids = [number.setdefault(name, len(number)) for name in bag if name != SCORE_NAME]
                entries.add(score, ids, [value for name, value in bag.items() if name != SCORE_NAME])
        met = np.bincount(np.array(entries.ids, dtype=np.int64), minlength=len(number))
        kept = met >= least
        kept[SCORE] = True
        names = tuple(name for name, keep in zip(number, kept.tolist(), strict=True) if keep)
        vocabulary = Vocabulary(names, {name: i for i, name in enumerate(names)})
        return vocabulary, entries.lists(lists, np.where(kept, np.cumsum(kept) - 1, -1), len(names))

    def look_up(
        self, features: ListFeatures, sentences: Sequence[Any], lists: Sequence[CandidateList]
    ) -> Lists:
        """Other lists as numbers, without features that training has not met."""
        number, entries = self.number, _Entries()
        for s, one in enumerate(lists):
            bags = features.of_list(sentences[s], one.labels, f"sentence {s}")
            for score, bag in zip(_centred(one), bags, strict=True):
                known = [
                    (number[name], v) for name, v in bag.items() if name in number and name != SCORE_NAME
                ]
                entries.add(score, [i for i, _ in known], [v for _, v in known])
        return entries.lists(lists, np.arange(len(self.names)), len(self.names))


class _Entries:
    """The features of candidates as numbers, one candidate after another."""

    def __init__(self) -> None:
        self.ids, self.values, self.base = array("i"), array("d"), array("d")
        self.indptr = array("q", [0])

    def add(self, score: float, ids: Sequence[int], values: Sequence[float]) -> None:
        """One more candidate."""
        self.ids.append(SCORE)
        self.values.append(score)
        self.ids.extend(ids)
        self.values.extend(values)
        self.base.append(score)
        self.indptr.append(len(self.ids))

    def lists(self, lists: Sequence[CandidateList], renumber: npt.NDArray[np.int64], size: int) -> Lists:
        """All of them, each feature under its new number; -1 drops it."""
        ids = renumber[np.array(self.ids, dtype=np.int64)]
        kept = ids >= 0
        entries = np.concatenate([[0], np.cumsum(kept)])  # how many stay before each
        return Lists(
            np.concatenate([[0], np.cumsum([len(one) for one in lists], dtype=np.int64)]).astype(np.int64),
            entries[np.array(self.indptr, dtype=np.int64)].astype(np.int64),
            ids[kept].astype(np.int32),
            np.array(self.values, dtype=np.float64)[kept],
            np.array(self.base, dtype=np.float64),
            size,
        )


def _centred(one: CandidateList) -> list[float]:
    """Scores below the best one: only differences within a list count, and they keep their digits like this."""
    best = max(one.scores)
    return [score - best for score in one.scores]


def _telling(bags: Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
    """The bags of one list without what all its candidates have alike: it cancels in every comparison."""
    common = set(bags[0].items()).intersection(*(bag.items() for bag in bags[1:]))
    return [{name: value for name, value in bag.items() if (name, value) not in common} for bag in bags]


# ---------------------------------------------------------------------------------------------- gold


def gold_labels(sentences: Sequence[Any], y: Any) -> list[Labels]:
    """Read the right labels of every sentence: one string for each token."""
    if isinstance(y, str) and isinstance(sentences, Corpus):
        y = sentences.column(y)
    gold = [tuple(labels) for labels in label_lists(y, [len(tokens) for tokens in sentences])]
    for s, labels in enumerate(gold):
        for t, label in enumerate(labels):
            if not isinstance(label, str):
                raise LabelError(f"a label is a string, got {label!r:.60}", place=Place(s, t, of="y"))
    if not any(gold):
        raise ShapeError(f"X has {len(gold)} sentences and no token at all; at least one is wanted")
    return gold


def right_ones(lists: Sequence[CandidateList], gold: Sequence[Labels]) -> list[Bools]:
    """For every list, its candidates with the most right labels: the gold labelling itself where the list has it."""
    found = []
    for one, truth in zip(lists, gold, strict=True):
        right = _right(one, truth)
        found.append(right == right.max())
    return found


def oracle_of(lists: Sequence[CandidateList], gold: Sequence[Labels]) -> Oracle:
    """How good these lists are."""
    right = [_right(one, truth) for one, truth in zip(lists, gold, strict=True)]
    lengths = np.array([len(truth) for truth in gold])
    best, first = (np.array([pick(row) for row in right]) for pick in (np.max, lambda row: row[0]))
    tokens = lengths.sum()
    return Oracle(
        float(best.sum() / tokens),
        float(first.sum() / tokens),
        float(np.mean(best == lengths)),
        float(np.mean(first == lengths)),
        float(np.mean([len(one) for one in lists])),
    )


def _right(one: CandidateList, truth: Labels) -> npt.NDArray[np.int64]:
    """How many labels of each candidate are right."""
    return np.array([sum(map(str.__eq__, labels, truth)) for labels in one.labels], dtype=np.int64)


def all_labels(lists: Sequence[CandidateList], gold: Sequence[Labels]) -> tuple[str, ...]:
    """Every label that occurs, sorted."""
    met = {label for truth in gold for label in truth}
    return tuple(sorted(met | {label for one in lists for labels in one.labels for label in labels}))
