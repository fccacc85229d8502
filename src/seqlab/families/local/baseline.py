"""The baseline: every word gets its most frequent label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt

from seqlab.arrays import LabelIds, Scores
from seqlab.corpus import Corpus, StringColumn
from seqlab.errors import CorpusError, OptionError, QuestionError, StoreError
from seqlab.shown import Brief
from seqlab.store.codec import Inside, Part, value_of
from seqlab.store.fields import Array, Strings
from seqlab.store.state import State
from seqlab.tagging.decoding import Trellises
from seqlab.tagging.door.constraints import Dictionary, Given, Rules, TagDictionary
from seqlab.tagging.door.names import by_value
from seqlab.tagging.door.sentences import (
    NOTHING,
    Gold,
    label_weights,
    read_labelled,
    token_weights,
    word_column,
)
from seqlab.tagging.model import COMMON, from_fit
from seqlab.tagging.tagger import Sentences, Tagger, Targets
from seqlab.tagging.training import Dev, Training
from seqlab.trellis import TrellisBatch

Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Counts(Brief):
    """Counts of words with labels, as entries sorted by word and label.

    word, label   (entries,)
    count         (entries,)   weights and shares add up
    seen          (words,)     number of labelled tokens of each word, without weights
    """

    word: Annotated[Numbers, Array(np.int32, "entries", least=0, below="V")]
    label: Annotated[Numbers, Array(np.int32, "entries", least=0, below="L")]
    count: Annotated[npt.NDArray[np.float64], Array(np.float64, "entries", least=0, finite=True)]
    seen: Annotated[npt.NDArray[np.int64], Array(np.int64, "V", least=0)]

    def check(self) -> None:
        """Reject unsorted entries and zero counts."""
        if (np.diff(_keys(self.word, self.label)) <= 0).any() or not self.count.any():
            raise StoreError("the counts should be in the order of words and labels, and not all 0")

    @staticmethod
    def of(
        words: npt.NDArray[np.int64],
        gold: Gold,
        weights: npt.NDArray[np.float64] | None,
        worth: npt.NDArray[np.float64] | None,
    ) -> Counts:
        """Count tokens, given the numbers of their words and labels, and their weights."""
        token, label, share = gold.entries(weights, worth)
        seen = np.bincount(words[gold.ids != NOTHING], minlength=int(words.max(initial=-1)) + 1)
        return Counts._added(words[token], label, share, seen)

    @staticmethod
    def _added(word: Any, label: Any, count: Any, seen: Any) -> Counts:
        """Add up entries of the same word and label."""
        _, first, place = np.unique(_keys(word, label), return_index=True, return_inverse=True)
        added = np.bincount(place, count, len(first)).astype(np.float64)
        return Counts(word[first].astype(np.int32), label[first].astype(np.int32), added, seen)

    def relabelled(self, labels: Sequence[str], new: Sequence[str]) -> Counts:
        """Renumber the labels; there may be more of them than before."""
        number = {label: i for i, label in enumerate(new)}
        place = np.array([number[label] for label in labels], dtype=np.int32)
        return Counts(self.word, place[self.label], self.count, self.seen)

    def plus(self, other: Counts) -> Counts:
        """Add the counts of another instance with the same numbers of words and labels."""
        seen = np.zeros(max(len(self.seen), len(other.seen)), dtype=np.int64)
        seen[: len(self.seen)] += self.seen
        seen[: len(other.seen)] += other.seen
        word, label, count = (
            np.concatenate([getattr(self, name), getattr(other, name)]) for name in ("word", "label", "count")
        )
        return Counts._added(word, label, count, seen)

    def rows(self, words: npt.NDArray[np.int64], size: int, *, rare: bool) -> npt.NDArray[np.float64]:
        """Return (len(words), L) counts of these words; for -1 those of all words, or of words seen once."""
        table = np.zeros((len(words), size))
        row, entry = self._entries(words)
        table[row, self.label[entry]] = self.count[entry]
        table[~table.any(axis=1)] = self._unknown(size, rare=rare)
        return table

    def best(self, words: npt.NDArray[np.int64], size: int, *, rare: bool) -> LabelIds:
        """Return the most frequent label of each of these words, (len(words),); ties go to the first label."""
        row, entry = self._entries(words)
        counted = self.count[entry] > 0
        row, entry = row[counted], entry[counted]
        order = np.lexsort((self.label[entry], -self.count[entry], row))
        rows, first = np.unique(row[order], return_index=True)
        found = np.full(len(words), -1, dtype=np.int32)
        found[rows] = self.label[entry[order[first]]]
        if len(rows) < len(words):
            found[found < 0] = self._unknown(size, rare=rare).argmax()
        return found

    def _entries(self, words: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the entries of these words: their indices into `words`, and their numbers."""
        begin, end = np.searchsorted(self.word, words), np.searchsorted(self.word, words, side="right")
        lengths = end - begin
        row = np.repeat(np.arange(len(words)), lengths)
        return row, np.arange(int(lengths.sum())) + np.repeat(begin - np.cumsum(lengths) + lengths, lengths)

    def _unknown(self, size: int, *, rare: bool) -> npt.NDArray[np.float64]:
        once = (self.seen[self.word] == 1) & (self.count > 0)
        chosen = once if rare and once.any() else np.ones(len(self.word), dtype=bool)
        return np.bincount(self.label[chosen], self.count[chosen], size).astype(np.float64)


def _keys(word: Any, label: Any) -> npt.NDArray[np.int64]:
    """Combine word and label into one sortable key."""
    size = int(label.max(initial=0)) + 1
    return np.asarray(word.astype(np.int64) * size + label)


UNKNOWN = ("common", "rare")
MOST_LABELS = 20_000  # labels of a trellis: its transition table takes 3 GB


def _numbers(words: list[str]) -> dict[str, int]:
    return {word: i for i, word in enumerate(words)}


@dataclass(frozen=True, eq=False, repr=False)
class BaselineFit(Brief):
    """A fitted MostFrequentTag.

    training      labels, columns, words, rules and dictionary
    words         word -> its number in the counts
    counts        how often words had labels
    word_column   the column that holds the words
    """

    training: Annotated[Training, Part(Training)]
    words: Annotated[dict[str, int], Strings("V", make=_numbers)]
    counts: Annotated[Counts, Inside(Counts, "")]
    word_column: str


class MostFrequentTag(Tagger):
    """Baseline: each word gets its most frequent label in training; ties go to the first label by name.

    unknown        label of words not seen in training: "common" for the most frequent label, "rare" for the most
                   frequent label of words that were seen once, which are more like new words
    column         the column that holds the words; None for "word", or the first column of strings
    smoothing      added to every count for probabilities; 0 makes labels impossible that a word never had
    constraints    a tag scheme such as "IOB2", "auto" for that of the labels, a Constraints, or forbidden
                   transitions (from, to): the best labels that obey them
    allowed        {word: labels}: the labels that a word may have; words not listed may have any
    class_weight   {label: weight} or "balanced": factor of the counts of a label

    P(label | word) = (count of both + smoothing) / (count of the word + smoothing * labels), independently for every
    token (eq:most-frequent).

    labels_, words_ (word -> number), counts_ (see Counts)
    """

    _no_meaning = dict.fromkeys(
        ("explain", "prune", "top_features", "top_transitions", "state_features_", "model_"),
        "it has counts and no weights; look at counts_, or at predict_marginals_single(tokens)",
    )

    _kind = "most frequent tag"
    _fit_class = BaselineFit
    fit_: BaselineFit

    words_: dict[str, int] = from_fit("words", "The words of training, with their numbers in counts_.")
    counts_: Counts = from_fit("counts", "How often words had labels.")
    word_column_: str = from_fit("word_column", "The column that holds the words.")

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

    def fit(self, X: Sentences, y: Targets, *, sample_weight: Any = None, dev: Dev = None) -> Self:
        """Count words with their labels; dev is accepted as by other taggers, and changes nothing.

        X, y            as for every tagger; a token whose label is None is not counted, one with a set of labels is
                        shared among them
        sample_weight   a number per sentence, or a list of numbers per sentence
        """
        if dev is not None:
            raise QuestionError(
                "dev has no meaning here: counting has no epochs, so there is nothing to stop early"
            )
        self.fit_ = self._count(X, y, sample_weight, None)
        return self

    def partial_fit(self, X: Sentences, y: Targets, *, sample_weight: Any = None) -> Self:
        """Add the counts of X, y with sample_weight; there may be new words and labels."""
        if self.class_weight == "balanced":
            raise OptionError(
                "class_weight='balanced' needs all data at one time; pass {label: weight} to partial_fit"
            )
        self.fit_ = self._count(X, y, sample_weight, self.fit_)
        return self

    def _count(self, X: Any, y: Any, sample_weight: Any, before: BaselineFit | None) -> BaselineFit:
        self._check_options()
        corpus, gold = read_labelled(X, y, words=self._reads_words)
        column = word_column(corpus, self.column if before is None else before.word_column)
        if column is None:
            raise CorpusError(
                f"there are no words to count: the columns {', '.join(map(repr, corpus.columns))} hold no strings"
            )
        weights = token_weights(corpus, sample_weight)
        known = () if before is None else before.training.labels
        labels = by_value({*known, *gold.names}) if gold.whole else tuple(sorted({*known, *gold.names}))
        words = {} if before is None else dict(before.words)
        strings, gold = corpus.strings(column).compact(), gold.numbered(labels)
        numbers = np.array([words.setdefault(word, len(words)) for word in strings.values], dtype=np.int64)
        worth = label_weights(gold, self.class_weight, weights)
        counts = Counts.of(numbers[strings.codes], gold, weights, worth)
        if before is not None:
            counts = before.counts.relabelled(known, labels).plus(counts)
        if not counts.count.any():
            raise OptionError(
                "every label that was counted has the weight 0, so there is nothing to learn from"
            )
        earlier = None if before is None else before.training
        earlier_rules = None if earlier is None else earlier.rules
        rules = Rules.none(len(labels))  # possible with very many labels
        if self.constraints is not None:
            rules = Rules.learned(self.constraints, labels, gold, corpus.offsets, earlier_rules)
        dictionary = TagDictionary.of(self.allowed, labels, column)
        training = Training.of(corpus, gold, labels, rules, dictionary, before=earlier)
        return BaselineFit(training, words, counts, column)

    def _check_options(self) -> None:
        if self.unknown not in UNKNOWN:
            raise OptionError(f"unknown must be 'common' or 'rare', got {self.unknown!r}")
        number = isinstance(self.smoothing, (int, float, np.number)) and not isinstance(self.smoothing, bool)
        if not number or not 0 <= self.smoothing < np.inf:
            raise OptionError(f"smoothing must be a number from 0 up, got {self.smoothing!r}")

    # ------------------------------------------------------------------------------------------ answers

    # eq:most-frequent   p(y | w) = (c(w, y) + λ) / (Σ_z c(w, z) + λ L)
    def _node(self, corpus: Corpus) -> Scores:
        """Compute (tokens, L) log P(label | word)."""
        column = corpus.strings(self.word_column_).compact()
        table = self.counts_.rows(self._numbers(column), len(self.labels_), rare=self.unknown == "rare")
        with np.errstate(divide="ignore"):
            total = table.sum(axis=1, keepdims=True) + self.smoothing * table.shape[1]
            scores = np.log(table + self.smoothing) - np.log(total)
        node: Scores = scores[column.codes]
        return node if self.dictionary_ is None else np.where(self.dictionary_.mask(corpus), node, -np.inf)

    def _numbers(self, column: StringColumn) -> npt.NDArray[np.int64]:
        """Return the number of each string of a column in the counts; -1 for unknown words."""
        return np.array([self.words_.get(word, -1) for word in column.values], dtype=np.int64)

    def _trellises(self, corpus: Corpus, threads: int) -> Trellises:  # noqa: ARG002  (nothing here is worth a thread)
        if (size := len(self.labels_)) > MOST_LABELS:
            raise QuestionError(
                f"a trellis has no meaning here: its table of {size:,} by {size:,} labels would not fit into memory; "
                f"predict and evaluate need none"
            )
        node, edge = self._node(corpus), np.zeros((len(self.labels_),) * 2)
        rules = self.rules_.as_constraints()
        return TrellisBatch(node, corpus.lengths, edge, labels=self.labels_, constraints=rules)

    def _label_ids(self, corpus: Corpus, threads: int) -> LabelIds:
        if self.rules_ or self.dictionary_ is not None:
            return super()._label_ids(corpus, threads)
        # Labels are independent, and no label is impossible.
        if not corpus.token_count:
            return np.zeros(0, dtype=np.int32)
        column = corpus.strings(self.word_column_).compact()
        best = self.counts_.best(self._numbers(column), len(self.labels_), rare=self.unknown == "rare")
        return np.asarray(best[column.codes])

    # ------------------------------------------------------------------------------------------ files

    _option_kinds = staticmethod(lambda: COMMON)

    @classmethod
    def _upgraded(cls, state: State) -> State:
        if "options" in state.settings:
            return state
        state = state.replaced(settings=dict(state.settings), arrays=dict(state.arrays))
        training = value_of(Training, state.part("training", Training.stored_kind))
        weights = state.setting("class_weight", dict)
        given = {
            "constraints": state.setting("scheme", str) or training.named_rules(),
            "allowed": training.named_dictionary(),
            "class_weight": "balanced" if "balanced" in weights else weights.get("labels") or None,
        }
        options = {name: cls._values().put(state, name, value) for name, value in given.items()}
        options |= {name: state.settings.get(name) for name in ("unknown", "smoothing")}
        state.settings["options"] = {**options, "column": next(iter(state.names("column")), None)}
        return state
