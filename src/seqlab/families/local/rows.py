"""Tokens as rows of a sparse matrix, and the scores that a classifier gives to rows.

The columns: attributes, then one per previous label, one for "no previous label", and one per pair of an attribute of
label pairs and a previous label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.encode import EncodedCorpus, Rows
from seqlab.errors import OptionError

Numbers = npt.NDArray[np.int64]
Matrix = Any  # scipy.sparse.csr_matrix, which has no types

NO_LABEL = -1  # no previous label: the first token of a sentence
NOT_KNOWN = -2  # there is a previous label, but nobody says which
MOST_ROWS = 100_000  # that a classifier is asked for at one time
MOST_CELLS = 2**25  # the same, of rows without gaps


@dataclass(frozen=True, slots=True)
class Columns:
    """How wide the matrix is: attributes, attributes of label pairs, labels; whether the previous label is seen."""

    attributes: int
    pairs: int
    labels: int
    previous: bool

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self.attributes + (self.labels + 1 + self.pairs * self.labels if self.previous else 0)

    def prepared(self, encoded: EncodedCorpus) -> Prepared:
        """The attributes of a corpus as matrices, to take rows from."""
        pairs = None if encoded.edge is None or not self.pairs or not self.previous else encoded.edge
        return Prepared(
            self,
            _sparse(encoded.node, self.attributes),
            None if pairs is None else _sparse(pairs, self.pairs),
        )


@dataclass(frozen=True, slots=True)
class Prepared:
    """The attributes of all tokens: own (tokens, attributes), pairs (tokens, attributes of label pairs) or None."""

    columns: Columns
    own: Matrix
    pairs: Matrix | None

    def rows(self, tokens: Numbers, previous: Numbers) -> Matrix:
        """(len(tokens), columns): a row for each token after its previous label."""
        own = self.own[tokens]
        if not self.columns.previous:
            return own
        from scipy.sparse import hstack

        parts = [own, self._labels(previous)]
        if self.pairs is not None:
            parts.append(self._pairs(self.pairs[tokens], previous))
        return hstack(parts, format="csr", dtype=np.float64)

    def _labels(self, previous: Numbers) -> Matrix:
        """One column per previous label, and the last for none."""
        size = self.columns.labels
        known = previous != NOT_KNOWN
        column = np.where(previous == NO_LABEL, size, previous)[known]
        indptr = np.concatenate([[0], np.cumsum(known)])
        return _csr(np.ones(len(column)), column, indptr, size + 1)

    def _pairs(self, chosen: Matrix, previous: Numbers) -> Matrix:
        """One column per attribute of label pairs and previous label."""
        size = self.columns.labels
        label = np.repeat(previous, np.diff(chosen.indptr))
        known = label >= 0
        indptr = np.concatenate([[0], np.cumsum(known)])[chosen.indptr]
        column = chosen.indices[known].astype(np.int64) * size + label[known]
        return _csr(chosen.data[known], column, indptr, self.columns.pairs * size)


def _sparse(rows: Rows, width: int) -> Matrix:
    values = np.ones(len(rows.ids)) if rows.values is None else rows.values
    return _csr(values, rows.ids, rows.indptr, width)


def _csr(values: Any, columns: Any, indptr: Any, width: int) -> Matrix:
    try:
        from scipy.sparse import csr_matrix
    except ImportError:  # a loaded tagger does without scikit-learn, but not without this
        raise ImportError("scipy is not installed; write `pip install scipy`", name="scipy") from None

    # Copies, since classifiers sort the entries of a row in place; and 32 bits, since liblinear takes nothing else.
    small = np.int32 if len(values) < 2**31 and width < 2**31 else np.int64
    data = np.array(values, dtype=np.float64)
    return csr_matrix(
        (data, np.array(columns, dtype=small), np.array(indptr, dtype=small)), shape=(len(indptr) - 1, width)
    )


# ---------------------------------------------------------------------------------------------- what a classifier says

RESPONSES = ("auto", "probability", "decision")


@dataclass(frozen=True, slots=True)
class Response:
    """The method of a classifier that gives scores, and the place of each label among its columns.

    dense   whether it takes rows only without gaps
    """

    method: str
    order: tuple[int, ...]
    dense: bool = False

    @property
    def probabilistic(self) -> bool:
        """Whether the scores are log-probabilities."""
        return self.method != "decision_function"

    @staticmethod
    def of(classifier: Any, wanted: str, labels: Sequence[str], *, dense: bool = False) -> Response:
        """Of a classifier that has learned."""
        method = method_of(classifier, wanted)
        classes = [str(name) for name in getattr(classifier, "classes_", labels)]
        if sorted(classes) != sorted(labels):
            raise OptionError(
                f"{type(classifier).__name__} knows the classes {classes!r:.80}, "
                f"but the labels are {list(labels)!r:.80}"
            )
        by_pairs = getattr(classifier, "decision_function_shape", None) == "ovo"
        if method == "decision_function" and by_pairs and len(labels) > 2:
            raise OptionError(
                f"{type(classifier).__name__} scores pairs of labels, but one score for each label is wanted; write "
                f"decision_function_shape='ovr'"
            )
        return Response(method, tuple(classes.index(label) for label in labels), dense)

    def scores(self, classifier: Any, rows: Matrix) -> npt.NDArray[np.float64]:
        """(rows, L): log-probabilities, or the values of the decision function."""
        size = len(self.order)
        if not rows.shape[0]:
            return np.zeros((0, size))
        most = max(MOST_CELLS // max(rows.shape[1], 1), 1)
        if self.dense and rows.shape[0] > most:
            parts = [
                self.scores(classifier, rows[begin : begin + most]) for begin in range(0, rows.shape[0], most)
            ]
            return np.concatenate(parts)
        if self.dense:
            rows = rows.toarray()
        with np.errstate(divide="ignore"):  # what has probability 0 is impossible
            found = np.asarray(getattr(classifier, self.method)(rows), dtype=np.float64)
            if self.method == "predict_proba":
                found = np.log(found)
        if found.ndim == 1 and size == 2:  # one number for two classes: how much it is the second
            found = np.stack([-found, found], axis=1)
        if found.shape != (rows.shape[0], size):
            raise OptionError(
                f"{self.method} of {type(classifier).__name__} gives an array of shape {found.shape} for "
                f"{rows.shape[0]} tokens, but one column for each of the {size} labels is wanted; "
                f"OneVsRestClassifier gives that for any classifier"
            )
        return found[:, self.order]


def method_of(classifier: Any, wanted: str) -> str:
    """The method to ask: log-probabilities where there are any, else the decision function."""
    if wanted not in RESPONSES:
        raise OptionError(f"scores must be one of {', '.join(map(repr, RESPONSES))}, got {wanted!r}")
    if wanted != "decision":
        # The logarithm of a probability that has become 0 in floating point would say "impossible".
        for method in ("predict_log_proba", "predict_proba"):
            if hasattr(classifier, method):
                return method
    if wanted != "probability" and hasattr(classifier, "decision_function"):
        return "decision_function"
    both = {"probability": "predict_proba", "decision": "decision_function"}
    needed = both.get(wanted, "decision_function or predict_proba")
    raise OptionError(f"a classifier with {needed} is wanted, but {type(classifier).__name__} has none")
