"""The linear-chain model with any learner; with a likelihood learner it is a conditional random field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab import _core
from seqlab.arrays import LabelIds, whole_number
from seqlab.errors import OptionError
from seqlab.families.linear.inspect import Inspected
from seqlab.families.linear.learners.batch import LBFGS
from seqlab.families.linear.stored import StoredLinear
from seqlab.tagging.decoding import Trellises
from seqlab.tagging.door.sentences import read_sentences
from seqlab.tagging.tagger import Known, Tagger

if TYPE_CHECKING:  # who tags a sentence with a model from a file needs none of these
    from typing_extensions import Self

    from seqlab.corpus import Corpus
    from seqlab.encode import EncodedCorpus, Encoder
    from seqlab.encode.given import Features
    from seqlab.families.linear.model import LinearModel
    from seqlab.inference import NBest
    from seqlab.learning.history import History
    from seqlab.tagging.door.constraints import Given
    from seqlab.tagging.door.dictionary import Dictionary, TagDictionary
    from seqlab.trellis import Trellis
    from seqlab.trellis.constraints import PerPosition

CHOICES = ("observed", "all")


class LinearTagger(StoredLinear, Inspected, Tagger):
    """A linear-chain model: weights of features with labels, of moves between labels, and of both together.

    features      a preset's name ("pos", "chunk", "ner", ...), a Template, a function (sentence, t), or None when the
                  tokens of X are ready-made attributes (dicts, or lists of strings)
    learner       LBFGS(), ConjugateGradient(), GradientAscent(), SGD() make it a conditional random field;
                  Perceptron(), PassiveAggressive(), AROW(), StructuredSVM() learn from mistakes
    constraints   a tag scheme such as "IOB2", a Constraints, or forbidden moves (from, to): never learned, never said
    order         1 or 2: how many labels back a move looks
    keep          for order 2: labels with a smaller posterior under a model of order 1 are left out, which keeps it
                  fast; 0 keeps all
    allowed       {word: labels}: what a word may be, in training and after; one that is not listed may be anything
    states        "observed": weights for attributes with the labels they were met with; "all": with every label
    transitions   the same for moves
    min_count     attributes met less often in training are dropped
    class_weight  {label: weight} or "balanced"
    seed, threads same seed, same bits, any number of threads; None uses every core

    labels_, model_ (LinearModel), encoder_, history_ (History), pruned_ (PruneReport, after prune)
    """

    _kind = "linear tagger"
    _local = False  # whether every token's label is a choice of its own
    _layered = True  # weights of tokens become layers of labels known in part (eq:token-weights)

    model_: LinearModel
    encoder_: Encoder
    history_: History
    sentences_: int  # that it has learned from
    dictionary_: TagDictionary | None

    def __init__(
        self,
        features: Features = None,
        learner: Any = LBFGS(),  # noqa: B008  (frozen)
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
        X: Any,
        y: Any,
        *,
        dev: Any = None,
        metric: Any = None,
        patience: int | None = None,
        sample_weight: Any = None,
        start: LinearTagger | None = None,
        callbacks: Any = None,
        progress: bool = False,
    ) -> Self:
        """Learn from labelled sentences.

        X, y            a Corpus and the name of its column of labels, or lists of sentences and lists of labels;
                        a label may be None (not known) or a set (one of these)
        dev             a Corpus, or (X, y): the weights that score best on it are kept
        metric          what scores: "accuracy", "span_f1", any figure of Report, or a function (right labels, predicted
                        labels) -> number, larger is better; None for span_f1 where labels are tags, else accuracy
        patience        epochs without a better score on dev before training ends; None trains on
        sample_weight   a number per sentence, or a list of numbers per sentence
        start           a trained tagger to begin from: its features and labels stay, new ones join
        callbacks       functions of an Epoch; one that returns False ends training
        progress        whether to show a bar

        Ctrl-C or SIGTERM ends training with the best weights so far.
        """
        from seqlab.families.linear.training import learn
        from seqlab.tagging.dev import Course

        course = Course(dev, metric, patience, callbacks, progress)
        before = None if start is None else self._checked_start(start)
        learn(self, X, y, sample_weight, course, before)
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any,
        *,
        dev: Any = None,
        metric: Any = None,
        patience: int | None = None,
        sample_weight: Any = None,
        callbacks: Any = None,
        progress: bool = False,
        classes: Any = None,
    ) -> Self:
        """Go on learning from further sentences, which may bring new features and new labels.

        Weights are pulled towards what they were rather than towards 0, so that what was learned before is not lost.
        Learners that go from sentence to sentence begin where they were; the penalty of SGD counts by the share that
        the new sentences have among all.
        classes   labels that may come later (scikit-learn's way); they join now

        The other options are those of fit.
        """
        from seqlab.families.linear.training import learn
        from seqlab.tagging.dev import Course

        course = Course(dev, metric, patience, callbacks, progress)
        continued = self._fitted()
        before = self if continued else None
        learn(self, X, y, sample_weight, course, before, classes=classes, continued=continued)
        return self

    def _loss32(self, task: _core.Task) -> Any:
        return _core.Likelihood32(task)

    def _loss64(self, task: _core.Task) -> Any:
        return _core.Likelihood64(task)

    def _batch_for_dev(
        self, model: LinearModel, encoded: EncodedCorpus, allowed: Any, threads: int
    ) -> Trellises:
        return model.trellises(encoded, allowed=allowed, threads=threads)

    # ------------------------------------------------------------------------------------------ answers

    def trellis(
        self, tokens: Any, *, known: Known | None = None, allowed: PerPosition | None = None
    ) -> Trellis:
        """The scores of one sentence, with everything that is forbidden masked.

        What is known also tells a model of order 2 which labels are worth a look.
        """
        self._check_fitted("trellis")
        if self.model_.coarse is None or (known is None and allowed is None):
            return super().trellis(tokens, known=known, allowed=allowed)
        from seqlab.families.linear.label_pruning import narrowed

        corpus = self._corpus_of_one(tokens)
        encoded = self.encoder_.encode(corpus, threads=1).checked()
        words = None if self.dictionary_ is None else self.dictionary_.allowed(corpus)
        return narrowed(self.model_, encoded, words, known, allowed)

    def nbest(
        self,
        tokens: Any,
        n: int = 5,
        *,
        known: Known | None = None,
        allowed: PerPosition | None = None,
    ) -> NBest:
        """The n best labellings, best first, with their log-probabilities when the model has any.

        Where a sure model of order 2 has left out so many labels that fewer than n labellings are left, all labels are
        looked at, unless another labelling than that of tag() would come first.
        """
        found = super().nbest(tokens, n, known=known, allowed=allowed)
        if self.model_.coarse is None or len(found) >= n:
            return found
        from seqlab.families.linear.label_pruning import widened
        from seqlab.inference import nbest
        from seqlab.tagging.decoding import unnormalised

        corpus = self._corpus_of_one(tokens)
        encoded = self.encoder_.encode(corpus, threads=1).checked()
        words = None if self.dictionary_ is None else self.dictionary_.allowed(corpus)
        whole = widened(self.model_, encoded, words, known, allowed)
        wide = nbest(whole, n) if self._probabilistic else unnormalised(whole, n)
        return wide if wide[0].labels == found[0].labels else found  # the first is what tag() says

    def _looked_at(self, X: Any) -> Corpus:
        if self._reads_words:
            return self._corpus(X)
        return read_sentences(X, words=False, columns=self.columns_, known=self.encoder_.known)

    def _trellises(self, corpus: Corpus, threads: int) -> Trellises:
        encoded = self.encoder_.encode(corpus, threads=threads).checked()
        allowed = None if self.dictionary_ is None else self.dictionary_.allowed(corpus)
        return self.model_.trellises(encoded, allowed=allowed, dtype=np.float64, threads=threads)

    def _label_ids(self, corpus: Corpus, threads: int) -> LabelIds:
        if self.dictionary_ is not None:
            return super()._label_ids(corpus, threads)
        at_a_glance = self._glanced(corpus)
        if at_a_glance is not None:
            return at_a_glance
        decoder = self.__dict__.get("_decoder")
        if decoder is None:
            from seqlab.families.linear.decoder import Decoder

            decoder = self._decoder = Decoder(self.model_, self.encoder_)
        return decoder.label_ids(corpus, threads)

    @property
    def _probabilistic(self) -> bool:
        return _likelihood(self.learner)

    @property
    def _why_no_probability(self) -> str:
        return f"{type(self.learner).__name__} learns scores, not probabilities; train with LBFGS() for those"

    # ------------------------------------------------------------------------------------------ inside

    def _checked_start(self, start: Any) -> LinearTagger:
        from seqlab.encode.given import as_features

        if not isinstance(start, LinearTagger):
            raise OptionError(f"start must be a trained LinearTagger or CRF, got {start!r:.60}")
        start._check_fitted("start")
        if as_features(self.features) != start.encoder_.features:
            raise OptionError(
                f"start was trained with features={start.features!r:.60}, which its weights belong to; this tagger has "
                f"features={self.features!r:.60}"
            )
        return start

    def _check_options(self) -> None:
        if isinstance(self.learner, type):
            name = self.learner.__name__
            raise OptionError(f"learner must be an object, got the class {name}; write {name}()")
        if getattr(self.learner, "hidden", False):
            name = type(self.learner).__name__
            raise OptionError(f"{name} trains hidden Markov models; write HMM(learner={name}())")
        if not hasattr(self.learner, "train"):
            raise OptionError(
                f"learner must be LBFGS(), Perceptron(), or another learner, got {self.learner!r}"
            )
        whole_number(self.seed, "seed", 0)
        if self.order not in (1, 2) or isinstance(self.order, bool):
            raise OptionError(f"order must be 1 or 2, got {self.order!r}")
        for name in ("states", "transitions"):
            if getattr(self, name) not in CHOICES:
                raise OptionError(f"{name} must be 'observed' or 'all', got {getattr(self, name)!r}")
        number = isinstance(self.keep, (int, float, np.number)) and not isinstance(self.keep, bool)
        if not number or not 0 <= self.keep < 1:
            raise OptionError(f"keep must be a probability from 0 up to below 1, got {self.keep!r}")


class CRF(LinearTagger):
    """A linear-chain conditional random field: LinearTagger with a learner that makes the likelihood large.

    P(y | x) = exp(score(x, y)) / Z(x)   (eq:crf-likelihood)
    """

    _kind = "crf"

    def _check_options(self) -> None:
        super()._check_options()
        if not _likelihood(self.learner):
            raise OptionError(
                f"a CRF maximises a likelihood, but {type(self.learner).__name__} learns from mistakes; "
                f"write LinearTagger(learner={type(self.learner).__name__}(...)), or use LBFGS() or SGD()"
            )


def _likelihood(learner: Any) -> bool:
    return bool(getattr(learner, "likelihood", False))
