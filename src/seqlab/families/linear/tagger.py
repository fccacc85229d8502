"""The linear-chain model with any learner; with a likelihood learner it is a conditional random field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np

from seqlab import _core
from seqlab.arrays import LabelIds, whole_number
from seqlab.corpus import Corpus
from seqlab.encode import EncodedCorpus, Encoder
from seqlab.encode.encoder import Features, as_features
from seqlab.errors import OptionError
from seqlab.families.linear import explain as why
from seqlab.families.linear import learners
from seqlab.families.linear.fit import LinearFit, PruneReport
from seqlab.families.linear.learners import LBFGS
from seqlab.families.linear.model import LinearModel
from seqlab.inference import NBest, nbest
from seqlab.learning.history import History
from seqlab.learning.monitor import Learner, interrupted_later
from seqlab.store.values import OptionKind
from seqlab.tagging.decoding import Trellises, unnormalised
from seqlab.tagging.door.constraints import Dictionary, Given
from seqlab.tagging.door.limits import Folder, Size
from seqlab.tagging.door.sentences import read_sentences
from seqlab.tagging.model import COMMON, FEATURES, from_fit, upgraded_options
from seqlab.tagging.tagger import BLOCK, Known, Sentences, Tagger, Targets, Tokens
from seqlab.tagging.training import Callbacks, Checkpoints, Dev, FitOptions, Metric
from seqlab.trellis import Trellis
from seqlab.trellis.constraints import PerPosition
from seqlab.trellis.labels import Label


class LinearTagger(Tagger):
    """A linear-chain model: weights of features with labels, of transitions between labels, and of both together.

    features      a preset's name ("pos", "chunk", "ner", ...), a Template, a function (sentence, t), or None when the
                  tokens of X are ready-made attributes (dicts, or lists of strings)
    learner       LBFGS(), ConjugateGradient(), GradientAscent(), SGD() make it a conditional random field;
                  Perceptron(), PassiveAggressive(), AROW(), StructuredSVM() learn from mistakes
    constraints   a tag scheme such as "IOB2", "auto" for that of the labels, a Constraints, or forbidden
                  transitions (from, to), which are never learned or predicted
    order         1, 2 or 3: number of previous labels that a label depends on
    keep          for order 2 and 3: labels with a smaller posterior under a model of order 1 are pruned, which makes
                  training and tagging fast; 0 keeps all
    allowed       {word: labels}: the labels that a word may have, in training and after; words not listed may have any
    states        "observed": weights for attributes with the labels seen with them; "all": with every label
    transitions   "observed": weights for transitions seen in training; "all": for every one
    min_count     attributes seen less often in training are dropped
    class_weight  {label: weight} or "balanced"
    seed, threads the result depends on the seed, not on the number of threads; None uses every core

    labels_, model_ (LinearModel), encoder_, history_ (History), pruned_ (PruneReport, after prune)
    """

    _kind = "linear tagger"
    _local = False  # True for local models, where every token's label is a choice of its own
    _losses: ClassVar[tuple[Any, Any]] = (_core.Likelihood32, _core.Likelihood64)
    _layered = True  # weights of tokens become layers of partial labels (eq:token-weights)

    # CRFsuite's way to choose weights: a pair of an attribute and a label has none when its values sum to less, and
    # one when it was seen with the value 0 alone.
    _min_sum = -np.inf
    _zeros = False
    _label_order: tuple[str, ...] = ()  # all labels, in the order in which they get numbers; () sorts them

    _fit_class = LinearFit
    fit_: LinearFit

    def __init__(
        self,
        features: Features = None,
        learner: Learner = LBFGS(),  # noqa: B008  (frozen)
        *,
        constraints: Given = None,
        order: int = 1,
        keep: float = 1e-3,
        allowed: Dictionary | None = None,
        states: str = "observed",
        transitions: str = "observed",
        min_count: int = 1,
        class_weight: Mapping[str, float] | str | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.features = features
        self.learner = learner
        self.constraints = constraints
        self.order = order
        self.keep = keep
        self.allowed = allowed
        self.states = states
        self.transitions = transitions
        self.min_count = min_count
        self.class_weight = class_weight
        self.seed = seed
        self.threads = threads

    # ------------------------------------------------------------------------------------------ learning

    def fit(
        self,
        X: Sentences,
        y: Targets,
        *,
        dev: Dev = None,
        metric: Metric = None,
        patience: int | None = None,
        sample_weight: Iterable[Any] | None = None,
        start: LinearTagger | None = None,
        callbacks: Callbacks = None,
        progress: bool = False,
        checkpoint: Checkpoints = None,
        max_memory: Size = None,
        cache: Folder = None,
        client: Any = None,
    ) -> Self:
        """Learn from labelled sentences.

        X, y            a Corpus and the name of its column of labels, or lists of sentences and lists of labels;
                        a label may be None (not known) or a set (one of these)
        dev             a Corpus, or (X, y): the weights that score best on it are kept
        metric          the score: "accuracy", "span_f1", any figure of Report, or a function (gold labels, predicted
                        labels) -> number, larger is better; None for span_f1 where labels are tags, else accuracy
        patience        epochs without a better score on dev before training ends; None for no limit
        sample_weight   a number per sentence, or a list of numbers per sentence
        start           a trained tagger to continue from: its features and labels are kept, new ones are added
        callbacks       functions of an Epoch; one that returns False ends training; progress: True to show a bar
        checkpoint      a directory, or a Checkpoint, that stores the training: the same call continues after a kill
        max_memory      bytes, or "2G": X may be larger than memory, as stream_corpus(...) is; cache: folder of its data
        client          a Dask cluster (Client or address) that shares the work; "threads" computes the same here

        Ctrl-C stops training: the best weights so far are kept, and KeyboardInterrupt is raised; on SIGTERM SystemExit.
        """
        from seqlab.families.linear.far import learn_from_disk
        from seqlab.families.linear.training import learn

        options = FitOptions(dev, metric, patience, callbacks, progress, checkpoint)
        before = None if start is None else self._checked_start(start)
        with interrupted_later():
            if max_memory is None and cache is None and client is None:
                self.fit_ = learn(self, X, y, sample_weight, options, before)
            else:
                given = (max_memory, cache, client, sample_weight, before)
                self.fit_ = learn_from_disk(self, X, y, options, *given)
        return self

    def partial_fit(
        self,
        X: Sentences,
        y: Targets,
        *,
        dev: Dev = None,
        metric: Metric = None,
        patience: int | None = None,
        sample_weight: Iterable[Any] | None = None,
        callbacks: Callbacks = None,
        progress: bool = False,
        classes: Iterable[str] | None = None,
    ) -> Self:
        """Continue training on further sentences, which may have new features and new labels.

        The penalty pulls weights towards their old values instead of 0, so that earlier training is not lost. Online
        learners continue from the old weights; the penalty of SGD is multiplied by the share of new sentences among
        all.
        classes   labels that may come in later batches, as in scikit-learn; they are added now

        X, y, dev, metric, patience, sample_weight, callbacks and progress are those of fit.
        """
        from seqlab.families.linear.training import learn

        options = FitOptions(dev, metric, patience, callbacks, progress)
        continued = self._fitted()
        with interrupted_later():
            self.fit_ = learn(
                self, X, y, sample_weight, options, self.fit_, classes=classes, continued=continued
            )
        return self

    def prune(
        self,
        *,
        threshold: float | None = None,
        keep: float | None = None,
        storage: str = "float64",
        dev: Dev = None,
        metric: Metric = None,
    ) -> Self:
        """Make a smaller tagger, without small weights and with a smaller file; this one does not change.

        threshold   weights of attributes with |w| at most this are dropped; the default 0 changes no answer
        keep        instead: number of weights to keep, the largest ones; an int, or a float for a share up to 1.0
        storage     "float64", "float32", "float16" or "int8": number type of weights in the file. They are rounded at
                    once, so that the tagger gives the same answers before and after save()
        dev         a Corpus, or (X, y), on which both taggers are scored
        metric      as for fit

        `print(tagger.pruned_)` shows the bytes saved, and the loss of accuracy. Attributes without a weight are
        dropped; all transition weights are kept.
        """
        from seqlab.families.linear.prune import prune

        self._check_fitted("prune")
        return prune(self, threshold=threshold, keep=keep, storage=storage, dev=dev, metric=metric)

    def with_weights(
        self,
        features: Mapping[tuple[str, str], float] | None = None,
        transitions: Mapping[tuple[str, str], float] | None = None,
    ) -> Self:
        """Make a tagger with some weights changed, which changes all its answers; this one does not change.

        features      {(attribute, label): weight}, as state_features_ has them
        transitions   {(from, to): weight}, as transition_features_ has them

        A pair without a weight gets one; an unknown attribute or label is an error.
        """
        self._check_fitted("with_weights")
        made = copy(self)
        made.fit_ = why.edited(self.fit_, features or {}, transitions or {})
        return made

    # ------------------------------------------------------------------------------------------ what it has learned

    @property
    def model_(self) -> LinearModel:
        """The weights; assigning another LinearModel changes every answer."""
        self._check_fitted("model_")
        return self.fit_.model()

    @model_.setter
    def model_(self, model: LinearModel) -> None:
        self._check_fitted("model_")
        self.fit_ = self.fit_.with_model(model)

    encoder_: Encoder = from_fit("encoder", "The encoder that turns sentences into attributes.")
    history_: History = from_fit("history", "The record of the training.")
    pruned_: PruneReport | Any = from_fit(
        "pruned", "The report of prune(); None for a tagger that is as training left it."
    )

    @property
    def sentences_(self) -> int:
        """Number of sentences it has learned from; absent where a file of an earlier version does not say."""
        self._check_fitted("sentences_")
        if self.fit_.sentences is None:
            raise AttributeError("sentences_: the file of this tagger does not say how many there were")
        return self.fit_.sentences

    def _batch_for_dev(
        self, model: LinearModel, encoded: EncodedCorpus, allowed: Any, threads: int, dtype: Any = np.float32
    ) -> Trellises:
        return model.trellises(encoded, allowed=allowed, dtype=dtype, threads=threads)

    @property
    def _block(self) -> int:
        return self._tokens_at_once(self.model_)

    def _tokens_at_once(self, model: LinearModel) -> int:
        return model.tokens_at_once(BLOCK, local=self._local)

    def trellis(
        self, tokens: Tokens, *, known: Known | None = None, allowed: PerPosition | None = None
    ) -> Trellis:
        """Compute the scores of one sentence, -inf for forbidden labels; tokens, known, allowed as for tag.

        Known labels also guide the pruning of a model of order 2 or 3.
        """
        self._check_fitted("trellis")
        if self.model_.coarse is None or (known is None and allowed is None):
            return super().trellis(tokens, known=known, allowed=allowed)
        from seqlab.families.linear.higher_order import narrowed

        return self._unlikely(tokens, narrowed, known, allowed)

    def nbest(
        self, tokens: Tokens, n: int = 5, *, known: Known | None = None, allowed: PerPosition | None = None
    ) -> NBest:
        """Find the n best labellings, best first, with log-probabilities if any; tokens, known, allowed as for tag.

        If a model of order 2 or 3 has pruned so many labels that fewer than n labellings are left, all labels are used,
        unless the first labelling would then differ from that of tag().
        """
        found = super().nbest(tokens, n, known=known, allowed=allowed)
        if self.model_.coarse is None or len(found) >= n:
            return found
        from seqlab.families.linear.higher_order import widened

        whole = self._unlikely(tokens, widened, known, allowed)
        wide = nbest(whole, n) if self._probabilistic else unnormalised(whole, n)
        return wide if wide[0].labels == found[0].labels else found  # the first must be the result of tag()

    def _unlikely(
        self, tokens: Any, trellis_of: Any, known: Known | None, allowed: PerPosition | None
    ) -> Trellis:
        """Make the trellis of one sentence with the unlikely labels that a model of higher order prunes."""
        corpus = self._corpus_of_one(tokens)
        encoded = self.encoder_.encode(corpus, threads=1).checked()
        words = None if self.dictionary_ is None else self.dictionary_.allowed(corpus)
        made: Trellis = trellis_of(self.model_, encoded, words, known, allowed)
        return made

    def _looked_at(self, X: Any) -> Corpus:
        if self._reads_words:
            return self._corpus(X)
        return read_sentences(X, words=False, columns=self.columns_, known=self.fit_.decoder.known)

    def _trellises(self, corpus: Corpus, threads: int) -> Trellises:
        encoded = self.encoder_.encode(corpus, threads=threads).checked()
        allowed = None if self.dictionary_ is None else self.dictionary_.allowed(corpus)
        return self._batch_for_dev(self.model_, encoded, allowed, threads, np.float64)

    def _label_ids(self, corpus: Corpus, threads: int) -> LabelIds:
        if self.dictionary_ is not None:
            return super()._label_ids(corpus, threads)
        return self.fit_.decoder.label_ids(corpus, threads)

    @property
    def _probabilistic(self) -> bool:
        return bool(getattr(self.learner, "likelihood", False))

    @property
    def _why_no_probability(self) -> str:
        return f"{type(self.learner).__name__} learns scores, not probabilities; train with LBFGS() for those"

    def explain(
        self,
        tokens: Tokens,
        t: int,
        *,
        label: Label | None = None,
        rival: Label | None = None,
        known: Known | None = None,
        allowed: PerPosition | None = None,
    ) -> why.Explanation:
        """Explain why token t has its label and not another, by contributions of features and transitions that add up.

        tokens    of the sentence; t counts from 0
        label     the label to explain; by default that of tag()
        rival     the label to compare it with; by default the second best
        known, allowed   as for tag

        A model of order 2 or 3 prunes unlikely labels (`keep`). If the rival was pruned, the scores of all labels are
        used. In order 3, as for scores that are not probabilities, the best path with the label is compared with the
        best path with the rival: log_odds is None, and the contributions add up to margin.
        """
        self._check_fitted("explain")
        return why.explained(self, tokens, t, label, rival, known, allowed)

    def top_features(
        self, n: int = 20, *, label: str | None = None, sign: int = 0, search: str = ""
    ) -> tuple[why.FeatureWeight, ...]:
        """Find the n attribute-label pairs with the largest weights.

        label, search   only pairs with this label; only attributes with this in their names, in any case
        sign            1 for weights above 0 alone, -1 for those below, 0 for both
        """
        self._check_fitted("top_features")
        return why.top_features(self.model_, self.encoder_, n, label=label, sign=sign, search=search)

    def top_transitions(self, n: int = 20, *, sign: int = 0) -> tuple[why.TransitionWeight, ...]:
        """Find the n moves between labels with the largest weights, also those that see the token; sign as above."""
        self._check_fitted("top_transitions")
        return why.top_transitions(self.model_, n, encoder=self.encoder_, sign=sign)

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """{(attribute, label): weight}, as sklearn-crfsuite has it."""
        self._check_fitted("state_features_")
        return why.state_features(self.model_, self.encoder_)

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """{(from, to): weight}, as sklearn-crfsuite has it."""
        self._check_fitted("transition_features_")
        return why.transition_features(self.model_)

    @classmethod
    def _option_kinds(cls) -> Mapping[str, OptionKind]:
        return {**COMMON, **{name: OptionKind(getattr(learners, name)) for name in learners.__all__}}

    _upgraded = staticmethod(upgraded_options)
    _apart = FEATURES

    def _checked_start(self, start: Any) -> LinearFit:
        """Check a tagger to start from, and return its fitted value."""
        if not hasattr(start, "with_weights"):
            raise OptionError(f"start must be a trained LinearTagger or CRF, got {start!r:.60}")
        start._check_fitted("start")
        if as_features(self.features) != start.encoder_.features:
            raise OptionError(
                f"start was trained with features={start.features!r:.60}, which its weights belong to; this tagger has "
                f"features={self.features!r:.60}"
            )
        found: LinearFit = start.fit_
        return found

    def _check_options(self) -> None:
        learner = self.learner
        name = getattr(learner, "__name__", type(learner).__name__)
        if isinstance(learner, type):
            raise OptionError(f"learner must be an object, got the class {name}; write {name}()")
        if getattr(learner, "hidden", False):
            raise OptionError(f"{name} trains hidden Markov models; write HMM(learner={name}())")
        if not hasattr(learner, "train"):
            raise OptionError(f"learner must be LBFGS(), Perceptron(), or another learner, got {learner!r}")
        whole_number(self.seed, "seed", 0)
        if self.order not in (1, 2, 3) or isinstance(self.order, bool):
            raise OptionError(f"order must be 1, 2 or 3, got {self.order!r}")
        for option in ("states", "transitions"):
            if getattr(self, option) not in ("observed", "all"):
                raise OptionError(f"{option} must be 'observed' or 'all', got {getattr(self, option)!r}")
        number = isinstance(self.keep, (int, float, np.number)) and not isinstance(self.keep, bool)
        if not number or not 0 <= self.keep < 1:
            raise OptionError(f"keep must be a probability from 0 up to below 1, got {self.keep!r}")


class CRF(LinearTagger):
    """A linear-chain conditional random field: LinearTagger with a learner that maximises the likelihood.

    P(y | x) = exp(score(x, y)) / Z(x)   (eq:crf-likelihood)

    features      a preset's name ("pos", "chunk", "ner", ...), a Template, a function (sentence, t), or None when the
                  tokens of X are ready-made attributes (dicts, or lists of strings), as for sklearn-crfsuite
    learner       LBFGS(l2=..., l1=...), c2 and c1 of CRFsuite; or SGD(), ConjugateGradient(), GradientAscent()
    constraints   a tag scheme such as "IOB2", "auto" for that of the labels, a Constraints, or forbidden
                  transitions (from, to), which are never learned or predicted
    order         1, 2 or 3: number of previous labels that a label depends on; keep: prunes labels, see LinearTagger
    allowed       {word: labels}: the labels that a word may have, in training and after; words not listed may have any
    states        "observed", or "all" for every attribute with every label: feature.possible_states of CRFsuite
    transitions   "observed", or "all" for every transition: feature.possible_transitions, all_possible_transitions
    min_count     attributes seen less often in training are dropped: feature.minfreq of CRFsuite, -f of CRF++
    class_weight  {label: weight} or "balanced", as in scikit-learn
    seed, threads the result depends on the seed (random_state), not on the number of threads (n_jobs); None: every core
    """

    _kind = "crf"

    def _check_options(self) -> None:
        super()._check_options()
        if not self._probabilistic:
            name = type(self.learner).__name__
            raise OptionError(
                f"a CRF maximises a likelihood, but {name} learns from mistakes; "
                f"write LinearTagger(learner={name}(...)), or use LBFGS() or SGD()"
            )
