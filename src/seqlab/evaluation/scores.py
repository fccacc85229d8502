"""Gold and predicted labels, checked and encoded with one numbering; their precision, recall, F1 and confusion."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.corpus.columns import MISSING, WORD_COLUMNS, counted
from seqlab.errors import EvaluationWarning, LabelError, OptionError, Place, ShapeError
from seqlab.shown import Brief, Table, Tabular, columns_of
from seqlab.tags.coding import Bools, Coded, Codes, encode, many


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Paired(Brief):
    """Gold and predicted labels, numbered alike in alphabetical order.

    words    the words of the tokens, if known
    unseen   (tokens,) True for words not seen in training; None if unknown
    missing  number of tokens without a gold label, which were left out
    source   the corpus of the gold labels, for the file and line of a sentence; None for lists
    """

    gold: Coded
    predicted: Coded
    words: Coded | None = None
    unseen: Bools | None = None
    source: Any = None
    missing: int = 0

    @property
    def right(self) -> Bools:
        """(tokens,) where both labels are the same."""
        return np.asarray(self.gold.codes == self.predicted.codes)


def say_strange(gold: Iterable[str], labels: Sequence[str]) -> None:
    """Warn if the model knows none of the gold labels, so that no prediction can be right."""
    found = sorted(set(gold))
    if not found or not set(labels).isdisjoint(found):
        return
    one, other = (
        " ".join(map(str, some[:8])) + (" ..." if len(some) > 8 else "") for some in (found, labels)
    )
    warnings.warn(
        f"the model knows none of the gold labels, so no prediction can be right: they are {one}, "
        f"those of the model {other}; is it the right column, and the right model?",
        EvaluationWarning,
        stacklevel=3,
    )


def is_corpus(value: Any) -> bool:
    """Return True if this has columns by name, as a Corpus has."""
    return hasattr(value, "columns") and callable(getattr(value, "column", None))


def pair(
    gold: Any,
    predicted: Any,
    column: str | None,
    words: Any = None,
    known: Any = None,
    *,
    name: str = "predicted",
) -> Paired:
    """Align both sides token by token; `name` is the name of the second in messages."""
    if column is not None and not is_corpus(gold) and not is_corpus(predicted):
        raise OptionError(f"column={column!r} names a column of a corpus, but gold and {name} are lists")
    one, other = _coded_alike({"gold": gold, name: predicted}, column)
    _check_lengths(one, other, "label")
    if not len(one.codes):
        raise ShapeError(f"gold and {name} have no tokens at all, so there is nothing to evaluate")
    given = one.codes != MISSING
    if not given.any():
        raise ShapeError(f"not one of {len(given)} tokens has a gold label, so there is nothing to evaluate")
    source = gold if is_corpus(gold) else None
    if words is None and source is not None:
        words = _words_of(gold)
    coded_words = None
    if words is not None:
        coded_words = encode(many(words, "words"), "words", what="word")
        _check_lengths(one, coded_words, "word")
    unseen: Bools | None = None
    if known is not None:
        if coded_words is None:
            raise OptionError("known= is there, but no words to compare: pass words=..., or a corpus as gold")
        seen = _known_words(known)
        unseen = np.array([word not in seen for word in coded_words.values], dtype=bool)[coded_words.codes]
    if given.all():
        return Paired(one, other, coded_words, unseen, source)
    kept = [None if side is None else _without(side, given) for side in (one, other, coded_words)]
    unseen, missing = None if unseen is None else unseen[given], int(np.count_nonzero(~given))
    return Paired(kept[0], kept[1], kept[2], unseen, source, missing)  # type: ignore[arg-type]


def _without(side: Coded, given: Bools) -> Coded:
    """Leave out positions; sequences that lose all positions stay, empty."""
    before = np.append(0, np.cumsum(given))
    return Coded(side.values, side.codes[given], before[side.offsets], side.name)


def _coded_alike(sides: Mapping[str, Any], column: str | None) -> list[Coded]:
    """Encode several lists of sequences, or columns of corpora, with one numbering: labels in alphabetical order."""
    index: dict[str, int] = {}
    coded = []
    for name, value in sides.items():
        if is_corpus(value) and column is None:
            raise OptionError(
                f"{name} is a corpus with the columns {', '.join(value.columns)}; say which one to compare, "
                f"for example column={value.columns[-1]!r}"
            )
        labels = value.column(column) if is_corpus(value) else value
        coded.append(encode(many(labels, name), name, index, missing=name == "gold"))
    values = sorted(index)
    rank = np.full(len(values) + 1, MISSING, dtype=np.int32)  # the last entry is for a missing label, -1
    rank[[index[value] for value in values]] = np.arange(len(values))
    return [Coded(values, rank[side.codes], side.offsets, side.name) for side in coded]


def _check_lengths(gold: Coded, other: Coded, what: str) -> None:
    """Reject a different number of sentences, or a sentence of different length."""
    name = other.name
    if len(gold.offsets) != len(other.offsets):
        raise ShapeError(
            f"gold has {counted(len(gold.offsets) - 1, 'sentence')}, but {name} has {len(other.offsets) - 1}"
        )
    wanted, found = np.diff(gold.offsets), np.diff(other.offsets)
    differ = np.flatnonzero(wanted != found)
    if len(differ):
        i = int(differ[0])
        more = f" ({len(differ)} sentences differ)" if len(differ) > 1 else ""
        raise ShapeError(
            f"gold[{i}] has {counted(wanted[i], 'label')}, but {name}[{i}] has {counted(found[i], what)}; "
            f"every token needs one of each{more}",
            place=Place(i),
        )


def _words_of(corpus: Any) -> list[list[str]] | None:
    name = next((name for name in WORD_COLUMNS if name in corpus.columns), None)
    return None if name is None else corpus.column(name)


def _known_words(known: Any) -> set[str]:
    """Collect the words of training: from a set, a list of words, a list of sentences, or a corpus."""
    items = known
    if is_corpus(known):
        items = _words_of(known)
        if items is None:
            raise OptionError(
                f"known is a corpus without a word column; it has {', '.join(known.columns)}; pass the words themselves"
            )
    if isinstance(items, (str, bytes)) or not isinstance(items, Iterable):
        raise OptionError(
            f"known must be a set of words, a list of sentences or a corpus, got {type(known).__name__}"
        )
    words: set[Any] = set()
    for item in items:
        words.update(item if isinstance(item, Iterable) and not isinstance(item, (str, bytes)) else (item,))
    wrong = next((word for word in words if not isinstance(word, str)), None)
    if wrong is not None:
        raise LabelError(f"known holds {wrong!r} ({type(wrong).__name__}), but words are strings")
    return words


Counts = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


def ratio(part: Any, whole: Any) -> Numbers:
    """part / whole, and 0 for an empty whole, as in conlleval and scikit-learn."""
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    result: Numbers = np.zeros(np.broadcast_shapes(part.shape, whole.shape))
    np.divide(part, whole, out=result, where=whole > 0)
    return result


def f1_of(precision: Any, recall: Any) -> Numbers:
    """Compute the harmonic mean."""
    return ratio(2 * np.asarray(precision) * recall, np.asarray(precision) + recall)


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 (precision, recall, f1) of one label, one type, or all of them.

    support     number in gold
    predicted   number predicted
    correct     number of predicted ones that are correct
    found       number of gold ones that were found; differs from `correct` only for lenient spans
    """

    precision: float
    recall: float
    f1: float
    support: int
    predicted: int
    correct: int
    found: int


FIGURES = ("precision", "recall", "f1", "support", "predicted", "correct")


@dataclass(frozen=True, slots=True, repr=False)
class ScoreTable(Tabular):
    """Scores by name, and their averages.

    micro      from the counts of all rows together
    macro      the mean of the rows
    weighted   the mean of the rows, each as often as it occurs in gold
    """

    rows: Mapping[str, Score]
    micro: Score
    macro: Score
    weighted: Score

    def _columns(self) -> Table:
        return {"name": [*self.rows], **columns_of(self.rows.values(), *FIGURES)}

    @property
    def precision(self) -> float:
        """Micro-averaged precision."""
        return self.micro.precision

    @property
    def recall(self) -> float:
        """Micro-averaged recall."""
        return self.micro.recall

    @property
    def f1(self) -> float:
        """Micro-averaged F1."""
        return self.micro.f1

    @property
    def support(self) -> int:
        """Number of them in gold."""
        return self.micro.support


def score_table(
    names: Sequence[str], support: Counts, predicted: Counts, correct: Counts, found: Counts
) -> ScoreTable:
    """Compute one row for each name; names that occur on neither side are left out."""
    counts = np.stack([support, predicted, correct, found])
    used = np.flatnonzero(support + predicted)
    names, counts = [names[i] for i in used.tolist()], counts[:, used]
    figures = _figures(counts)
    rows = {name: _score(figures[:, i], counts[:, i]) for i, name in enumerate(names)}
    total = counts.sum(axis=1)
    macro = figures.mean(axis=1) if names else np.zeros(3)
    weighted = figures @ ratio(counts[0], counts[0].sum()) if names else np.zeros(3)
    return ScoreTable(rows, _score(_figures(total), total), _score(macro, total), _score(weighted, total))


def _figures(counts: Counts) -> Numbers:
    support, predicted, correct, found = counts
    precision, recall = ratio(correct, predicted), ratio(found, support)
    return np.stack([precision, recall, f1_of(precision, recall)])


def _score(figures: Numbers, counts: Counts) -> Score:
    precision, recall, f1 = (float(figure) for figure in figures)
    support, predicted, correct, found = (int(count) for count in counts)
    return Score(precision, recall, f1, support, predicted, correct, found)


@dataclass(frozen=True, slots=True)
class Mistake:
    """A label (gold) taken for another (predicted), and how often (count)."""

    gold: str
    predicted: str
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Confusion(Tabular):
    """Pairs of gold and predicted labels with their counts; only those that occur are held.

    labels            names, in alphabetical order
    gold, predicted   (P,) numbers in labels
    times             (P,) how often that pair occurs
    """

    labels: tuple[str, ...]
    gold: Codes
    predicted: Codes
    times: Counts

    def __repr__(self) -> str:
        right = int(self.times[self.gold == self.predicted].sum())
        wrong = int(self.times.sum()) - right
        return f"Confusion({len(self.labels)} labels, {wrong} mistakes, {right} right)"

    def _columns(self) -> Table:
        order = np.lexsort((-self.times, self.gold == self.predicted))  # mistakes first
        sides = self.gold[order].tolist(), self.predicted[order].tolist()
        gold, predicted = ([self.labels[i] for i in side] for side in sides)
        return {"gold": gold, "predicted": predicted, "count": self.times[order].tolist()}

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
        names = self.labels
        return [Mistake(names[self.gold[i]], names[self.predicted[i]], int(self.times[i])) for i in order]

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
    """Compute the confusion matrix of all tokens."""
    size = len(data.gold.values)
    pairs = data.gold.codes.astype(np.int64) * size + data.predicted.codes
    distinct, times = np.unique(pairs, return_counts=True)
    gold, predicted = (side.astype(np.int32) for side in np.divmod(distinct, size))
    return Confusion(tuple(data.gold.values), gold, predicted, times.astype(np.int64))
