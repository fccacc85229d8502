"""The training set of a linear model out of core: shards on disk, some of whose facts are kept in memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from types import SimpleNamespace
from typing import Any

import numpy as np

from seqlab import _core, families
from seqlab.arrays import LabelIds
from seqlab.corpus import Corpus
from seqlab.corpus.columns import WORD_COLUMNS
from seqlab.encode.encoded import Rows
from seqlab.families.linear.edges import empty_edges
from seqlab.families.linear.fit import LinearFit
from seqlab.families.linear.model import (
    LEVELS,
    LinearModel,
    every_pair,
    joined,
    moves_seen,
    rows_seen,
)
from seqlab.families.linear.restrictions import Restrictions
from seqlab.families.linear.shards import shape_of, task_of
from seqlab.families.linear.training import (
    SAMPLE,
    TrainingSet,
    active_labels,
    first_order,
    likely_in_training,
)
from seqlab.learning.identity import digest
from seqlab.learning.monitor import Weights
from seqlab.scale.disk import Disk, label_column
from seqlab.scale.labels import label_sets
from seqlab.scale.rows import RowStore
from seqlab.scale.sizes import resident
from seqlab.scale.vocabulary import BLOCK, located
from seqlab.store.codec import Late
from seqlab.tagging.door.blocks import stored_gold
from seqlab.tagging.door.constraints import Rules, TagDictionary, check_possible, rules_by_blocks
from seqlab.tagging.door.sentences import Gold, token_weights, with_classes, word_column
from seqlab.tagging.training import Training

LABELS = 8  # bytes of the label of a token: in the shards that are read, and joined


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
