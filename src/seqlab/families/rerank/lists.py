"""n-best lists of any generator: read and checked, as numbers for a learner, and their oracle accuracy.

A generator is a tagger, an object with nbest(tokens, n), or a function (tokens, n).
"""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import inference
from seqlab.arrays import is_iterable, thread_count
from seqlab.corpus import Corpus, Sentence
from seqlab.errors import CorpusError, LabelError, OptionError, Place, ScoreError, ShapeError
from seqlab.families.rerank.features import Features, Labels, features_of
from seqlab.families.rerank.learners import Lists
from seqlab.shown import Brief
from seqlab.tagging.decoding import blocks, located
from seqlab.tagging.door.sentences import label_lists
from seqlab.tagging.tagger import Tagger

SCORE, SCORE_NAME = 0, "generator score"  # a feature of every candidate
SCORER, SCORER_NAME = 1, "scorer score"  # another one, if there is a scorer
RESERVED = (SCORE_NAME, SCORER_NAME)


@dataclass(frozen=True, slots=True, repr=False)
class CandidateList(Brief):
    """The labellings of a generator for one sentence, best first, and their scores."""

    labels: list[Labels]
    scores: list[float]

    def hits(self, gold: Labels) -> npt.NDArray[np.int64]:
        """Count the correct labels of each labelling."""
        return np.array([sum(map(str.__eq__, labels, gold)) for labels in self.labels], dtype=np.int64)


def check_generator(generator: Any) -> None:
    """Reject an object that cannot make lists."""
    if isinstance(generator, type):
        raise OptionError(
            f"generator must be an object, got the class {generator.__name__}; write {generator.__name__}()"
        )
    if not callable(getattr(generator, "nbest", None)) and not callable(generator):
        raise OptionError(
            f"generator must have nbest(tokens, n), or be a function (tokens, n) that gives (labels, score) pairs, "
            f"got {generator!r:.60}"
        )


def sentences_of(X: Any, *, without: str | None = None) -> Sequence[Any]:
    """Read X as a sequence of sentences; a corpus stays one, without the column of labels."""
    if isinstance(X, Corpus):
        return X if without is None else X.select(*(name for name in X.columns if name != without))
    if isinstance(X, (str, bytes, Sentence)) or not is_iterable(X):
        raise CorpusError(f"X must be a Corpus or a list of sentences, got {X!r:.60}")
    listed = list(X)
    for s, sentence in enumerate(listed):
        if (
            isinstance(sentence, (str, bytes))
            or not hasattr(sentence, "__len__")
            or not is_iterable(sentence)
        ):
            raise CorpusError(f" is {sentence!r:.60}, but a list of tokens is wanted", place=Place(s, of="X"))
    return listed


def gold_labels(sentences: Sequence[Any], y: Any) -> list[Labels]:
    """Read the gold labels of every sentence: one string for each token."""
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


def candidate_lists(
    generator: Any, X: Sequence[Any], n: int, *, threads: int | None = None, first: int = 0
) -> list[CandidateList]:
    """List the n best labellings of every sentence; `first` is the number of the first sentence in messages."""
    if not isinstance(generator, Tagger):
        ask = generator.nbest if callable(getattr(generator, "nbest", None)) else generator
        return [
            _checked(ask(tokens, n), len(tokens), n, first + s) if len(tokens) else CandidateList([()], [0.0])
            for s, tokens in enumerate(X)
        ]
    generator._check_fitted("nbest")
    count = thread_count(threads)
    found: list[CandidateList] = []
    for begin, part in blocks(generator._corpus(X), generator._block):
        with located(first + begin):
            for paths in map(list, inference.nbest(generator._trellises(part, count), n, threads=count)):
                labels = [tuple(map(str, path.labels)) for path in paths]
                found.append(CandidateList(labels, [path.score for path in paths]))
    return found


def _checked(given: Any, length: int, n: int, s: int) -> CandidateList:
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ShapeError(f"the generator should give a list of labellings, got {given!r:.60}", place=Place(s))
    kept: dict[Labels, float] = {}
    for rank, one in enumerate(given):
        labels, score = _candidate(one, length, f"sentence {s}, labelling {rank} of the generator")
        kept[labels] = max(score, kept.get(labels, score))  # the better of two equal labellings
    if not kept:
        raise ShapeError("the generator gave no labelling at all; at least one is wanted", place=Place(s))
    order = sorted(kept, key=lambda labels: -kept[labels])[:n]
    return CandidateList(order, [kept[labels] for labels in order])


def _candidate(one: Any, length: int, where: str) -> tuple[Labels, float]:
    pair = (one.labels, one.score) if hasattr(one, "labels") and hasattr(one, "score") else one
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or isinstance(pair[0], (str, bytes)):
        raise ShapeError(f"{where}: a pair (labels, score) is wanted, got {one!r:.60}")
    labels, score = tuple(pair[0]), pair[1]
    if len(labels) != length:
        raise ShapeError(f"{where} has {len(labels)} labels, but the sentence has {length} tokens")
    for t, label in enumerate(labels):
        if not isinstance(label, str):
            raise LabelError(f"{where}, position {t}: a label is a string, got {label!r:.60}")
    real = isinstance(score, (int, float, np.integer, np.floating)) and not isinstance(score, bool)
    if not real or not math.isfinite(score):
        raise ScoreError(f"{where} has the score {score!r:.60}, but a finite number is wanted")
    return labels, float(score)


def learned_features(
    features: Features | None,
    sentences: Sequence[Any],
    lists: Sequence[CandidateList],
    least: int,
    second: Sequence[Sequence[float]] | None = None,
) -> tuple[tuple[str, ...], Lists]:
    """Choose the features that differ between candidates, and return the lists as numbers.

    least    smallest number of candidates with the feature
    second   scores of the candidates by a scorer, if there is one
    """
    number = {SCORE_NAME: SCORE} if second is None else {SCORE_NAME: SCORE, SCORER_NAME: SCORER}
    always = len(number)
    found = numbered(number, features, sentences, lists, second, learning=True)
    kept = np.bincount(found.ids, minlength=len(number)) >= least
    kept[:always] = True
    names = tuple(name for name, keep in zip(number, kept.tolist(), strict=True) if keep)
    stays = kept[found.ids]
    before = np.concatenate([[0], np.cumsum(stays)])  # entries that stay before each
    ids = (np.cumsum(kept) - 1)[found.ids[stays]].astype(np.int32)
    indptr = before[found.indptr].astype(np.int64)
    return names, Lists(found.offsets, indptr, ids, found.values[stays], found.base, len(names))


def numbered(
    number: dict[str, int],
    features: Features | None,
    sentences: Sequence[Any],
    lists: Sequence[CandidateList],
    second: Sequence[Sequence[float]] | None = None,
    *,
    learning: bool = False,
) -> Lists:
    """Return lists as feature numbers; unknown features are left out, or with `learning` get the next numbers.

    second   scores of the candidates by a scorer, if there is one
    """
    ids, values, base, indptr = array("i"), array("d"), array("d"), array("q", [0])
    for s, one in enumerate(lists):
        bags: Sequence[Mapping[str, float]] = [{}] * len(one.labels)
        if features is not None:
            bags = features_of(features, sentences[s], one.labels, f"sentence {s}")
        if learning:
            # Features that all candidates of a list share cancel in every comparison.
            common = set(bags[0].items()).intersection(*(bag.items() for bag in bags[1:]))
            bags = [{name: v for name, v in bag.items() if (name, v) not in common} for bag in bags]
            for name in itertools.chain.from_iterable(bags):
                number.setdefault(name, len(number))
        best = max(one.scores)
        others = None if second is None else second[s]
        for c, (score, bag) in enumerate(zip(one.scores, bags, strict=True)):
            # Only differences within a list matter, and the shift keeps their digits.
            base.append(score - best)
            ids.append(SCORE)
            values.append(score - best)
            if others is not None:
                ids.append(SCORER)
                values.append(others[c] - max(others))
            known = [(number[name], v) for name, v in bag.items() if name in number and name not in RESERVED]
            ids.extend(i for i, _ in known)
            values.extend(v for _, v in known)
            indptr.append(len(ids))
    offsets = np.cumsum([0, *(len(one.labels) for one in lists)], dtype=np.int64)
    return Lists(offsets, np.array(indptr), np.array(ids), np.array(values), np.array(base), len(number))


@dataclass(frozen=True, slots=True)
class Oracle:
    """Accuracy that an oracle reaches by choosing from n-best lists.

    accuracy              token accuracy of the best labelling of every list
    first_accuracy        token accuracy of the first labelling of every list
    sentence_accuracy     share of lists that contain the gold labelling
    first_sentence_accuracy   share of lists whose first labelling is the gold one
    mean_length           mean number of labellings in a list
    """

    accuracy: float
    first_accuracy: float
    sentence_accuracy: float
    first_sentence_accuracy: float
    mean_length: float


def oracle_of(lists: Sequence[CandidateList], gold: Sequence[Labels]) -> Oracle:
    """Compute the oracle accuracy of these lists."""
    hits = [one.hits(truth) for one, truth in zip(lists, gold, strict=True)]
    best, first = np.array([row.max() for row in hits]), np.array([row[0] for row in hits])
    lengths = np.array([len(truth) for truth in gold])
    tokens = lengths.sum()
    shares = best.sum() / tokens, first.sum() / tokens, np.mean(best == lengths), np.mean(first == lengths)
    return Oracle(*map(float, (*shares, np.mean([len(one.labels) for one in lists]))))
