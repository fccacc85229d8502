"""The baseline: every word gets the label it had most often."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import LabelIds, Scores
from seqlab.corpus import Corpus
from seqlab.errors import CorpusError, OptionError, QuestionError, StoreError
from seqlab.families.local.counts import Counts
from seqlab.store.state import State, string_arrays
from seqlab.tagging.decoding import Trellises, blocks
from seqlab.tagging.door.constraints import Given, Rules
from seqlab.tagging.door.dictionary import Dictionary, TagDictionary, forbidden_by
from seqlab.tagging.door.sentences import word_column
from seqlab.tagging.door.weights import label_weights, token_weights
from seqlab.tagging.memory import KIND as MEMORY
from seqlab.tagging.memory import memory_state, named_dictionary, named_rules, recall
from seqlab.tagging.tagger import Tagger
from seqlab.trellis import TrellisBatch

if TYPE_CHECKING:
    from typing_extensions import Self

UNKNOWN = ("common", "rare")
KIND = "most frequent tag"


class MostFrequentTag(Tagger):
    """Each word gets the label it had most often in training; among equals the first by name.

    unknown        what a word not seen in training gets: "common" the commonest label, "rare" the commonest label of
                   words that were seen once, which are more like it
    column         the column that holds the words; None for "word", or the first column of strings
    smoothing      added to every count where probabilities are asked for; 0 makes impossible what was not seen
    constraints    a tag scheme such as "IOB2", a Constraints, or forbidden moves (from, to): the best labels that obey
    allowed        {word: labels}: what a word may be; one that is not listed may be anything
    class_weight   {label: weight} or "balanced": what a count of the label is worth

    P(label | word) = (count of both + smoothing) / (count of the word + smoothing * labels), every token for itself
    (eq:most-frequent).

    labels_, words_ (word -> number), counts_ (see Counts)
    """

    _no_meaning = dict.fromkeys(
        ("explain", "prune", "top_features", "top_transitions", "state_features_", "model_"),
        "it has counts and no weights; look at counts_, or at predict_marginals_single(tokens)",
    )

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

    # ------------------------------------------------------------------------------------------ as plain data

    def state(self) -> State:
        """What it was made with and has counted, for a model file."""
        self._check_fitted("state")
        plain = self.constraints if isinstance(self.constraints, str) else ""
        given = self.class_weight
        weights = (
            {} if given is None or isinstance(given, str) else {one: float(x) for one, x in given.items()}
        )
        settings = {
            "unknown": self.unknown,
            "smoothing": float(self.smoothing),
            "scheme": plain,
            "class_weight": {"balanced": {}} if isinstance(given, str) else {"labels": weights},
            "column": [] if self.column is None else [self.column],
            "word_column": self.word_column_,
        }
        arrays = {**self.counts_.arrays(), **string_arrays("words", self.words_)}
        state = State(KIND, settings, arrays)
        return state.with_parts({"training": memory_state(self, self.rules_, self.dictionary_)})

    @classmethod
    def from_state(cls, state: State) -> Self:
        """The tagger that state() was asked of."""
        tagger = cls(state.setting("unknown", str), smoothing=state.setting("smoothing", float))
        memory = state.part("training", MEMORY)
        rules, dictionary = recall(tagger, memory)
        words = state.strings("words")
        if len(set(words)) != len(words):
            raise StoreError("a word was counted in two places")
        tagger.words_ = {word: i for i, word in enumerate(words)}
        tagger.counts_ = Counts.from_state(state, len(words), len(tagger.labels_))
        tagger.rules_, tagger.dictionary_ = rules, dictionary
        tagger.word_column_ = state.setting("word_column", str)
        tagger.column = next(iter(state.names("column")), None)
        tagger.constraints = state.setting("scheme", str) or named_rules(rules, tagger.labels_)
        tagger.allowed = named_dictionary(dictionary, tagger.labels_)
        tagger.class_weight = _class_weight(state)
        tagger._check_options(None)
        return tagger

    # ------------------------------------------------------------------------------------------ answers

    # eq:most-frequent   p(y | w) = (c(w, y) + λ) / (Σ_z c(w, z) + λ L)
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


def _numbered(corpus: Corpus, column: str, words: dict[str, int]) -> npt.NDArray[np.int64]:
    """(tokens,) the number of each token's word; new words get new numbers in `words`."""
    strings = corpus.strings(column).compact()
    numbers = np.array([words.setdefault(word, len(words)) for word in strings.values], dtype=np.int64)
    return numbers[strings.codes]


def _class_weight(state: State) -> dict[str, float] | str | None:
    given = state.setting("class_weight", dict)
    if "balanced" in given:
        return "balanced"
    weights = State("", given).setting("labels", dict)
    return {label: State("", weights).setting(label, float) for label in weights} or None
