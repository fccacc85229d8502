"""Weights of a linear model by name: read them, find the largest, edit them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from seqlab.arrays import whole_number
from seqlab.encode import Encoder
from seqlab.errors import LabelError, OptionError
from seqlab.families.linear.fit import LinearFit
from seqlab.families.linear.model import Begins, LinearModel, Weights, merged, unfolded
from seqlab.store.fields import LARGEST


@dataclass(frozen=True, slots=True)
class FeatureWeight:
    """An attribute with a label; a positive weight favours the label, a negative one disfavours it."""

    attribute: str
    label: str
    weight: float


@dataclass(frozen=True, slots=True)
class TransitionWeight:
    """Weight of two, three or four labels in a row; or of an edge attribute with two labels (`attribute`).

    An attribute of label_pairs(...) has one weight for all pairs: its labels are ().
    """

    labels: tuple[str, ...]
    weight: float
    attribute: str | None = None


def top_features(
    model: LinearModel,
    encoder: Encoder,
    n: int = 20,
    *,
    label: str | None = None,
    sign: int = 0,
    search: str = "",
) -> tuple[FeatureWeight, ...]:
    """Find the n attribute-label pairs with the largest weights, by falling size.

    label   only pairs with this label
    sign    1 for weights above 0 alone, -1 for those below, 0 for both
    search  only attributes with this in their names, in capitals or not
    """
    among: Any = True
    if label is not None:
        if label not in model.labels:
            known = ", ".join(map(repr, model.labels[:12])) + (", ..." if model.L > 12 else "")
            raise LabelError(f"unknown label {label!r}: the model knows {known}")
        among = model.label == model.labels.index(label)
    if search:
        wanted = search.lower()
        named = [wanted in name.lower() for name in encoder.attributes]
        among &= np.repeat(np.array(named, dtype=bool), np.diff(model.begin))
    chosen = _largest(model.weights, n, sign, among=among)
    rows = zip(
        _owners(model.begin, chosen, encoder.attributes),
        model.label[chosen],
        model.weights[chosen],
        strict=True,
    )
    return tuple(FeatureWeight(name, model.labels[y], float(weight)) for name, y, weight in rows)


def top_transitions(
    model: LinearModel, n: int = 20, *, encoder: Encoder | None = None, sign: int = 0
) -> tuple[TransitionWeight, ...]:
    """Find the n transitions with the largest weights, largest first; in order 2 and 3 also of longer label sequences.

    encoder   names the edge attributes; without it their weights are left out
    sign      1 for positive weights only, -1 for negative ones, 0 for both
    """
    found: list[TransitionWeight] = []
    for table, seen in model.tables:
        flat = table.reshape(-1)
        for cell in _largest(flat, n, sign, among=seen.reshape(-1)).tolist():
            labels = tuple(model.labels[int(i)] for i in np.unravel_index(cell, table.shape))
            found.append(TransitionWeight(labels, float(flat[cell])))
    if encoder is not None and model.edge is not None:
        edge, names = model.edge, encoder.edge_attributes
        chosen = _largest(edge.weights, n, sign)
        for i, name in zip(chosen.tolist(), _owners(edge.begin, chosen, names), strict=True):
            move = int(edge.move[i])
            pair = () if move < 0 else tuple(model.labels[y] for y in divmod(move, model.L))
            found.append(TransitionWeight(pair, float(edge.weights[i]), name))
    found.sort(key=lambda one: (-abs(one.weight), one.labels, one.attribute or ""))
    return tuple(found[:n])


def state_features(model: LinearModel, encoder: Encoder) -> dict[tuple[str, str], float]:
    """Return {(attribute, label): weight} of every pair that has one."""
    names, labels = encoder.attributes, model.labels
    counts = np.diff(model.begin).tolist()
    attributes = itertools.chain.from_iterable(map(itertools.repeat, names, counts))
    rows = zip(attributes, model.label.tolist(), model.weights.tolist(), strict=True)
    return {(attribute, labels[y]): weight for attribute, y, weight in rows}


def transition_features(model: LinearModel) -> dict[tuple[str, str], float]:
    """Return {(from, to): weight} of every transition that has one."""
    cells = np.argwhere(model.move_seen).tolist()
    return {(model.labels[a], model.labels[y]): float(model.moves[a, y]) for a, y in cells}


def _largest(weights: Weights, n: int, sign: int, *, among: Any = True) -> Begins:
    """Find the n weights of largest size and of this sign; the first ones in case of ties."""
    if sign not in (-1, 0, 1) or isinstance(sign, bool):
        raise OptionError(f"sign must be 1 (weights above 0), -1 (below 0) or 0 (both), got {sign!r}")
    candidates = np.flatnonzero((weights * sign > 0 if sign else weights != 0) & among)
    order = np.argsort(-np.abs(weights[candidates]), kind="stable")
    return candidates[order[: whole_number(n, "n", 1)]]


def _owners(begin: Begins, chosen: Begins, names: Sequence[str]) -> list[str]:
    """Name the attributes that these weights belong to."""
    return [names[i] for i in (np.searchsorted(begin, chosen, side="right") - 1).tolist()]


Pair = tuple[str, str]


def edited(fit: LinearFit, features: Mapping[Pair, float], transitions: Mapping[Pair, float]) -> LinearFit:
    """Return a model with other weights for some pairs (attribute, label) and some pairs (from, to)."""
    model = _with_features(fit.model(), fit.encoder(), features)
    return fit.with_model(_with_transitions(model, transitions))


def _with_features(model: LinearModel, encoder: Encoder, given: Mapping[Pair, float]) -> LinearModel:
    if not given:
        return model
    place = {name: i for i, name in enumerate(encoder.attributes)}
    cells = {}
    for (attribute, label), weight in _pairs(given, "features").items():
        if attribute not in place:
            raise OptionError(
                f"features has the attribute {attribute!r:.60}, which this tagger has never seen; "
                f"state_features_ has those that it knows"
            )
        cells[place[attribute] * model.L + _label(model, label, "features")] = weight
    keys = sorted(cells)
    given_cells = unfolded(np.array(keys, dtype=np.int64), len(model.begin) - 1, model.L)
    given_weights = np.array([cells[key] for key in keys], dtype=np.float64)
    begin, label_of, weights = merged(
        (model.begin, model.label, model.weights), (*given_cells, given_weights), model.L
    )
    return replace(model, begin=begin, label=label_of, weights=weights)


def _with_transitions(model: LinearModel, given: Mapping[Pair, float]) -> LinearModel:
    if not given:
        return model
    moves, seen = model.moves.copy(), model.move_seen.copy()
    for (one, other), weight in _pairs(given, "transitions").items():
        place = _label(model, one, "transitions"), _label(model, other, "transitions")
        moves[place], seen[place] = weight, True
    return replace(model, moves=moves, move_seen=seen)


def _pairs(given: Any, name: str) -> Mapping[Pair, float]:
    if not isinstance(given, Mapping):
        raise OptionError(f"{name} must be {{pair: weight}}, got {given!r:.60}")
    for pair, weight in given.items():
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(one, str) for one in pair)):
            raise OptionError(f"{name} must have pairs of strings as keys, got {pair!r:.60}")
        number = isinstance(weight, (int, float, np.number)) and not isinstance(weight, bool)
        if not number or not abs(weight) <= LARGEST:
            raise OptionError(f"{name}[{pair!r:.60}] must be a number up to {LARGEST:g}, got {weight!r:.60}")
    return given


def _label(model: LinearModel, label: str, name: str) -> int:
    if label not in model.labels:
        known = ", ".join(map(repr, model.labels[:12]))
        raise LabelError(f"{name} has the label {label!r:.60}, but the model knows {known}")
    return model.labels.index(label)
