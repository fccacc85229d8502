"""Prune the weights of a linear tagger: fewer weights, or fewer bytes for each, and the loss of accuracy."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from seqlab.arrays import thread_count
from seqlab.errors import OptionError, StoreError
from seqlab.families.linear.fit import PruneReport
from seqlab.families.linear.model import Begins, EdgeWeights, LinearModel, Weights
from seqlab.store.codec import state_of, value_of
from seqlab.store.fields import check_dtype
from seqlab.tagging.door.constraints import Bools
from seqlab.tagging.training import DevScorer, development

PASSES = 20  # rounds of rounding and dropping weights that became 0; two or three are usual

Some = TypeVar("Some")
Rule = Callable[[Weights], Bools]  # (n,) weights of attributes -> True for those kept


class Pruned(NamedTuple):
    """A model with fewer weights, and the attributes that still have one.

    kept        (K,)   True for an attribute that stays
    edge_kept   likewise, for edge attributes
    """

    model: LinearModel
    kept: Bools
    edge_kept: Bools


def larger_than(threshold: float) -> Rule:
    """Keep weights whose absolute value is above the threshold."""
    return lambda weights: np.abs(weights) > threshold


def largest(keep: float) -> Rule:
    """Keep this many weights (an int) with the largest absolute values, or this share of them (a float); never a 0.

    Ties are broken by position.
    """

    def rule(weights: Weights) -> Bools:
        size = np.abs(weights)
        count = round(keep * len(size)) if isinstance(keep, float) else keep
        stays = np.zeros(len(size), dtype=bool)
        stays[np.argsort(-size, kind="stable")[:count]] = True
        return stays & (size > 0)

    return rule


def pruned(model: LinearModel, rule: Rule, storage: str) -> Pruned:
    """Keep the weights of attributes that `rule` selects, rounded to this storage type.

    All weights of transitions and triples stay: in a table a 0 takes as much memory as any number. The coarse
    model of order 2 is pruned by the same rule, and an attribute is dropped when neither model has a weight for it.
    """
    both = [
        _rounded(_only(one, rule(_weights(one))), storage) for one in (model, model.coarse) if one is not None
    ]
    kept, edge_kept = (
        np.logical_or.reduce([np.diff(begin) > 0 for begin in begins] or [np.zeros(0, dtype=bool)])
        for begins in ([one.begin for one in both], [one.edge.begin for one in both if one.edge is not None])
    )
    # Dropped attributes have no weights, so the offsets of the others stay.
    for place, one in enumerate(both):
        edge = one.edge
        if edge is not None:
            edge = replace(edge, begin=np.append(edge.begin[:-1][edge_kept], edge.begin[-1]))
        both[place] = replace(one, begin=np.append(one.begin[:-1][kept], one.begin[-1]), edge=edge)
    return Pruned(replace(both[0], coarse=both[1] if len(both) > 1 else None), kept, edge_kept)


def _rounded(model: LinearModel, storage: str) -> LinearModel:
    """Round a model as the file will; weights that become 0 are dropped.

    In int8 neighbouring weights share a scale, so the remaining ones are rounded again from their original values.
    """
    made = model
    for _ in range(PASSES):
        made = value_of(LinearModel, state_of(replace(model, coarse=None, dtype=storage)))
        stays = _weights(made) != 0
        if stays.all():
            break
        model = _only(model, stays)
    return made


def _weights(model: LinearModel) -> Weights:
    """Return the weights of all node attributes, then of edge attributes."""
    return np.concatenate([model.weights, *(() if model.edge is None else (model.edge.weights,))])


def _only(model: LinearModel, stays: Bools) -> LinearModel:
    """Drop the weights of attributes that are not kept."""
    own, edges = np.split(stays, [len(model.weights)])

    def begins(begin: Begins, stays: Bools) -> Begins:
        before: Begins = np.concatenate([[0], np.cumsum(stays)]).astype(np.int64)
        return before[begin]

    edge = model.edge
    if edge is not None:
        edge = EdgeWeights(begins(edge.begin, edges), edge.move[edges], edge.weights[edges])
    begin = begins(model.begin, own)
    return replace(model, begin=begin, label=model.label[own], weights=model.weights[own], edge=edge)


def prune(
    tagger: Some, *, threshold: float | None, keep: float | None, storage: str, dev: Any, metric: Any
) -> Some:
    """Make the tagger with fewer or shorter weights; see LinearTagger.prune."""
    rule = _rule(threshold, keep)
    if not isinstance(storage, str):
        raise OptionError(f"storage must be the name of a dtype such as 'float16', got {storage!r}")
    check_dtype(storage)
    if dev is None and metric is not None:
        raise OptionError("metric looks at a development set; pass one as dev=")
    old: Any = tagger
    less = pruned(old.model_, rule, storage)
    new: Any = copy(old)
    edge_kept = less.edge_kept if less.model.edge is not None else None
    new.fit_ = old.fit_.with_model(less.model, old.encoder_.restricted(less.kept, edge_kept))
    (weights, attributes, size), (fewer, known, smaller) = _sizes(old), _sizes(new)
    report = PruneReport(weights, fewer, attributes, known, size, smaller, storage)
    if dev is not None:
        report = _scored(report, old, new, dev, metric)
    new.fit_ = replace(new.fit_, pruned=report)
    made: Some = new
    return made


def _sizes(tagger: Any) -> tuple[int, int, int | None]:
    """Count weights, attributes and bytes of arrays in the file; None for a tagger that cannot be saved."""
    model, encoder = tagger.model_, tagger.encoder_
    weights = model.size + (0 if model.coarse is None else model.coarse.size)
    try:
        bytes_ = sum(array.nbytes for array in tagger.state().arrays.values())
    except StoreError:  # for example features of a lambda: pruning still works
        bytes_ = None
    return weights, encoder.size + encoder.edge_size, bytes_


def _rule(threshold: Any, keep: Any) -> Rule:
    given = threshold if keep is None else keep
    number = isinstance(given, (int, float, np.number)) and not isinstance(given, bool)
    if keep is None:
        if threshold is not None and not (number and 0 <= threshold < np.inf):
            raise OptionError(f"threshold must be a number from 0 up, got {threshold!r}")
        return larger_than(0.0 if threshold is None else float(threshold))
    if threshold is not None:
        raise OptionError(
            f"threshold={threshold!r} and keep={keep!r} both say which weights stay; pass one of them"
        )
    whole = isinstance(keep, (int, np.integer))
    if not number or not 0 <= keep <= (np.inf if whole else 1):
        raise OptionError(
            f"keep must be how many weights stay (an int), or their share (a float from 0.0 to 1.0), got {keep!r}"
        )
    return largest(int(keep) if whole else float(keep))


def _scored(report: PruneReport, old: Any, new: Any, dev: Any, metric: Any) -> PruneReport:
    corpus, right = development(dev, old, old.column_)
    threads = thread_count(old.threads)

    def score(tagger: Any) -> tuple[str, float]:
        ids = tagger._label_ids(corpus, threads)
        judge = DevScorer(corpus, right, lambda _: ids, metric, labels=old.labels_, known=old.vocabulary_)
        return judge.name, judge(tagger.model_)

    (name, before), (_, after) = score(old), score(new)
    return replace(report, metric=name, score_before=before, score_after=after)
