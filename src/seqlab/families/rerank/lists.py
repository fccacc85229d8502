"""n-best lists of any generator: read and checked, as numbers for a learner, and how good they are."""

from __future__ import annotations

import copy
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import inference
from seqlab.corpus import Corpus, Sentence
from seqlab.errors import CorpusError, LabelError, NotFittedError, OptionError, Place, ScoreError, ShapeError
from seqlab.families.rerank.features import ListFeatures
from seqlab.families.rerank.learners import Lists
from seqlab.tagging.decoding import blocks, located
from seqlab.tagging.door.sentences import label_lists
from seqlab.tagging.tagger import Tagger
from seqlab.threads import thread_count

Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CandidateList:
    """The labellings that a generator gives one sentence, best first, and its scores."""

    labels: list[Labels]
    scores: list[float]

    def __len__(self) -> int:
        return len(self.labels)


def check_generator(generator: Any) -> None:
    """Refuse what cannot make lists."""
    if isinstance(generator, type):
        raise OptionError(
            f"generator must be an object, got the class {generator.__name__}; write {generator.__name__}()"
        )
    if not callable(getattr(generator, "nbest", None)) and not callable(generator):
        raise OptionError(
            f"generator must have nbest(tokens, n), or be a function (tokens, n) that gives (labels, score) pairs, "
            f"got {generator!r:.60}"
        )


def cloned(generator: Any) -> Any:
    """A copy that has learned nothing."""
    if hasattr(generator, "get_params"):
        return type(generator)(**{name: copy.copy(v) for name, v in generator.get_params(deep=False).items()})
    return copy.deepcopy(generator)


def sentences_of(X: Any, *, without: str | None = None) -> Sequence[Any]:
    """X as a sequence of sentences; a corpus stays one, without the column of labels."""
    if isinstance(X, Corpus):
        return X if without is None else X.select(*(name for name in X.columns if name != without))
    if isinstance(X, (str, bytes, Sentence)) or not isinstance(X, Iterable):
        raise CorpusError(f"X must be a Corpus or a list of sentences, got {X!r:.60}")
    listed = list(X)
    for s, sentence in enumerate(listed):
        if isinstance(sentence, (str, bytes)) or not hasattr(sentence, "__len__"):
            raise CorpusError(f" is {sentence!r:.60}, but a list of tokens is wanted", place=Place(s, of="X"))
    return listed


def candidate_lists(
    generator: Any, X: Sequence[Any], n: int, *, threads: int | None = None, first: int = 0
) -> list[CandidateList]:
    """The n best labellings of every sentence; `first` is the number that messages give to the first one."""
    if isinstance(generator, Tagger):
        return _of_tagger(generator, X, n, thread_count(threads), first)
    ask = generator.nbest if callable(getattr(generator, "nbest", None)) else generator
    return [
        _checked(ask(tokens, n), len(tokens), n, first + s) if len(tokens) else _nothing()
        for s, tokens in enumerate(X)
    ]


def _of_tagger(generator: Tagger, X: Any, n: int, threads: int, first: int) -> list[CandidateList]:
    """All sentences of a block in one call."""
    generator._check_fitted("nbest")
    corpus = generator._corpus(X)
    found: list[CandidateList] = []
    for begin, part in blocks(corpus, generator._block):
        with located(first + begin):
            batch = generator._trellises(part, threads)
            found += map(_of_paths, inference.nbest(batch, n, threads=threads))
    return found


def _of_paths(paths: Iterable[inference.Path]) -> CandidateList:
    listed = list(paths)
    return CandidateList([tuple(map(str, path.labels)) for path in listed], [path.score for path in listed])


def _nothing() -> CandidateList:
    """An empty sentence has one labelling, the empty one."""
    return CandidateList([()], [0.0])


def _checked(given: Any, length: int, n: int, s: int) -> CandidateList:
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ShapeError(f"the generator should give a list of labellings, got {given!r:.60}", place=Place(s))
    read = [_candidate(one, length, s, rank) for rank, one in enumerate(given)]
    if not read:
        raise ShapeError("the generator gave no labelling at all; at least one is wanted", place=Place(s))
    kept: dict[Labels, float] = {}
    for labels, score in read:
        kept[labels] = max(score, kept.get(labels, score))  # of the same labelling twice, the better
    order = sorted(kept, key=lambda labels: -kept[labels])[:n]
    return CandidateList(order, [kept[labels] for labels in order])


def _candidate(one: Any, length: int, s: int, rank: int) -> tuple[Labels, float]:
    pair = (one.labels, one.score) if hasattr(one, "labels") and hasattr(one, "score") else one
    where = f"sentence {s}, labelling {rank} of the generator"
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


# ------------------------------------------------------------------------------------------- lists for training


def jackknifed(
    generator: Any, X: Sequence[Any], fit_on: Any, folds: int, n: int
) -> tuple[Any, list[CandidateList]]:
    """A generator trained on everything, and lists for every sentence by one that has not seen it.

    fit_on   (generator, numbers of sentences) -> the generator, trained on them
    """
    if folds > len(X):
        raise OptionError(
            f"folds={folds} needs at least as many sentences, but X has {len(X)}; pass fewer folds"
        )
    found: list[CandidateList] = []
    for fold in np.array_split(np.arange(len(X)), folds):
        rest = np.setdiff1d(np.arange(len(X)), fold)
        trained = fit_on(cloned(generator), rest)
        part = X.take(fold) if isinstance(X, Corpus) else [X[i] for i in fold.tolist()]
        found += candidate_lists(trained, part, n, first=int(fold[0]))
    return fit_on(cloned(generator), np.arange(len(X))), found


def as_it_stands(generator: Any, X: Sequence[Any], n: int) -> list[CandidateList]:
    """Lists of a generator that is used as it is."""
    try:
        return candidate_lists(generator, X, n)
    except NotFittedError as error:
        raise NotFittedError(
            f"the generator has learned nothing yet ({type(generator).__name__}); pass folds=5 to have it trained "
            f"here, or fit it before, on other sentences"
        ) from error


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
