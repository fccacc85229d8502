"""A linear model as plain data, there and back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from seqlab.errors import StoreError
from seqlab.store.packing import check_dtype, named, packed, unpacked
from seqlab.store.state import Array, State
from seqlab.tagging.door.constraints import Rules

if TYPE_CHECKING:
    from seqlab.families.linear.model import EdgeWeights, LinearModel

KIND = "linear model"


def linear_state(model: LinearModel, *, dtype: str = "float64") -> State:
    """Everything of a model.

    dtype   float64 keeps the weights bit for bit; float32, float16 and int8 (weights of attributes only; moves
            stay float32 then) make the file smaller
    """
    check_dtype(dtype)
    # There are few moves, and every path takes one at each step.
    moves_dtype = "float32" if dtype in {"float16", "int8"} else dtype
    arrays: dict[str, Array] = {
        "begin": model.begin,
        "label": model.label,
        **named("weights", packed(model.weights, dtype)),
        **named("moves", packed(model.moves, moves_dtype)),
        "move_seen": model.move_seen,
        "rules.forbidden": model.rules.forbidden,
        "rules.no_start": model.rules.no_start,
        "rules.no_end": model.rules.no_end,
    }
    if model.triples is not None:
        if model.triple_seen is None:
            raise StoreError("a model of order 2 should say which triples of labels have a weight")
        arrays.update(named("triples", packed(model.triples, moves_dtype)))
        arrays["triple_seen"] = model.triple_seen
    if model.edge is not None:
        arrays.update({"edge.begin": model.edge.begin, "edge.move": model.edge.move})
        arrays.update(named("edge.weights", packed(model.edge.weights, dtype)))
    settings = {
        "labels": list(model.labels),
        "order": model.order,
        "edge": model.edge is not None,
        "keep": float(model.keep),
        "sharpness": float(model.sharpness),
        "dtype": dtype,
    }
    state = State(KIND, settings, arrays)
    return (
        state
        if model.coarse is None
        else state.with_parts({"coarse": linear_state(model.coarse, dtype=dtype)})
    )


def linear_model(
    state: State, *, attributes: int | None = None, edge_attributes: int | None = None
) -> LinearModel:
    """The model that linear_state() was given.

    attributes        how many the encoder knows, when there is one that must fit
    edge_attributes   the same for label pairs
    """
    from seqlab.families.linear.model import LinearModel

    labels = state.names("labels")
    if not labels or len(set(labels)) != len(labels):
        raise StoreError("a model needs labels, each of them once")
    L = len(labels)
    weights = unpacked(state, "weights", (None,))
    begin = state.offsets("begin", len(weights), count=attributes)
    label = state.numbers("label", (len(weights),), L)
    _check_rising("label", label, begin)
    keep = state.setting("keep", float)
    if not 0 <= keep <= 1:
        raise StoreError(f"the setting 'keep' should lie between 0 and 1, found {keep}")
    sharpness = state.setting("sharpness", float) if "sharpness" in state.settings else 1.0
    if not 0 < sharpness < math.inf:
        raise StoreError(f"the setting 'sharpness' should be a number above 0, found {sharpness}")
    second = state.number("order", 1, 2) == 2
    return LinearModel(
        labels=labels,
        begin=begin,
        label=label,
        weights=weights,
        moves=unpacked(state, "moves", (L, L)),
        move_seen=state.array("move_seen", np.bool_, (L, L)),
        rules=Rules(
            state.array("rules.forbidden", np.bool_, (L, L)),
            state.array("rules.no_start", np.bool_, (L,)),
            state.array("rules.no_end", np.bool_, (L,)),
        ),
        triples=unpacked(state, "triples", (L, L, L)) if second else None,
        triple_seen=state.array("triple_seen", np.bool_, (L, L, L)) if second else None,
        edge=_edge(state, L, edge_attributes),
        coarse=_coarse(state, labels, attributes, edge_attributes),
        keep=keep,
        sharpness=sharpness,
    )


def _edge(state: State, L: int, count: int | None) -> EdgeWeights | None:
    if not state.setting("edge", bool):
        return None
    from seqlab.families.linear.model import EdgeWeights

    weights = unpacked(state, "edge.weights", (None,))
    begin = state.offsets("edge.begin", len(weights), count=count)
    move = state.numbers("edge.move", (len(weights),), L * L)
    _check_rising("edge.move", move, begin)
    return EdgeWeights(begin, move, weights)


def _coarse(
    state: State, labels: tuple[str, ...], attributes: int | None, edge_attributes: int | None
) -> LinearModel | None:
    if not state.has_part("coarse"):
        return None
    part = state.part("coarse", KIND)
    if part.has_part("coarse"):
        raise StoreError("a coarse model should have no coarse model of its own")
    coarse = linear_model(part, attributes=attributes, edge_attributes=edge_attributes)
    if coarse.labels != labels or coarse.order != 1:
        raise StoreError("the coarse model should have the same labels and order 1")
    return coarse


def _check_rising(name: str, numbers: Array, begin: Array) -> None:
    """Within an attribute the numbers rise: none is there twice."""
    rises = np.diff(numbers) > 0
    inner = np.ones(max(len(numbers) - 1, 0), dtype=bool)
    first = begin[1:-1]
    inner[first[(first > 0) & (first < len(numbers))] - 1] = False  # from one attribute to the next
    if not rises[inner].all():
        raise StoreError(f"the array {name!r} should rise within each attribute")
