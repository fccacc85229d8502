"""Re-ranking: a second look at the n best labellings, with features of the whole of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from seqlab.arrays import whole_number
from seqlab.corpus import Corpus
from seqlab.errors import OptionError, QuestionError
from seqlab.families.rerank.candidates import (
    CandidateList,
    as_it_stands,
    candidate_lists,
    check_generator,
    jackknifed,
    sentences_of,
)
from seqlab.families.rerank.data import (
    SCORE,
    Oracle,
    Vocabulary,
    all_labels,
    gold_labels,
    list_weights,
    oracle_of,
    right_ones,
)
from seqlab.families.rerank.features import ListFeatures, as_list_features, words_of
from seqlab.families.rerank.learners import Learned, Lists, LogLinear, RankingLearner, Task
from seqlab.families.rerank.stored import StoredReranker
from seqlab.tagging.door.sentences import read_sentences
from seqlab.tagging.sklearn import Estimator
from seqlab.tagging.tagger import BLOCK

if TYPE_CHECKING:
    from typing_extensions import Self

    from seqlab.evaluation import Report

USUAL_LEARNER = LogLinear()


@dataclass(frozen=True, slots=True)
class Ranked:
    """One labelling after re-ranking.

    score             of the re-ranker: the generator's score and the weights of the features
    log_prob          over the list that the generator gave
    generator_score   what the generator thought of it
    generator_rank    its place in the generator's list, from 0
    """

    labels: tuple[str, ...]
    score: float
    log_prob: float
    generator_score: float
    generator_rank: int


class Reranker(StoredReranker, Estimator):
    """Picks one of the n best labellings of another model, by features that see the whole labelling.

    generator   a tagger (any model with nbest(tokens, n)), or a function (tokens, n) that gives (labels, score) pairs
    features    a function (tokens, labels) that gives strings, pairs (string, number) or a dict; None for the usual
                ones, see GlobalFeatures. The generator's score is a feature in any case
    learner     LogLinear(l2=...) or ListPerceptron(epochs=...)
    n           how many labellings the generator gives
    folds       how training lists are made. A generator's lists for its own training data are better than any it will
                make later, so with a number k it is trained k times on all but a k-th of the data, and makes the lists
                of that part; in the end it is trained on everything. None: the generator is used as it stands, trained
                before on other data. A generator without fit is always used as it stands
    min_count   features met in fewer labellings of training are dropped

    save() stores the generator with it, which must be a model of seqlab; features that are a function go by name. The
    generator of a loaded one is generator_.

    generator_, labels_, feature_names_, coef_ (one weight per feature), oracle_ (of the training lists), learned_
    """

    _no_meaning: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(
            ("posterior", "predict_proba", "predict_marginals", "log_prob", "sample", "trellis"),
            "it knows the n labellings of its generator alone; nbest(tokens) gives their probabilities, and "
            "generator_ those of all",
        ),
        "explain": "weights_ and top_features() say what it has learned",
        "partial_fit": "call fit with all sentences",
    }

    generator_: Any
    labels_: tuple[str, ...]
    coef_: npt.NDArray[np.float64]
    oracle_: Oracle
    learned_: Learned
    column_: str | None
    vocabulary_: frozenset[str] | None

    def __init__(
        self,
        generator: Any,
        *,
        features: Any = None,
        learner: RankingLearner = USUAL_LEARNER,
        n: int = 10,
        folds: int | None = 5,
        min_count: int = 1,
    ) -> None:
        self.generator = generator
        self.features = features
        self.learner = learner
        self.n = n
        self.folds = folds
        self.min_count = min_count

    # ------------------------------------------------------------------------------------------ training

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Make lists for the sentences of X, and learn which of each is right.

        y               the name of a column of the corpus X, or lists of labels
        sample_weight   one number per sentence

        Where the gold labelling is not in a list, those with the most right labels count as right.
        """
        n, least = self._check_options()
        column = y if isinstance(y, str) and isinstance(X, Corpus) else None
        sentences = sentences_of(X, without=column)
        gold = gold_labels(sentences, X.column(column) if column is not None else y)
        weights = list_weights(len(sentences), sample_weight)
        features = as_list_features(self.features, gold)
        generator, lists = self._training_lists(X, y, sentences, gold, n)
        right = right_ones(lists, gold)
        names, data = Vocabulary.learned(features, sentences, lists, least)
        learned = self.learner.train(Task(data, np.concatenate(right), weights))
        self._features, self._names = features, names
        self.generator_, self.learned_, self.oracle_ = generator, learned, oracle_of(lists, gold)
        self.coef_ = learned.theta.copy()
        self.coef_[SCORE] += 1  # the generator's own score counts 1 from the start
        self.column_ = column
        known = [words_of(tokens) for tokens in sentences]
        self.vocabulary_ = (
            None if any(w is None for w in known) else frozenset(w for s in known for w in s or ())
        )
        self.labels_ = all_labels(lists, gold)
        return self

    def _check_options(self) -> tuple[int, int]:
        check_generator(self.generator)
        if not callable(getattr(self.learner, "train", None)) or isinstance(self.learner, type):
            raise OptionError(
                f"learner must be LogLinear(...) or ListPerceptron(...), got {self.learner!r:.60}"
            )
        if self.folds is not None:
            whole_number(self.folds, "folds", 2)
        return whole_number(self.n, "n", 1), whole_number(self.min_count, "min_count", 1)

    def _training_lists(
        self, X: Any, y: Any, sentences: Sequence[Any], gold: Sequence[tuple[str, ...]], n: int
    ) -> tuple[Any, list[CandidateList]]:
        if self.folds is None or not callable(getattr(self.generator, "fit", None)):
            return self.generator, as_it_stands(self.generator, sentences, n)

        def fit_on(generator: Any, numbers: Any) -> Any:
            if isinstance(X, Corpus):
                part = X.take(numbers)
                return generator.fit(
                    part, y if isinstance(y, str) else [list(gold[i]) for i in numbers.tolist()]
                )
            chosen = numbers.tolist()
            return generator.fit([sentences[i] for i in chosen], [list(gold[i]) for i in chosen])

        return jackknifed(self.generator, sentences, fit_on, self.folds, n)

    # ------------------------------------------------------------------------------------------ questions

    def predict(self, X: Any, *, threads: int | None = None) -> list[list[str]]:
        """A list of labels for every sentence."""
        self._check_fitted("predict")
        lists, scores = self._scored(self._sentences(X), threads)
        pairs = zip(lists, scores, strict=True)
        return [list(one.labels[int(values.argmax())]) for one, values in pairs]

    def annotate(self, X: Any, column: str = "predicted", *, threads: int | None = None) -> Corpus:
        """The corpus with one more column: the predicted labels."""
        self._check_fitted("annotate")
        sentences = X if isinstance(X, Corpus) else list(self._sentences(X))
        words = bool(getattr(self.generator_, "_reads_words", True))
        corpus = read_sentences(sentences, words=words, columns=self.columns_)
        return corpus.with_column(column, self.predict(sentences, threads=threads))

    def tag(self, tokens: Any) -> list[str]:
        """The labels of one sentence."""
        self._check_fitted("tag")
        return self.predict([tokens])[0]

    def predict_single(self, tokens: Any) -> list[str]:
        """The same as tag(tokens), under sklearn-crfsuite's name."""
        return self.tag(tokens)

    def nbest(self, tokens: Any, n: int | None = None) -> list[Ranked]:
        """The generator's list in its new order, with the probability of each over the list; the first n when asked."""
        self._check_fitted("nbest")
        most = None if n is None else whole_number(n, "n", 1)
        lists, scores = self._scored(self._sentences([tokens]), None)
        one, values = lists[0], scores[0]
        shifted = values - values.max()
        logs = shifted - np.log(np.exp(shifted).sum())
        order = np.argsort(-values, kind="stable")[:most].tolist()
        return [Ranked(one.labels[i], float(values[i]), float(logs[i]), one.scores[i], i) for i in order]

    def oracle(self, X: Any, y: Any) -> Oracle:
        """How good the generator's lists are: what a perfect re-ranker would reach, and what the first of each does."""
        self._check_fitted("oracle")
        sentences = self._sentences(X)
        gold = gold_labels(sentences, X.column(y) if isinstance(y, str) and isinstance(X, Corpus) else y)
        return oracle_of(candidate_lists(self.generator_, sentences, self.n), gold)

    def score(self, X: Any, y: Any) -> float:
        """Accuracy by token, as scikit-learn's searches want it."""
        self._check_fitted("score")
        sentences = self._sentences(X)  # read once: it may be a generator
        gold = gold_labels(sentences, X.column(y) if isinstance(y, str) and isinstance(X, Corpus) else y)
        pairs = zip(gold, self.predict(sentences), strict=True)
        right = [one == other for truth, found in pairs for one, other in zip(truth, found, strict=True)]
        return float(np.mean(right))

    def evaluate(self, test: Any, y: Any = None, *, threads: int | None = None, **options: Any) -> Report:
        """How good it is on other data; options are those of seqlab.evaluate.

        y   the name of a column, or lists of labels; None for the column that fit was given
        """
        from seqlab.evaluation import evaluate

        self._check_fitted("evaluate")
        y = self.column_ if y is None and isinstance(test, Corpus) else y
        if y is None:
            raise OptionError(
                "evaluate needs the right labels: pass the name of their column, or lists of labels"
            )
        sentences = self._sentences(test)
        gold = gold_labels(
            sentences, test.column(y) if isinstance(y, str) and isinstance(test, Corpus) else y
        )
        words = [words_of(tokens) for tokens in sentences]
        if all(one is not None for one in words):
            options.setdefault("words", words)
            if self.vocabulary_ is not None:
                options.setdefault("known", self.vocabulary_)
        return evaluate(
            [list(labels) for labels in gold], self.predict(sentences, threads=threads), **options
        )

    # ------------------------------------------------------------------------------------------ what was learned

    @property
    def columns_(self) -> tuple[str, ...]:
        """The columns that the generator was trained on, without the label; "word" when it does not say."""
        self._check_fitted("columns_")
        return tuple(getattr(self.generator_, "columns_", ("word",)))

    @property
    def feature_names_(self) -> list[str]:
        """Names of the features, in the order of coef_."""
        self._check_fitted("feature_names_")
        return list(self._names.names)

    @property
    def weights_(self) -> dict[str, float]:
        """{feature: weight}; "generator score" is what the generator thinks."""
        self._check_fitted("weights_")
        return dict(zip(self._names.names, self.coef_.tolist(), strict=True))

    def top_features(self, n: int = 20) -> list[tuple[str, float]]:
        """The n features with the largest weights, with their sign."""
        self._check_fitted("top_features")
        chosen = np.argsort(-np.abs(self.coef_), kind="stable")[: whole_number(n, "n", 1)]
        return [(self._names.names[i], float(self.coef_[i])) for i in chosen.tolist()]

    # ------------------------------------------------------------------------------------------ inside

    _features: ListFeatures
    _names: Vocabulary
    _probabilistic = True  # over the labellings of a list
    _block = BLOCK

    def _check_meaning(self, question: str) -> None:
        """There are no probabilities of single labels."""
        raise QuestionError(f"{question} has no meaning here: {self._no_meaning['posterior']}")

    def _sentences(self, X: Any) -> Sequence[Any]:
        column = self.column_ if isinstance(X, Corpus) and self.column_ in X.columns else None
        return sentences_of(X, without=column)

    def _scored(
        self, sentences: Sequence[Any], threads: int | None
    ) -> tuple[list[CandidateList], list[npt.NDArray[np.float64]]]:
        """The generator's lists, and for each the scores of its labellings."""
        lists = candidate_lists(self.generator_, sentences, self.n, threads=threads)
        data: Lists = self._names.look_up(self._features, sentences, lists)
        own = self.coef_.copy()
        own[SCORE] -= 1  # data.base has it already
        return lists, np.split(data.scores(own), data.offsets[1:-1]) if lists else []
