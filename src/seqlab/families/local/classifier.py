"""Linear classifiers of scikit-learn, evaluated without scikit-learn.

A model file holds the numbers of a classifier and not the classifier. The formulas are those of scikit-learn, with
sums in the same order, so that the scores have the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from seqlab.errors import QuestionError, StoreError
from seqlab.families.local.rows import Matrix
from seqlab.store.fields import Names, Packed
from seqlab.store.reading import misfits_told
from seqlab.store.state import Array, State
from seqlab.store.values import OptionKind, Values

Floats = npt.NDArray[np.float64]
NONE = "none"  # a classifier without probabilities
REST = "rest of "  # prefix of the two-class formula, for each class against the others


@dataclass(frozen=True, eq=False)
class LinearNumbers:
    """The parameters of a linear classifier, and the formula of its probabilities.

    name        the class of scikit-learn
    classes     (C,) the labels, in its order
    weights     (columns, rows) coef_.T; one row for two classes, except for naive Bayes
    intercept   (rows,)
    link        how scores become probabilities, one of LINKS
    """

    stored_kind: ClassVar[str] = "linear scores"

    name: str
    classes: Annotated[tuple[str, ...], Names(least=2)]
    weights: Annotated[Floats, Packed("columns", "rows")]
    intercept: Annotated[Floats, Packed("rows")]
    link: str

    def check(self) -> None:
        """Reject an unknown formula, and parameters that do not fit it."""
        if self.link != NONE and self.link not in LINKS:
            raise StoreError(f"scores become probabilities in an unknown way, {self.link!r:.80}")
        rows = rows_of(self.link, len(self.classes))
        if self.weights.shape[1] != rows:
            raise StoreError(
                f"the array 'weights' should have shape (any, {rows}), found {self.weights.shape}"
            )


class LinearScores:
    """A fitted linear classifier of scikit-learn, without scikit-learn."""

    def __init__(self, numbers: LinearNumbers) -> None:
        self.numbers = numbers
        self.name, self.link = numbers.name, numbers.link
        self.classes_, self.weights, self.intercept_ = numbers.classes, numbers.weights, numbers.intercept

    def __repr__(self) -> str:
        columns, rows = self.weights.shape
        return f"LinearScores({self.name}, {len(self.classes_)} classes, {rows} x {columns} weights)"

    @property
    def coef_(self) -> Floats:
        """(rows, columns), as in scikit-learn."""
        return np.asarray(self.weights.T)

    def weights_of(self, label: str) -> Floats:
        """Return (columns,) the weights of a label; for naive Bayes, relative to other labels."""
        i = self.classes_.index(label)
        table, two = self.weights, len(self.classes_) == 2
        if self.link == f"{REST}bayes":
            table = table[:, 1::2] - table[:, ::2]
        elif self.link == "bayes":
            return np.asarray(table[:, i] - table.mean(axis=1), dtype=np.float64)
        return np.asarray((1 if i else -1) * table[:, 0] if two else table[:, i], dtype=np.float64)

    def decision_function(self, rows: Matrix) -> Floats:
        """Compute (n, C), or (n,) for two classes: the score of the second."""
        found: Floats = rows @ self.weights + self.intercept_
        return found.reshape(-1) if found.shape[1] == 1 else found

    def predict_proba(self, rows: Matrix) -> Floats:
        """(n, C) probabilities."""
        if self.link == NONE:
            raise QuestionError(f"{self.name} gives scores, not probabilities")
        return LINKS[self.link](self.decision_function(rows))

    def predict_log_proba(self, rows: Matrix) -> Floats:
        """Compute (n, C) log-probabilities."""
        if self.link == "bayes":
            return _log_shares(self.decision_function(rows))
        return np.asarray(np.log(self.predict_proba(rows)))


def rows_of(link: str, classes: int) -> int:
    """Count the rows of coef_: one for two classes, except for naive Bayes."""
    asked = 1 if classes == 2 else classes
    return {"bayes": classes, f"{REST}bayes": 2 * asked}.get(link, asked)


# ---------------------------------------------------------------------------------------------- probabilities


def _softmax(scores: Floats) -> Floats:
    """Compute the probabilities of LogisticRegression with many classes."""
    both = np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
    shares: Floats = np.exp(both - both.max(axis=1).reshape(-1, 1))
    shares /= shares.sum(axis=1).reshape(-1, 1)
    return shares


def _log_shares(scores: Floats) -> Floats:
    """Return minus the log-sum of each row, without the largest terms, which keeps digits."""
    top = scores.max(axis=1, keepdims=True)
    largest = scores == top
    ties = largest.astype(np.float64).sum(axis=1, keepdims=True)
    rest = np.exp(np.where(largest, -np.inf, scores) - top).sum(axis=1, keepdims=True)
    return np.asarray(scores - (np.log1p(rest / ties) + np.log(ties) + top))


def _bayes(scores: Floats) -> Floats:
    """Compute the probabilities of MultinomialNB and ComplementNB."""
    return np.asarray(np.exp(_log_shares(scores)))


# The probability of the second of two classes, or of each class against the others.


def _one_logistic(scores: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(scores))


def _one_huber(scores: Floats) -> Floats:
    return np.asarray((np.clip(scores, -1, 1) + 1.0) / 2.0)


def _one_bayes(scores: Floats) -> Floats:
    """Compute the probability from two columns for each class."""
    pairs = _bayes(scores.reshape(-1, 2))[:, 1]
    return pairs.reshape(len(scores), -1) if scores.shape[1] > 2 else pairs


def _shared(chances: Floats) -> Floats:
    """Divide the probability of each class alone by their sum; uniform where all are 0."""
    if chances.ndim == 1:
        return np.stack([1 - chances, chances], axis=1)
    total = chances.sum(axis=1)
    nothing = total == 0
    chances[nothing] = 1
    total[nothing] = chances.shape[1]
    chances /= total.reshape(-1, 1)
    return chances


def _normalised(chances: Floats) -> Floats:
    """Normalise as OneVsRestClassifier does."""
    each = [1 - chances, chances] if chances.ndim == 1 else chances.T
    shares: Floats = np.array(each, order="C").T  # the order in memory is the order of the sum
    total = shares.sum(axis=1)[:, None]
    np.divide(shares, total, out=shares, where=total != 0)
    return shares


LINKS: dict[str, Callable[[Floats], Floats]] = {
    "softmax": _softmax,
    "bayes": _bayes,
    "logistic": lambda scores: _shared(_one_logistic(scores)),  # LogisticRegression and SGDClassifier
    "huber": lambda scores: _shared(_one_huber(scores)),  # SGDClassifier(loss="modified_huber")
    f"{REST}logistic": lambda scores: _normalised(_one_logistic(scores)),
    f"{REST}huber": lambda scores: _normalised(_one_huber(scores)),
    f"{REST}bayes": lambda scores: _normalised(_one_bayes(scores)),
}


Numbers = tuple[Any, Any, str]  # coef (rows, columns), intercept, link


# ---------------------------------------------------------------------------------------------- what they have learned


def numbers_of(classifier: Any) -> LinearNumbers:
    """Extract the parameters of a fitted classifier; raises an error if it is not linear."""
    if isinstance(classifier, LinearScores):
        return classifier.numbers
    coef, intercept, link = _numbers(classifier)
    classes = tuple(str(name) for name in classifier.classes_)
    rows = rows_of(link, len(classes))
    weights: Floats = np.ascontiguousarray(_dense(coef).reshape(rows, -1).T, dtype=np.float64)
    shifts: Floats = np.broadcast_to(np.asarray(intercept, dtype=np.float64), (rows,)).copy()
    name, parts = type(classifier).__name__, getattr(classifier, "estimators_", None)
    name = f"{name}({type(parts[0]).__name__})" if parts else name
    made = LinearNumbers(name, classes, weights, shifts, link)
    if not (np.isfinite(weights).all() and np.isfinite(shifts).all()):
        raise StoreError(
            f"{made.name} has learned a weight that is not finite, which a model file does not hold; naive Bayes "
            f"does so with alpha=0, and for labels of weight 0"
        )
    return made


def _numbers(classifier: Any) -> Numbers:
    # A subclass may compute anything.
    theirs = type(classifier).__module__.startswith("sklearn.")
    found = _KNOWN.get(type(classifier).__name__) if theirs else None
    if found is None:
        raise StoreError(
            f"a LocalTagger of {type(classifier).__name__} cannot be stored: a model file holds numbers and no code, "
            f"and only classifiers with scores linear in the attributes are numbers: {', '.join(_KNOWN)} of "
            f"scikit-learn; use one of these, or pickle the tagger for files that you trust"
        )
    if found is _one_by_one:
        return _one_by_one(classifier)
    link = found(classifier)
    if link != "bayes":
        return classifier.coef_, classifier.intercept_, link
    prior = 0.0 if type(classifier).__name__ == "ComplementNB" else classifier.class_log_prior_
    return classifier.feature_log_prob_, prior, link


def _dense(coef: Any) -> Any:
    return coef.toarray() if hasattr(coef, "toarray") else np.asarray(coef)


def _logistic(classifier: Any) -> str:
    way = getattr(classifier, "multi_class", "auto")  # an option until scikit-learn 1.7
    alone = len(classifier.classes_) == 2 or classifier.solver == "liblinear"
    return "logistic" if way == "ovr" or (way != "multinomial" and alone) else "softmax"


def _one_by_one(classifier: Any) -> Numbers:
    """Stack the rows of the classifiers of a OneVsRestClassifier."""
    coefs, intercepts, links = zip(*(_numbers(one) for one in classifier.estimators_), strict=True)
    rows = [np.atleast_2d(_dense(coef)) for coef in coefs]
    shifts = [np.broadcast_to(np.asarray(one), len(row)) for one, row in zip(intercepts, rows, strict=True)]
    inner = links[0]
    if inner != NONE and f"{REST}{inner}" not in LINKS:
        raise StoreError(f"a OneVsRestClassifier of classifiers with {inner} probabilities cannot be stored")
    return np.concatenate(rows), np.concatenate(shifts), inner if inner == NONE else f"{REST}{inner}"


_KNOWN: dict[str, Callable[[Any], Any]] = {
    "LinearSVC": lambda _: NONE,
    "LogisticRegression": _logistic,
    "LogisticRegressionCV": _logistic,
    "RidgeClassifier": lambda _: NONE,
    "RidgeClassifierCV": lambda _: NONE,
    "SGDClassifier": lambda one: {"log_loss": "logistic", "modified_huber": "huber"}.get(one.loss, NONE),
    "Perceptron": lambda _: NONE,
    "PassiveAggressiveClassifier": lambda _: NONE,
    "MultinomialNB": lambda _: "bayes",
    "ComplementNB": lambda _: "bayes",
    "OneVsRestClassifier": _one_by_one,
}
STORED = tuple(_KNOWN)  # names of the classifiers that can be stored in a model file


# ---------------------------------------------------------------------------------------------- how they were made


@dataclass(frozen=True)
class GivenClassifier:
    """An unfitted classifier as described in a file; made on first use.

    data     its class and its options
    arrays   of its options
    """

    data: Any
    arrays: Mapping[str, Array]

    @staticmethod
    def of(classifier: Any) -> GivenClassifier | None:
        """Describe a classifier; None if its options cannot be stored."""
        scratch = State("classifier")
        try:
            data = Values(_classes()).put(scratch, "classifier", classifier)
        except (StoreError, AttributeError, TypeError):  # a foreign object among the options
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
    """Return the classes of scikit-learn that a file may name; no other is looked up."""
    from sklearn import linear_model, multiclass, naive_bayes, svm

    homes = (linear_model, multiclass, naive_bayes, svm)
    found = {name: getattr(home, name) for home in homes for name in _KNOWN if hasattr(home, name)}
    return {
        name: OptionKind(kind, lambda classifier: dict(classifier.get_params(deep=False)))
        for name, kind in found.items()
    }
