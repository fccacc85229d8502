"""Methods that every tagger has, based on the trellises of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from seqlab import _core, evaluation, inference, text
from seqlab.arrays import LabelIds, Probabilities, thread_count, whole_number
from seqlab.corpus import Corpus, Sentence, StringColumn
from seqlab.corpus.columns import resolve, token_place
from seqlab.errors import LabelError, OptionError, Place, QuestionError, ShapeError
from seqlab.inference import NBest, Posterior, Samples
from seqlab.store.state import State
from seqlab.tagging.decoding import (
    Trellises,
    Way,
    best,
    blocks,
    checked_way,
    constrained,
    event_log_partition,
    hits,
    labelled,
    located,
    path_ids,
    unnormalised,
)
from seqlab.tagging.door.constraints import Rules, TagDictionary
from seqlab.tagging.door.sentences import (
    NOTHING,
    read_gold,
    read_sentence,
    read_sentences,
    token_weights,
    vocabulary,
)
from seqlab.tagging.model import Model, from_fit
from seqlab.tagging.training import Training
from seqlab.tags import Scheme
from seqlab.trellis import Trellis
from seqlab.trellis.constraints import PerPosition
from seqlab.trellis.labels import Label

Sentences = Corpus | Iterable[Iterable[Any]]  # X
Sequences = Corpus | Iterable[Any]  # X of models that also read numbers, one after another
Tokens = Sentence | Iterable[Any]  # one sentence
Targets = str | Iterable[Any]  # y: the name of a column, or the labels of every sentence
Known = Mapping[int, Label] | None
Allowed = PerPosition | None
BLOCK = 50_000  # tokens whose trellises are in memory at a time


class Tagger(Model):
    """Base class of taggers, which label the tokens of sentences.

    A subclass makes trellises from a corpus (`_trellises`), tells whether their scores are log-probabilities up to a
    constant (`_probabilistic`), and trains (`fit`, which assigns `fit_`: a frozen value with a `training` part). The
    methods below then use seqlab.inference.
    """

    # ------------------------------------------------------------------------------------------ what subclasses give

    def _trellises(self, corpus: Corpus, threads: int) -> Trellises:
        """Compute one trellis per sentence, with labels, constraints and dictionaries in it."""
        raise NotImplementedError

    @property
    def _probabilistic(self) -> bool:
        """True if exp(score) / Z is the model's probability of a path."""
        return True

    @property
    def _why_no_probability(self) -> str:
        """The reason why there are no probabilities: the text after "has no meaning here: "."""
        return f"{type(self).__name__} gives scores, not probabilities"

    @property
    def _reads_words(self) -> bool:
        """True if strings in X are words; otherwise the tokens of X are ready-made attributes."""
        return getattr(self, "features", "") is not None

    @property
    def _block(self) -> int:
        """Number of tokens to decode at a time; fewer when a token's scores take much memory."""
        return BLOCK

    @property
    def _attribute_tagger(self) -> _core.AttributeTagger | None:
        """The short way from lists of ready-made attributes to labels; None without one, and before fit."""
        return None if self._reads_words else getattr(self.fit_, "attribute_tagger", None)

    def _label_ids(self, corpus: Corpus, threads: int) -> LabelIds:
        """Find (tokens,) label numbers of the best paths; subclasses may have a faster decoder."""
        return self._decoded(corpus, threads, *self._own_way)

    @property
    def _own_way(self) -> Way:
        """Decoder and beam width of `_label_ids`: the default of all methods."""
        return "viterbi", None

    # ------------------------------------------------------------------------------------------ facts of training

    _training: Training = from_fit("training", "Facts of the training.")
    labels_: tuple[str, ...] = from_fit(
        "training.labels", "The labels, in the order of every array with an axis of labels."
    )
    vocabulary_: frozenset[str] | None = from_fit(
        "training.vocabulary", "The words of training, or None when it had none."
    )
    columns_: tuple[str, ...] = from_fit(
        "training.columns", "The columns of the training corpus, without the label."
    )
    column_: str | None = from_fit(
        "training.column", "The column that the labels of training came from; None when they came as lists."
    )
    rules_: Rules = from_fit("training.rules", "The constraints on labels, as masks.")
    scheme_: Scheme | None = from_fit(
        "training.rules.scheme",
        "The tag scheme of the constraints, given or found by 'auto'; None without one.",
    )
    dictionary_: TagDictionary | None = from_fit(
        "training.dictionary", "The allowed labels of words; None without a dictionary."
    )

    @property
    def classes_(self) -> list[Any]:
        """The labels, strings or whole numbers as in training; scikit-learn's name for labels_."""
        training = self._training
        return training.classes if training.whole else list(training.labels)

    @property
    def _known_columns(self) -> tuple[str, ...] | None:
        """The columns of the training corpus; None before fit."""
        return self._training.columns if self._fitted() else None

    def _put_option(self, state: State, name: str, value: Any) -> Any:
        words = value.values() if name == "allowed" and isinstance(value, Mapping) else ()
        if any(isinstance(labels, Iterator) for labels in words):  # consumed by fit
            value = self._training.named_dictionary()
        return super()._put_option(state, name, value)

    def _read_to_the_end(self, name: str) -> Any:
        if name == "constraints":
            return self._training.named_rules()
        return super()._read_to_the_end(name)

    # ------------------------------------------------------------------------------------------ many sentences

    def predict(
        self, X: Sentences, *, decode: str | None = None, beam: int | None = None, threads: int | None = None
    ) -> list[list[str]]:
        """Predict a list of labels for every sentence: strings or whole numbers, as in training.

        X        a Corpus, or a list of sentences: lists of words, of tuples or dicts of cells, or of attributes
        decode   "viterbi" for the best path, "posterior" for the best label at each position alone, "beam" for a path
                 found by following the `beam` best labels only; None for the tagger's own way, usually "viterbi"
        threads  how many to use; None for every core. The labels are the same for any number
        """
        self._check_fitted("predict")
        short_way = self._attribute_tagger if decode is None and beam is None else None
        if short_way is not None and isinstance(X, list):
            found = short_way.tag_all(X, thread_count(threads))
            if found is not None:
                return found
        corpus = self._looked_at(X)
        ids = self._chosen(corpus, decode, beam, thread_count(threads))
        return _core.gather_all(self.classes_, ids, corpus.offsets)

    def annotate(
        self,
        X: Sentences,
        column: str = "predicted",
        *,
        decode: str | None = None,
        beam: int | None = None,
        threads: int | None = None,
    ) -> Corpus:
        """Return the corpus X with one more `column`: the predicted labels; decode, beam, threads as for predict."""
        self._check_fitted("annotate")
        corpus = self._corpus(X)
        ids = self._chosen(corpus, decode, beam, thread_count(threads))
        pool = _core.StringPool()
        for label in self.labels_:
            pool.intern(label)
        return corpus.with_column(column, StringColumn(ids, pool))

    def predict_proba(self, X: Sentences, *, threads: int | None = None) -> list[Probabilities]:
        """Compute for every sentence of X an array (T, L): P(label) at each position; threads as for predict."""
        self._check_meaning("predict_proba")
        corpus, count = self._looked_at(X), thread_count(threads)
        found: list[Probabilities] = []
        for begin, part in blocks(corpus, self._block):
            with located(begin):
                found += [
                    one.node for one in inference.posterior(self._trellises(part, count), threads=count)
                ]
        return found

    def predict_marginals(self, X: Sentences, *, threads: int | None = None) -> list[list[dict[str, float]]]:
        """Compute for every sentence of X, for every token, a dict label -> probability; threads as for predict."""
        self._check_meaning("predict_marginals")
        return [labelled(rows, self.classes_) for rows in self.predict_proba(X, threads=threads)]

    def score(self, X: Sentences, y: Targets, sample_weight: Any = None) -> float:
        """Compute accuracy by token of X, for scikit-learn's searches; tokens without a label in y do not count.

        sample_weight   a number per sentence, or a list of numbers per sentence
        """
        self._check_fitted("score")
        corpus = self._corpus_with(X, y)
        gold, weights = read_gold(corpus, y), token_weights(corpus, sample_weight)
        right = hits(gold, self._label_ids(corpus, thread_count(None)), self.labels_)
        asked = gold.ids != NOTHING
        shares = np.ones(len(right)) if weights is None else weights
        if not shares[asked].sum() > 0:
            raise ShapeError(
                "there is no token with a label (and a weight above 0), so accuracy has no meaning"
            )
        return float(np.average(right[asked], weights=shares[asked]))

    def evaluate(
        self,
        test: Sentences,
        y: Targets | None = None,
        *,
        decode: str | None = None,
        beam: int | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> evaluation.Report:
        """Evaluate on other data; the accuracy on words that were not in training is reported separately.

        test      a Corpus, or sentences as for predict
        y         the name of a column, or lists of labels; None for the column that fit was given
        options   those of seqlab.evaluate: known, scheme, repair, bootstrap, confidence, seed
        decode, beam, threads   as for predict
        """
        from seqlab.evaluation import evaluate
        from seqlab.evaluation.scores import say_strange

        self._check_fitted("evaluate")
        y = self._column_for(test) if y is None else y
        corpus = self._corpus_with(test, y)
        ids = self._chosen(corpus, decode, beam, thread_count(threads))
        predicted = _core.gather_all(list(self.labels_), ids, corpus.offsets)
        if "known" not in options and self.vocabulary_ is not None and vocabulary(corpus) is not None:
            options["known"] = self.vocabulary_
        if isinstance(y, str):
            report = evaluate(corpus, predicted, y, **options)
            column = corpus.strings(resolve(y, corpus.columns), missing=True)
            say_strange(column.compact().values, self.labels_)
            return report
        gold = read_gold(corpus, y)
        say_strange(gold.names, self.labels_)
        if gold.sets:
            raise LabelError(
                "evaluate compares labels, so a token of y has one (or None, and is left out), not several",
                place=Place(*token_place(corpus.offsets, min(gold.sets)), of="y"),
            )
        right = _core.gather_all(list(gold.names), gold.ids, corpus.offsets)
        return evaluate(corpus.with_column("y", right), predicted, "y", **options)

    # ------------------------------------------------------------------------------------------ one sentence

    def tag(
        self,
        tokens: Tokens,
        *,
        known: Known = None,
        allowed: Allowed = None,
        decode: str | None = None,
        beam: int | None = None,
    ) -> list[str]:
        """Find the labels of one sentence.

        tokens    words, tuples or dicts of cells, or attributes; a Sentence of a Corpus
        known     {position: label}: labels that are known
        allowed   {position: labels}, or a list with None or labels for every position
        decode, beam   as for predict
        """
        if known is None and allowed is None and decode is None and beam is None:
            found = self._tagged_at_once(tokens)
            if found is not None:
                return found
        self._check_fitted("tag")
        if known is None and allowed is None:
            corpus = self._corpus_of_one(tokens)
            ids = self._chosen(corpus, decode, beam, 1)
        else:
            way = self._way(decode, beam)
            ids = best(self.trellis(tokens, known=known, allowed=allowed), *way).ids
        labels = self.classes_
        return [labels[i] for i in ids.tolist()]

    def _tagged_at_once(self, tokens: Any) -> list[str] | None:
        """Find the labels of one sentence of ready-made attributes in the core; None where it leaves that to others."""
        short_way = self._attribute_tagger
        if short_way is None:
            return None
        found = short_way.tag(tokens)
        if found is None and isinstance(tokens, list):  # too long to keep other threads waiting, or unusual
            many = short_way.tag_all([tokens], 1)
            found = None if many is None else many[0]
        return found

    def predict_single(self, tokens: Tokens) -> list[str]:
        """Find the labels of one sentence, as tag(tokens) does, under sklearn-crfsuite's name."""
        return self.tag(tokens)

    def trellis(self, tokens: Tokens, *, known: Known = None, allowed: Allowed = None) -> Trellis:
        """Compute the scores of one sentence, -inf for forbidden labels; tokens, known, allowed as for tag."""
        self._check_fitted("trellis")
        made: Trellis = self._trellises(self._corpus_of_one(tokens), 1)[0]
        return constrained(made, self._training.inside(known), self._training.inside(allowed))

    def nbest(self, tokens: Tokens, n: int = 5, *, known: Known = None, allowed: Allowed = None) -> NBest:
        """Find the n best labellings, best first, with log-probabilities if any; tokens, known, allowed as for tag."""
        self._check_fitted("nbest")
        trellis = self.trellis(tokens, known=known, allowed=allowed)
        n = whole_number(n, "n", 1)
        return inference.nbest(trellis, n) if self._probabilistic else unnormalised(trellis, n)

    def posterior(self, tokens: Tokens, *, known: Known = None, allowed: Allowed = None) -> Posterior:
        """Compute P of labels, moves and spans, log Z and entropy; tokens, known, allowed as for tag."""
        self._check_meaning("posterior")
        return inference.posterior(self.trellis(tokens, known=known, allowed=allowed))

    def predict_marginals_single(self, tokens: Tokens) -> list[dict[str, float]]:
        """Compute for each of the tokens of one sentence a dict label -> probability."""
        self._check_meaning("predict_marginals_single")
        return labelled(self.posterior(tokens).node, self.classes_)

    def log_partition(self, tokens: Tokens, *, known: Known = None, allowed: Allowed = None) -> float:
        """Compute log Z: the log of the sum of exp(score) over all labellings; tokens, known, allowed as for tag."""
        self._check_meaning("log_partition")
        return float(inference.log_partition(self.trellis(tokens, known=known, allowed=allowed)))

    def log_prob(self, tokens: Tokens, labels: Iterable[Any]) -> float:
        """Compute log P(labels | tokens); -inf for a forbidden labelling.

        labels   one per token; None stands for any label, and a set for any of its labels
        """
        self._check_meaning("log_prob")
        trellis = self.trellis(tokens)
        return event_log_partition(trellis, self._training.inside(labels)) - float(
            inference.log_partition(trellis)
        )

    def sample(
        self, tokens: Tokens, n: int = 1, seed: int = 0, *, known: Known = None, allowed: Allowed = None
    ) -> Samples:
        """Draw n labellings; the same seed draws the same ones. tokens, known, allowed as for tag."""
        self._check_meaning("sample")
        return inference.sample(self.trellis(tokens, known=known, allowed=allowed), n, seed=seed)

    # ------------------------------------------------------------------------------------------ raw text

    def with_text(self, tokeniser: Any = None, *, probabilities: bool = True) -> text.Pipeline:
        """Make a Pipeline that labels raw text with this tagger.

        tokeniser       as of Pipeline; None for the rules of RuleTokeniser
        probabilities   False leaves the probabilities of spans out
        """
        self._check_fitted("with_text")
        return text.Pipeline(tokeniser, self, probabilities=probabilities)

    # ------------------------------------------------------------------------------------------ inside

    def _corpus(self, X: Any) -> Corpus:
        """Read X as a corpus, its columns named as in training."""
        return read_sentences(X, words=self._reads_words, columns=self._known_columns)

    def _looked_at(self, X: Any) -> Corpus:
        """Read X for the model alone: unknown ready-made attributes may be left out."""
        return self._corpus(X)

    def _corpus_of_one(self, tokens: Any) -> Corpus:
        return read_sentence(tokens, words=self._reads_words, columns=self._known_columns)

    def _corpus_with(self, X: Any, y: Any) -> Corpus:
        """Read X as a corpus, with the label among its cells when y names a column."""
        labelled = isinstance(y, str)
        columns = None if labelled else self._known_columns
        return read_sentences(X, words=self._reads_words, columns=columns, labelled=labelled)

    def _column_for(self, test: Any) -> str:
        column = self.column_
        if column is None:
            hint = f", for example {test.columns[-1]!r}" if isinstance(test, Corpus) else ""
            raise OptionError(
                f"evaluate needs the right labels: pass the name of their column{hint}, or lists of labels"
            )
        return column

    def _check_meaning(self, question: str) -> None:
        self._check_fitted(question)
        if not self._probabilistic:
            raise QuestionError(f"{question} has no meaning here: {self._why_no_probability}")

    def _way(self, decode: str | None, beam: int | None) -> Way:
        """Decoder and width of the beam, checked."""
        if decode is None and beam is None:
            return self._own_way
        if decode == "posterior":
            self._check_meaning("decode='posterior'")
        return checked_way(decode, beam)

    def _chosen(self, corpus: Corpus, decode: str | None, beam: int | None, threads: int) -> LabelIds:
        way = self._way(decode, beam)
        if way == self._own_way:
            return self._label_ids(corpus, threads)
        return self._decoded(corpus, threads, *way)

    def _decoded(self, corpus: Corpus, threads: int, decode: str, beam: int | None) -> LabelIds:
        """Decode block by block, so that memory does not grow with the corpus."""
        found: list[LabelIds] = []
        for begin, part in blocks(corpus, self._block):
            with located(begin):
                found.append(path_ids(best(self._trellises(part, threads), decode, beam, threads)))
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int32)
