"""A tagger that scores single tokens by a classifier of scikit-learn, decoded by Viterbi or a beam."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from seqlab.arrays import LabelIds, Scores, choice, switch, whole_number
from seqlab.corpus import Corpus
from seqlab.encode import Encoder
from seqlab.encode.encoder import Features
from seqlab.errors import BeamError, CorpusError, OptionError, Place, QuestionError, ShapeError, StoreError
from seqlab.families.local.classifier import GivenClassifier, LinearScores
from seqlab.families.local.rows import (
    NO_LABEL,
    Columns,
    Numbers,
    Prepared,
    first_tokens,
    labels_before,
    samples,
)
from seqlab.families.local.scorer import RESPONSES, ByNumbers, Scorer, cloned, fitted, method_of
from seqlab.shown import Brief
from seqlab.store.codec import Late, Lazily, Part
from seqlab.store.fields import Setting
from seqlab.store.state import State
from seqlab.tagging.decoding import Trellises, blocks, located
from seqlab.tagging.door.constraints import Dictionary, Given, Rules, TagDictionary
from seqlab.tagging.door.sentences import label_weights, read_labelled, token_weights, word_column
from seqlab.tagging.model import COMMON, FEATURES, from_fit, upgraded_options
from seqlab.tagging.tagger import BLOCK, Sentences, Tagger, Targets
from seqlab.tagging.training import Dev, Training
from seqlab.trellis import Trellis, TrellisBatch
from seqlab.trellis.checks import HIGHEST_ORDER, check_order

WAYS = ("viterbi", "beam", "greedy")
MOST_ROWS = 100_000  # rows passed to a classifier at a time
Bools = npt.NDArray[np.bool_]
_THEIRS = "what was learned belongs to scikit-learn's classifier; look at classifier_, and at encoder_ for its columns"


@dataclass(frozen=True, eq=False, repr=False)
class LocalFit(Brief):
    """A fitted LocalTagger.

    training   labels, columns, words, rules and dictionary
    encoder    turns sentences into attributes
    previous   True if the labels before a token are features
    scores     the classifier, and its method that computes scores
    order      number of previous labels that are features
    """

    training: Annotated[Training, Part(Training)]
    encoder: Annotated[Late[Encoder], Lazily(Part(Encoder))]
    previous: bool
    scores: Annotated[Scorer, ByNumbers()]
    order: Annotated[int, Setting(int, least=1, most=HIGHEST_ORDER)] = 1

    @cached_property
    def columns(self) -> Columns:
        """The columns of the classifier's matrix."""
        encoder, labels = self.encoder(), self.training.labels
        return Columns(encoder.size, encoder.edge_size, len(labels), self.previous, self.order)

    def check(self) -> None:
        """Check that the parts fit together."""
        if self.scores.labels != self.training.labels:
            raise StoreError("the classifier and the tagger should have the same labels, in order")
        width, found = self.columns.width, self.scores.classifier.weights.shape
        if found[0] != width:
            raise StoreError(f"the array 'weights' should have shape ({width}, {found[1]}), found {found}")


class LocalTagger(Tagger):
    """A tagger whose scores come from a classifier of scikit-learn, one token at a time; it finds the best path.

    classifier     anything with fit and decision_function or predict_proba: LinearSVC(), RidgeClassifier(),
                   MultinomialNB(), LogisticRegression(), OneVsRestClassifier(...), a Pipeline; a clone is trained
    features       a preset's name, a Template, a function (sentence, t), or None for ready-made attributes
    previous       True if the previous label is a feature; the classifier then scores every token with every previous
                   label, which gives transition scores. Otherwise features of label pairs are not used
    order          number of previous labels that are features: 2 or 3 adds the two or three previous labels, each alone
                   and together, and turns `previous` on
    scores         "probability" for log-probabilities, "decision" for the decision function; "auto" for probabilities
                   where the classifier has them. With probabilities and `previous` this is an MEMM
    decode, beam   "viterbi", "beam" (following the `beam` best labels) or "greedy" (following the best one)
    constraints    a tag scheme such as "IOB2", "auto" for that of the labels, a Constraints, or forbidden
                   transitions (from, to)
    allowed        {word: labels}: the labels that a word may have; words not listed may have any
    class_weight   {label: weight} or "balanced"; passed on as weights of tokens
    min_count      attributes seen less often in training are dropped

    save() stores the parameters of linear classifiers and naive Bayes, so that a loaded tagger needs scipy but not
    scikit-learn; it rejects others, such as forests. The classifier_ of a loaded tagger is a LinearScores; so is its
    classifier if scikit-learn is missing, or if the file does not have its options.

    labels_, classifier_ (fitted), encoder_
    """

    _no_meaning: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("explain", "prune", "top_features", "top_transitions"), _THEIRS),
        **dict.fromkeys(("state_features_", "transition_features_", "model_"), _THEIRS),
        "partial_fit": "not every classifier can go on learning; call fit with all sentences",
        "history_": "the classifier's fit knows no epochs",
    }

    _kind = "local tagger"
    _fit_class = LocalFit
    fit_: LocalFit
    _given: Any  # the option `classifier`, possibly as described in a file

    def __init__(
        self,
        classifier: Any,
        features: Features = "pos",
        *,
        previous: bool = False,
        order: int = 1,
        scores: str = "auto",
        decode: str = "viterbi",
        beam: int = 8,
        constraints: Given = None,
        allowed: Dictionary | None = None,
        class_weight: Mapping[str, float] | str | None = None,
        min_count: int = 1,
    ) -> None:
        self.classifier = classifier
        self.features = features
        self.previous = previous
        self.order = order
        self.scores = scores
        self.decode = decode
        self.beam = beam
        self.constraints = constraints
        self.allowed = allowed
        self.class_weight = class_weight
        self.min_count = min_count

    def fit(
        self,
        X: Sentences,
        y: Targets,
        *,
        sample_weight: Any = None,
        dev: Dev = None,
        threads: int | None = None,
    ) -> Self:
        """Train the classifier on all tokens.

        X, y            as for every tagger; a token whose label is None is left out, one with a set of labels is shared
                        among them by weight. After a token without a single label there is no feature of the previous
                        label
        sample_weight   a number per sentence, or a list of numbers per sentence
        dev, threads    a Corpus or (X, y) to score on; how many to use, None for every core
        """
        if dev is not None:
            raise QuestionError(
                "dev has no meaning here: the classifier's fit knows no epochs that could be stopped early; many "
                "classifiers have options of their own for that, such as SGDClassifier(early_stopping=True)"
            )
        self._check_options()
        classifier = cloned(self.classifier)
        method_of(classifier, self.scores)
        corpus, gold = read_labelled(X, y, words=self._reads_words)
        if len(gold.names) < 2:
            raise ShapeError(f"every label is {gold.names[0]!r}, but a classifier needs two to tell apart")
        gold = gold.numbered(sorted(gold.names))  # classifiers sort labels as strings, also whole numbers
        weights = token_weights(corpus, sample_weight)
        worth = label_weights(gold, self.class_weight, weights)
        dictionary = TagDictionary.of(self.allowed, gold.names, word_column(corpus))
        rules = Rules.learned(self.constraints, gold.names, gold, corpus.offsets, check=False)
        encoder = Encoder(self.features, min_count=self.min_count)
        if encoder.sees_labels:
            raise OptionError(
                "label_pairs(...) gives every pair of labels features of its own, which a classifier of tokens cannot "
                "have; use pairs(...), or a CRF or an MEMM"
            )
        encoded = encoder.fit(corpus, threads=threads).checked()
        if not encoder.size:
            raise CorpusError("no attribute is left to learn from; lower min_count")
        previous = bool(self.previous) or self.order > 1
        columns = Columns(encoder.size, encoder.edge_size, len(gold.names), previous, self.order)
        rows = samples(gold, corpus.offsets, weights, worth, self.order)
        matrix = columns.prepared(encoded).rows(rows.tokens, rows.previous)
        classifier, dense = fitted(classifier, matrix, rows, gold.names)
        scores = Scorer.of(classifier, self.scores, gold.names, dense=dense)
        training = Training.of(corpus, gold, gold.names, rules, dictionary)
        self.fit_ = LocalFit(training, Late(encoder), columns.previous, scores, self.order)
        return self

    def _check_way(self) -> None:
        choice(self.decode, "decode", WAYS)
        whole_number(self.beam, "beam", 1)

    def _check_options(self) -> None:
        self._check_way()
        switch(self.previous, "previous")
        check_order(self.order)
        choice(self.scores, "scores", RESPONSES)

    # ------------------------------------------------------------------------------------------ what it has learned

    classifier_: Any = from_fit("scores.classifier", "The fitted classifier.")
    encoder_: Encoder = from_fit("encoder", "The encoder that turns sentences into attributes.")
    layout_: Columns = from_fit("columns", "The columns of the classifier's matrix.")
    response_: Scorer = from_fit("scores", "The classifier, and its method that computes scores.")

    @property
    def classifier(self) -> Any:
        """The classifier as it was given; that of a loaded tagger is made on first use."""
        given = self._given
        if isinstance(given, GivenClassifier):
            try:
                self._given = given = given.made()
            except (ImportError, StoreError):  # scikit-learn is missing, or has other options now
                given = None
        return self.fit_.scores.classifier if given is None and self._fitted() else given

    @classifier.setter
    def classifier(self, given: Any) -> None:
        self._given = given

    # ------------------------------------------------------------------------------------------ answers

    @property
    def _probabilistic(self) -> bool:
        return self.fit_.scores.probabilistic

    @property
    def _why_no_probability(self) -> str:
        scores = self.fit_.scores
        return f"the {scores.method} of {scores.name} gives scores, not probabilities"

    @property
    def _block(self) -> int:
        return max(BLOCK // len(self.labels_) ** self.fit_.order, 1) if self.fit_.previous else BLOCK

    @property
    def _own_way(self) -> tuple[str, int | None]:
        self._check_way()
        return {"viterbi": ("viterbi", None), "beam": ("beam", self.beam), "greedy": ("beam", 1)}[self.decode]

    def _label_ids(self, corpus: Corpus, threads: int) -> LabelIds:
        if self.decode != "greedy" or not self.fit_.previous:
            return super()._label_ids(corpus, threads)
        found = [self._greedy(part, begin, threads) for begin, part in blocks(corpus, BLOCK)]
        return np.concatenate([np.zeros(0, dtype=np.int32), *found])

    # eq:local-trellis   node_t(y) = g(y | f_t), or edge_t(a, y) = g(y | f_t, a), with a the previous labels
    def _trellises(self, corpus: Corpus, threads: int) -> Trellises:
        data = self._prepared(corpus, threads)
        mask = self._mask(corpus)
        size, order = len(self.labels_), self.fit_.order
        tokens = np.arange(corpus.token_count)
        more: dict[str, Any] = {"labels": self.labels_, "constraints": self.rules_.as_constraints()}
        tables: list[Scores] = [np.zeros((size, size))]
        if self.fit_.previous:
            node, tables = self._moves(data, corpus.offsets, mask)
        else:
            node = self._scores(data, tokens, np.full((len(tokens), 1), NO_LABEL))
        node = node if mask is None else np.where(mask, node, -np.inf)
        if order == 1:
            return TrellisBatch(node, corpus.lengths, tables[0], **more)
        made, at = [], [0] * order
        for begin, end in itertools.pairwise(corpus.offsets.tolist()):
            counts = [min(max(end - begin - t, 0), 1) for t in range(1, order)] + [
                max(end - begin - order, 0)
            ]
            *head, edge = (table[at[n] : at[n] + counts[n]] for n, table in enumerate(tables))
            head = [table[0] for table in head if len(table)]
            made.append(Trellis(node[begin:end], edge, order=order, head=head, **more))
            at = [place + count for place, count in zip(at, counts, strict=True)]
        return made

    def _prepared(self, corpus: Corpus, threads: int) -> Prepared:
        return self.layout_.prepared(self.encoder_.encode(corpus, threads=threads).checked())

    def _mask(self, corpus: Corpus) -> Bools | None:
        return None if self.dictionary_ is None else self.dictionary_.mask(corpus)

    def _scores(self, data: Prepared, tokens: Numbers, previous: Numbers) -> Scores:
        """Compute the scores of these tokens, (len(tokens), L), given previous labels, (len(tokens), order)."""
        parts: list[Scores] = [np.zeros((0, len(self.labels_)))]
        for begin in range(0, len(tokens), MOST_ROWS):
            some = slice(begin, begin + MOST_ROWS)
            rows = data.rows(tokens[some], previous[some])
            parts.append(self.fit_.scores.scores(rows))
        return np.concatenate(parts)

    def _moves(self, data: Prepared, offsets: Numbers, mask: Bools | None) -> tuple[Scores, list[Scores]]:
        """Write scores of first labels to node (tokens, L); return those of transitions: (tokens, L, L), ...

        The first tables are for tokens at positions 1, 2, ..., which have fewer previous labels, the last for all
        others.
        """
        size, count, order = len(self.labels_), int(offsets[-1]), self.fit_.order
        first = first_tokens(offsets)
        node = np.zeros((count, size))
        node[first] = self._scores(data, first, np.full((len(first), order), NO_LABEL))
        reach, position = (
            self._reachable(offsets, mask),
            np.arange(count) - np.repeat(offsets[:-1], np.diff(offsets)),
        )
        tables = []
        for back in range(1, order + 1):
            tokens = np.flatnonzero(position == back if back < order else position >= back)
            open_rows = np.ones((len(tokens), *(1,) * back), dtype=bool)  # oldest label first
            for axis in range(1, back + 1):
                shape = [len(tokens), *(1,) * back]
                shape[axis] = size
                open_rows = open_rows & reach[tokens - back + axis - 1].reshape(shape)
            place, *labels = np.nonzero(open_rows)
            before = np.full((len(place), order), NO_LABEL, dtype=np.int64)
            before[:, :back] = np.stack(labels[::-1], axis=1)
            table = np.full((len(tokens), *(size,) * (back + 1)), -np.inf)
            table[place, *labels] = self._scores(data, tokens[place], before)
            tables.append(table)
        return node, tables

    def _reachable(self, offsets: Numbers, mask: Bools | None) -> Bools:
        """Find (tokens, L) labels on legal paths; the classifier is not evaluated after other labels."""
        shape = int(offsets[-1]), len(self.labels_)
        reach = np.ones(shape, dtype=bool) if mask is None else mask.copy()
        open_moves = ~self.rules_.forbidden
        for begin, end in itertools.pairwise(offsets.tolist() if self.rules_ or mask is not None else ()):
            if begin < end:
                reach[begin] &= ~self.rules_.no_start
            for t in range(begin + 1, end):
                reach[t] &= open_moves[reach[t - 1]].any(axis=0)
        return reach

    def _greedy(self, corpus: Corpus, begin: int, threads: int) -> LabelIds:
        """Find the best label of each token after the one chosen before, all sentences at once."""
        with located(begin):
            data, mask = self._prepared(corpus, threads), self._mask(corpus)
        ids = np.full(corpus.token_count, NO_LABEL, dtype=np.int32)
        starts, lengths = corpus.offsets[:-1], corpus.lengths
        for t in range(int(lengths.max(initial=0))):
            sentences = np.flatnonzero(lengths > t)
            tokens = starts[sentences] + t
            previous = labels_before(ids.astype(np.int64), corpus.offsets, tokens, self.fit_.order)
            scores = self._scores(data, tokens, previous)
            closed = self.rules_.forbidden[previous[:, 0]] if t else self.rules_.no_start[None, :]
            closed = closed | ((lengths[sentences] == t + 1)[:, None] & self.rules_.no_end)
            scores[closed if mask is None else closed | ~mask[tokens]] = -np.inf
            ids[tokens] = scores.argmax(axis=1)
            dead = np.isneginf(scores).all(axis=1)
            if dead.any():
                raise BeamError(
                    f"following the best label alone has led to position {t}, where none is legal; "
                    f"pass decode='viterbi', which is exact",
                    place=Place(begin + int(sentences[np.argmax(dead)]), t, item=""),
                )
        return ids

    # ------------------------------------------------------------------------------------------ files

    _apart = FEATURES
    _option_kinds = staticmethod(lambda: COMMON)

    @classmethod
    def _upgraded(cls, state: State) -> State:
        state = upgraded_options(state)
        options = {"classifier": None, **state.setting("options", dict)}
        return state.replaced(settings={**state.settings, "options": options})

    def _put_option(self, state: State, name: str, value: Any) -> Any:
        if name != "classifier":
            return super()._put_option(state, name, value)
        given = self._given
        if not isinstance(given, (GivenClassifier, LinearScores)):
            given = GivenClassifier.of(given)
        if not isinstance(given, GivenClassifier):  # only its parameters are known
            return None
        state.arrays.update(given.arrays)
        return given.data

    @classmethod
    def _get_option(cls, state: State, name: str, data: Any) -> Any:
        if name != "classifier" or data is None:
            return super()._get_option(state, name, data)
        arrays = {own: array for own, array in state.arrays.items() if own.startswith("classifier.")}
        return GivenClassifier(data, arrays)
