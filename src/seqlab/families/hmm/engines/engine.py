"""What the two engines of hidden Markov models have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from seqlab.arrays import LabelIds
from seqlab.corpus import Corpus
from seqlab.errors import OptionError
from seqlab.families.hmm.fit import HmmFit
from seqlab.families.hmm.tables import HiddenMarkov
from seqlab.families.hmm.training_set import TrainingSet
from seqlab.learning.monitor import Callback, checked_callbacks, checked_patience
from seqlab.tagging.decoding import Trellises

if TYPE_CHECKING:
    from seqlab.families.hmm.tagger import HMM


@dataclass(frozen=True, slots=True)
class FitOptions:
    """What fit was asked beside the data: options of EM, which counting has no use for."""

    dev: Any = None
    patience: Any = None
    callbacks: Any = None
    progress: bool = False

    def checked(self) -> tuple[int | None, tuple[Callback, ...]]:
        """Return patience and callbacks, checked."""
        patience, callbacks = checked_patience(self.patience), checked_callbacks(self.callbacks)
        if self.dev is None and patience is not None:
            raise OptionError("patience looks at a development set; pass one as dev=")
        return patience, callbacks


class Engine(Protocol):
    """One way to learn, and to answer with what was learned. HMM asks nothing else of either.

    streams   whether observations may come one by one
    """

    streams: bool

    def refuse(self, hmm: HMM, data: TrainingSet) -> None:
        """Refuse options that this engine does not use."""

    def fit(self, hmm: HMM, data: TrainingSet, sample_weight: Any, asked: FitOptions) -> HmmFit:
        """Learn from data."""
        ...

    def partial_fit(self, hmm: HMM, data: TrainingSet, sample_weight: Any) -> HmmFit:
        """Learn from another batch, on top of what hmm.fit_ has."""
        ...

    def trellises(self, fit: HmmFit, corpus: Corpus, column: str | None, threads: int) -> Trellises:
        """Return one trellis for every sentence, with rules and dictionary in it."""
        ...

    def label_ids(self, fit: HmmFit, corpus: Corpus, column: str | None, threads: int) -> LabelIds | None:
        """(tokens,) numbers of the best labels; None where trellises and Viterbi are the quickest way."""
        ...

    def tables(self, fit: HmmFit, question: str) -> HiddenMarkov:
        """Return plain tables for a question that needs them; QuestionError where there are none."""
        ...
