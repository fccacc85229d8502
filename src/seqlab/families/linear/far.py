"""Train a linear model out of core: the training set is shards on disk, the weights are the same to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from seqlab import _core, families
from seqlab.arrays import check_room, thread_count
from seqlab.corpus.columns import WORD_COLUMNS, offsets_of
from seqlab.encode import Encoder
from seqlab.encode.encoder import sources_of
from seqlab.errors import CorpusError, LabelError, OptionError, ShapeError
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
from seqlab.families.linear.shards import LinearRecipe, job_of, shape_of, task_of
from seqlab.families.linear.training import ENDED, TRANSITION, trained
from seqlab.learning.identity import digest
from seqlab.learning.monitor import Monitor, Outcome, say_limit
from seqlab.scale.cluster.distributed import sums_of
from seqlab.scale.cluster.sums import Counted
from seqlab.scale.disk import Disk, label_column, on_disk
from seqlab.scale.rows import RowStore, missing_label
from seqlab.scale.sizes import resident
from seqlab.scale.vocabulary import located
from seqlab.store.codec import Late
from seqlab.tagging.door.blocks import LabelledBlocks
from seqlab.tagging.door.constraints import AUTO, Rules
from seqlab.tagging.door.names import by_value
from seqlab.tagging.door.sentences import Gold
from seqlab.tagging.training import FitOptions, Training, dev_scorer

WINDOWS = 8 << 20  # bytes of the windows of a thread


def learn_from_disk(
    tagger: families.LinearTagger,
    X: Any,
    y: Any,
    options: FitOptions,
    max_memory: Any,
    cache: Any,
    client: Any = None,
) -> LinearFit:
    """Train a linear model on sentences that need not fit in memory.

    max_memory   bytes that the program may use, or "2G"
    cache        folder of the data on disk; None for a temporary one
    client       a Dask cluster that computes sums over shards, "threads" for this process; None for one sum over all
    """
    tagger._check_options()
    _check_known(tagger)
    if client is not None:
        _check_batch(tagger)
    blocks = LabelledBlocks(X, y, words=tagger.features is not None)
    with on_disk(max_memory, cache, options.progress) as disk:
        limit = None if max_memory is None else disk.limit
        train = trained if client is None else partial(_trained_on, client, limit)
        return _learned(tagger, X, blocks, options, disk, train)


def _check_known(tagger: families.LinearTagger) -> None:
    """Refuse options that need a number for every token and label in memory."""
    for option, why in (
        ("allowed", "lists of labels for every token"),
        ("class_weight", "a weight for every token"),
    ):
        if getattr(tagger, option) is not None:
            raise OptionError(
                f"{option} needs {why}, which a training out of core does not keep; leave it out, or leave max_memory "
                f"and cache out",
                option=option,
            )
    if tagger.order > 1 and not tagger._local and tagger.keep > 0:
        raise OptionError(
            f"order={tagger.order} with keep={tagger.keep:g} needs a list of likely labels for every token, which a "
            f"training out of core does not keep; pass keep=0, so that every label counts",
            option="keep",
        )
    if tagger._min_sum > 0 or tagger._zeros:
        raise OptionError("weights chosen in CRFsuite's way are learned in memory only; use seqlab.CRF")
    encoder = Encoder(tagger.features, min_count=tagger.min_count)
    if sources_of(encoder.features, tagger.min_count, ())[1]:
        raise OptionError(
            "features of pairs of labels are learned in memory only; leave them out, or leave max_memory and cache out",
            option="features",
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
    tagger: families.LinearTagger, X: Any, blocks: LabelledBlocks, options: FitOptions, disk: Disk, train: Any
) -> LinearFit:
    threads = thread_count(tagger.threads)
    store = disk.columns(blocks, X)
    column = label_column(_resolved(store, blocks.column))
    place = missing_label(store, column)
    if place is not None:
        raise LabelError(
            "a token has no label, and a training out of core needs one for each; leave such sentences out, or leave "
            "max_memory and cache out",
            place=place,
        )
    whole = bool(store.facts["whole"])
    names = store.pools[column].strings()
    if not names:
        raise ShapeError(f"none of the {store.tokens} tokens has a label, so there is nothing to learn from")
    labels = by_value(set(names)) if whole else tuple(sorted(names))
    check_room(len(labels), tagger.order + 1, TRANSITION)
    check_rows(len(labels), tagger.order)
    encoder = Encoder(tagger.features, min_count=tagger.min_count)
    with disk.rows(store, encoder, labels, column, threads=threads) as rows:
        data = ShardedSet(rows, labels, None if blocks.column is None else column, whole)
        rules = data.rules(tagger)
        model = data.empty_model(tagger, rules, order=1)
        training = data.training(rules)
        judge = dev_scorer(
            options,
            tagger,
            training.column,
            rows.encoder,
            None,
            threads,
            labels=labels,
            known=training.vocabulary(),
        )
        data.room = _room(tagger, data, model, disk, threads)
        facts = data.facts if train is trained else lambda: {**data.facts(), "sums": "over shards"}
        with options.stored(tagger, facts, judge) as kept:
            monitor = options.monitor(judge, model, kept, "order-1", tagger.learner)
            model = train(tagger, data, model, monitor, threads)
            if tagger.order > 1:
                fine = joined(data.empty_model(tagger, rules, order=tagger.order), model)
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
    loss = "local" if tagger._local else "chain"
    recipe = LinearRecipe.of(data.rows, model, loss, limit, every=tagger.states == "all")
    theta = model.theta
    with sums_of(recipe, client, threads) as sums:
        job = job_of(sums, learner, len(theta), data.rows.store.sentences, threads, tagger.seed)
        outcome: Outcome = monitor.over(lambda report: learner.train(job, theta, Counted(report, sums)))
    say_limit(outcome)
    return model.with_theta(outcome.theta)


# ------------------------------------------------------------------------------------------------ memory


def _room(
    tagger: families.LinearTagger, data: ShardedSet, model: LinearModel, disk: Disk, threads: int
) -> int:
    """Return the memory for rows that are kept; refuse a model whose weights alone need more than there is."""
    needed = weight_bytes(tagger, model, data.rows.store.sentences, threads)
    what = f"{len(model.theta):,} weights with what their learner remembers, and the program with its attributes,"
    disk.check(needed + resident(), what)
    return disk.room(0.75, besides=needed)


def weight_bytes(tagger: families.LinearTagger, model: LinearModel, sentences: int, threads: int) -> int:
    """Estimate the memory of a training besides its data: weights, gradients, sums, and what the learner remembers."""
    learner: Any = tagger.learner
    weights, of_sentence = len(model.theta), 16
    vectors = 10  # of float64
    if isinstance(learner, BatchLearner):
        steps = getattr(learner, "memory", 2)
        vectors = 2 * int(getattr(learner, "_memory", 2) if steps is None else steps) + 10 + 2 * threads
    elif getattr(learner, "method", None) == "frank-wolfe":
        of_sentence = 2048  # its dual variables: a vector of differences for every sentence
    return weights * 8 * vectors + sentences * of_sentence + threads * WINDOWS


# ------------------------------------------------------------------------------------------------ the training set


@dataclass(slots=True, eq=False)
class ShardedSet:
    """A training set on disk.

    rows     its shards
    labels   their names, in the order of their numbers
    column   the column that they came from, or None
    room     bytes for rows that are kept in memory from pass to pass
    """

    rows: RowStore
    labels: tuple[str, ...]
    column: str | None
    whole: bool
    room: int = 0

    def facts(self) -> dict[str, str]:
        """Name the data for a checkpoint: their shards are called by what they hold."""
        return {"shards": digest(self.rows.store.facts["shards"], self.rows.facts["shards"])}

    def gold(self) -> Iterator[tuple[Gold, Any]]:
        """Yield the labels of every shard, and the offsets of its sentences."""
        for ids, offsets in self.rows.labels():
            yield Gold(self.labels, ids, {}, self.column, self.whole), offsets

    def rules(self, tagger: families.LinearTagger) -> Rules:
        """Read the constraints, and check the labels of every shard by them."""
        first, rules = 0, None
        if isinstance(tagger.constraints, str) and tagger.constraints == AUTO:
            gold, offsets = self._examples()
            rules = Rules.learned(AUTO, self.labels, gold, offsets)
        for gold, offsets in self.gold():
            with located(first):
                rules = Rules.learned(tagger.constraints, self.labels, gold, offsets, rules)
            first += len(offsets) - 1
        return Rules.none(len(self.labels)) if rules is None else rules

    def _examples(self) -> tuple[Gold, Any]:
        """Collect sentences that have every start, move and end of labels that there is, for the tag scheme."""
        L, known = len(self.labels), np.zeros(0, dtype=np.int64)
        found: list[Any] = []
        for gold, offsets in self.gold():
            some = np.flatnonzero(np.diff(offsets) > 0)
            events, _ = moves_seen(offsets, gold)
            firsts, lasts = offsets[some], offsets[some + 1] - 1
            events[firsts] = L * L + gold.ids[firsts]
            events = np.concatenate([events, L * L + L + gold.ids[lasts]])
            token = np.concatenate([np.arange(len(gold.ids)), lasts])
            new, at = np.unique(events, return_index=True)
            at = at[~np.isin(new, known)]
            known = np.union1d(known, new)
            sentences = np.unique(np.searchsorted(offsets, token[at], side="right") - 1).tolist()
            found += [np.array(gold.ids[offsets[s] : offsets[s + 1]]) for s in sentences]
        joined = np.concatenate(found)
        return Gold(self.labels, joined, {}, self.column, self.whole), offsets_of([len(one) for one in found])

    def training(self, rules: Rules) -> Training:
        """Collect the facts of the training."""
        store = self.rows.store
        name = next((name for name in WORD_COLUMNS if store.kinds.get(name) == "strings"), None)
        words = None if name is None else frozenset(store.pools[name].strings())
        columns = tuple(one for one in store.columns if one != self.column)
        return Training(self.labels, columns, self.column, Late(words), rules, None, self.whole)

    def empty_model(self, tagger: families.LinearTagger, rules: Rules, *, order: int) -> LinearModel:
        """Make a model with weights of 0, as training.empty_model does of a corpus in memory."""
        L, encoder = len(self.labels), self.rows.encoder
        if tagger.states == "all":
            begin, label = every_pair(encoder.size, L)
        else:
            begin, label = (np.array(self.rows.weights[name]) for name in ("begin", "label"))
        seen = np.zeros((L, L), dtype=bool)
        longer: dict[str, Any] = {}
        for back, (name, seen_name) in enumerate(LEVELS[1:order], 2):
            longer[name], longer[seen_name] = (
                np.zeros((L,) * (back + 1)),
                np.zeros((L,) * (back + 1), dtype=bool),
            )
        for gold, offsets in self.gold():
            move, _ = moves_seen(offsets, gold)
            seen.reshape(-1)[move[move >= 0]] = True
            for back, (_, seen_name) in enumerate(LEVELS[1:order], 2):
                longer[seen_name] |= rows_seen(offsets, gold.ids, L, back)
        if not getattr(encoder.features, "bigram", True):
            seen[:] = False
        elif tagger.transitions == "all":
            seen = ~rules.forbidden
        return LinearModel(
            self.labels, begin, label, np.zeros(len(label)), np.zeros((L, L)), seen, rules, **longer
        )

    def task(self, model: LinearModel, *, layered: bool) -> _core.Task:  # noqa: ARG002  (no token has a weight)
        """Make the task of the core, for a model with these weights."""
        return task_of(self.rows, model.begin, model.label, shape_of(model), self.room)
