"""Train a linear model out of core: the training set is shards on disk, the weights are the same to the last bit."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from operator import add
from types import SimpleNamespace
from typing import Any

import numpy as np

from seqlab import _core, families
from seqlab.arrays import LabelIds, check_room, thread_count
from seqlab.corpus import Corpus
from seqlab.corpus.columns import WORD_COLUMNS
from seqlab.encode import Encoder
from seqlab.encode.encoded import Rows
from seqlab.errors import CorpusError, OptionError, ShapeError
from seqlab.families.linear.edges import edges_of, empty_edges
from seqlab.families.linear.fit import LinearFit
from seqlab.families.linear.learners.batch import BatchLearner
from seqlab.families.linear.model import (
    LEVELS,
    LinearModel,
    check_rows,
    every_pair,
    joined,
    moves_seen,
    rows_seen,
)
from seqlab.families.linear.restrictions import Restrictions
from seqlab.families.linear.shards import LinearRecipe, job_of, shape_of, task_of
from seqlab.families.linear.training import (
    ENDED,
    SAMPLE,
    TRANSITION,
    TrainingSet,
    active_labels,
    first_order,
    likely_in_training,
    refined,
    trained,
)
from seqlab.learning.identity import digest
from seqlab.learning.monitor import Monitor, Outcome, Weights, say_limit
from seqlab.scale.cluster.distributed import sums_of
from seqlab.scale.cluster.sums import Counted
from seqlab.scale.disk import Disk, label_column, on_disk
from seqlab.scale.labels import choices, label_sets, open_label, written
from seqlab.scale.rows import RowStore
from seqlab.scale.sizes import resident
from seqlab.scale.vocabulary import BLOCK, located
from seqlab.store.codec import Late
from seqlab.tagging.door.blocks import LabelledBlocks, stored_gold
from seqlab.tagging.door.constraints import Rules, TagDictionary, check_possible, rules_by_blocks
from seqlab.tagging.door.names import by_value
from seqlab.tagging.door.sentences import Gold, token_weights, with_classes, word_column
from seqlab.tagging.training import FitOptions, Training, dev_scorer

WINDOWS = 8 << 20  # bytes of the windows of a thread
LABELS = 8  # bytes of the label of a token: in the shards that are read, and joined


def learn_from_disk(
    tagger: families.LinearTagger,
    X: Any,
    y: Any,
    options: FitOptions,
    max_memory: Any,
    cache: Any,
    client: Any = None,
    sample_weight: Any = None,
    before: LinearFit | None = None,
) -> LinearFit:
    """Train a linear model on sentences that need not fit in memory.

    max_memory   bytes that the program may use, or "2G"
    cache        folder of the data on disk; None for a temporary one
    client       a Dask cluster that computes sums over shards, "threads" for this process; None for one sum over all
    sample_weight   as for fit; kept in memory
    before   a fitted value whose weights are the start
    """
    tagger._check_options()
    _check_known(tagger)
    if client is not None:
        _check_batch(tagger)
        if before is not None:
            raise OptionError(
                "weights that training starts with are learned on in one process; leave start out, or leave client out",
                option="client",
            )
    blocks = LabelledBlocks(X, y, words=tagger.features is not None, write=written)
    with on_disk(max_memory, cache, options.progress) as disk:
        limit = None if max_memory is None else disk.limit
        train = trained if client is None else partial(_trained_on, client, limit)
        return _learned(tagger, X, blocks, sample_weight, options, disk, train, before)


def _check_known(tagger: families.LinearTagger) -> None:
    """Refuse features and options whose data have no place in shards."""
    if tagger._min_sum > 0 or tagger._zeros:
        raise OptionError(
            "weights chosen in CRFsuite's way (minfreq of values, zeros) are learned in memory only, because they need "
            "the values of all sentences at once; use seqlab.CRF, or leave max_memory and cache out"
        )


def _check_batch(tagger: families.LinearTagger) -> None:
    """Refuse learners that go from sentence to sentence, each step after the one before."""
    if not isinstance(tagger.learner, BatchLearner):
        raise OptionError(
            f"{type(tagger.learner).__name__} goes from sentence to sentence, which a cluster cannot share; use LBFGS "
            f"or ConjugateGradient, or leave client out",
            option="client",
        )


def _learned(
    tagger: families.LinearTagger,
    X: Any,
    blocks: LabelledBlocks,
    sample_weight: Any,
    options: FitOptions,
    disk: Disk,
    train: Any,
    before: LinearFit | None,
) -> LinearFit:
    threads = thread_count(tagger.threads)
    store = disk.columns(blocks, X)
    column = label_column(_resolved(store, blocks.column))
    whole = bool(store.facts["whole"])
    names = {name for some in choices(store, column) for name in some}
    if not names:
        raise ShapeError(f"none of the {store.tokens} tokens has a label, so there is nothing to learn from")
    every = {*names, *(before.training.labels if before else ())}
    labels = by_value(every) if whole else tuple(sorted(every))
    check_room(len(labels), tagger.order + 1, TRANSITION)
    check_rows(len(labels), tagger.order)
    encoder = copy(before.encoder()) if before else Encoder(tagger.features, min_count=tagger.min_count)
    if encoder.sees_labels:
        encoder.labels = labels
    with disk.rows(store, encoder, labels, column, threads=threads) as rows:
        data = ShardedSet(rows, labels, None if blocks.column is None else column, whole, disk, before)
        data.open = open_label(store, column) is not None
        data.weights = data.token_weights(tagger, sample_weight)
        data.dictionary = TagDictionary.of(tagger.allowed, labels, data.words)
        rules = data.rules(tagger)
        data.check_possible(tagger, rules)
        data.edge = edges_of(
            (block for block, _, _ in data.blocks()), rows.encoder, disk, store.tokens, threads
        )
        model = data.empty_model(tagger, rules, order=1)
        training = data.training(rules)
        judge = dev_scorer(
            options,
            tagger,
            training.column,
            rows.encoder,
            data.dictionary,
            threads,
            labels=labels,
            known=training.vocabulary(),
        )
        largest = model if tagger.order == 1 else data.empty_model(tagger, rules, order=tagger.order)
        data.room = _room(tagger, data, len(largest.theta), disk, threads)
        facts = data.facts if train is trained else lambda: {**data.facts(), "sums": "over shards"}
        with options.stored(tagger, facts, judge) as kept:
            monitor = options.monitor(judge, model, kept, "order-1", tagger.learner)
            model = train(tagger, data, model, monitor, threads)
            if tagger.order > 1:
                fine = joined(data.empty_model(tagger, rules, order=tagger.order), model)
                fine = refined(tagger, data.sample(threads), fine, model, before, threads)
                data.fine, data.threads = fine, threads
                if monitor.history.reason not in ENDED:
                    monitor = options.monitor(judge, fine, kept, f"order-{tagger.order}", tagger.learner)
                    fine = train(tagger, data, fine, monitor, threads)
                model = fine
        fit: LinearFit = tagger._fit_class.of(
            training, rows.encoder, model, monitor.history, sentences=store.sentences
        )
    return fit


def _resolved(store: Any, column: str | None) -> str | None:
    from seqlab.corpus.columns import resolve

    if column is None:
        return None
    name = resolve(column, store.columns)
    if store.kinds[name] != "strings":
        raise CorpusError(f"column {name!r} holds {store.kinds[name]}, but strings are wanted")
    return name


def _trained_on(
    client: Any,
    limit: int | None,
    tagger: families.LinearTagger,
    data: ShardedSet,
    model: LinearModel,
    monitor: Monitor,
    threads: int,
) -> LinearModel:
    """Estimate weights as training.trained does, with a loss that is summed shard by shard, on a cluster or here."""
    learner: Any = tagger.learner
    if data.restricted:
        raise OptionError(
            "weights of tokens, lists of labels (allowed, keep), missing labels and sets of them are kept in one "
            "process; leave them out, or leave client out",
            option="client",
        )
    loss = "local" if tagger._local else "chain"
    recipe = LinearRecipe.of(data.rows, model, loss, limit, every=tagger.states == "all")
    theta = model.theta
    with sums_of(recipe, client, threads) as sums:
        job = job_of(sums, learner, len(theta), data.rows.store.sentences, threads, tagger.seed)
        outcome: Outcome = monitor.over(lambda report: learner.train(job, theta, Counted(report, sums)))
    say_limit(outcome)
    return model.with_theta(outcome.theta)


# ------------------------------------------------------------------------------------------------ memory


def _room(tagger: families.LinearTagger, data: ShardedSet, size: int, disk: Disk, threads: int) -> int:
    """Return the memory for rows that are kept; refuse a model whose weights alone need more than there is."""
    needed = weight_bytes(tagger, size, data.rows.store.sentences, threads)
    what = f"{size:,} weights with what their learner remembers, and the program with its attributes,"
    disk.check(needed + resident(), what)
    return disk.room(0.75, besides=needed)


def weight_bytes(tagger: families.LinearTagger, weights: int, sentences: int, threads: int) -> int:
    """Estimate the memory of a training besides its data: weights, gradients, sums, and what the learner remembers."""
    learner: Any = tagger.learner
    of_sentence = 16
    vectors = 10  # of float64
    if isinstance(learner, BatchLearner):
        steps = getattr(learner, "memory", 2)
        vectors = 2 * int(getattr(learner, "_memory", 2) if steps is None else steps) + 10 + 2 * threads
    elif getattr(learner, "method", None) == "frank-wolfe":
        of_sentence = 2048  # its dual variables: a vector of differences for every sentence
    return weights * 8 * vectors + sentences * of_sentence + threads * WINDOWS


# ------------------------------------------------------------------------------------------------ the training set


@dataclass(eq=False)
class ShardedSet:
    """A training set on disk.

    rows     its shards
    labels   their names, in the order of their numbers
    column   the column that they came from, or None
    disk     says how much memory there is
    before   the fitted value that training starts with, or None
    room     bytes for rows that are kept in memory from pass to pass
    open     True if some token has no label, or several
    weights, dictionary   of tokens and for words, or None
    edge     attributes of pairs of labels, of all tokens; None without any
    fine     a model of higher order, whose first-order model says which labels are likely; None before it is trained
    """

    rows: RowStore
    labels: tuple[str, ...]
    column: str | None
    whole: bool
    disk: Disk
    before: LinearFit | None = None
    room: int = 0
    open: bool = False
    weights: Weights | None = None
    dictionary: TagDictionary | None = None
    edge: Rows | None = None
    fine: LinearModel | None = None
    threads: int = 1

    def facts(self) -> dict[str, str]:
        """Name the data for a checkpoint: their shards are called by what they hold."""
        store, rows = self.rows.store.facts, self.rows.facts
        shards = digest(store["shards"], store["strings"], rows["shards"], rows["weights"])
        start = {} if self.before is None else {"start": digest(self.before.model().theta)}
        return {"shards": shards, "weights of sentences": digest(self.weights), **start}

    @property
    def restricted(self) -> bool:
        """True if tokens have weights, lists of labels, or attributes of label pairs."""
        lists = self.fine is not None and self.fine.coarse is not None
        facts = (self.weights, self.dictionary, self.edge)
        return self.open or lists or any(fact is not None for fact in facts)

    @cached_property
    def sets(self) -> list[tuple[int, ...]]:
        """The labels that numbers below -1 stand for."""
        store = self.rows.store
        return label_sets(store, self.labels, label_column(self.column))

    @property
    def words(self) -> str | None:
        """The column of the words."""
        return word_column(next(self.rows.store.blocks(1))[1])

    def token_weights(self, tagger: families.LinearTagger, sample_weight: Any) -> Weights | None:
        """Read the weights of tokens, and multiply them by those of their labels."""
        store = self.rows.store
        if sample_weight is None and store.weights is None and tagger.class_weight is None:
            return None
        self.disk.check(resident() + 40 * store.tokens, "weights of tokens")
        lengths = np.diff(store.offsets)
        own = np.ones(len(lengths)) if store.weights is None else store.weights
        measured: Any = SimpleNamespace(lengths=lengths, weights=own)
        weights = token_weights(measured, sample_weight)
        ids = np.concatenate([ids for ids, _ in self.rows.labels()])
        return with_classes(self._gold(ids), weights, tagger.class_weight)

    def _gold(self, ids: LabelIds) -> Gold:
        """Read labels by their numbers in shards."""
        return stored_gold(self.labels, ids, self.sets, self.column, whole=self.whole)

    def blocks(self, tokens: int = BLOCK) -> Iterator[tuple[Corpus, Gold, Any]]:
        """Yield sentences with their labels and offsets, some at a time."""
        for number, (ids, _) in enumerate(self.rows.labels()):
            begin = 0
            for corpus in self.rows.store.blocks_of(number, tokens):
                end = begin + corpus.token_count
                yield corpus, self._gold(ids[begin:end]), corpus.offsets
                begin = end

    def check_possible(self, tagger: families.LinearTagger, rules: Rules) -> None:
        """Refuse sentences without a labelling that is allowed."""
        first = 0
        for corpus, gold, offsets in self.blocks() if self.open and rules else ():
            active = active_labels(self.dictionary, corpus, gold)
            with located(first):
                check_possible(gold, rules, offsets, active, tagger.constraints)
            first += len(corpus)

    def sample(self, threads: int) -> TrainingSet:
        """Read the first sentences into memory."""
        corpora: list[Corpus] = []
        tokens = 0
        for corpus, gold, _ in self.blocks(SAMPLE):
            corpora.append(corpus)
            tokens += len(gold.ids)
            if tokens >= 2 * SAMPLE:
                break
        ids = itertools.chain.from_iterable(ids for ids, _ in self.rows.labels())
        gold = self._gold(np.fromiter(itertools.islice(ids, tokens), dtype=np.int32))
        return self._in_memory(reduce(add, corpora), gold, threads)

    def _in_memory(self, corpus: Corpus, gold: Gold, threads: int) -> TrainingSet:
        encoded = self.rows.encoder.encode(corpus, threads=threads).checked()
        return TrainingSet(encoded, gold, None, active_labels(self.dictionary, corpus, gold))

    def _mask(self, corpus: Corpus, gold: Gold) -> Any:
        """Compute (tokens, L): labels that tokens may have; None for all."""
        if self.fine is None or self.fine.coarse is None:
            return active_labels(self.dictionary, corpus, gold)
        return likely_in_training(self._in_memory(corpus, gold, self.threads), self.fine, self.threads)

    def gold(self) -> Iterator[tuple[Gold, Any]]:
        """Yield the labels of every shard, and the offsets of its sentences."""
        for ids, offsets in self.rows.labels():
            yield self._gold(ids), offsets

    def rules(self, tagger: families.LinearTagger) -> Rules:
        """Read the constraints, and check the labels of every shard by them."""
        before = None if self.before is None else self.before.training.rules
        return rules_by_blocks(tagger.constraints, self.labels, self.gold, before)

    def training(self, rules: Rules) -> Training:
        """Collect the facts of the training."""
        store = self.rows.store
        name = next((name for name in WORD_COLUMNS if store.kinds.get(name) == "strings"), None)
        words = None if name is None else frozenset(store.pools[name].strings())
        columns = tuple(one for one in store.columns if one != self.column)
        return Training(self.labels, columns, self.column, Late(words), rules, self.dictionary, self.whole)

    def empty_model(self, tagger: families.LinearTagger, rules: Rules, *, order: int) -> LinearModel:
        """Make a model with weights of 0, as training.empty_model does of a corpus in memory."""
        L, encoder = len(self.labels), self.rows.encoder
        if tagger.states == "all":
            begin, label = every_pair(encoder.size, L)
        else:
            begin, label = self.rows.pairs()
        seen = np.zeros((L, L), dtype=bool)
        longer: dict[str, Any] = {}
        for back, (name, seen_name) in enumerate(LEVELS[1:order], 2):
            longer[name], longer[seen_name] = (
                np.zeros((L,) * (back + 1)),
                np.zeros((L,) * (back + 1), dtype=bool),
            )
        for gold, offsets in self.gold():
            move, several = moves_seen(offsets, gold)
            seen.reshape(-1)[np.concatenate([move[move >= 0], *several.values()]).astype(np.int64)] = True
            for back, (_, seen_name) in enumerate(LEVELS[1:order], 2):
                longer[seen_name] |= rows_seen(offsets, gold.ids, L, back)
        if not getattr(encoder.features, "bigram", True):
            seen[:] = False
        elif tagger.transitions == "all":
            seen = ~rules.forbidden
        edge = None
        if self.edge is not None:
            gold = self._gold(np.concatenate([ids for ids, _ in self.rows.labels()]))
            every = tagger.transitions == "all"
            edge = empty_edges(self.edge, encoder.edge_size, self.rows.store.offsets, gold, all_moves=every)
        made = LinearModel(
            self.labels,
            begin,
            label,
            np.zeros(len(label)),
            np.zeros((L, L)),
            seen,
            rules,
            edge=edge,
            **longer,
        )
        return made if self.before is None else joined(made, first_order(self.before.model()))

    def task(self, model: LinearModel, *, layered: bool) -> _core.Task:
        """Make the task of the core, for a model with these weights; `layered` as for TrainingSet.task."""
        weights = (model.begin, model.label, shape_of(model))
        if not self.restricted:
            labels, size = None, LABELS * self.rows.store.tokens
            if (
                size <= self.room // 8
            ):  # a learner that goes from sentence to sentence would read them for each
                labels = np.concatenate([ids for ids, _ in self.rows.labels()])
            return task_of(self.rows, *weights, self.room - (0 if labels is None else size), labels=labels)
        made = Restrictions.of(
            self.blocks(),
            self._mask,
            self.weights,
            model.L,
            layered=layered,
            disk=self.disk,
            tokens=self.rows.store.tokens,
        )
        room = max(self.room - made.size, 0)
        task = task_of(self.rows, *weights, room, labels=made.partial.labels)
        made.give(task)
        if model.edge is not None and self.edge is not None:
            edge = self.edge
            task.set_edges(edge.indptr, edge.ids, edge.values, model.edge.begin, model.edge.move, edge.moves)
        return task
