"""The baseline: every word gets the label it had most often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import LabelIds, Scores
from seqlab.corpus import Corpus
from seqlab.errors import CorpusError, OptionError, QuestionError
from seqlab.models.rules import Given, Rules
from seqlab.taggers.asking import Trellises, blocks
from seqlab.taggers.base import Tagger
from seqlab.taggers.dictionary import Dictionary, TagDictionary, forbidden_by
from seqlab.taggers.gold import NOTHING, Gold
from seqlab.taggers.reading import word_column
from seqlab.taggers.weights import label_weights, token_weights
from seqlab.trellis import TrellisBatch

if TYPE_CHECKING:
    from typing_extensions import Self

UNKNOWN = ("common", "rare")


class MostFrequentTag(Tagger):
    """Each word gets the label it had most often in training; among equals the first by name.

    unknown        what a word not seen in training gets: "common" the commonest label, "rare" the commonest label of
                   words that were seen once, which are more like it
    column         the column that holds the words; None for "word", or the first column of strings
    smoothing      added to every count where probabilities are asked for; 0 makes impossible what was not seen
    constraints    a tag scheme such as "IOB2", a Constraints, or forbidden moves (from, to): the best labels that obey
    allowed        {word: labels}: what a word may be
    class_weight   {label: weight} or "balanced": what a count of the label is worth

    P(label | word) = (count of both + smoothing) / (count of the word + smoothing * labels), every token for itself.

    labels_, words_ (word -> number), counts_ (see Counts)
    """

    words_: dict[str, int]
    counts_: Counts
    word_column_: str
    rules_: Rules
    dictionary_: TagDictionary | None

    def __init__(
        self,
        unknown: str = "common",
        *,
        column: str | None = None,
        smoothing: float = 0.1,
        constraints: Given = None,
        allowed: Dictionary | None = None,
        class_weight: Mapping[str, float] | str | None = None,
    ) -> None:
        self.unknown = unknown
        self.column = column
        self.smoothing = smoothing
        self.constraints = constraints
        self.allowed = allowed
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, *, sample_weight: Any = None, dev: Any = None) -> Self:
        """Count.

        X, y            as for every tagger; a token whose label is None is not counted, one with a set of labels is
                        shared among them
        sample_weight   a number per sentence, or a list of numbers per sentence
        """
        return self._count(X, y, sample_weight, dev, anew=True)

    def partial_fit(self, X: Any, y: Any, *, sample_weight: Any = None) -> Self:
        """Count further data on top of what was counted before; new words and new labels are welcome."""
        if self.class_weight == "balanced":
            raise OptionError(
                "class_weight='balanced' needs all data at one time; pass {label: weight} to partial_fit"
            )
        return self._count(X, y, sample_weight, None, anew=not self._fitted())

    def _count(self, X: Any, y: Any, sample_weight: Any, dev: Any, *, anew: bool) -> Self:
        self._check_options(dev)
        corpus, gold = self._read(X, y)
        column = word_column(corpus, self.column if anew else self.word_column_)
        if column is None:
            raise CorpusError(
                f"there are no words to count: the columns {', '.join(map(repr, corpus.columns))} hold no strings"
            )
        weights = token_weights(corpus, sample_weight)
        labels = gold.names if anew else tuple(sorted({*self.labels_, *gold.names}))
        words = {} if anew else dict(self.words_)
        before = None if anew else self.counts_.relabelled(self.labels_, labels)
        tokens, gold = _numbered(corpus, column, words), gold.numbered(labels)
        found = Counts.of(tokens, gold, weights, label_weights(gold, self.class_weight, weights))
        counts = found if before is None else before.plus(found)
        if not counts.count.any():
            raise OptionError(
                "every label that was counted has the weight 0, so there is nothing to learn from"
            )
        rules, dictionary = Rules.of(self.constraints, labels), TagDictionary.of(self.allowed, labels, column)
        seen = None if anew else self.vocabulary_
        self.words_, self.counts_, self.word_column_ = words, counts, column
        self.rules_, self.dictionary_ = rules, dictionary
        self._remember(corpus, gold, labels)
        if seen is not None:
            self.vocabulary_ = seen | (self.vocabulary_ or frozenset())
        return self

    def _check_options(self, dev: Any) -> None:
        if self.unknown not in UNKNOWN:
            raise OptionError(f"unknown must be 'common' or 'rare', got {self.unknown!r}")
        number = isinstance(self.smoothing, (int, float, np.number)) and not isinstance(self.smoothing, bool)
        if not number or not 0 <= self.smoothing < np.inf:
            raise OptionError(f"smoothing must be a number from 0 up, got {self.smoothing!r}")
        if dev is not None:
            raise QuestionError(
                "dev has no meaning here: counting has no epochs, so there is nothing to stop early"
            )

    # ------------------------------------------------------------------------------------------ answers

    def _node(self, corpus: Corpus) -> Scores:
        """(tokens, L) log P(label | word)."""
        column = corpus.strings(self.word_column_).compact()
        numbers = np.array([self.words_.get(word, -1) for word in column.values], dtype=np.int64)
        table = self.counts_.rows(numbers, rare=self.unknown == "rare")
        with np.errstate(divide="ignore"):
            scores = np.log(table + self.smoothing) - np.log(
                table.sum(axis=1, keepdims=True) + self.smoothing * table.shape[1]
            )
        return forbidden_by(self.dictionary_, corpus, scores[column.codes])

    def _trellises(self, corpus: Corpus, threads: int) -> Trellises:  # noqa: ARG002  (nothing here is worth a thread)
        size = len(self.labels_)
        return TrellisBatch(
            self._node(corpus),
            corpus.lengths,
            np.zeros((size, size)),
            labels=self.labels_,
            constraints=self.rules_.as_constraints(),
        )

    def _label_ids(self, corpus: Corpus, threads: int) -> LabelIds:
        if self.rules_ or self.dictionary_ is not None:
            return super()._label_ids(corpus, threads)
        # No label cares for its neighbours, and no label is impossible.
        found = [self._node(part).argmax(axis=1) for _, part in blocks(corpus, self._block)]
        return np.concatenate([np.zeros(0), *found]).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How often words had labels, as entries sorted by word and label.

    word, label   (entries,)
    count         (entries,)   weights and shares add up
    seen          (words,)     how many tokens of each word had a label, whatever they weigh
    """

    word: npt.NDArray[np.int64]
    label: npt.NDArray[np.int64]
    count: npt.NDArray[np.float64]
    seen: npt.NDArray[np.int64]
    size: int  # L

    @staticmethod
    def of(
        words: npt.NDArray[np.int64],
        gold: Gold,
        weights: npt.NDArray[np.float64] | None,
        worth: npt.NDArray[np.float64] | None,
    ) -> Counts:
        """Tokens with the numbers of their words, their labels, and what they weigh."""
        size = len(gold.names)
        token = np.flatnonzero(gold.ids >= 0)
        label = gold.ids[token].astype(np.int64)
        share = np.ones(len(token))
        if gold.sets:
            several = [(t, y, 1.0 / len(some)) for t, some in gold.sets.items() for y in some]
            more = [np.array(part) for part in zip(*several, strict=True)]
            token, label = np.concatenate([token, more[0]]), np.concatenate([label, more[1]])
            share = np.concatenate([share, more[2]])
        if weights is not None:
            share = share * weights[token]
        if worth is not None:
            share = share * worth[label]
        seen = np.bincount(words[gold.ids != NOTHING], minlength=int(words.max(initial=-1)) + 1)
        return Counts._added(words[token], label, share, seen, size)

    @staticmethod
    def _added(word: Any, label: Any, count: Any, seen: Any, size: int) -> Counts:
        """Entries of the same word and label added up."""
        keys, place = np.unique(word * size + label, return_inverse=True)
        added = np.bincount(place, count, len(keys)).astype(np.float64)
        return Counts(keys // size, keys % size, added, seen, size)

    def relabelled(self, labels: Sequence[str], new: Sequence[str]) -> Counts:
        """The same with the labels renumbered, more of them than before."""
        place = np.array([new.index(label) for label in labels], dtype=np.int64)
        return Counts(self.word, place[self.label], self.count, self.seen, len(new))

    def plus(self, other: Counts) -> Counts:
        """Both added up; the same words and labels have the same numbers in both."""
        seen = np.zeros(max(len(self.seen), len(other.seen)), dtype=np.int64)
        seen[: len(self.seen)] += self.seen
        seen[: len(other.seen)] += other.seen
        word, label, count = (
            np.concatenate([mine, theirs])
            for mine, theirs in (
                (self.word, other.word),
                (self.label, other.label),
                (self.count, other.count),
            )
        )
        return Counts._added(word, label, count, seen, self.size)

    def rows(self, words: npt.NDArray[np.int64], *, rare: bool) -> npt.NDArray[np.float64]:
        """(len(words), L) counts of these words; those of all words, or of words seen once, for a word numbered -1."""
        table = np.zeros((len(words), self.size))
        begin, end = np.searchsorted(self.word, words), np.searchsorted(self.word, words, side="right")
        lengths = end - begin
        row = np.repeat(np.arange(len(words)), lengths)
        entry = np.arange(int(lengths.sum())) + np.repeat(begin - np.cumsum(lengths) + lengths, lengths)
        table[row, self.label[entry]] = self.count[entry]
        table[~table.any(axis=1)] = self._unknown(rare=rare)
        return table

    def _unknown(self, *, rare: bool) -> npt.NDArray[np.float64]:
        once = (self.seen[self.word] == 1) & (self.count > 0)
        chosen = once if rare and once.any() else np.ones(len(self.word), dtype=bool)
        return np.bincount(self.label[chosen], self.count[chosen], self.size).astype(np.float64)


def _numbered(corpus: Corpus, column: str, words: dict[str, int]) -> npt.NDArray[np.int64]:
    """(tokens,) the number of each token's word; new words get new numbers in `words`."""
    strings = corpus.strings(column).compact()
    numbers = np.array([words.setdefault(word, len(words)) for word in strings.values], dtype=np.int64)
    return numbers[strings.codes]
