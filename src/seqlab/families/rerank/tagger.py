"""Re-ranking of the n best labellings of another tagger, with features of the whole labelling."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from seqlab import evaluation
from seqlab.arrays import whole_number
from seqlab.corpus import Corpus
from seqlab.errors import NotFittedError, OptionError, QuestionError, StoreError
from seqlab.families.rerank.features import Labels, checked_features, words_of
from seqlab.families.rerank.fit import APART, KINDS, TRAINED, Facts, RerankFit
from seqlab.families.rerank.learners import Learned, LogLinear, RankingLearner, Task
from seqlab.families.rerank.lists import (
    SCORE,
    CandidateList,
    Oracle,
    candidate_lists,
    check_generator,
    gold_labels,
    learned_features,
    numbered,
    oracle_of,
    sentences_of,
)
from seqlab.families.rerank.scorers import Scores, check_scorer, scores_of
from seqlab.learning.monitor import interrupted_later
from seqlab.shown import Brief
from seqlab.store.state import State
from seqlab.tagging.door.sentences import read_sentences, sentence_weights
from seqlab.tagging.model import Model, from_fit
from seqlab.tagging.tagger import BLOCK, Sentences, Targets, Tokens

USUAL_LEARNER = LogLinear()


@dataclass(frozen=True, slots=True, repr=False)
class Ranked(Brief):
    """One labelling after re-ranking.

    score             of the re-ranker: the generator's score and the weights of the features
    log_prob          over the list that the generator gave
    generator_score   the generator's score
    generator_rank    its rank in the generator's list, from 0
    """

    labels: tuple[str, ...]
    score: float
    log_prob: float
    generator_score: float
    generator_rank: int


class Reranker(Model):
    """A re-ranker: it chooses among the n best labellings of another model, by features of the whole labelling.

    generator   a tagger (any model with nbest(tokens, n)), or a function (tokens, n) that returns (labels, score) pairs
    features    a function (tokens, labels) that returns strings, pairs (string, number) or a dict. None for
                GlobalFeatures(), or with a scorer for no features. The generator's score is always a feature
    scorer      another model whose score is a feature: a tagger, for its log P(labels | tokens) or score, an object
                with log_prob(tokens, labels), or a function (tokens, labels) that returns a number
    weights     of the generator's and the scorer's score, (0, 1) for the scorer alone; None to learn them
    learner     LogLinear(l2=...) or ListPerceptron(epochs=...)
    n           number of labellings from the generator
    folds       number k of folds for the training lists. A generator's lists for its own training data are better than
                those for new sentences, so it is trained k times on all but one fold, and makes the lists of that fold;
                at the end it is trained on everything. None: the generator was trained before, on other data, and is
                used as it is, like a generator without fit. The scorer is treated alike
    min_count   features seen in fewer labellings of training are dropped

    save() stores generator and scorer with it, which must be models of seqlab; features and scorers that are functions
    go by name.

    generator_, scorer_, labels_, feature_names_, coef_ (one weight per feature), oracle_ (of the training lists),
    learned_
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

    _kind = "reranker"
    _fit_class = RerankFit
    _apart = APART
    fit_: RerankFit
    _given: Any  # the option `generator`; None for the trained one
    _given_scorer: Any

    def __init__(
        self,
        generator: Any,
        *,
        features: Any = None,
        scorer: Any = None,
        weights: Sequence[float] | None = None,
        learner: RankingLearner = USUAL_LEARNER,
        n: int = 10,
        folds: int | None = 5,
        min_count: int = 1,
    ) -> None:
        self.generator = generator
        self.features = features
        self.scorer = scorer
        self.weights = weights
        self.learner = learner
        self.n = n
        self.folds = folds
        self.min_count = min_count

    # ------------------------------------------------------------------------------------------ training

    def fit(self, X: Sentences, y: Targets, sample_weight: Any = None) -> Self:
        """Make lists for the sentences of X, and learn which of each is right.

        y               the name of a column of the corpus X, or lists of labels
        sample_weight   one number per sentence

        If the gold labelling is not in a list, the labellings with the most correct labels take its place.
        """
        self._check_options()
        column = y if isinstance(y, str) and isinstance(X, Corpus) else None
        sentences = sentences_of(X, without=column)
        gold = gold_labels(X if isinstance(X, Corpus) and column is not None else sentences, y)
        weights = sentence_weights(len(sentences), sample_weight)
        usual = self.features is None and self.scorer is not None
        features = None if usual else checked_features(self.features, gold)
        whole = X if isinstance(X, Corpus) else sentences
        generator, scorer, lists, second = self._training_lists(whole, sentences, gold, column)
        names, data = learned_features(features, sentences, lists, self.min_count, second)
        # The labellings with the most correct labels count as right: the gold one itself if it is in the list.
        hits = (one.hits(truth) for one, truth in zip(lists, gold, strict=True))
        right = np.concatenate([row == row.max() for row in hits])
        with interrupted_later():
            if self.weights is None:
                learned = self.learner.train(Task(data, right, weights))
            else:
                learned = Learned(np.array(self.weights, dtype=np.float64) - [1, 0], "given", 0, None)
            coef = learned.theta.copy()
            coef[SCORE] += 1  # the generator's own score has an initial weight of 1
            words = [words_of(tokens) for tokens in sentences]
            objective = None if learned.objective is None else float(learned.objective)
            seen = itertools.chain(gold, *(one.labels for one in lists))
            self.fit_ = RerankFit(
                tuple(sorted(set(itertools.chain.from_iterable(seen)))),
                column,
                None if None in words else frozenset(word for some in words for word in some or ()),
                names,
                coef,
                features,
                generator,
                Facts(float(learned.theta[SCORE]), learned.reason, int(learned.iterations), objective),
                oracle_of(lists, gold),
                scorer,
            )
        return self

    def _check_options(self) -> None:
        check_generator(self.generator)
        check_scorer(self.scorer)
        if self.weights is not None:
            self._check_weights(self.weights)
        if not callable(getattr(self.learner, "train", None)) or isinstance(self.learner, type):
            raise OptionError(
                f"learner must be LogLinear(...) or ListPerceptron(...), got {self.learner!r:.60}"
            )
        if self.folds is not None:
            whole_number(self.folds, "folds", 2)
        whole_number(self.n, "n", 1)
        whole_number(self.min_count, "min_count", 1)

    def _check_weights(self, weights: Any) -> None:
        if self.scorer is None or self.features is not None:
            raise OptionError(
                "weights are those of a generator and a scorer alone; give a scorer, and no features"
            )
        numbers = weights if isinstance(weights, (list, tuple, np.ndarray)) and len(weights) == 2 else [None]
        for weight in numbers:
            size: Any = weight
            real = isinstance(weight, (int, float, np.number)) and not isinstance(weight, bool)
            if not real or not abs(size) < np.inf:
                raise OptionError(
                    f"weights must be two numbers, of the generator's and the scorer's score, got {weights!r:.60}"
                )

    def _training_lists(
        self, X: Sequence[Any], sentences: Sequence[Any], gold: Sequence[Labels], column: str | None
    ) -> tuple[Any, Any, list[CandidateList], Scores | None]:
        """Return models trained on all data, and lists and scores of each sentence by models not trained on it."""
        models = (self.generator, self.scorer)
        trainable = [callable(getattr(one, "fit", None)) for one in models]
        if self.folds is None or not any(trainable):
            for role, one in zip(("generator", "scorer"), models, strict=True):
                if isinstance(one, Model) and not one._fitted():
                    raise NotFittedError(
                        f"the {role} has learned nothing yet ({type(one).__name__}); pass folds=5 to have it "
                        f"trained here, or fit it before, on other sentences"
                    )
            lists = candidate_lists(self.generator, sentences, self.n)
            return (*models, lists, self._second(self.scorer, sentences, lists))
        if self.folds > len(X):
            raise OptionError(
                f"folds={self.folds} needs at least as many sentences, but X has {len(X)}; pass fewer folds"
            )

        def trained(places: Any) -> list[Any]:
            labels = column if column is not None else [list(gold[i]) for i in places.tolist()]
            part = _taken(X, places)
            pairs = zip(models, trainable, strict=True)
            return [_unlearned(one).fit(part, labels) if learns else one for one, learns in pairs]

        found: list[CandidateList] = []
        second: Scores = []
        everything = np.arange(len(X))
        for fold in np.array_split(everything, self.folds):
            generator, scorer = trained(np.setdiff1d(everything, fold))
            part, first = _taken(sentences, fold), int(fold[0])
            lists = candidate_lists(generator, part, self.n, first=first)
            found += lists
            second += self._second(scorer, part, lists, first=first) or []
        generator, scorer = trained(everything)
        return generator, scorer, found, None if scorer is None else second

    @staticmethod
    def _second(scorer: Any, X: Sequence[Any], lists: Sequence[CandidateList], **more: Any) -> Scores | None:
        return None if scorer is None else scores_of(scorer, X, lists, **more)

    # ------------------------------------------------------------------------------------------ questions

    def predict(self, X: Sentences, *, threads: int | None = None) -> list[list[str]]:
        """Return a list of labels for every sentence of X; threads: None for every core."""
        self._check_fitted("predict")
        lists, scores = self._scored(self._sentences(X), threads)
        pairs = zip(lists, scores, strict=True)
        return [list(one.labels[int(values.argmax())]) for one, values in pairs]

    def annotate(self, X: Sentences, column: str = "predicted", *, threads: int | None = None) -> Corpus:
        """Return the corpus X with one more `column`: the predicted labels; threads: None for every core."""
        self._check_fitted("annotate")
        sentences = X if isinstance(X, Corpus) else list(self._sentences(X))
        words = bool(getattr(self.generator_, "_reads_words", True))
        corpus = read_sentences(sentences, words=words, columns=self.columns_)
        return corpus.with_column(column, self.predict(sentences, threads=threads))

    def tag(self, tokens: Tokens) -> list[str]:
        """Label the tokens of one sentence."""
        self._check_fitted("tag")
        return self.predict([tokens])[0]

    predict_single = tag  # under sklearn-crfsuite's name for it

    def nbest(self, tokens: Tokens, n: int | None = None) -> list[Ranked]:
        """Return the generator's list for tokens in its new order, with probabilities over it; the first n if given."""
        self._check_fitted("nbest")
        most = None if n is None else whole_number(n, "n", 1)
        lists, scores = self._scored(self._sentences([tokens]), None)
        one, values = lists[0], scores[0]
        shifted = values - values.max()
        logs = shifted - np.log(np.exp(shifted).sum())
        order = np.argsort(-values, kind="stable")[:most].tolist()
        return [Ranked(one.labels[i], float(values[i]), float(logs[i]), one.scores[i], i) for i in order]

    def oracle(self, X: Sentences, y: Targets) -> Oracle:
        """Evaluate the generator's lists for X, y: the scores of the best and of the first candidates."""
        self._check_fitted("oracle")
        sentences, gold = self._read(X, y)
        return oracle_of(candidate_lists(self.generator_, sentences, self.n), gold)

    def score(self, X: Sentences, y: Targets) -> float:
        """Compute accuracy by token of X against y, as scikit-learn's searches want it."""
        self._check_fitted("score")
        sentences, gold = self._read(X, y)
        found = itertools.chain.from_iterable(self.predict(sentences))
        return float(np.mean([*map(str.__eq__, itertools.chain.from_iterable(gold), found)]))

    def evaluate(
        self, test: Sentences, y: Targets | None = None, *, threads: int | None = None, **options: Any
    ) -> evaluation.Report:
        """Measure how good it is on test; options are those of seqlab.evaluate, threads: None for every core.

        y   the name of a column, or lists of labels; None for the column that fit was given
        """
        from seqlab.evaluation import evaluate
        from seqlab.evaluation.scores import say_strange

        self._check_fitted("evaluate")
        y = self.column_ if y is None and isinstance(test, Corpus) else y
        if y is None:
            raise OptionError(
                "evaluate needs the right labels: pass the name of their column, or lists of labels"
            )
        sentences, gold = self._read(test, y)
        say_strange(itertools.chain.from_iterable(gold), self.labels_)
        words = [words_of(tokens) for tokens in sentences]
        if all(one is not None for one in words):
            options.setdefault("words", words)
            if self.vocabulary_ is not None:
                options.setdefault("known", self.vocabulary_)
        return evaluate([*map(list, gold)], self.predict(sentences, threads=threads), **options)

    # ------------------------------------------------------------------------------------------ what was learned

    generator_: Any = from_fit("generator", "The trained generator.")
    scorer_: Any = from_fit("scorer", "The trained scorer; None if there is none.")
    labels_: tuple[str, ...] = from_fit(
        "labels", "The labels that occur in training, or in one of its lists."
    )
    column_: str | None = from_fit("column", "The column that the labels came from; None for lists.")
    vocabulary_: frozenset[str] | None = from_fit("vocabulary", "The words of training; None if it had none.")
    coef_: npt.NDArray[np.float64] = from_fit("coef", "(features,) the weights.")
    oracle_: Oracle = from_fit("oracle", "The quality of the training lists.")
    learned_: Learned = from_fit("outcome", "The outcome of training: iterations and why it ended.")

    @property
    def generator(self) -> Any:
        """Return the generator as it was given."""
        return self.fit_.generator if self._given is None and self._fitted() else self._given

    @generator.setter
    def generator(self, given: Any) -> None:
        self._given = given

    @property
    def scorer(self) -> Any:
        """Return the scorer given to the constructor."""
        return self.fit_.scorer if self._given_scorer is TRAINED and self._fitted() else self._given_scorer

    @scorer.setter
    def scorer(self, given: Any) -> None:
        self._given_scorer = given

    @property
    def columns_(self) -> tuple[str, ...]:
        """Return the columns that the generator was trained on, without the label; "word" if it has none."""
        return tuple(getattr(self.generator_, "columns_", ("word",)))

    @property
    def feature_names_(self) -> list[str]:
        """Return the names of the features, in the order of coef_."""
        return list(self.fit_.names)

    @property
    def weights_(self) -> dict[str, float]:
        """Return {feature: weight}; the feature "generator score" is the generator's score."""
        return dict(zip(self.fit_.names, self.coef_.tolist(), strict=True))

    def top_features(self, n: int = 20) -> list[tuple[str, float]]:
        """Return the n features with the largest weights, with their sign."""
        self._check_fitted("top_features")
        chosen = np.argsort(-np.abs(self.coef_), kind="stable")[: whole_number(n, "n", 1)]
        return [(self.fit_.names[i], float(self.coef_[i])) for i in chosen.tolist()]

    # ------------------------------------------------------------------------------------------ inside

    _probabilistic = True  # over the labellings of a list
    _block = BLOCK

    def _check_meaning(self, question: str) -> None:
        """Raise an error: there are no probabilities of single labels."""
        raise QuestionError(f"{question} has no meaning here: {self._no_meaning['posterior']}")

    def _sentences(self, X: Any) -> Sequence[Any]:
        column = self.column_ if isinstance(X, Corpus) and self.column_ in X.columns else None
        return sentences_of(X, without=column)

    def _read(self, X: Any, y: Any) -> tuple[Sequence[Any], list[Labels]]:
        """Read sentences and their gold labels; X is read once, as it may be an iterator."""
        sentences = self._sentences(X)
        return sentences, gold_labels(X if isinstance(X, Corpus) else sentences, y)

    def _scored(
        self, sentences: Sequence[Any], threads: int | None
    ) -> tuple[list[CandidateList], list[npt.NDArray[np.float64]]]:
        """Return the generator's lists, and the scores of their labellings."""
        lists = candidate_lists(self.generator_, sentences, self.n, threads=threads)
        second = self._second(self.scorer_, sentences, lists, threads=threads)
        data = numbered(self.fit_.numbers, self.fit_.features, sentences, lists, second)
        own = self.coef_.copy()
        own[SCORE] -= 1  # already in data.base
        return lists, np.split(data.scores(own), data.offsets[1:-1]) if lists else []

    # ------------------------------------------------------------------------------------------ files

    _option_kinds = staticmethod(lambda: KINDS)

    @classmethod
    def _upgraded(cls, state: State) -> State:
        if "given" not in state.settings:
            return state
        settings, options = dict(state.settings), dict(state.setting("options", dict))
        options |= {"generator": None, "learner": {"learner": state.setting("learner", dict)}}
        options["features"] = _old_features(State("given", state.setting("given", dict)))
        settings["features"] = _old_features(State("features", state.setting("features", dict)))
        return state.replaced(settings={**settings, "options": options})


def _unlearned(generator: Any) -> Any:
    """Copy a generator, unfitted."""
    if hasattr(generator, "get_params"):
        return type(generator)(**{name: copy.copy(v) for name, v in generator.get_params(deep=False).items()})
    return copy.deepcopy(generator)


def _taken(X: Sequence[Any], places: Any) -> Sequence[Any]:
    return X.take(places) if isinstance(X, Corpus) else [X[i] for i in places.tolist()]


def _old_features(state: State) -> Any:
    """Read features of a file of version 1."""
    match state.setting("kind", str):
        case "usual":
            return None
        case "global":
            fields = {"scheme": state.settings.get("scheme")}
            return {"object": {"name": "GlobalFeatures", "fields": fields}}
        case "function":
            return {"function": state.setting("name", str)}
        case other:
            raise StoreError(f"the features are of the unknown kind {other!r:.80}")
