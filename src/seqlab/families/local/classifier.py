"""Scores that are linear in the attributes, as scikit-learn computes them, without scikit-learn.

A model file holds the numbers of a classifier and not the classifier. The formulas are those of scikit-learn, with
sums in the same order, so that the scores have the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from seqlab.errors import QuestionError, StoreError
from seqlab.families.local.rows import Matrix
from seqlab.store.codec import Names, Packed

Floats = npt.NDArray[np.float64]
NONE = "none"  # a classifier that has no probabilities
REST = "rest of "  # before the formula of two classes, of each class against the others


@dataclass(frozen=True, eq=False)
class LinearNumbers:
    """The numbers of a linear classifier, and the formula of its probabilities.

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
        """Refuse a formula that is not known, and numbers that do not fit it."""
        if self.link != NONE and self.link not in LINKS:
            raise StoreError(f"scores become probabilities in an unknown way, {self.link!r:.80}")
        rows = rows_of(self.link, len(self.classes))
        if self.weights.shape[1] != rows:
            raise StoreError(
                f"the array 'weights' should have shape (any, {rows}), found {self.weights.shape}"
            )


class LinearScores:
    """A linear classifier of scikit-learn that has learned, without scikit-learn."""

    def __init__(self, numbers: LinearNumbers) -> None:
        self.numbers = numbers
        self.name, self.link = numbers.name, numbers.link
        self.classes_, self.weights, self.intercept_ = numbers.classes, numbers.weights, numbers.intercept

    def __repr__(self) -> str:
        columns, rows = self.weights.shape
        return f"LinearScores({self.name}, {len(self.classes_)} classes, {rows} x {columns} weights)"

    @property
    def coef_(self) -> Floats:
        """(rows, columns), as scikit-learn has it."""
        found: Floats = self.weights.T
        return found

    def weights_of(self, label: str) -> Floats:
        """(columns,) what each column adds to the score of a label; for naive Bayes, more than to others."""
        i = self.classes_.index(label)
        table, two = self.weights, len(self.classes_) == 2
        if self.link == f"{REST}bayes":
            table = table[:, 1::2] - table[:, ::2]
        elif self.link == "bayes":
            return np.asarray(table[:, i] - table.mean(axis=1), dtype=np.float64)
        return np.asarray((1 if i else -1) * table[:, 0] if two else table[:, i], dtype=np.float64)

    def decision_function(self, rows: Matrix) -> Floats:
        """(n, C), or (n,) for two classes: how much a row is the second."""
        found: Floats = rows @ self.weights + self.intercept_
        return found.reshape(-1) if found.shape[1] == 1 else found

    def predict_proba(self, rows: Matrix) -> Floats:
        """(n, C) probabilities."""
        if self.link == NONE:
            raise QuestionError(f"{self.name} gives scores, not probabilities")
        return LINKS[self.link](self.decision_function(rows))

    def predict_log_proba(self, rows: Matrix) -> Floats:
        """(n, C) their logarithms."""
        if self.link == "bayes":
            return _log_shares(self.decision_function(rows))
        found: Floats = np.log(self.predict_proba(rows))
        return found


def rows_of(link: str, classes: int) -> int:
    """How many rows coef_ has: two classes share one, which naive Bayes does not know."""
    asked = 1 if classes == 2 else classes
    return {"bayes": classes, f"{REST}bayes": 2 * asked}.get(link, asked)


# ---------------------------------------------------------------------------------------------- probabilities


def _softmax(scores: Floats) -> Floats:
    """LogisticRegression of many classes."""
    both = np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
    shares: Floats = np.exp(both - both.max(axis=1).reshape(-1, 1))
    shares /= shares.sum(axis=1).reshape(-1, 1)
    return shares


def _log_shares(scores: Floats) -> Floats:
    """Minus the log-sum of each row; the largest terms are left out of the sum, which keeps the digits of the rest."""
    top = scores.max(axis=1, keepdims=True)
    largest = scores == top
    ties = largest.astype(np.float64).sum(axis=1, keepdims=True)
    rest = np.exp(np.where(largest, -np.inf, scores) - top).sum(axis=1, keepdims=True)
    found: Floats = scores - (np.log1p(rest / ties) + np.log(ties) + top)
    return found


def _bayes(scores: Floats) -> Floats:
    """MultinomialNB and ComplementNB."""
    found: Floats = np.exp(_log_shares(scores))
    return found


# The probability of the second of two classes, or of each class against the others.


def _one_logistic(scores: Floats) -> Floats:
    from scipy.special import expit

    found: Floats = expit(scores)
    return found


def _one_huber(scores: Floats) -> Floats:
    found: Floats = (np.clip(scores, -1, 1) + 1.0) / 2.0
    return found


def _one_bayes(scores: Floats) -> Floats:
    """Of two columns for each class."""
    pairs = _bayes(scores.reshape(-1, 2))[:, 1]
    return pairs.reshape(len(scores), -1) if scores.shape[1] > 2 else pairs


def _shared(chances: Floats) -> Floats:
    """Divide the probability of each class alone by the sum; all are alike where each is 0."""
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
