"""Prune a linear tagger: fewer weights, or weights of fewer bytes, and what that costs."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from seqlab.errors import OptionError, StoreError
from seqlab.families.linear.fit import PruneReport
from seqlab.families.linear.model import EdgeWeights, LinearModel, Weights
from seqlab.store.codec import state_of, value_of
from seqlab.store.fields import check_dtype
from seqlab.store.state import State
from seqlab.tagging.door.constraints import Bools
from seqlab.tagging.training import DevScorer, development
from seqlab.threads import thread_count

PASSES = 20  # of rounding and dropping what became 0; two or three are usual

Rule = Callable[[Weights], Bools]  # (n,) weights of attributes -> which of them stay


@dataclass(frozen=True, slots=True, eq=False)
class Pruned:
    """A model with fewer weights, and which attributes still have one.

    kept        (K,)   True for an attribute that stays
    edge_kept   the same for attributes that see a move
    """

    model: LinearModel
    kept: Bools
    edge_kept: Bools


def larger_than(threshold: float) -> Rule:
    """Keeps weights whose absolute value is above the threshold."""

    def rule(weights: Weights) -> Bools:
        return np.abs(weights) > threshold

    return rule


def largest(keep: float) -> Rule:
    """Keeps so many weights (an int) with the largest absolute values, or this share of them (a float); never a 0.

    Of equal ones, those that come first.
    """

    def rule(weights: Weights) -> Bools:
        size = np.abs(weights)
        count = round(keep * len(size)) if isinstance(keep, float) else keep
        if count >= len(size):
            return size > 0
        stays = np.zeros(len(size), dtype=bool)
        if count:
            stays[np.argsort(-size, kind="stable")[:count]] = True
        return stays & (size > 0)

    return rule


def pruned(model: LinearModel, rule: Rule, storage: str) -> Pruned:
    """The model with the weights of attributes that `rule` keeps, rounded as a file of this storage has them.

    Weights of moves and triples all stay: they are tables, where a 0 takes as much room as any number. The coarse
    model of order 2 is pruned by the same rule, and an attribute leaves when neither of the two has a weight for it.
    """
    fine = _rounded(_filtered(model, rule), storage)
    coarse = None if model.coarse is None else _rounded(_filtered(model.coarse, rule), storage)
    both = [fine] if coarse is None else [fine, coarse]
    kept = _used([one.begin for one in both])
    edge_kept = _used([one.edge.begin for one in both if one.edge is not None])
    if coarse is not None:
        coarse = _restricted(coarse, kept, edge_kept)
    return Pruned(replace(_restricted(fine, kept, edge_kept), coarse=coarse), kept, edge_kept)


def _rounded(model: LinearModel, storage: str) -> LinearModel:
    """Through the form that the file has; what becomes 0 on the way is dropped.

    Weights that stand together share a scale in int8, so those that remain are rounded anew, from the start.
    """
    made = _through_file(model, storage)
    for _ in range(PASSES):
        lost = made.weights == 0
        edge_lost = np.zeros(0, dtype=bool) if made.edge is None else made.edge.weights == 0
        if not (lost.any() or edge_lost.any()):
            break
        model = _with_weights(model, ~lost, ~edge_lost)
        made = _through_file(model, storage)
    return made


def _through_file(model: LinearModel, storage: str) -> LinearModel:
    return value_of(LinearModel, state_of(replace(model, coarse=None, dtype=storage)))


def _filtered(model: LinearModel, rule: Rule) -> LinearModel:
    """The rule looks at the weights of all attributes together."""
    edges = np.zeros(0) if model.edge is None else model.edge.weights
    stays = rule(np.concatenate([model.weights, edges]))
    return _with_weights(model, stays[: len(model.weights)], stays[len(model.weights) :])


def _with_weights(model: LinearModel, stays: Bools, edge_stays: Bools) -> LinearModel:
    edge = model.edge
    if edge is not None:
        begin = _begins(edge.begin, edge_stays)
        edge = EdgeWeights(begin, edge.move[edge_stays], edge.weights[edge_stays])
    return replace(
        model,
        begin=_begins(model.begin, stays),
        label=model.label[stays],
        weights=model.weights[stays],
        edge=edge,
    )


def _begins(begin: npt.NDArray[np.int64], stays: Bools) -> npt.NDArray[np.int64]:
    """Where the weights of each attribute begin when only some stay."""
    before: npt.NDArray[np.int64] = np.concatenate([[0], np.cumsum(stays)]).astype(np.int64)
    return before[begin]


def _used(begins: list[npt.NDArray[np.int64]]) -> Bools:
    """Which attributes have a weight in one of the models."""
    used: Bools = np.logical_or.reduce([np.diff(begin) > 0 for begin in begins] or [np.zeros(0, dtype=bool)])
    return used


def _restricted(model: LinearModel, kept: Bools, edge_kept: Bools) -> LinearModel:
    """Without the attributes that have no weight."""
    changes: dict[str, Any] = {"begin": _without(model.begin, kept)}
    if model.edge is not None:
        changes["edge"] = replace(model.edge, begin=_without(model.edge.begin, edge_kept))
    return replace(model, **changes)


def _without(begin: npt.NDArray[np.int64], kept: Bools) -> npt.NDArray[np.int64]:
    """Those that leave have no weights, so that the begins of the others are as they were."""
    return np.append(begin[:-1][kept], begin[-1])


Some = TypeVar("Some")


def prune(
    tagger: Some, *, threshold: float | None, keep: float | None, storage: str, dev: Any, metric: Any
) -> Some:
    """The tagger with fewer or shorter weights; see LinearTagger.prune."""
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
    report = _report(old, new, storage)
    if dev is not None:
        report = _scored(report, old, new, dev, metric)
    new.fit_ = replace(new.fit_, pruned=report)
    made: Some = new
    return made


def _rule(threshold: Any, keep: Any) -> Rule:
    if keep is None:
        given = 0.0 if threshold is None else threshold
        if not _is_number(given) or not 0 <= given < np.inf:
            raise OptionError(f"threshold must be a number from 0 up, got {threshold!r}")
        return larger_than(float(given))
    if threshold is not None:
        raise OptionError(
            f"threshold={threshold!r} and keep={keep!r} both say which weights stay; pass one of them"
        )
    whole = isinstance(keep, (int, np.integer)) and not isinstance(keep, bool)
    if whole and keep >= 0:
        return largest(int(keep))
    if not whole and _is_number(keep) and 0 <= keep <= 1:
        return largest(float(keep))
    raise OptionError(
        f"keep must be how many weights stay (an int), or their share (a float from 0.0 to 1.0), got {keep!r}"
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _report(old: Any, new: Any, storage: str) -> PruneReport:
    """Report all but the scores."""
    return PruneReport(
        _weights(old.model_),
        _weights(new.model_),
        old.encoder_.size + old.encoder_.edge_size,
        new.encoder_.size + new.encoder_.edge_size,
        _bytes(old),
        _bytes(new),
        storage,
    )


def _weights(model: LinearModel) -> int:
    return model.size + (0 if model.coarse is None else model.coarse.size)


def _bytes(tagger: Any) -> int | None:
    try:
        state: State = tagger.state()
    except StoreError:  # features of a nameless function, for example: no reason not to prune
        return None
    return sum(array.nbytes for array in state.arrays.values())


def _scored(report: PruneReport, old: Any, new: Any, dev: Any, metric: Any) -> PruneReport:
    corpus, right = development(dev, old, old.column_)
    threads = thread_count(old.threads)

    def score(tagger: Any) -> tuple[str, float]:
        ids = tagger._label_ids(corpus, threads)
        judge = DevScorer(corpus, right, lambda _: ids, metric, labels=old.labels_, known=old.vocabulary_)
        return judge.name, judge(tagger.model_)

    (name, before), (_, after) = score(old), score(new)
    return replace(report, metric=name, score_before=before, score_after=after)
