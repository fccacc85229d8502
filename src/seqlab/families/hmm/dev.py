"""Score hidden Markov models on a development set while EM works."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus import Corpus
from seqlab.errors import ShapeError, TrainingWarning
from seqlab.families.hmm.emissions.base import Floats
from seqlab.families.hmm.observations import read_observations
from seqlab.families.hmm.tables import HiddenMarkov
from seqlab.families.hmm.training_set import Bools, TrainingSet, read_labels
from seqlab.tagging.door.dictionary import TagDictionary
from seqlab.tagging.door.labels import NOTHING, hits

LEAST = float(
    np.log(5e-324)
)  # log of the smallest number there is: what a token of an impossible sentence counts


class DevScorer:
    """Scores models on a development set: accuracy where it has labels, else log-likelihood a token.

    What cannot be under a model is labelled wrongly, or has LEAST for each of its tokens; that is reported once.
    """

    def __init__(self, dev: Any, data: TrainingSet, threads: int) -> None:
        X, y = dev if isinstance(dev, tuple) and len(dev) == 2 else (dev, None)
        if isinstance(X, Corpus) and y is None and data.gold is not None and data.gold.column in X.columns:
            y = data.gold.column
        self.corpus = read_observations(X, data.emissions)
        if not self.corpus.token_count:
            raise ShapeError(
                f"dev has {len(self.corpus)} sentences and no token at all; leave it out, or give it some"
            )
        self.gold = read_labels(self.corpus, y)
        self.column, self.threads = data.column, threads
        self.allowed: Bools | None = None
        self.name = "log_likelihood" if self.gold is None else "accuracy"
        self._told = False

    def obeying(self, dictionary: TagDictionary | None) -> DevScorer:
        """With the tag dictionary of training."""
        self.allowed = None if dictionary is None else dictionary.mask(self.corpus)
        return self

    def __call__(self, model: HiddenMarkov) -> float:
        """Larger is better."""
        observed = model.emissions.observe(self.corpus, self.column, unknown="missing")
        batch = model.batch(observed, self.corpus.offsets, self.allowed)
        log_z, lengths = np.empty(len(self.corpus)), self.corpus.lengths
        if self.gold is None:
            _core.log_partition(batch.batch(), log_z, self.threads)
            self._say_impossible(log_z, model)
            return float(np.where(log_z > -np.inf, log_z, LEAST * lengths).sum()) / self.corpus.token_count
        ids = np.zeros(self.corpus.token_count, dtype=np.int32)
        _core.viterbi(batch.batch(), ids, log_z, self.threads)
        self._say_impossible(log_z, model)
        right = hits(self.gold, np.maximum(ids, 0), model.labels) & np.repeat(log_z > -np.inf, lengths)
        return float(right[self.gold.ids != NOTHING].mean())

    def _say_impossible(self, log_z: Floats, model: HiddenMarkov) -> None:
        lost = np.flatnonzero(~(log_z > -np.inf))
        if not len(lost) or self._told:
            return
        self._told = True
        counts = f"log P = {LEAST:.0f} each" if self.gold is None else "labelled wrongly"
        warnings.warn(
            f"{len(lost)} of {len(log_z)} sentences of dev cannot be under the model, sentence {int(lost[0])} first; "
            f"their tokens count as {counts}; {model.advice() or 'constraints= or allowed= forbid them'}",
            TrainingWarning,
            stacklevel=2,
        )
