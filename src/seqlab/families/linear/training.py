"""Train a linear model: from sentences and labels to the training set, and by a learner to weights."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from seqlab import _core, families
from seqlab.arrays import LabelIds, check_room, thread_count
from seqlab.corpus import Corpus
from seqlab.encode import EncodedCorpus, Encoder
from seqlab.errors import CorpusError, OptionError
from seqlab.families.linear.fit import LinearFit
from seqlab.families.linear.higher_order import likely_labels
from seqlab.families.linear.learners.batch import BatchLearner
from seqlab.families.linear.learners.sgd import SGD
from seqlab.families.linear.model import Begins, LinearModel, check_rows, empty_model, joined, unfolded
from seqlab.learning.identity import counted_digest, digest
from seqlab.learning.monitor import Job, Monitor, Outcome, Report, Weights, say_limit
from seqlab.store.state import State
from seqlab.tagging.door.constraints import Allowed, Bools, Rules, TagDictionary, check_possible
from seqlab.tagging.door.names import by_value
from seqlab.tagging.door.sentences import (
    NOTHING,
    SEVERAL,
    Gold,
    listed_labels,
    read_labelled,
    token_weights,
    with_classes,
    word_column,
)
from seqlab.tagging.training import FitOptions, Training, dev_scorer

TRANSITION = 24  # bytes per transition: weight, whether it was seen, expected count, the kernels' copy
USUAL_KEEP = 1e-3
LEFT = 3.0  # labels per token that a CRF usually keeps
SAMPLE = 20_000  # tokens to estimate that number from
ENDED = ("interrupted", "stopped")  # a training ended in its first phase gets no second phase


def learn(
    tagger: families.LinearTagger,
    X: Any,
    y: Any,
    sample_weight: Any,
    options: FitOptions,
    before: LinearFit | None = None,
    *,
    classes: Any = None,
    continued: bool = False,
) -> LinearFit:
    """Train a linear model: read, encode, choose its weights, estimate them.

    before      a fitted value whose weights are the start
    classes     further labels, which may come later
    continued   True for partial_fit: these sentences are added to those of `before`
    """
    tagger._check_options()
    threads = thread_count(tagger.threads)
    corpus, gold = read_labelled(X, y, words=tagger.features is not None)
    earlier_labels = before.training.labels if before else ()
    every_label = {*gold.names, *listed_labels(classes, whole=gold.whole), *earlier_labels}
    in_order = tagger._label_order or sorted(every_label)
    labels = by_value(every_label) if gold.whole else tuple(in_order)
    encoder, encoded = _encoded(tagger, corpus, before, labels, threads)
    gold = gold.numbered(labels)
    weights = with_classes(gold, token_weights(corpus, sample_weight), tagger.class_weight)
    check_room(len(labels), tagger.order + 1, TRANSITION)
    check_rows(len(labels), tagger.order)
    earlier_rules = before.training.rules if before else None
    rules = Rules.learned(tagger.constraints, labels, gold, corpus.offsets, earlier_rules)
    dictionary = TagDictionary.of(tagger.allowed, labels, word_column(corpus))
    data = TrainingSet(encoded, gold, weights, active_labels(dictionary, corpus, gold))
    check_possible(gold, rules, corpus.offsets, data.active, tagger.constraints)
    every = {"all_states": tagger.states == "all", "all_moves": tagger.transitions == "all"}
    shaped = partial(empty_model, encoded, gold, rules, **every, threads=threads)
    first = frequent(shaped(), encoded, gold, tagger._min_sum)
    model = first if before is None else joined(first, first_order(before.model()))
    earlier = before if continued else None
    training = Training.of(
        corpus, gold, labels, rules, dictionary, before=None if earlier is None else earlier.training
    )
    judge = dev_scorer(
        options, tagger, gold.column, encoder, dictionary, threads, labels=labels, known=training.vocabulary()
    )

    def facts() -> dict[str, str]:
        start = {} if before is None else {"start": digest(model.theta)}
        return {"sentences": counted_digest(corpus), **data.facts(), **start}

    with options.stored(tagger, facts, judge) as kept:
        monitor = options.monitor(judge, model, kept, "order-1", tagger.learner)
        model = trained(tagger, data, model, monitor, threads, earlier=earlier)
        if tagger.order > 1:
            fine = refined(tagger, data, joined(shaped(order=tagger.order), model), model, before, threads)
            if monitor.history.reason not in ENDED:
                data = replace(data, active=likely_in_training(data, fine, threads))
                monitor = options.monitor(judge, fine, kept, f"order-{tagger.order}", tagger.learner)
                fine = trained(tagger, data, fine, monitor, threads, earlier=earlier)
            model = fine
    seen = len(corpus) + (0 if earlier is None else earlier.sentences or 0)
    fit: LinearFit = tagger._fit_class.of(training, encoder, model, monitor.history, sentences=seen)
    return fit


def _encoded(
    tagger: families.LinearTagger,
    corpus: Corpus,
    before: LinearFit | None,
    labels: Sequence[str],
    threads: int,
) -> tuple[Encoder, EncodedCorpus]:
    if before is None:
        encoder = Encoder(tagger.features, min_count=tagger.min_count)
        encoder.zeros = tagger._zeros
        encoded = encoder.fit(corpus, threads=threads, classes=labels if encoder.sees_labels else ())
    else:
        encoder = copy(before.encoder())  # extend replaces its parts
        encoded = encoder.extend(corpus, threads=threads, classes=labels if encoder.sees_labels else ())
    if not encoder.size and not encoder.edge_size:
        raise CorpusError("no attribute is left to learn from; lower min_count, or look at the features")
    return encoder, encoded.checked()


def frequent(model: LinearModel, encoded: EncodedCorpus, gold: Gold, least: float) -> LinearModel:
    """Drop weights of attribute-label pairs whose values sum to less than `least`, and of rarer transitions."""
    L, rows, ids = model.L, encoded.node, gold.ids.astype(np.int64)
    if least == -np.inf or (least <= 0 and (rows.values is None or rows.values.min(initial=0.0) >= 0)):
        return model  # no sum is so small
    label = np.repeat(ids, np.diff(rows.indptr))
    known = label >= 0
    values = np.ones(len(rows.ids)) if rows.values is None else rows.values
    keys = np.repeat(np.arange(len(model.begin) - 1), np.diff(model.begin)) * L + model.label
    at = np.searchsorted(keys, rows.ids[known].astype(np.int64) * L + label[known])
    sums = np.bincount(at, values[known], minlength=len(keys))
    begin, cells = unfolded(keys[sums >= least], len(model.begin) - 1, L)
    inner = np.ones(len(ids), dtype=bool)
    inner[encoded.offsets[:-1][np.diff(encoded.offsets) > 0]] = False
    inner[1:] &= (ids[1:] >= 0) & (ids[:-1] >= 0)
    to = np.flatnonzero(inner)
    seen = np.bincount(ids[to - 1] * L + ids[to], minlength=L * L).reshape(L, L) >= least
    return replace(
        model, begin=begin, label=cells, weights=np.zeros(len(cells)), move_seen=model.move_seen & seen
    )


def refined(
    tagger: families.LinearTagger,
    data: TrainingSet,
    model: LinearModel,
    coarse: LinearModel,
    before: LinearFit | None,
    threads: int,
) -> LinearModel:
    """Prepare a model of higher order, initialised by the first-order one, for training."""
    if before is not None and before.model().order > 1:
        model = joined(model, before.model())
    if tagger._local or tagger.keep <= 0:  # an MEMM has no sum over paths to shorten by pruning
        return replace(model, coarse=None, keep=0.0)
    by = 1.0 if tagger._probabilistic else sharpness(data, coarse, threads)
    return replace(model, coarse=coarse.multiplied(by), keep=float(tagger.keep), sharpness=by)


def trained(
    tagger: families.LinearTagger,
    data: Any,
    model: LinearModel,
    monitor: Monitor,
    threads: int,
    *,
    earlier: LinearFit | None = None,
) -> LinearModel:
    """Estimate weights with the tagger's learner, from those of the model; `earlier` is the model it continues."""
    learner: Any = tagger.learner
    theta = model.theta
    task = data.task(model, layered=tagger._layered and tagger._probabilistic)

    def first_guess(at: Weights, epochs: int) -> None:
        burn_in = max(epochs - 2, 0)
        l1 = float(getattr(learner, "l1", 0.0))
        options = (float(learner.l2), l1, epochs, burn_in, 0.0, tagger.seed, tagger._local, threads)
        before = None if monitor.resumed is None else monitor.resumed.arrays

        def keep(snapshot: Any) -> None:
            monitor.keep(lambda: State("first guess", {}, snapshot()))

        _core.averaged_start(task, at, *options, None if monitor.run is None else keep, before)

    def train(report: Report) -> Outcome:
        outcome: Outcome
        if isinstance(learner, BatchLearner):
            exact = tagger._losses[1](task)
            quick = tagger._losses[0](task) if getattr(learner, "dtype", "") == "float32" else exact
            centre = None if earlier is None else theta.copy()
            outcome = learner.train(Job(quick, exact, first_guess, threads, centre), theta, report)
        else:
            own = learner if earlier is None else going_on(learner, task, earlier.sentences)
            outcome = own.train(task, theta, threads=threads, seed=tagger.seed, report=report)
        return outcome

    outcome = monitor.over(train)
    say_limit(outcome)
    return model.with_theta(outcome.theta)


def going_on(learner: Any, task: _core.Task, seen: int | None) -> Any:
    """Adapt a learner to further sentences: its penalty is that of the whole corpus, of which these are a part.

    seen   number of earlier training sentences; None in files of earlier versions
    """
    if getattr(learner, "method", None) == "frank-wolfe":
        raise OptionError(
            "StructuredSVM(method='frank-wolfe') always begins at 0, so it cannot go on from an earlier model; "
            "use method='subgradient'"
        )
    if not isinstance(learner, SGD):  # subgradient steps grow as the penalty falls
        return learner
    before = 9 * task.sentences if seen is None else seen
    return replace(learner, l2=learner.l2 * task.sentences / (task.sentences + before))


# ------------------------------------------------------------------------------------------------ higher orders


def first_order(model: LinearModel) -> LinearModel:
    """Return the first-order model as it was trained."""
    return model if model.coarse is None else model.coarse.multiplied(1 / model.sharpness)


def sharpness(data: TrainingSet, coarse: LinearModel, threads: int) -> float:
    """Find a factor for scores that are not log-probabilities, so that they keep as many labels as a CRF's.

    A perceptron's are so large that hardly a second label is kept, those of a structured SVM so small that all are.
    """
    if coarse.L <= LEFT or USUAL_KEEP * coarse.L >= 1:
        return 1.0
    encoded = data.encoded
    last = max(int(np.searchsorted(encoded.offsets, SAMPLE, side="right")) - 1, 1)
    sample = encoded.span(0, min(last, len(encoded)))
    allowed = None if data.active is None else Allowed(data.active[: sample.token_count])
    low, high = -32.0, 32.0  # its logarithm to base 2: low keeps all labels, high keeps one
    for _ in range(12):
        middle = (low + high) / 2
        model = coarse.multiplied(2.0**middle)
        likely = likely_labels(model, sample, USUAL_KEEP, allowed=allowed, threads=threads)
        low, high = (middle, high) if likely.sum() > LEFT * sample.token_count else (low, middle)
    return float(2.0**high)


def likely_in_training(data: TrainingSet, model: LinearModel, threads: int) -> Bools | None:
    """Compute (tokens, L): labels that the coarse model keeps, and always the given ones; None for all labels."""
    coarse, gold = model.coarse, data.gold
    if coarse is None:
        return data.active
    masks = [data.active]
    if gold.partial:  # labellings consistent with partial labels must stay possible
        given = gold.given(coarse.L)
        masks.append(given if data.active is None else given & data.active)
    likely = np.zeros((data.encoded.token_count, coarse.L), dtype=bool)
    for mask in masks:
        allowed = None if mask is None else Allowed(mask)
        likely |= likely_labels(coarse, data.encoded, model.keep, allowed=allowed, threads=threads)
    gold.keep_given(likely)
    return likely


# ------------------------------------------------------------------------------------------------ the training set


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """The labels, weights and restrictions of a training corpus.

    gold      the labels, numbered as the model's
    weights   (tokens,)   weight of each token; None when all are 1
    active    (tokens, L) allowed labels; None for all
    """

    encoded: EncodedCorpus
    gold: Gold
    weights: Weights | None
    active: Bools | None

    def facts(self) -> dict[str, str]:
        """Describe the data by hashes: what a learner sees of them."""
        seen = {"features of sentences": digest(self.encoded.node, self.encoded.edge, self.active)}
        return {**seen, "labels": digest(self.gold), "weights of sentences": digest(self.weights)}

    def task(self, model: LinearModel, *, layered: bool) -> _core.Task:
        """Make the task of the core, for a model with these weights.

        layered   weights of tokens become partial labels (likelihood learners), not costs (mistake-driven learners)
        """
        encoded, node, edge = self.encoded, self.encoded.node.effective(), self.encoded.edge
        partial = partial_labels(
            self.gold, encoded.offsets, self.weights, self.active, model.L, layered=layered
        )
        rows = (node.indptr, node.ids, node.values)
        moves, *longer = (numbered(seen) for _, seen in model.tables)
        task = _core.Task(model.L, encoded.offsets, partial.labels, *rows, model.begin, model.label, moves)
        for numbers in longer:
            task.add_transitions(numbers)
        if node.cluster_codes is not None:
            task.set_kin(node.cluster_codes)
        if model.rules:
            task.set_rules(**model.rules.flags())
        if partial.weight is not None and partial.gold_weight is not None:
            task.set_weights(partial.weight, partial.gold_weight)
        if model.edge is not None and edge is not None:
            weights = (model.edge.begin, model.edge.move)
            task.set_edges(edge.indptr, edge.ids, edge.values, *weights, edge.moves)
        if self.active is not None:
            counts = self.active.sum(axis=1)
            task.set_active(begins_of(counts), np.nonzero(self.active)[1].astype(np.int32))
        if len(partial.sequence):
            lists = (partial.list_offset, partial.list_ids)
            task.set_clamps(partial.sequence, partial.partial_weight, partial.row, *lists)
        if not layered and self.weights is not None:
            task.set_token_weights(np.ascontiguousarray(self.weights))
        return task


def numbered(seen: Bools) -> LabelIds:
    """Number the True entries of a table, read row by row; -1 for the others."""
    flat = seen.reshape(-1)
    return np.where(flat, np.cumsum(flat) - 1, -1).astype(np.int32)


def begins_of(sizes: Any) -> Begins:
    """Compute offsets of lists that are stored one after another, and the end of the last."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def active_labels(dictionary: TagDictionary | None, corpus: Corpus, gold: Gold) -> Bools | None:
    """Compute (tokens, L): labels that the dictionary allows, and the given ones; None without a dictionary."""
    if dictionary is None:
        return None
    mask = dictionary.mask(corpus)
    gold.keep_given(mask)
    return mask


# ------------------------------------------------------------------------------------------------ partial labels


@dataclass(frozen=True, slots=True, eq=False)
class PartialLabels:
    """Partial labels, and tokens with different weights, as lists of allowed labels.

    A token of weight 2 counts as if its label had been seen twice: once with its sentence, once in a copy where only
    tokens of that weight are labelled (eq:token-weights). So weights within a sentence become layers, each with partial
    labels.

    labels         (tokens,)     -1 in sentences that are not fully labelled
    weight         (sentences,)  weight of log Z of a sentence; None when all are 1
    gold_weight    (sentences,)  weight of its full labelling; 0 where it has none
    sequence       (lists,)      the sentence of each partial labelling, rising
    partial_weight (lists,)
    row            (lists,)      offset of its lists
    list_offset, list_ids        one list of labels for every token of every partial labelling
    """

    labels: LabelIds
    weight: Weights | None
    gold_weight: Weights | None
    sequence: Begins
    partial_weight: Weights
    row: Begins
    list_offset: Begins
    list_ids: LabelIds


def partial_labels(
    gold: Gold,
    offsets: Begins,
    weights: Weights | None,
    active: Bools | None,
    size: int,
    *,
    layered: bool,
) -> PartialLabels:
    """Make partial labels for the sentences that need any; all others have full labels."""
    lengths = np.diff(offsets)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    worth = np.ones(len(gold.ids)) if weights is None else weights
    weight = np.zeros(len(lengths)) if weights is not None else np.ones(len(lengths))
    if weights is not None:
        np.maximum.at(weight, sentence, weights)
    odd = np.zeros(len(lengths), dtype=bool)
    odd[sentence[gold.ids < 0]] = True
    if layered:
        odd[sentence[worth != weight[sentence]]] = True
    labels = np.where(odd[sentence], np.int32(-1), gold.ids).astype(np.int32) if odd.any() else gold.ids
    gold_weight = np.where(odd, 0.0, weight)
    partial: list[tuple[int, float, int]] = []  # sentence, weight, the first of its lists
    lists: list[Sequence[int]] = []
    everything = range(size)
    for s in np.flatnonzero(odd).tolist():
        span = slice(offsets[s], offsets[s + 1])
        weight[s], gold_weight[s], layers = _layers(gold.ids[span], worth[span], layered=layered)
        if gold_weight[s]:
            labels[span] = gold.ids[span]
        for amount, known in layers:
            partial.append((s, amount, len(lists)))
            for token, given in enumerate(known.tolist(), int(offsets[s])):
                if given:
                    lists.append(gold.sets.get(token) or (int(gold.ids[token]),))
                else:
                    lists.append(everything if active is None else np.flatnonzero(active[token]).tolist())
    plain = weights is None and not odd.any()
    sequence, amounts, row = zip(*partial, strict=True) if partial else ((), (), ())
    return PartialLabels(
        np.ascontiguousarray(labels),
        None if plain else weight,
        None if plain else gold_weight,
        np.array(sequence, dtype=np.int64),
        np.array(amounts, dtype=np.float64),
        np.array(row, dtype=np.int64),
        begins_of([len(some) for some in lists]),
        np.array([y for some in lists for y in some], dtype=np.int32),
    )


def _layers(
    ids: LabelIds, worth: Weights, *, layered: bool
) -> tuple[float, float, list[tuple[float, Bools]]]:
    """Return the weights of log Z and of the full labelling, and (weight, known tokens) for each level of weights."""
    told = ids != NOTHING
    levels = np.unique(worth[told & (worth > 0)]).tolist()
    if not levels:
        return 0.0, 0.0, []
    if not layered:
        mean = float(worth[told].mean())
        return mean, 0.0, [(mean, told)]
    full = before = 0.0
    layers = []
    for level in levels:
        known = told & (worth >= level)
        if known.all() and not (ids == SEVERAL).any():
            full += level - before
        else:
            layers.append((level - before, known))
        before = level
    return before, full, layers
