"""Hidden Markov models: labelled, unlabelled or mixed sentences of words, numbers, features or vectors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.arrays import whole_number
from seqlab.corpus import Corpus
from seqlab.errors import CorpusError, LabelError, OptionError, QuestionError
from seqlab.families.hmm.batches import HMMBatches
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.counted_engine import UNKNOWNS, counted_ids, counted_trellises, wants_counting
from seqlab.families.hmm.counting import Counting
from seqlab.families.hmm.em import BaumWelch, HardEM
from seqlab.families.hmm.emissions import Categorical, Emission
from seqlab.families.hmm.expectation import Evidence
from seqlab.families.hmm.fitting import HMMFitting
from seqlab.families.hmm.given import GivenTables, words_of
from seqlab.families.hmm.observations import find_column, read_observations
from seqlab.families.hmm.questions import HMMQuestions
from seqlab.families.hmm.selection import Selection, select_states
from seqlab.families.hmm.start import (
    Ground,
)
from seqlab.families.hmm.stored import StoredHMM
from seqlab.families.hmm.suffixes import SuffixModel
from seqlab.families.hmm.tables import Dirichlet, HiddenMarkov
from seqlab.families.hmm.training import (
    Bools,
    Data,
    DevJudge,
    allowed_labels,
    check_enough,
    sentence_weights,
)
from seqlab.learning.history import History
from seqlab.learning.monitor import checked_callbacks, checked_patience
from seqlab.tagging.decoding import Trellises
from seqlab.tagging.door.constraints import Given, Rules
from seqlab.tagging.door.dictionary import Dictionary, TagDictionary
from seqlab.tagging.tagger import Tagger
from seqlab.threads import thread_count

if TYPE_CHECKING:
    from typing_extensions import Self


class HMM(GivenTables, HMMFitting, HMMBatches, HMMQuestions, StoredHMM, Tagger):
    """A hidden Markov model (eq:hmm-joint).

    n_states      how many states; None when labels, states or tables say it
    emissions     Categorical() for words and whole numbers, FeatureBag(), Gaussian(), GaussianMixture(), Poisson(), or
                  Streams(name=...) for several at one time
    order         how many states back a move looks: 1; up to 3 for labelled words. None: 2 for those, else 1
    smoothing     pseudo-counts of the M step: "mle" for none, a number or AddLambda(value) for the same everywhere,
                  Dirichlet(start=, transitions=, emissions=) for each; labelled words also take "interpolated",
                  "witten-bell", "kneser-ney". None: Kneser-Ney for labelled words, else none
    learner       BaumWelch(), HardEM(), or Counting(); None: counting where every token has a label, else BaumWelch()
    init          where EM begins: "random", "kmeans" (vectors), tables {"start", "transitions", "emissions"}, or
                  (pi, A, B), a fitted HMM, {word: labels} (a start that EM may leave; allowed= holds), or (X, y) with
                  labels; None: labels if there are any, else k-means or chance
    unknown       symbols never seen in training: "error", "missing" (as if not observed), or for labelled words
                  "suffix" (judged by their endings; SuffixModel(...) has options). None: "suffix" for labelled words
                  that are counted, "missing" for a model that saw labels, else "error"
    end           whether a state may also end the sequence, with a probability of its own
    constraints   a tag scheme, a Constraints, or forbidden moves (from, to)
    allowed       {word: labels}: what a word may be, in training and after; one that is not listed may be anything
    states        names of the states
    column        of a Corpus, that the observations stand in; None finds it
    seed, threads same seed, same bits, any number of threads; None uses every core

    labels_ (the states), model_ (HiddenMarkov: pi, A, end, emissions; CountedHMM for labelled words), history_,
    restarts_ (histories of all runs)
    """

    _no_meaning = dict.fromkeys(
        ("explain", "prune", "top_features", "top_transitions", "state_features_"),
        "it has probabilities and no weights; look at model_, or at posterior(tokens)",
    )

    model_: HiddenMarkov
    history_: History
    restarts_: tuple[History, ...]
    dictionary_: TagDictionary | None
    observed_column_: str | None
    unknown_: str

    def __init__(
        self,
        n_states: int | None = None,
        emissions: Emission | None = None,
        *,
        order: int | None = None,
        smoothing: Any = None,
        learner: Any = None,
        init: Any = None,
        unknown: Any = None,
        end: bool = False,
        constraints: Given = None,
        allowed: Dictionary | None = None,
        states: Iterable[str] | None = None,
        column: str | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.n_states = n_states
        self.emissions = emissions
        self.order = order
        self.smoothing = smoothing
        self.learner = learner
        self.init = init
        self.unknown = unknown
        self.end = end
        self.constraints = constraints
        self.allowed = allowed
        self.states = states
        self.column = column
        self.seed = seed
        self.threads = threads

    # ------------------------------------------------------------------------------------------ learning

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        lengths: Any = None,
        dev: Any = None,
        patience: int | None = None,
        sample_weight: Any = None,
        callbacks: Any = None,
        progress: bool = False,
    ) -> Self:
        """Learn from sequences, labelled or not.

        X, y            a Corpus and the name of its column of labels, or lists of sequences and lists of labels. Of y,
                        a whole sentence or a label may be None, a label may be a set; without y nothing is labelled
        lengths         of the sequences, when X (and y) hold all of them one after another
        dev             sequences, or (X, y): the model that does best on it is kept, by likelihood or by accuracy
        patience        iterations without a better dev score before training ends
        sample_weight   a number for every sentence
        callbacks       functions of an Epoch; one that returns False ends training
        progress        whether to show a bar

        Ctrl-C or SIGTERM ends training with the best model so far.
        """
        emissions = self._check_options()
        threads = thread_count(self.threads)
        data = self._data(X, y, lengths, emissions)
        labels, init = self._labels(data)
        check_enough(data.corpus, len(labels))
        rules = Rules.of(self.constraints, labels)
        dictionary = TagDictionary.of(self.allowed, labels, data.column)
        gold = None if data.gold is None else data.gold.numbered(labels)
        data = Data(data.corpus, gold, data.column)
        if wants_counting(self, data, emissions):
            return self._count_words(data, labels, rules, dictionary, sample_weight)
        if self.order not in (None, 1):
            raise OptionError(
                f"order={self.order} is for words that all have labels; hidden states have order 1"
            )
        observed, domain = emissions.first(data.corpus, data.column)
        learner = self._learner(data)
        unlabelled = 1.0 if learner is None else float(learner.unlabelled_weight)
        evidence = Evidence(
            observed,
            data.corpus.offsets,
            sentence_weights(data, sample_weight, unlabelled),
            allowed_labels(gold, dictionary, data.corpus, len(labels)),
        )
        ground = Ground(emissions, domain, evidence, labels, rules, bool(self.end))
        prior = Dirichlet.of(self.smoothing)
        if learner is None:
            model, history, histories = self._counted(ground, prior, threads)
        else:
            judge = None if dev is None else DevJudge(dev, data, emissions, threads).obeying(dictionary)
            options = (judge, checked_patience(patience), checked_callbacks(callbacks), progress)
            if judge is None and patience is not None:
                raise OptionError("patience looks at a development set; pass one as dev=")
            model, history, histories = self._em(ground, data, init, learner, prior, threads, options)
        self._keep(model, data, dictionary, history, histories)
        self.__dict__.pop("_running", None)
        return self

    def select_states(
        self, X: Any, sizes: Iterable[int], *, criterion: str = "bic", lengths: Any = None, dev: Any = None
    ) -> Selection:
        """Models with so many states each, and the best by "bic", "aic" or "dev"; this one stays as it is."""
        return select_states(self, X, sizes, criterion=criterion, lengths=lengths, dev=dev)

    def _keep(
        self,
        model: Any,
        data: Data,
        dictionary: TagDictionary | None,
        history: History,
        histories: Any,
        rules: Rules | None = None,
    ) -> None:
        counted = isinstance(model, CountedHMM)
        self.model_, self.history_, self.restarts_ = model, history, tuple(histories)
        self.rules_ = model.rules if rules is None else rules
        self.dictionary_, self.observed_column_ = dictionary, data.column
        self.unknown_ = "suffix" if counted else self.unknown or ("error" if data.gold is None else "missing")
        self.vocabulary_ = words_of(model)
        self.columns_ = tuple(c for c in data.corpus.columns if data.gold is None or c != data.gold.column)
        self.column_ = None if data.gold is None else data.gold.column
        self.labels_ = model.labels

    # ------------------------------------------------------------------------------------------ options

    def _check_options(self) -> Emission:
        emissions = Categorical() if self.emissions is None else self.emissions
        if isinstance(emissions, type) or not isinstance(emissions, Emission):
            raise OptionError(f"emissions must be Categorical(), Gaussian(), ..., got {emissions!r:.60}")
        if self.n_states is not None:
            whole_number(self.n_states, "n_states", 1)
        if (
            self.unknown is not None
            and not isinstance(self.unknown, SuffixModel)
            and self.unknown not in UNKNOWNS
        ):
            raise OptionError(
                f"unknown must be 'error', 'missing', 'suffix', 'none', a SuffixModel or None, got {self.unknown!r:.60}"
            )
        if self.order not in (None, 1, 2, 3) or isinstance(self.order, bool):
            raise OptionError(f"order must be 1, 2 or 3, got {self.order!r}")
        if self.learner is not None and not isinstance(self.learner, (BaumWelch, HardEM, Counting)):
            raise OptionError(
                f"learner must be BaumWelch(...), HardEM(...) or Counting(...), got {self.learner!r:.60}"
            )
        if not isinstance(self.end, (bool, np.bool_)):
            raise OptionError(f"end must be True or False, got {self.end!r}")
        whole_number(self.seed, "seed", 0)
        return emissions

    # ------------------------------------------------------------------------------------------ answers

    def _corpus(self, X: Any, lengths: Any = None) -> Corpus:
        return read_observations(X, self._check_options(), lengths)

    def _corpus_of_one(self, tokens: Any) -> Corpus:
        if isinstance(tokens, Corpus):
            raise CorpusError(
                f"one sequence is wanted, got a corpus of {len(tokens)}; predict(corpus) takes all of them"
            )
        if isinstance(tokens, (str, bytes)) or not (
            isinstance(tokens, Iterable) or hasattr(tokens, "__array__")
        ):
            raise CorpusError(f"one sequence is a list of observations, got {tokens!r:.60}")
        return self._corpus([tokens])

    def _observed(self, corpus: Corpus) -> Any:
        column = self.observed_column_
        if column is None or column not in corpus.columns:
            column = find_column(corpus, self._check_options(), self.column) if corpus.token_count else None
        if not corpus.token_count:
            return None
        return self.model_.emissions.observe(corpus, column, unknown=self.unknown_)

    def _mask(self, corpus: Corpus) -> Bools | None:
        return None if self.dictionary_ is None or not corpus.token_count else self.dictionary_.mask(corpus)

    def _label_ids(self, corpus: Corpus, threads: int) -> Any:
        if not isinstance(self.model_, CountedHMM) or self.rules_ or not corpus.token_count:
            return super()._label_ids(corpus, threads)
        return counted_ids(self.model_, corpus, self._word_column(corpus), self.dictionary_, threads)

    def _word_column(self, corpus: Corpus) -> str:
        column = self.observed_column_
        if column is None or column not in corpus.columns:
            column = find_column(corpus, self._check_options(), self.column)
        assert column is not None  # noqa: S101  (only streams have none)
        return column

    def _trellises(self, corpus: Corpus, threads: int) -> Trellises:
        if isinstance(self.model_, CountedHMM):
            column = self._word_column(corpus)
            return counted_trellises(self.model_, corpus, column, self.rules_, self.dictionary_, threads)
        if not corpus.token_count:
            return self.model_.batch_of_nothing(len(corpus))
        return self.model_.batch(self._observed(corpus), corpus.offsets, self._mask(corpus))

    def predict(self, X: Any, *, lengths: Any = None, **options: Any) -> list[list[str]]:
        """A list of states for every sequence; options as for every tagger (decode, beam, threads)."""
        self._check_fitted("predict")
        return super().predict(self._corpus(X, lengths), **options)

    def predict_proba(self, X: Any, *, lengths: Any = None, threads: int | None = None) -> list[Any]:
        """For every sequence an array (T, L): the probability of each state at each position."""
        self._check_fitted("predict_proba")
        return super().predict_proba(self._corpus(X, lengths), threads=threads)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, *, lengths: Any = None) -> float:
        """Accuracy by token; without y the log-likelihood a token. Larger is better, as scikit-learn wants it."""
        self._check_fitted("score")
        corpus = self._corpus(X, lengths)
        if y is None:
            if sample_weight is not None:
                raise QuestionError("sample_weight has no meaning here: without y, score is a log-likelihood")
            return float(self.log_likelihoods(corpus).sum()) / max(corpus.token_count, 1)
        from seqlab.families.hmm.observations import split_labels

        return super().score(corpus, split_labels(y, corpus.offsets, lengths), sample_weight)

    def evaluate(self, test: Any, y: Any = None, **options: Any) -> Any:
        """How good it is on labelled data, as for every tagger."""
        self._check_fitted("evaluate")
        corpus = test if isinstance(test, Corpus) else self._corpus(test)
        return super().evaluate(corpus, self._column_for(test) if y is None else y, **options)

    def sample(
        self, tokens: Any = None, n: int = 1, seed: int = 0, *, length: Any = None, **options: Any
    ) -> Any:
        """Without tokens: n sequences of observations and states, drawn from the model (see generate).

        With tokens: n labellings of them, drawn from the distribution over paths.
        """
        self._check_fitted("sample")
        if tokens is None:
            return self.generate(n, length, seed=seed)
        if isinstance(tokens, (int, np.integer)):
            raise LabelError(
                f"sample takes a sequence first, got {tokens!r}; write sample(n={tokens!r}, length=...)"
            )
        return super().sample(tokens, n, seed, **options)
