"""Linear models with fewer weights, or with weights of fewer bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.families.linear.model import EdgeWeights, LinearModel, Weights
from seqlab.store.codec import state_of, value_of
from seqlab.tagging.door.constraints import Bools

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
    return value_of(LinearModel, state_of(replace(model, coarse=None, dtype=storage, _scorers={})))


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
        _scorers={},
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
    return replace(model, **changes, _scorers={})


def _without(begin: npt.NDArray[np.int64], kept: Bools) -> npt.NDArray[np.int64]:
    """Those that leave have no weights, so that the begins of the others are as they were."""
    return np.append(begin[:-1][kept], begin[-1])
