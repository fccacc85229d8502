"""The engine of tables: Baum-Welch, hard EM, or one M step where every label is known."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.arrays import LabelIds
from seqlab.corpus import Corpus
from seqlab.errors import LabelError, OptionError, TrainingWarning
from seqlab.families.hmm.counting import SuffixModel
from seqlab.families.hmm.em import BaumWelch, EMTask, Evidence, Running, expect, groups_of, say_empty
from seqlab.families.hmm.engines.engine import FitOptions
from seqlab.families.hmm.fit import HmmFit
from seqlab.families.hmm.start import Ground, starter
from seqlab.families.hmm.tables import Dirichlet, HiddenMarkov
from seqlab.families.hmm.training_set import DevScorer, TrainingSet, read_init, state_names
from seqlab.learning.history import Epoch, History
from seqlab.learning.monitor import Bar
from seqlab.learning.restarts import best_of
from seqlab.tagging.decoding import Trellises
from seqlab.tagging.door.constraints import Rules, TagDictionary
from seqlab.threads import thread_count

if TYPE_CHECKING:
    from seqlab.families.hmm.tagger import HMM


@dataclass(frozen=True, slots=True, eq=False)
class _Beginning:
    """What training begins with.

    data         sentences, their labels numbered as the states are
    ground       what starts are made from
    dictionary   what words may be, or None
    init         a word, tables, or a dictionary to lean towards; None
    labelled     sentences to count first, or None
    """

    data: TrainingSet
    ground: Ground
    dictionary: TagDictionary | None
    init: Any
    labelled: Evidence | None

    @staticmethod
    def of(hmm: HMM, data: TrainingSet, learner: Any, sample_weight: Any) -> _Beginning:
        init, known = read_init(hmm.init)
        labels = state_names(hmm, data, known)
        rules = Rules.of(hmm.constraints, labels)
        dictionary = TagDictionary.of(hmm.allowed, labels, data.column)
        data = _numbered(data, labels)
        observed, domain = data.emissions.first(data.corpus, data.column)
        evidence = _evidence(data, observed, learner, sample_weight, dictionary, len(labels))
        ground = Ground(data.emissions, domain, evidence, labels, rules, bool(hmm.end))
        if isinstance(init, tuple) and len(init) == 2:
            return _Beginning(data, ground, dictionary, None, _labelled(hmm, ground, init))
        labelled = None
        if data.gold is not None and init is None:
            labelled = replace(evidence, weights=data.labelled.astype(np.float64))
        return _Beginning(data, ground, dictionary, init, labelled)

    def seen_by(self, hmm: HMM, start: HiddenMarkov) -> Evidence:
        """Return the evidence in the numbers of the model that training begins with."""
        if not hasattr(hmm.init, "fit_"):
            return self.ground.evidence
        observed = start.emissions.observe(self.data.corpus, self.data.column, unknown="error")
        return replace(self.ground.evidence, observed=observed)


class TablesEngine:
    """Start, transition and emission tables of order 1."""

    streams = True

    def refuse(self, hmm: HMM, data: TrainingSet) -> None:
        """Refuse options that tables do not use."""
        if hmm.order not in (None, 1):
            raise OptionError(
                f"order={hmm.order} is for words that all have labels; hidden states have order 1"
            )
        if isinstance(hmm.unknown, SuffixModel) or hmm.unknown in ("suffix", "none"):
            raise OptionError(
                f"unknown={hmm.unknown!r:.60} is for words that are counted, each of them with a label; tables take "
                f"'error' or 'missing'"
            )
        if hmm.init is not None and hmm.learner is None and data.full:
            raise OptionError(
                "init says where EM begins, but every token has a label, so there is nothing to find; leave out init, "
                "or ask for learner=BaumWelch()"
            )

    def fit(self, hmm: HMM, data: TrainingSet, sample_weight: Any, asked: FitOptions) -> HmmFit:
        """Find tables by EM; with every label known, one M step is counting."""
        learner = hmm.learner if hmm.learner is not None else None if data.full else BaumWelch()
        begin = _Beginning.of(hmm, data, learner, sample_weight)
        prior, threads = Dirichlet.of(hmm.smoothing), thread_count(hmm.threads)
        if learner is None:
            asked.checked()
            flat = begin.ground.flat(np.random.default_rng(hmm.seed))
            model = flat.maximised(expect(flat, begin.ground.evidence, threads), prior)
            history = History([Epoch(1, None, None, None, None, 0.0)], "counted", 1)
            histories: tuple[History, ...] = (history,)
        else:
            model, history, histories = _em(hmm, begin, learner, prior, threads, asked)
        return HmmFit.of(data, model, begin.dictionary, history, _unknown(hmm, data), histories)

    def partial_fit(self, hmm: HMM, data: TrainingSet, sample_weight: Any) -> HmmFit:
        """Take in another batch by stepwise EM (eq:stepwise-em)."""
        learner = hmm.learner if hmm.learner is not None else BaumWelch()
        before = hmm.fit_
        if before is None:
            begin = _Beginning.of(hmm, data, learner, sample_weight)
            make, _ = starter(begin.ground, begin.init, begin.labelled)
            model = make(np.random.default_rng([hmm.seed, 0]))
            evidence, dictionary = begin.seen_by(hmm, model), begin.dictionary
        else:
            model, observed = _grown(before, data)
            dictionary = TagDictionary.of(hmm.allowed, model.labels, data.column)
            numbered = _numbered(data, model.labels)
            evidence = _evidence(numbered, observed, learner, sample_weight, dictionary, model.size)
        found = learner.expect(model, evidence, thread_count(hmm.threads))
        _say_lost(found.log_z)
        running = Running.of(
            None if before is None else before.running,
            model,
            found,
            evidence.tokens,
            float(learner.forgetting),
        )
        groups = groups_of(learner.tied, model.labels)
        model = running.maximised(model, Dirichlet.of(hmm.smoothing), groups, learner.frozen)
        epochs = [] if before is None else before.history.epochs
        epoch = Epoch(len(epochs), None, None, None, None, 0.0, {"log_likelihood": found.value})
        history = History([*epochs, epoch], "batches", len(epochs))
        return HmmFit.of(data, model, dictionary, history, _unknown(hmm, data), (), running)

    def trellises(self, fit: HmmFit, corpus: Corpus, column: str | None, threads: int) -> Trellises:  # noqa: ARG002
        """Return one trellis for every sequence."""
        model: Any = fit.model
        made: Trellises
        if corpus.token_count:
            dictionary = fit.training.dictionary
            allowed = None if dictionary is None else dictionary.mask(corpus)
            observed = model.emissions.observe(corpus, column, unknown=fit.unknown)
            made = model.batch(observed, corpus.offsets, allowed)
        else:
            made = model.batch_of_nothing(len(corpus))
        return made

    def label_ids(self, fit: HmmFit, corpus: Corpus, column: str | None, threads: int) -> LabelIds | None:  # noqa: ARG002
        """Leave it to trellises and Viterbi."""
        return None

    def tables(self, fit: HmmFit, question: str) -> HiddenMarkov:  # noqa: ARG002
        """Return the tables."""
        model: Any = fit.model
        found: HiddenMarkov = model
        return found


def _em(
    hmm: HMM, begin: _Beginning, learner: Any, prior: Dirichlet, threads: int, asked: FitOptions
) -> tuple[HiddenMarkov, History, tuple[History, ...]]:
    """Run EM from one start or several; the best model, its history, and the histories of all runs."""
    patience, callbacks = asked.checked()
    judge = None
    if asked.dev is not None:
        judge = DevScorer(asked.dev, begin.data, threads).obeying(begin.dictionary)
    ground, init = begin.ground, begin.init
    make, by_chance = starter(ground, init, begin.labelled)
    runs = learner.restarts if by_chance else 1
    starts = [make(np.random.default_rng([hmm.seed, run])) for run in range(runs)]
    evidence = begin.seen_by(hmm, starts[0])
    emptied: list[int] = []

    def train(run: int, share: int, report: Any) -> Any:
        task = EMTask(replace(evidence) if run else evidence, prior, emptied)
        return learner.train(task, starts[run], threads=share, report=report)

    best = best_of(
        train,
        runs,
        threads=threads,
        judge=judge,
        metric=None if judge is None else judge.name,
        patience=patience,
        callbacks=callbacks,
        bar=Bar() if asked.progress else None,
    )
    model: Any = best.outcome.theta
    nameless = hmm.states is None and begin.data.gold is None and by_chance and not isinstance(init, dict)
    sorts = nameless and not ground.rules and not learner.tied
    if sorts or emptied:  # what is said of states holds for the model that is kept, by its own names
        used = learner.expect(model, evidence, threads).occupied
        if sorts:  # the most used first: an order that does not hang on chance
            order = np.argsort(-np.round(used, 6), kind="stable")
            model, used = model.reordered(order), used[order]
        say_empty(model, used)
    return model, best.history, best.histories


def _labelled(hmm: HMM, ground: Ground, init: Any) -> Evidence:
    """Read the labelled sentences of init=(X, y)."""
    data = TrainingSet.read(hmm, init[0], init[1], emissions=ground.emissions)
    if data.gold is None:
        raise OptionError("init=(X, y) wants labels, but y has none")
    flat = ground.flat(np.random.default_rng(hmm.seed))
    observed = flat.emissions.observe(data.corpus, data.column, unknown="missing")
    allowed = data.numbered(ground.labels).allowed(None, ground.size)
    return Evidence(observed, data.corpus.offsets, None, allowed)


def _evidence(
    data: TrainingSet,
    observed: Any,
    learner: Any,
    sample_weight: Any,
    dictionary: TagDictionary | None,
    size: int,
) -> Evidence:
    unlabelled = 1.0 if learner is None else float(learner.unlabelled_weight)
    weights = data.sentence_weights(sample_weight, unlabelled)
    return Evidence(observed, data.corpus.offsets, weights, data.allowed(dictionary, size))


def _grown(before: HmmFit, data: TrainingSet) -> tuple[HiddenMarkov, Any]:
    """Return the model with the symbols that are new in this batch, and the batch in its numbers."""
    model = before.model
    if not isinstance(model, HiddenMarkov):
        raise OptionError("partial_fit goes on with what partial_fit began; this model was counted")
    emissions = model.emissions.grown(data.corpus, data.column)
    observed = emissions.observe(data.corpus, data.column, unknown="missing")
    return replace(model, emissions=emissions), observed


def _numbered(data: TrainingSet, labels: tuple[str, ...]) -> TrainingSet:
    for name in () if data.gold is None else data.gold.names:
        if name not in labels:
            raise LabelError(
                f"y has the label {name!r}, which the first batch did not have; name all states with HMM(states=[...])"
            )
    return data.numbered(labels)


def _unknown(hmm: HMM, data: TrainingSet) -> str:
    return hmm.unknown or ("error" if data.gold is None else "missing")


def _say_lost(log_z: Any) -> None:
    lost = np.flatnonzero(~(log_z > -np.inf))
    if len(lost):
        warnings.warn(
            f"{len(lost)} of {len(log_z)} sentences of the batch cannot be under the model, sentence "
            f"{int(lost[0])} first; they are left out",
            TrainingWarning,
            stacklevel=4,
        )
