"""Options that speak of labels, for a part of the sentences that happens to lack some of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from seqlab.tagging.sklearn import Estimator
from seqlab.tags import Scheme
from seqlab.trellis import Constraints
from seqlab.tuning.parts import Data


def narrow(model: Any, part: Data, rest: Iterable[Data]) -> Any:
    """The model, whose class_weight and constraints name no label that only the rest of the sentences has.

    A rare label may be in one fold alone. Without it in training there is nothing to weigh or to forbid; a label that
    no sentence has stays, and fit says so.
    """
    options = model.get_params(deep=False) if isinstance(model, Estimator) else {}
    named = {
        name: options[name] for name in ("class_weight", "constraints") if _names_labels(options.get(name))
    }
    if named:
        absent = set[str]().union(*map(_labels, rest)) - _labels(part)
        if absent:
            model.set_params(**{name: _without(absent, value) for name, value in named.items()})
    return model


def _names_labels(value: Any) -> bool:
    return value is not None and not isinstance(value, (str, Scheme))


def _labels(data: Data) -> set[str]:
    found: set[str] = set()
    for labels in data.gold() or ():
        for label in labels:
            found.update(label if isinstance(label, (set, frozenset)) else (label,))
    return found


def _without(absent: set[str], value: Any) -> Any:
    if isinstance(value, Mapping):
        return {label: weight for label, weight in value.items() if label not in absent}
    if isinstance(value, Constraints):
        return replace(
            value,
            forbidden_moves=_moves(absent, value.forbidden_moves),
            forbidden_starts=_some(absent, value.forbidden_starts),
            forbidden_ends=_some(absent, value.forbidden_ends),
        )
    return _moves(absent, value)


def _moves(absent: set[str], moves: Any) -> Any:
    if not isinstance(moves, Iterable) or isinstance(moves, np.ndarray):  # fit knows what to say of it
        return moves
    return [move for move in moves if not isinstance(move, tuple) or absent.isdisjoint(move)]


def _some(absent: set[str], labels: Any) -> Any:
    if not isinstance(labels, Iterable) or isinstance(labels, (str, np.ndarray)):
        return labels
    return [label for label in labels if label not in absent]
