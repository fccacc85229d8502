"""Hidden Markov models: labelled, unlabelled or mixed sentences of words, numbers, features or vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from seqlab import evaluation, inference
from seqlab.arrays import LabelIds, thread_count, whole_number
from seqlab.corpus import Corpus
from seqlab.errors import LabelError, OptionError, QuestionError
from seqlab.families.hmm import questions
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.counting import Counting, SuffixModel
from seqlab.families.hmm.em import BaumWelch, HardEM
from seqlab.families.hmm.emissions import Emission
from seqlab.families.hmm.emissions.base import Floats
from seqlab.families.hmm.engines import COUNTS, TABLES, CountsEngine, FitOptions, TablesEngine, engine_for
from seqlab.families.hmm.far import learn_from_disk
from seqlab.families.hmm.fit import OPTIONS, HiddenModel, HmmFit, check_options, upgraded
from seqlab.families.hmm.observations import find_column, read_observations, read_sequence, split_labels
from seqlab.families.hmm.questions import Selection, select_states
from seqlab.families.hmm.start import written_model
from seqlab.families.hmm.tables import Dirichlet, HiddenMarkov
from seqlab.families.hmm.training_set import TrainingSet
from seqlab.inference.streaming import Filtered
from seqlab.learning.history import History
from seqlab.learning.monitor import interrupted_later
from seqlab.learning.smoothing import Smoothing
from seqlab.tagging.decoding import Trellises, blocks, event_log_partition
from seqlab.tagging.door.constraints import Dictionary, Given, TagDictionary
from seqlab.tagging.door.limits import Folder, Size
from seqlab.tagging.model import from_fit
from seqlab.tagging.tagger import BLOCK, Sequences, Tagger, Targets, Tokens
from seqlab.tagging.training import Callbacks, Checkpoints
from seqlab.tagging.transitions import Transitions


class HMM(Tagger):
    """A hidden Markov model (eq:hmm-joint).

    n_states      number of states, n_components of hmmlearn; None if labels, states or tables determine it
    emissions     Categorical() for words and whole numbers, FeatureBag(), Gaussian(), GaussianMixture(), Poisson(), or
                  Streams(name=...) for several observations per token
    order         number of previous states that a transition depends on: 1, 2 or 3. None: 2 for labelled words that
                  are counted, else 1
    smoothing     pseudo-counts of the M step: "mle" for none, a number or AddLambda(value) for the same everywhere,
                  Dirichlet(start=, transitions=, emissions=) for each; labelled words also take "interpolated",
                  "witten-bell", "kneser-ney". None: Kneser-Ney for labelled words, else none
    learner       BaumWelch() (hmmlearn's n_iter, tol), HardEM(), or Counting(). None: labelled words are counted, with
                  hard EM where labels are missing; all else is Baum-Welch, or one M step where all is labelled
    init          start of EM: "random", "kmeans" (for vectors), "clusters" (of words with similar neighbours), tables
                  {"start", "transitions", "emissions"} or (pi, A, B), a fitted HMM, {word: labels} (preferred at the
                  start only; allowed= restricts), or labelled (X, y). None: the labels if there are any, else "kmeans"
                  for vectors and "random" for others
    unknown       symbols never seen in training: "error", "missing" (as if not observed), or for labelled words
                  "suffix" (by their endings; SuffixModel(...) has options). None: "suffix" for labelled words that are
                  counted, "missing" for other models trained with labels, else "error"
    end           True to model the end of sequences: each state ends one with a probability of its own
    constraints   a tag scheme, "auto" for that of the labels, a Constraints, or forbidden transitions (from, to)
    allowed       {word: labels}: the labels that a word may have, in training and after; words not listed may have any
    states        names of the states
    column        the column of a Corpus with the observations; None to find it
    seed, threads the result depends on the seed (random_state), not on the number of threads; None uses every core

    There are two kinds of training: tables, estimated by EM; and counts of labelled words, to which EM adds expected
    counts of words without labels. Labelled words are counted unless an option requires tables: states, init, a learner
    alone, and in order 1 smoothing "mle" or a number. fit rejects options that its kind of training does not use.

    labels_ (the states), model_ (HiddenMarkov: pi, A, end, emissions; CountedHMM for labelled words), history_,
    restarts_ (histories of all runs)
    """

    _no_meaning = dict.fromkeys(
        ("explain", "prune", "top_features", "top_transitions", "state_features_"),
        "it has probabilities and no weights; look at model_, or at posterior(tokens)",
    )

    _kind = "hmm"
    _fit_class = HmmFit
    fit_: Any = None  # an HmmFit, once there is one

    def __init__(
        self,
        n_states: int | None = None,
        emissions: Emission | None = None,
        *,
        order: int | None = None,
        smoothing: str | float | Smoothing | Dirichlet | None = None,
        learner: BaumWelch | HardEM | Counting | None = None,
        init: Any = None,
        unknown: str | SuffixModel | None = None,
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
        X: Sequences,
        y: Targets | None = None,
        *,
        lengths: Any = None,
        dev: Sequences | None = None,
        patience: int | None = None,
        sample_weight: Any = None,
        callbacks: Callbacks = None,
        progress: bool = False,
        checkpoint: Checkpoints = None,
        max_memory: Size = None,
        cache: Folder = None,
        client: Any = None,
    ) -> Self:
        """Learn from sequences, labelled or not.

        X, y            a Corpus and the name of its label column, or lists of sequences and lists of labels. In y, None
                        is a missing label, or a sentence without labels, a set is one of these; y=None: no labels
        lengths         of the sequences, if X (and y) are concatenations of them
        dev             sequences, or (X, y): the best model on it is kept, by likelihood, or by accuracy with labels
        patience        iterations without a better dev score before the end; sample_weight: a number for every sentence
        callbacks       functions of an Epoch; one that returns False ends training; progress: True to show a bar
        checkpoint      a directory, or a Checkpoint, that stores EM with its restarts: the same call continues it
        max_memory      bytes, or "2G": X may be larger than memory, as stream_corpus(...) is; cache: folder of its data
        client          a Dask cluster (Client or address) that shares the E steps; "threads" computes the same here

        Ctrl-C stops training: the best model so far is kept, and KeyboardInterrupt is raised; on SIGTERM SystemExit.
        """
        thread_count(self.threads)  # checks the number, also if nothing is drawn
        asked = FitOptions(dev, patience, callbacks, progress, checkpoint)
        with interrupted_later():
            if max_memory is None and cache is None and client is None:
                data = TrainingSet.read(self, X, y, lengths)
                self.fit_ = engine_for(self, data).fit(self, data, sample_weight, asked)
            else:
                given = (max_memory, cache, client, sample_weight, lengths)
                self.fit_ = learn_from_disk(self, X, y, asked, *given)
        return self

    def partial_fit(
        self, X: Sequences, y: Any = None, *, lengths: Any = None, sample_weight: Any = None
    ) -> Self:
        """Train on another batch by stepwise EM (eq:stepwise-em); without fit(), the first batch initialises the model.

        X, y, lengths and sample_weight as for fit. Counts of labelled words are added to those of earlier batches, and
        for words without labels the expected counts under the model so far.

        Expected counts are averaged over batches; later batches have less weight (option forgetting of the learner).
        New symbols are added. The history has the log-likelihood of every batch before the model was trained on it,
        which may rise and fall.
        """
        data = TrainingSet.read(self, X, y, lengths)
        before = None if self.fit_ is None else self.fit_.model
        self.fit_ = engine_for(self, data, before).partial_fit(self, data, sample_weight)
        return self

    def fit_batches(self, batches: Iterable[Any], *, epochs: int = 1) -> Self:
        """Learn from an iterable of batches, each of them X, or (X, y); only one is in memory at a time.

        epochs   how often to go through all of them: then `batches` must be something that can be gone through again
        """
        epochs = whole_number(epochs, "epochs", 1)
        if epochs > 1 and isinstance(batches, Iterator):
            raise OptionError(
                "an iterator can be gone through once; for several epochs pass a list, or what can begin again"
            )
        self.fit_ = None
        for _ in range(epochs):
            for batch in batches:
                self.partial_fit(*(batch if isinstance(batch, tuple) and len(batch) == 2 else (batch, None)))
        if self.fit_ is None:
            raise OptionError("there is no batch at all, so there is nothing to learn from")
        return self

    def select_states(
        self,
        X: Sequences,
        sizes: Iterable[int],
        *,
        criterion: str = "bic",
        lengths: Any = None,
        dev: Any = None,
    ) -> Selection:
        """Fit models of these sizes, and find the best by a criterion: "bic", "aic" or "dev"; X, lengths as for fit."""
        return select_states(self, X, sizes, criterion=criterion, lengths=lengths, dev=dev)

    @classmethod
    def from_tables(
        cls,
        pi: npt.ArrayLike,
        A: npt.ArrayLike,
        B: Any,
        *,
        states: Iterable[str] | None = None,
        symbols: Iterable[Any] | None = None,
        end: npt.ArrayLike | None = None,
        emissions: Emission | None = None,
        head: Any = None,
        **options: Any,
    ) -> Self:
        """Make a fitted model from given tables.

        pi        (L,) start probabilities
        A         (L, L) from state, to state; with `end`, rows of both together sum to 1. In order k, (L, ..., L) with
                  an axis for each of the k previous states, oldest first
        B         (L, V) P(symbol | state); for other emissions what init takes: {"means": ..., "covariances": ...}
        states    names of the states; symbols: the V words, or None for the numbers 0 .. V - 1
        end       (L,) the probability to end after each state
        head      in order 2 and 3: a list of transitions (L, L) and (L, L, L), for the first positions, which have
                  fewer previous states; None: the mean of A over the oldest state
        options   further options of HMM
        """
        hmm = cls(None, emissions, end=end is not None, **options)
        hmm._check_options()
        order = hmm.order
        model = written_model(pi, A, B, end, emissions, states, symbols, hmm.constraints, head, order)
        hmm.n_states, hmm.states = model.size, model.labels
        hmm.order = None if model.order == 1 and order is None else model.order
        dictionary = TagDictionary.of(hmm.allowed, model.labels, "word")
        hmm.fit_ = HmmFit.of(model, dictionary, History(reason="given"), str(hmm.unknown or "error"))
        return hmm

    _check_options = check_options

    _option_kinds = staticmethod(lambda: OPTIONS)
    _upgraded = staticmethod(upgraded)

    def _read_to_the_end(self, name: str) -> Any:
        return self.labels_ if name == "states" else super()._read_to_the_end(name)

    @property
    def _engine(self) -> TablesEngine | CountsEngine:
        return TABLES if isinstance(self.fit_.model, HiddenMarkov) else COUNTS

    def _tables(self, question: str) -> HiddenMarkov:
        self._check_fitted(question)
        return self._engine.tables(self.fit_, question)

    @property
    def model_(self) -> HiddenMarkov | Any:
        """The tables, or the counts of labelled words; assigning others changes every answer."""
        return self.fit_.model

    @model_.setter
    def model_(self, model: HiddenModel) -> None:
        self._check_fitted("model_")
        self.fit_ = self.fit_.with_model(model)

    @property
    def counts_(self) -> CountedHMM:
        """The model_ of labelled words, counted."""
        if not isinstance(self.model_, CountedHMM):
            raise QuestionError("counts_ has no meaning here: EM has found tables, which model_ has")
        return self.model_

    history_: History = from_fit("history", "The record of the training.")
    restarts_: tuple[History, ...] = from_fit("restarts", "The records of all runs.")
    observed_column_: str | None = from_fit(
        "observed_column",
        "The column of the observations; None for streams and for tables that were given.",
    )
    unknown_: str = from_fit("unknown", "How symbols that training has not seen are treated.")

    @property
    def n_parameters_(self) -> int:
        """Count the numbers that were free to choose."""
        return self._tables("n_parameters_").parameters

    def predict(
        self, X: Sequences, *, lengths: Any = None, states: str = "name", **options: Any
    ) -> list[list[Any]]:
        """Predict a list of states for every sequence of X; lengths as for fit; options: decode, beam, threads.

        states   "name", or "index" for their numbers, the indices into labels_ and model_
        """
        self._check_fitted("predict")
        found = super().predict(self._corpus(X, lengths), **options)
        return questions.named(found, self.classes_, states)

    def predict_proba(self, X: Sequences, *, lengths: Any = None, threads: int | None = None) -> list[Any]:
        """For every sequence of X an array (T, L): P(state) at each position; lengths as for fit; threads."""
        self._check_fitted("predict_proba")
        return super().predict_proba(self._corpus(X, lengths), threads=threads)

    def score(self, X: Sequences, y: Any = None, sample_weight: Any = None, *, lengths: Any = None) -> float:
        """Compute accuracy by token of X, tokens counted by sample_weight; without y the log-likelihood a token.

        Larger is better; lengths as for fit.
        """
        self._check_fitted("score")
        corpus = self._corpus(X, lengths)
        if y is None:
            if sample_weight is not None:
                raise QuestionError("sample_weight has no meaning here: without y, score is a log-likelihood")
            return float(self.log_likelihoods(corpus).sum()) / max(corpus.token_count, 1)
        return super().score(corpus, split_labels(y, corpus.offsets, lengths), sample_weight)

    def evaluate(self, test: Sequences, y: Targets | None = None, **options: Any) -> evaluation.Report:
        """Evaluate on labelled data; test, y and options as for every tagger (see Tagger.evaluate)."""
        self._check_fitted("evaluate")
        return super().evaluate(self._corpus(test), self._column_for(test) if y is None else y, **options)

    def sample(
        self,
        tokens: Tokens | None = None,
        n: int = 1,
        seed: int = 0,
        *,
        length: Any = None,
        states: str = "name",
        **options: Any,
    ) -> Any:
        """Draw n sequences from the model, or with tokens n labellings of them.

        Without tokens: sequences of observations and states; seed, length and states are those of generate.
        With tokens: labellings from the distribution over paths; options are known and allowed.
        """
        self._check_fitted("sample")
        if tokens is None:
            return self.generate(n, length, seed=seed, states=states)
        if isinstance(tokens, (int, np.integer)):
            raise LabelError(
                f"sample takes a sequence first, got {tokens!r}; write sample(n={tokens!r}, length=...)"
            )
        return super().sample(tokens, n, seed, **options)

    def log_likelihood(self, tokens: Tokens) -> float:
        """Compute log P(tokens), the sum over all paths of states; -inf for an impossible sequence.

        With an end, probabilities of all sequences sum to 1 (the empty one has probability 0, because the start chooses
        a state); without one, those of each length do. A word that was never seen counts as the one event "a new word"
        with unknown="suffix", and as not observed with "missing" and "none".
        """
        self._check_fitted("log_likelihood")
        trellis = self.trellis(tokens)
        return questions.log_partition(trellis) if trellis.T or not self._ends else -np.inf

    def log_likelihoods(self, X: Sequences, *, lengths: Any = None, threads: int | None = None) -> Floats:
        """(N,) log P of every sequence of X; lengths as for fit, threads as for predict."""
        self._check_fitted("log_likelihoods")
        corpus, count = self._corpus(X, lengths), thread_count(threads)
        made = (self._trellises(part, count) for _, part in blocks(corpus, BLOCK))
        found = np.concatenate([np.zeros(0), *(questions.log_partitions(one, count) for one in made)])
        return np.where(corpus.lengths == 0, -np.inf, found) if self._ends else found

    def log_joint(self, tokens: Tokens, labels: Iterable[Any]) -> float:
        """eq:hmm-joint   log P(tokens, labels); a label may be None (any) or a set (one of these)."""
        self._check_fitted("log_joint")
        trellis = self.trellis(tokens)
        found = event_log_partition(trellis, self._training.inside(labels))
        return found if trellis.T or not self._ends else -np.inf

    @property
    def _ends(self) -> bool:
        """True if the end is modelled, so that the empty sequence is impossible."""
        return self.model_.end is not None and self.model_.end is not False

    def aic(self, X: Sequences, *, lengths: Any = None) -> float:
        """eq:aic   -2 log P(X) + 2 · parameters: smaller is better; lengths as for fit."""
        return -2 * float(self.log_likelihoods(X, lengths=lengths).sum()) + 2 * self.n_parameters_

    def bic(self, X: Sequences, *, lengths: Any = None) -> float:
        """eq:bic   -2 log P(X) + parameters · log(tokens): smaller is better; lengths as for fit."""
        corpus = self._corpus(X, lengths)
        likelihood = float(self.log_likelihoods(corpus).sum())
        return -2 * likelihood + self.n_parameters_ * float(np.log(max(corpus.token_count, 1)))

    def stationary(self) -> Floats:
        """(L,) the long-run share of every state."""
        return self._tables("stationary").stationary()

    @property
    def transition_matrix(self) -> Transitions:
        """P(next state | state) with names, a row "<s>" for the start, and a column "</s>" if there is an end.

        In order k, rows are named by tuples of k states, ("<s>", "a") after the first one; the last L^k rows are those
        of whole histories.
        Probabilities are as learned or given, without constraints=: decoding never uses a forbidden transition.
        """
        return questions.transitions_of(self._tables("transition_matrix"))

    def top_symbols(self, state: str, n: int | None = 10) -> list[tuple[Any, float]]:
        """List the n symbols that a state most often emits, with their probabilities; None for all of them."""
        return questions.top_symbols(self._tables("top_symbols"), state, n)

    def filter(self, tokens: Tokens) -> Filtered:
        """Compute P(state at t | observations up to t) for every position of tokens."""
        self._check_fitted("filter")
        return inference.filter(self.trellis(tokens))

    def stream(self, *, lag: int = 0) -> questions.HMMStream:
        """Take observations as they come: push(x) gives the distribution over states, and decisions `lag` later."""
        self._check_fitted("stream")
        return questions.HMMStream(self, lag)

    def generate(
        self, n: int = 1, length: Any = None, *, seed: int = 0, states: str = "name"
    ) -> questions.Generated:
        """Draw n sequences of observations and states from the model; the same seed draws the same ones.

        length   of every sequence, or a list with one for each; None if the model has an end
        states   "name", or "index" for their numbers, the indices into labels_ and model_

        Vectors come as an array (T, D) for each sequence.
        """
        found = questions.generated(self._tables("generate"), n, length, seed)
        return replace(found, states=questions.named(found.states, list(self.labels_), states, self.classes_))

    def _corpus(self, X: Any, lengths: Any = None) -> Corpus:
        return read_observations(X, self._check_options(), lengths)

    def _corpus_of_one(self, tokens: Any) -> Corpus:
        return read_sequence(tokens, self._check_options())

    def _column_in(self, corpus: Corpus) -> str | None:
        """Return the column of the observations: that of training, or one that fits."""
        column: str | None = self.fit_.observed_column
        known = column in corpus.columns or not corpus.token_count
        return column if known else find_column(corpus, self._check_options(), self.column)

    def _label_ids(self, corpus: Corpus, threads: int) -> LabelIds:
        if self._engine is TABLES or not corpus.token_count:
            return super()._label_ids(corpus, threads)
        return COUNTS.label_ids(self.fit_, corpus, self._column_in(corpus), threads)

    def _trellises(self, corpus: Corpus, threads: int) -> Trellises:
        return self._engine.trellises(self.fit_, corpus, self._column_in(corpus), threads)
