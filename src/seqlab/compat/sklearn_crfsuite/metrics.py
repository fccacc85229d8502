"""Metrics of scikit-learn on the items of all sequences, and the accuracy by sequence."""

from __future__ import annotations

from typing import Any

from seqlab.compat.sklearn_crfsuite.utils import flatten
from seqlab.errors import ShapeError


def _flat(name: str, y_true: Any, y_pred: Any, **options: Any) -> Any:
    from sklearn import metrics

    return getattr(metrics, name)(flatten(y_true), flatten(y_pred), **options)


def flat_accuracy_score(y_true: Any, y_pred: Any) -> Any:
    """Compute the accuracy over items; y_true and y_pred have a list of labels for each sequence."""
    return _flat("accuracy_score", y_true, y_pred)


def flat_precision_score(y_true: Any, y_pred: Any, **kwargs: Any) -> Any:
    """Compute the precision over items; y_true, y_pred as for accuracy, kwargs of sklearn.metrics.precision_score."""
    return _flat("precision_score", y_true, y_pred, **kwargs)


def flat_recall_score(y_true: Any, y_pred: Any, **kwargs: Any) -> Any:
    """Compute the recall over items; y_true, y_pred as for accuracy, kwargs of sklearn.metrics.recall_score."""
    return _flat("recall_score", y_true, y_pred, **kwargs)


def flat_f1_score(y_true: Any, y_pred: Any, **kwargs: Any) -> Any:
    """Compute F1 over items; y_true, y_pred as for accuracy, kwargs of sklearn.metrics.f1_score."""
    return _flat("f1_score", y_true, y_pred, **kwargs)


def flat_fbeta_score(y_true: Any, y_pred: Any, beta: float, **kwargs: Any) -> Any:
    """Compute F-beta over items; y_true, y_pred as for accuracy, beta and kwargs of sklearn.metrics.fbeta_score."""
    return _flat("fbeta_score", y_true, y_pred, beta=beta, **kwargs)


def flat_classification_report(y_true: Any, y_pred: Any, labels: Any = None, **kwargs: Any) -> Any:
    """Make scikit-learn's report on items; y_true, y_pred as for accuracy, labels and kwargs of its function."""
    return _flat("classification_report", y_true, y_pred, labels=labels, **kwargs)


def sequence_accuracy_score(y_true: Any, y_pred: Any) -> float:
    """Compute the share of sequences without a wrong label; y_true, y_pred as for flat_accuracy_score."""
    right, predicted = [list(y) for y in y_true], [list(y) for y in y_pred]
    if len(right) != len(predicted):
        raise ShapeError(f"y_true has {len(right)} sequences, but y_pred has {len(predicted)}")
    if not right:
        return 0
    return sum(one == other for one, other in zip(right, predicted, strict=True)) / len(right)
