"""The two engines of an HMM with one interface: tables estimated by EM, and counts of labelled words."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import families
from seqlab.arrays import LabelIds, thread_count
from seqlab.corpus import Corpus, StringColumn
from seqlab.errors import OptionError
from seqlab.families.hmm import histories
from seqlab.families.hmm.counted import Block, CountedHMM
from seqlab.families.hmm.counting import Counting, SuffixModel
from seqlab.families.hmm.em import (
    BaumWelch,
    Evidence,
    HardEM,
    groups_of,
    say_empty,
    say_lost,
)
from seqlab.families.hmm.emissions import Categorical
from seqlab.families.hmm.emissions.categorical import SymbolDistribution
from seqlab.families.hmm.emissions.symbols import MISSING, Symbols
from seqlab.families.hmm.fit import HmmFit
from seqlab.families.hmm.open_labels import USUAL, checked, count_options, expected, opened, train
from seqlab.families.hmm.running import Running
from seqlab.families.hmm.start import Ground
from seqlab.families.hmm.tables import Dirichlet, HiddenMarkov
from seqlab.families.hmm.training_set import DevScorer, TrainingSet, state_names
from seqlab.learning import checkpoint
from seqlab.learning.history import Epoch, History
from seqlab.learning.identity import counted_digest, digest, facts_of
from seqlab.learning.monitor import Bar, checked_callbacks, checked_patience
from seqlab.learning.restarts import Best, best_of
from seqlab.learning.smoothing import MLE, AddLambda, smoothing_of
from seqlab.scale.columns import blocks_between, cuts_of
from seqlab.store.codec import state_of
from seqlab.tagging.decoding import Trellises
from seqlab.tagging.door.constraints import Rules, TagDictionary, check_rules
from seqlab.tagging.door.sentences import token_weights

BLOCK = 1 << 19  # tokens that are counted at once, beyond memory or with weights


@dataclass(frozen=True, slots=True)
class FitOptions:
    """Options of fit beside the data; those of EM are checked, and not used by counting."""

    dev: Any
    patience: Any
    callbacks: Any
    progress: bool
    checkpoint: Any = None

    def __post_init__(self) -> None:
        checkpoint.checked_checkpoint(self.checkpoint)
        checked_patience(self.patience)
        object.__setattr__(self, "callbacks", checked_callbacks(self.callbacks))

    def refuse_alone(self) -> None:
        """Raise an error for patience without a development set."""
        if self.dev is None and self.patience is not None:
            raise OptionError("patience looks at a development set; pass one as dev=")

    def facts(
        self,
        hmm: families.HMM,
        data: TrainingSet,
        judge: DevScorer | None,
        weights: Any,
        allowed: Any,
        starts: Any,
    ) -> dict[str, str]:
        """Describe a training by EM for a checkpoint: options, data, and where its runs begin."""
        seen = {"sentences": counted_digest(data.corpus), "labels": digest(data.gold, allowed)}
        seen |= {"weights of sentences": digest(weights), "starts": digest([one.arrays for one in starts])}
        held_out = judge and {"dev": digest(judge.corpus, judge.gold), "patience": self.patience}
        return facts_of(hmm, **seen, **(held_out or {}), **(data.beyond.facts if data.beyond else {}))


def refuse_patience(asked: FitOptions) -> None:
    """Raise an error for patience if training is one pass of counting."""
    if asked.patience is not None:
        raise OptionError(
            "patience has no meaning here: every token has a label, so training is one pass of counting, which cannot "
            "end early; leave it out, or ask for learner=BaumWelch()"
        )


def engine_for(hmm: families.HMM, data: TrainingSet, before: Any = None) -> TablesEngine | CountsEngine:
    """Choose the engine of training: counts for words with at least some labels, unless an option requires tables.

    before   the model that partial_fit continues, if any: a batch without labels keeps the engine of a counted model
    """
    counts = isinstance(hmm.learner, Counting) or (
        _plain_words(data) and (_counts_asked(hmm, data) if data.named else isinstance(before, CountedHMM))
    )
    engine = COUNTS if counts else TABLES
    engine.refuse(hmm, data)
    return engine


def _plain_words(data: TrainingSet) -> bool:
    """Return True if the observations are words, and no list of symbols was given."""
    return data.words and type(data.emissions) is Categorical and data.emissions.symbols is None


def _counts_asked(hmm: families.HMM, data: TrainingSet) -> bool:
    """Return True if the options allow counts: they do not require tables, or they require counts."""
    if hmm.states is not None or hmm.init is not None:
        return False
    smoothed = not (hmm.smoothing is None or isinstance(hmm.smoothing, Dirichlet)) and not isinstance(
        smoothing_of(hmm.smoothing), (MLE, AddLambda)
    )
    only_counts = smoothed or isinstance(hmm.unknown, SuffixModel) or hmm.unknown in ("suffix", "none")
    if hmm.learner is not None:
        return only_counts
    if not data.full and (hmm.n_states is not None or hmm.unknown in ("error", "missing")):
        return only_counts
    return only_counts or hmm.smoothing is None or hmm.order not in (None, 1)


class TablesEngine:
    """Training of start, transition and emission tables, by EM or, with every label known, by one M step.

    streams   True if observations can be decoded one by one
    """

    streams = True

    def refuse(self, hmm: families.HMM, data: TrainingSet) -> None:
        """Raise an error for options that tables do not use."""
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

    def fit(self, hmm: families.HMM, data: TrainingSet, sample_weight: Any, asked: FitOptions) -> HmmFit:
        """Estimate tables by EM; with every label known, one M step is counting."""
        learner: Any = hmm.learner if hmm.learner is not None else None if data.full else BaumWelch()
        ground = Ground.of(hmm, data, learner.unlabelled_weight if learner else 1.0, sample_weight)
        prior, threads = Dirichlet.of(hmm.smoothing), thread_count(hmm.threads)
        em: Any = BaumWelch() if learner is None else learner
        if data.beyond is not None and data.beyond.share is not None:
            em = data.beyond.share(em)
        if learner is None:
            refuse_patience(asked)
            flat = ground.flat(np.random.default_rng(hmm.seed))
            model = flat.maximised(em.expect(flat, ground.whole, threads), prior)
            history = one_pass()
            histories: tuple[History, ...] = (history,)
        else:
            model, best = _em(hmm, data, ground, em, prior, threads, asked)
            history, histories = best.history, best.histories
        return HmmFit.of(model, ground.dictionary, history, _unknown(hmm, data), data, restarts=histories)

    def partial_fit(self, hmm: families.HMM, data: TrainingSet, sample_weight: Any) -> HmmFit:
        """Learn from another batch by stepwise EM (eq:stepwise-em)."""
        learner: Any = hmm.learner if hmm.learner is not None else BaumWelch()
        before = hmm.fit_
        if before is None:
            ground = Ground.of(hmm, data, learner.unlabelled_weight, sample_weight)
            model = ground.start(np.random.default_rng([hmm.seed, 0]))
            evidence, dictionary = _renumbered(hmm, data, ground, model), ground.dictionary
        else:
            model = before.model
            if not isinstance(model, HiddenMarkov):
                raise OptionError("partial_fit goes on with what partial_fit began; this model was counted")
            if hmm.order not in (None, model.order):
                raise OptionError(
                    f"training began with order {model.order}, and cannot go on with {hmm.order}"
                )
            model = replace(model, emissions=model.emissions.grown(data.corpus, data.column))
            observed = model.emissions.observe(data.corpus, data.column, unknown="missing")
            dictionary = TagDictionary.of(hmm.allowed, model.labels, data.column)
            data = data.numbered(model.labels)
            if data.gold is not None:
                check_rules(data.gold, model.rules, data.corpus.offsets, hmm.constraints)
            evidence = data.evidence(
                observed, model.size, dictionary, sample_weight, learner.unlabelled_weight
            )
        found = learner.expect(model, evidence, thread_count(hmm.threads))
        say_lost(found.log_z, " of the batch", "they are left out")
        running = None if before is None else before.running
        running = Running.of(running, model, found, evidence.weight, float(learner.forgetting))
        groups = groups_of(learner.tied, model.labels)
        model = running.maximised(model, Dirichlet.of(hmm.smoothing), groups, learner.frozen)
        epochs = [] if before is None else before.history.epochs
        epoch = Epoch(len(epochs), None, None, None, None, 0.0, {"log_likelihood": found.value})
        history = History([*epochs, epoch], "batches", len(epochs))
        return HmmFit.of(model, dictionary, history, _unknown(hmm, data), data, running=running)

    def trellises(self, fit: HmmFit, corpus: Corpus, column: str | None, threads: int) -> Trellises:  # noqa: ARG002
        """Return one trellis for every sequence."""
        model, dictionary = self.tables(fit, ""), fit.training.dictionary
        allowed = None if dictionary is None or not corpus.token_count else dictionary.mask(corpus)
        observed = model.emissions.observe(corpus, column, unknown=fit.unknown)
        return model.batch(observed, corpus.offsets, allowed)

    def tables(self, fit: HmmFit, question: str) -> HiddenMarkov:  # noqa: ARG002
        """Return the tables."""
        return fit.model  # type: ignore[return-value]


def _em(
    hmm: families.HMM,
    data: TrainingSet,
    ground: Ground,
    learner: Any,
    prior: Dirichlet,
    threads: int,
    asked: FitOptions,
) -> tuple[HiddenMarkov, Best]:
    """Run EM from one start or several; return the best model, and the histories of all runs."""
    asked.refuse_alone()
    judge = None if asked.dev is None else DevScorer(asked.dev, ground.data, ground.dictionary, threads)
    runs = learner.restarts if ground.by_chance else 1
    starts = [ground.start(np.random.default_rng([hmm.seed, run])) for run in range(runs)]
    evidence = _renumbered(hmm, data, ground, starts[0])
    copies = [evidence, *(evidence.copy() for _ in range(1, runs))]

    def train(run: int, share: int, report: Any) -> Any:
        return learner.train(starts[run], copies[run], prior, share, report)

    def facts() -> dict[str, str]:
        begins = [state_of(start) for start in starts]
        return asked.facts(hmm, data, judge, evidence.weights, evidence.allowed, begins)

    with checkpoint.opened(asked.checkpoint, facts) as kept:
        best = best_of(
            train,
            runs,
            threads=threads,
            judge=judge,
            metric=None if judge is None else judge.name,
            patience=asked.patience,
            callbacks=asked.callbacks,
            bar=Bar() if asked.progress is True else None,
            checkpoint=kept,
            kinds=(HiddenMarkov,),
        )
    model: Any = best.outcome.theta
    given = ground.labelled is not None or isinstance(ground.init, Mapping)  # states are labels
    nameless = hmm.states is None and ground.data.gold is None and not given
    sorts = nameless and not ground.rules and not learner.tied
    # Warnings about states refer to the model that is kept, by its own names.
    # A run that its checkpoint calls finished has not looked.
    if sorts or asked.checkpoint is not None or any(one.emptied for one in copies):
        used = learner.expect(model, evidence, threads).occupied
        if sorts:  # the most used states first: an order that does not depend on chance
            order = np.argsort(-np.round(used, 6), kind="stable")
            model, used = model.reordered(order), used[order]
        say_empty(model, used)
    return model, best


def _renumbered(hmm: families.HMM, data: TrainingSet, ground: Ground, start: HiddenMarkov) -> Evidence:
    """Return the training data with symbols numbered as in the model that training begins with."""
    if not hasattr(hmm.init, "fit_"):
        return ground.whole
    observed = start.emissions.observe(data.corpus, data.column, unknown="error")
    return replace(ground.whole, observed=observed)


def _unknown(hmm: families.HMM, data: TrainingSet) -> str:
    return str(hmm.unknown or ("error" if data.gold is None else "missing"))


class CountsEngine:
    """Counts of words and labels (eq:counting), of order 1 to 3; unknown words are scored by their endings."""

    streams = False

    def refuse(self, hmm: families.HMM, data: TrainingSet) -> None:
        """Raise an error for data that cannot be counted, and options that counting does not use."""
        if isinstance(hmm.learner, Counting) and not (_plain_words(data) and data.full):
            raise OptionError(
                "Counting() wants words, each of them with a label; for anything else leave out learner"
            )
        if hmm.init is not None:
            raise OptionError("init says where EM begins, but Counting() begins with nothing; leave out init")
        if isinstance(hmm.learner, Counting):
            if hmm.unknown is not None:
                raise OptionError(
                    f"unknown={hmm.unknown!r:.60} is said twice: with learner=Counting(...) it is an option of the "
                    f"learner; write Counting(unknown={hmm.unknown!r:.60})"
                )
            if hmm.smoothing is not None and hmm.learner.smoothing is not None:
                raise OptionError(
                    f"smoothing={hmm.smoothing!r:.60} is said twice: Counting(smoothing="
                    f"{hmm.learner.smoothing!r:.60}) has another; leave out one of them"
                )
        elif hmm.unknown == "error":
            raise OptionError(
                "unknown='error' is for plain tables; counted words take 'suffix', 'none' or 'missing'"
            )

    def fit(self, hmm: families.HMM, data: TrainingSet, sample_weight: Any, asked: FitOptions) -> HmmFit:
        """Count labelled words, and add expected counts of unlabelled ones by EM."""
        labels = state_names(hmm, data, None)
        if data.full:
            refuse_patience(asked)
            return _counted(hmm, data, _count(hmm, data, labels, sample_weight))
        learner = checked(USUAL if hmm.learner is None else hmm.learner)
        threads, dictionary = thread_count(hmm.threads), TagDictionary.of(hmm.allowed, labels, data.column)
        start, closed, text = opened(hmm, data.numbered(labels), labels, dictionary, learner, sample_weight)
        judge = None if asked.dev is None else DevScorer(asked.dev, data, dictionary, threads)
        if judge is not None and judge.gold is None:
            raise OptionError(
                "dev wants labels here, as dev=(X, y): likelihoods cannot be compared between models with different "
                "vocabularies"
            )

        def facts() -> dict[str, str]:
            return asked.facts(hmm, data, judge, text.weights, text.allowed, [state_of(start)])

        with checkpoint.opened(asked.checkpoint, facts) as kept:
            best = best_of(
                lambda _, share, report: train(start, closed, text, learner, share, report),
                1,
                threads=threads,
                judge=judge,
                metric=None if judge is None else judge.name,
                patience=asked.patience,
                callbacks=asked.callbacks,
                bar=Bar() if asked.progress is True else None,
                checkpoint=kept,
                kinds=(CountedHMM,),
            )
        model: Any = best.outcome.theta
        return HmmFit.of(model, dictionary, best.history, "suffix", data, restarts=best.histories)

    def partial_fit(self, hmm: families.HMM, data: TrainingSet, sample_weight: Any) -> HmmFit:
        """Add the counts of a batch; for missing labels the expected counts of one E step."""
        before = None if hmm.fit_ is None else hmm.fit_.model
        before = before if isinstance(before, CountedHMM) else None
        if before is not None and hmm.order not in (None, before.order):
            raise OptionError(f"training began with order {before.order}, and cannot go on with {hmm.order}")
        names = () if data.gold is None else data.gold.names
        if data.full:
            model = _count(hmm, data, names, sample_weight)
            if before is None:
                return _counted(hmm, data, model)
            return _counted(hmm, data, before.plus(model), before.rules)
        labels = tuple(sorted({*names, *(() if before is None else before.labels)}))
        learner = checked(USUAL if hmm.learner is None else hmm.learner)
        dictionary = TagDictionary.of(hmm.allowed, labels, data.column)
        start, closed, text = opened(hmm, data.numbered(labels), labels, dictionary, learner, sample_weight)
        if before is not None:
            closed = before.relabelled(labels) if closed is None else before.plus(closed)
            gold = data.numbered(labels).gold
            rules = Rules.learned(hmm.constraints, labels, gold, data.corpus.offsets, before.rules)
            start = replace(closed, rules=rules)
        found = expected(start, text, hard=isinstance(learner, HardEM), threads=thread_count(hmm.threads))
        known = None if before is None else before.rules
        return _counted(hmm, data, found.added(start, closed), known)

    def trellises(self, fit: HmmFit, corpus: Corpus, column: str | None, threads: int) -> Trellises:
        """Return one trellis for every sentence."""
        words, model = words_of(corpus, column).compact(), fit.model
        allowed = _flags(words, fit)
        return model.trellises(words.pool, words.codes, corpus.offsets, allowed=allowed, threads=threads)  # type: ignore[union-attr]

    def label_ids(self, fit: HmmFit, corpus: Corpus, column: str | None, threads: int) -> LabelIds:
        """Find (tokens,) numbers of the best labels, by the decoder of the core."""
        words, model = words_of(corpus, column), fit.model
        allowed = _flags(words, fit)
        return model.label_ids(words.pool, words.codes, corpus.offsets, allowed=allowed, threads=threads)  # type: ignore[union-attr]

    def tables(self, fit: HmmFit, question: str) -> HiddenMarkov:  # noqa: ARG002
        """Return tables over the training words; unknown words are left out."""
        model: Any = fit.model
        end = model.end_probabilities
        pi, moves = histories.split(model.move_probabilities)
        *head, A = moves if end is None else (one * (1 - end)[:, None] for one in moves)
        emitted = model.emissions()
        emitted = emitted / np.maximum(emitted.sum(axis=1, keepdims=True), 1e-300)
        words = Symbols(emitted.shape[1], tuple(model.words.pool.strings()))
        table = SymbolDistribution(words, np.ascontiguousarray(emitted.T))
        return HiddenMarkov(model.labels, pi, np.ascontiguousarray(A), end, table, model.rules, tuple(head))


def _counted(hmm: families.HMM, data: TrainingSet, model: CountedHMM, before: Rules | None = None) -> HmmFit:
    """Make the fitted value of counts, with rules and dictionary."""
    gold = data.numbered(model.labels).gold
    rules = Rules.learned(hmm.constraints, model.labels, gold, data.corpus.offsets, before)
    model = replace(model, rules=rules)
    dictionary = TagDictionary.of(hmm.allowed, model.labels, data.column)
    history = one_pass()
    return HmmFit.of(model, dictionary, history, "suffix", data, restarts=(history,))


def one_pass() -> History:
    """Make the history of a training in one pass."""
    return History([Epoch(1, None, None, None, None, 0.0)], "counted", 1)


def _count(hmm: families.HMM, data: TrainingSet, labels: tuple[str, ...], sample_weight: Any) -> CountedHMM:
    """Count labelled words: all at once, or where they have weights block by block, as beyond memory."""
    assert data.gold is not None  # noqa: S101  (refuse looked)
    corpus, words = data.corpus, words_of(data.corpus, data.column)
    ids, weights = data.gold.numbered(labels).ids, token_weights(corpus, sample_weight)

    def block(first: int, last: int) -> Block:
        offsets = corpus.offsets[first : last + 1]
        own = slice(int(offsets[0]), int(offsets[-1]))
        some = StringColumn(words.codes[own], words.pool).compact()
        worth = None if weights is None else weights[own]
        return some.pool, some.codes, offsets - offsets[0], ids[own], worth

    cuts = [0, len(corpus)] if weights is None else cuts_of(corpus).tolist()
    size = corpus.token_count + 1 if weights is None else BLOCK
    blocks = (
        block(begin + first, begin + last)
        for begin, end in itertools.pairwise(cuts)
        for first, last in blocks_between(corpus.offsets[begin : end + 1], size)
    )
    return CountedHMM.of_blocks(blocks, labels, **count_options(hmm, len(labels)))


def words_of(corpus: Corpus, column: str | None) -> StringColumn:
    """Return the words of a corpus; missing ones are replaced by MISSING."""
    return corpus.strings(str(column), missing=True).filled(MISSING)


def _flags(words: StringColumn, fit: HmmFit) -> npt.NDArray[np.bool_] | None:
    """Compute (words, L) the allowed labels of each distinct word."""
    dictionary = fit.training.dictionary
    return None if dictionary is None else dictionary.flags(words.values)


TABLES, COUNTS = TablesEngine(), CountsEngine()
