"""Learning from batches: data that comes piece by piece, or does not fit in memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.arrays import whole_number
from seqlab.errors import LabelError, OptionError, TrainingWarning
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.counted_engine import count_words, wants_counting
from seqlab.families.hmm.em import BaumWelch, groups_of
from seqlab.families.hmm.expectation import Evidence
from seqlab.families.hmm.start import Ground, starter
from seqlab.families.hmm.stepwise import Running
from seqlab.families.hmm.tables import Dirichlet, HiddenMarkov
from seqlab.families.hmm.training import Data, allowed_labels, check_enough, sentence_weights
from seqlab.learning.history import Epoch, History
from seqlab.tagging.door.constraints import Rules
from seqlab.tagging.door.dictionary import TagDictionary
from seqlab.threads import thread_count

if TYPE_CHECKING:
    from typing_extensions import Self


class HMMBatches:
    """Mixed into HMM."""

    if TYPE_CHECKING:

        def _fitted(self) -> bool: ...

    def partial_fit(self, X: Any, y: Any = None, *, lengths: Any = None, sample_weight: Any = None) -> Self:
        """Take in another batch by stepwise EM (eq:stepwise-em); the first one makes the start, unless fit() made it.

        Words that all have labels are counted on top of those before.

        Expected counts are averaged over batches, the later the less a batch counts (forgetting of the learner). New
        symbols join; what all batches have in common is learned, whatever their number. The history has the
        log-likelihood of every batch before it was learned from, which may rise and fall.
        """
        own: Any = self
        emissions = own._check_options()
        threads = thread_count(own.threads)
        data = own._data(X, y, lengths, emissions)
        if wants_counting(own, data, emissions):
            return self._count_more(data)
        learner = own.learner if own.learner is not None else BaumWelch()
        if not self._fitted():
            return self._first_batch(data, emissions, learner, sample_weight, threads)
        model, observed = _extended(own.model_, data)
        data = _numbered(data, model.labels)
        evidence = self._evidence(observed, data, model.labels, learner, sample_weight)
        own.__dict__.setdefault("_running", Running())
        return self._take_in(model, evidence, data, learner, threads)

    def _first_batch(
        self, data: Data, emissions: Any, learner: Any, sample_weight: Any, threads: int
    ) -> Self:
        own: Any = self
        labels, init = own._labels(data)
        check_enough(data.corpus, len(labels))
        observed, domain = emissions.first(data.corpus, data.column)
        data = _numbered(data, labels)
        evidence = self._evidence(observed, data, labels, learner, sample_weight)
        rules = Rules.of(own.constraints, labels)
        ground = Ground(emissions, domain, evidence, labels, rules, bool(own.end))
        init, labelled = own._beginning(ground, init, data)
        model = starter(ground, init, labelled)[0](np.random.default_rng([own.seed, 0]))
        own._running, own.history_ = Running(), History()
        return self._take_in(model, own._seen_by(model, ground, data), data, learner, threads)

    def _evidence(
        self, observed: Any, data: Data, labels: tuple[str, ...], learner: Any, sample_weight: Any
    ) -> Evidence:
        own: Any = self
        dictionary = TagDictionary.of(own.allowed, labels, data.column)
        weights = sentence_weights(data, sample_weight, float(learner.unlabelled_weight))
        allowed = allowed_labels(data.gold, dictionary, data.corpus, len(labels))
        return Evidence(observed, data.corpus.offsets, weights, allowed)

    def _count_more(self, data: Data) -> Self:
        """Labelled words are counted on top of those before."""
        own: Any = self
        assert data.gold is not None  # noqa: S101  (wants_counting looked)
        model = count_words(own, data, data.gold.names, None)
        if self._fitted() and isinstance(own.model_, CountedHMM):
            model = own.model_.plus(model)
        rules = Rules.of(own.constraints, model.labels)
        dictionary = TagDictionary.of(own.allowed, model.labels, data.column)
        history = History([Epoch(1, None, None, None, None, 0.0)], "counted", 1)
        own._keep(model, data, dictionary, history, (history,), rules)
        return self

    def _take_in(
        self, model: HiddenMarkov, evidence: Evidence, data: Data, learner: Any, threads: int
    ) -> Self:
        own: Any = self
        history: History = own.history_
        model, value = self._step(model, evidence, learner, threads)
        epochs = [
            *history.epochs,
            Epoch(len(history.epochs), None, None, None, None, 0.0, {"log_likelihood": value}),
        ]
        dictionary = TagDictionary.of(own.allowed, model.labels, data.column)
        own._keep(model, data, dictionary, History(epochs, "batches", len(epochs) - 1), ())
        return self

    def _step(
        self, model: HiddenMarkov, evidence: Evidence, learner: Any, threads: int
    ) -> tuple[HiddenMarkov, float]:
        own: Any = self
        found = learner.expect(model, evidence, threads)
        lost = np.flatnonzero(~(found.log_z > -np.inf))
        if len(lost):
            warnings.warn(
                f"{len(lost)} of {len(evidence)} sentences of the batch cannot be under the model, sentence "
                f"{int(lost[0])} first; they are left out",
                TrainingWarning,
                stacklevel=3,
            )
        own._running.add(model, found, evidence, float(learner.forgetting))
        groups = groups_of(learner.tied, model.labels)
        return own._running.maximised(model, Dirichlet.of(own.smoothing), groups, learner.frozen), found.value

    def fit_batches(self, batches: Iterable[Any], *, epochs: int = 1) -> Self:
        """Learn from an iterable of batches, each of them X, or (X, y); only one is in memory at a time.

        epochs   how often to go through all of them: then `batches` must be something that can be gone through again
        """
        epochs = whole_number(epochs, "epochs", 1)
        if epochs > 1 and isinstance(batches, Iterator):
            raise OptionError(
                "an iterator can be gone through once; for several epochs pass a list, or what can begin again"
            )
        own: Any = self
        for name in ("_running", "labels_"):
            own.__dict__.pop(name, None)
        seen = 0
        for _ in range(epochs):
            for batch in batches:
                X, y = batch if isinstance(batch, tuple) and len(batch) == 2 else (batch, None)
                self.partial_fit(X, y)
                seen += 1
        if not seen:
            raise OptionError("there is no batch at all, so there is nothing to learn from")
        return self


def _extended(model: Any, data: Data) -> tuple[HiddenMarkov, Any]:
    """The model with the symbols that are new in this batch, and the batch in its numbers."""
    if not isinstance(model, HiddenMarkov):
        raise OptionError("partial_fit goes on with what partial_fit began; this model was counted")
    emissions = model.emissions.grown(data.corpus, data.column)
    model = replace(model, emissions=emissions)
    return model, emissions.observe(data.corpus, data.column, unknown="missing")


def _numbered(data: Data, labels: tuple[str, ...]) -> Data:
    if data.gold is None:
        return data
    for name in data.gold.names:
        if name not in labels:
            raise LabelError(
                f"y has the label {name!r}, which the first batch did not have; name all states with HMM(states=[...])"
            )
    return Data(data.corpus, data.gold.numbered(labels), data.column)
