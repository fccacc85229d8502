"""Scorers for scikit-learn's searches, made when they are first used, because only they need scikit-learn."""

from __future__ import annotations

from typing import Any

from seqlab.compat.sklearn_crfsuite import metrics

_FUNCTIONS = {
    "flat_accuracy": metrics.flat_accuracy_score,
    "sequence_accuracy": metrics.sequence_accuracy_score,
}


def __getattr__(name: str) -> Any:
    if name not in _FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sklearn.metrics import make_scorer

    made = globals()[name] = make_scorer(_FUNCTIONS[name])
    return made
