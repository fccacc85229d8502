"""Train a linear model out of core: the training set is shards on disk, the weights are the same to the last bit."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any

from seqlab import families
from seqlab.arrays import check_room, thread_count
from seqlab.encode import Encoder
from seqlab.errors import CorpusError, OptionError, ShapeError
from seqlab.families.linear.edges import edges_of
from seqlab.families.linear.fit import LinearFit
from seqlab.families.linear.learners.batch import BatchLearner
from seqlab.families.linear.model import (
    LinearModel,
    check_rows,
    joined,
)
from seqlab.families.linear.sharded import ShardedSet
from seqlab.families.linear.shards import LinearRecipe, job_of
from seqlab.families.linear.training import (
    ENDED,
    TRANSITION,
    refined,
    trained,
)
from seqlab.learning.monitor import Monitor, Outcome, say_limit
from seqlab.scale.cluster.distributed import sums_of
from seqlab.scale.cluster.sums import Counted
from seqlab.scale.disk import Disk, label_column, on_disk
from seqlab.scale.labels import choices, open_label, written
from seqlab.scale.sizes import resident
from seqlab.tagging.door.blocks import LabelledBlocks
from seqlab.tagging.door.constraints import TagDictionary
from seqlab.tagging.door.names import by_value
from seqlab.tagging.training import FitOptions, dev_scorer

WINDOWS = 8 << 20  # bytes of the windows of a thread


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
