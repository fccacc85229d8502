"""Edit the weights of a linear model by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from seqlab.encode import Encoder
from seqlab.errors import LabelError, OptionError
from seqlab.families.linear.fit import LinearFit
from seqlab.families.linear.model import LinearModel
from seqlab.store.packing import LARGEST

Pair = tuple[str, str]


def edited(fit: LinearFit, features: Mapping[Pair, float], transitions: Mapping[Pair, float]) -> LinearFit:
    """Return what was learned with other weights for some pairs (attribute, label) and some pairs (from, to)."""
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
    owner = np.repeat(np.arange(len(model.begin) - 1), np.diff(model.begin))
    cell = owner * model.L + model.label
    every = np.union1d(cell, np.array(list(cells), dtype=np.int64))
    weights = np.zeros(len(every))
    weights[np.searchsorted(every, cell)] = model.weights
    weights[np.searchsorted(every, list(cells))] = list(cells.values())
    begin = np.searchsorted(every, np.arange(len(model.begin)) * model.L).astype(np.int64)
    label_of = (every % model.L).astype(np.int32)
    return replace(model, begin=begin, label=label_of, weights=weights, _scorers={})


def _with_transitions(model: LinearModel, given: Mapping[Pair, float]) -> LinearModel:
    if not given:
        return model
    moves, seen = model.moves.copy(), model.move_seen.copy()
    for (one, other), weight in _pairs(given, "transitions").items():
        place = _label(model, one, "transitions"), _label(model, other, "transitions")
        moves[place], seen[place] = weight, True
    return replace(model, moves=moves, move_seen=seen, _scorers={})


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
