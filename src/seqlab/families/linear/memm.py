"""The maximum-entropy Markov model: a log-linear choice at every token, given the label before it."""

from __future__ import annotations

from typing import Any

from seqlab import _core
from seqlab.arrays import LabelIds
from seqlab.corpus import Corpus
from seqlab.errors import OptionError
from seqlab.families.linear.learners.batch import BatchLearner
from seqlab.families.linear.memm_trellises import memm_trellises
from seqlab.families.linear.tagger import LinearTagger
from seqlab.tagging.decoding import Trellises
from seqlab.tagging.tagger import Tagger


class MEMM(LinearTagger):
    """A maximum-entropy Markov model (eq:memm-likelihood).

    The features of a CRF, but every label is chosen by probabilities of its own, given the label before:
    P(y | x) = Π_t p(y_t | y_{t-1}, x). Training is quick, because no sum over paths is needed; decoding is exact, on
    the same trellis. The price is label bias: a label with few successors passes its probability on, whatever comes
    (docs/guide/memm.md).

    Options are those of LinearTagger, with a batch learner (LBFGS, ConjugateGradient, GradientAscent) and order 1.
    """

    _kind = "memm"
    _losses = (_core.LocalLikelihood32, _core.LocalLikelihood64)
    _layered = False  # a token's weight weighs its own choice
    _local = True  # the first guess is that of a choice at every token

    def _trellises(self, corpus: Corpus, threads: int) -> Trellises:
        encoded = self.encoder_.encode(corpus, threads=threads).checked()
        allowed = None if self.dictionary_ is None else self.dictionary_.allowed(corpus)
        return memm_trellises(self.model_, encoded, allowed=allowed, threads=threads)

    def _label_ids(self, corpus: Corpus, threads: int) -> LabelIds:
        return Tagger._label_ids(self, corpus, threads)  # the quick way knows no normalisers

    def _batch_for_dev(self, model: Any, encoded: Any, allowed: Any, threads: int) -> Trellises:
        return memm_trellises(model, encoded, allowed=allowed, threads=threads)

    def _check_options(self) -> None:
        super()._check_options()
        if not isinstance(self.learner, BatchLearner):
            raise OptionError(
                f"an MEMM is trained by LBFGS(), ConjugateGradient() or GradientAscent(), got {self.learner!r}"
            )
        if self.order != 1:
            raise OptionError(f"an MEMM looks one label back: order must be 1, got {self.order!r}")
