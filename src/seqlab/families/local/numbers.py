"""Classifiers of scikit-learn in a model file: what they have learned, and how they were made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab.errors import StoreError
from seqlab.families.local.classifier import LINKS, NONE, REST, Floats, LinearNumbers, LinearScores, rows_of
from seqlab.store.saving import misfits_told
from seqlab.store.state import Array, State
from seqlab.store.values import OptionKind, Values

Numbers = tuple[Any, Any, str]  # coef (rows, columns), intercept, link


# ---------------------------------------------------------------------------------------------- what they have learned


def numbers_of(classifier: Any) -> LinearNumbers:
    """Take the numbers of a classifier that has learned; says so when there are none that could stand for it."""
    if isinstance(classifier, LinearScores):
        return classifier.numbers
    coef, intercept, link = _numbers(classifier)
    classes = tuple(str(name) for name in classifier.classes_)
    rows = rows_of(link, len(classes))
    weights: Floats = np.ascontiguousarray(_dense(coef).reshape(rows, -1).T, dtype=np.float64)
    shifts: Floats = np.broadcast_to(np.asarray(intercept, dtype=np.float64), (rows,)).copy()
    made = LinearNumbers(_name(classifier), classes, weights, shifts, link)
    if not (np.isfinite(weights).all() and np.isfinite(shifts).all()):
        raise StoreError(
            f"{made.name} has learned a weight that is not finite, which a model file does not hold; naive Bayes "
            f"does so with alpha=0, and for labels of weight 0"
        )
    return made


def _numbers(classifier: Any) -> Numbers:
    found = _KNOWN.get(type(classifier).__name__) if _is_theirs(classifier) else None
    if found is None:
        raise StoreError(
            f"a LocalTagger of {type(classifier).__name__} cannot be stored: a model file holds numbers and no code, "
            f"and only classifiers with scores linear in the attributes are numbers: {', '.join(_KNOWN)} of "
            f"scikit-learn; use one of these, or pickle the tagger for files that you trust"
        )
    return found(classifier)


def _is_theirs(classifier: Any) -> bool:
    """Not a subclass of somebody else's, which may do anything."""
    return type(classifier).__module__.startswith("sklearn.")


def _name(classifier: Any) -> str:
    parts = getattr(classifier, "estimators_", None)
    name = type(classifier).__name__
    return f"{name}({type(parts[0]).__name__})" if parts else name


def _dense(coef: Any) -> Any:
    return coef.toarray() if hasattr(coef, "toarray") else np.asarray(coef)


def _margins(classifier: Any) -> Numbers:
    return classifier.coef_, classifier.intercept_, NONE


def _logistic(classifier: Any) -> Numbers:
    way = getattr(classifier, "multi_class", "auto")  # an option until scikit-learn 1.7
    each = way == "ovr" or (
        way != "multinomial" and (len(classifier.classes_) == 2 or classifier.solver == "liblinear")
    )
    return classifier.coef_, classifier.intercept_, "logistic" if each else "softmax"


def _sgd(classifier: Any) -> Numbers:
    link = {"log_loss": "logistic", "modified_huber": "huber"}.get(classifier.loss, NONE)
    return classifier.coef_, classifier.intercept_, link


def _multinomial(classifier: Any) -> Numbers:
    return classifier.feature_log_prob_, classifier.class_log_prior_, "bayes"


def _complement(classifier: Any) -> Numbers:
    return classifier.feature_log_prob_, 0.0, "bayes"


def _one_by_one(classifier: Any) -> Numbers:
    """OneVsRestClassifier: the rows of its classifiers, one below the other."""
    parts = [_numbers(one) for one in classifier.estimators_]
    coef = np.concatenate([np.atleast_2d(_dense(part[0])) for part in parts])
    sizes = [np.atleast_2d(_dense(part[0])).shape[0] for part in parts]
    shifts = [np.broadcast_to(np.asarray(part[1]), (n,)) for part, n in zip(parts, sizes, strict=True)]
    inner = parts[0][2]
    if inner != NONE and f"{REST}{inner}" not in LINKS:
        raise StoreError(f"a OneVsRestClassifier of classifiers with {inner} probabilities cannot be stored")
    return coef, np.concatenate(shifts), inner if inner == NONE else f"{REST}{inner}"


_KNOWN: dict[str, Callable[[Any], Numbers]] = {
    "LinearSVC": _margins,
    "LogisticRegression": _logistic,
    "LogisticRegressionCV": _logistic,
    "RidgeClassifier": _margins,
    "RidgeClassifierCV": _margins,
    "SGDClassifier": _sgd,
    "Perceptron": _margins,
    "PassiveAggressiveClassifier": _margins,
    "MultinomialNB": _multinomial,
    "ComplementNB": _complement,
    "OneVsRestClassifier": _one_by_one,
}


# ---------------------------------------------------------------------------------------------- how they were made


@dataclass(frozen=True)
class GivenClassifier:
    """A classifier that has learned nothing, as a file describes it; made when it is asked for.

    data     its class and its options
    arrays   of its options
    """

    data: Any
    arrays: Mapping[str, Array]

    @staticmethod
    def of(classifier: Any) -> GivenClassifier | None:
        """Describe a classifier; None for one whose options a file cannot hold."""
        scratch = State("classifier")
        try:
            data = Values(_classes()).put(scratch, "classifier", classifier)
        except (StoreError, AttributeError, TypeError):  # somebody else's object among the options
            return None
        return GivenClassifier(data, scratch.arrays)

    def made(self) -> Any:
        """Make the classifier, which needs scikit-learn."""
        classes = _classes()
        with misfits_told(""):
            made = Values(classes).get(State("classifier", {}, dict(self.arrays)), "classifier", self.data)
        if type(made).__name__ not in classes:
            raise StoreError(
                f"the option classifier should be a classifier of scikit-learn, found {made!r:.80}"
            )
        return made


def _classes() -> dict[str, OptionKind]:
    """The classes of scikit-learn that a file may name; no other is looked up."""
    from sklearn import linear_model, multiclass, naive_bayes, svm

    homes = (linear_model, multiclass, naive_bayes, svm)
    found = {name: getattr(home, name) for home in homes for name in _KNOWN if hasattr(home, name)}
    return {name: OptionKind(kind, _own_options) for name, kind in found.items()}


def _own_options(classifier: Any) -> Mapping[str, Any]:
    options: Mapping[str, Any] = classifier.get_params(deep=False)
    return options
