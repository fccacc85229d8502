"""Tokens as rows of a sparse matrix.

The columns: attributes; one per previous label; one for "no previous label"; in higher orders one per sequence of two,
three, ... previous labels; and one per pair of an edge attribute and a previous label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.encode import EncodedCorpus, Rows
from seqlab.tagging.door.sentences import Gold

Numbers = npt.NDArray[np.int64]
Matrix = Any  # scipy.sparse.csr_matrix, which has no types

NO_LABEL = -1  # no previous label: the first token of a sentence
NOT_KNOWN = -2  # the previous label is unknown


@dataclass(frozen=True, slots=True)
class Columns:
    """Numbers of attributes, edge attributes and labels, which determine the columns of the matrix.

    previous   True if previous labels are features
    order      number of previous labels that are features
    """

    attributes: int
    pairs: int
    labels: int
    previous: bool
    order: int = 1

    @property
    def width(self) -> int:
        """Number of columns."""
        if not self.previous:
            return self.attributes
        longer = sum(int(self.labels**back) for back in range(2, self.order + 1))
        return self.attributes + self.labels + 1 + longer + self.pairs * self.labels

    def prepared(self, encoded: EncodedCorpus) -> Prepared:
        """Return the attributes of a corpus as matrices, to take rows from."""
        pairs = None if encoded.edge is None or not self.pairs or not self.previous else encoded.edge
        edges = None if pairs is None else _sparse(pairs, self.pairs)
        return Prepared(self, _sparse(encoded.node, self.attributes), edges)


@dataclass(frozen=True, slots=True)
class Prepared:
    """The attributes of all tokens: own (tokens, attributes), pairs (tokens, edge attributes) or None."""

    columns: Columns
    own: Matrix
    pairs: Matrix | None

    def rows(self, tokens: Numbers, previous: Numbers) -> Matrix:
        """Make the matrix (len(tokens), columns): a row for each token and its previous labels.

        previous   (len(tokens), order)   previous labels, the nearest first
        """
        own = self.own[tokens]
        if not self.columns.previous:
            return own
        from scipy.sparse import hstack

        longer = (self._label_rows(previous[:, :back]) for back in range(2, self.columns.order + 1))
        parts = [own, self._labels(previous[:, 0]), *longer]
        if self.pairs is not None:
            parts.append(self._pairs(self.pairs[tokens], previous[:, 0]))
        return hstack(parts, format="csr", dtype=np.float64)

    def _label_rows(self, previous: Numbers) -> Matrix:
        """Make the entries for sequences of previous labels; unknown or incomplete sequences have no column."""
        size, back = self.columns.labels, previous.shape[1]
        known = (previous >= 0).all(axis=1)
        column = previous[known] @ (size ** np.arange(back))
        return _csr(np.ones(len(column)), column, np.concatenate([[0], np.cumsum(known)]), size**back)

    def _labels(self, previous: Numbers) -> Matrix:
        """Make one column per previous label, and the last for none."""
        size = self.columns.labels
        known = previous != NOT_KNOWN
        column = np.where(previous == NO_LABEL, size, previous)[known]
        indptr = np.concatenate([[0], np.cumsum(known)])
        return _csr(np.ones(len(column)), column, indptr, size + 1)

    def _pairs(self, chosen: Matrix, previous: Numbers) -> Matrix:
        """Make one column per edge attribute and previous label."""
        size = self.columns.labels
        label = np.repeat(previous, np.diff(chosen.indptr))
        known = label >= 0
        indptr = np.concatenate([[0], np.cumsum(known)])[chosen.indptr]
        column = chosen.indices[known].astype(np.int64) * size + label[known]
        return _csr(chosen.data[known], column, indptr, self.columns.pairs * size)


def _sparse(rows: Rows, width: int) -> Matrix:
    """Make a sparse matrix of attributes; the values of an attribute that a token has twice are added up."""
    values = np.ones(len(rows.ids)) if rows.values is None else rows.values
    matrix = _csr(values, rows.ids, rows.indptr, width)
    summed = matrix.copy()
    summed.sum_duplicates()  # BernoulliNB counts entries
    return summed if summed.nnz < matrix.nnz else matrix  # keeps the order of entries, and with it all bits


def _csr(values: Any, columns: Any, indptr: Any, width: int) -> Matrix:
    try:
        from scipy.sparse import csr_matrix
    except ImportError:  # a loaded tagger needs scipy, but not scikit-learn
        raise ImportError("scipy is not installed; write `pip install scipy`", name="scipy") from None

    # Copies, since classifiers sort the entries of a row in place; 32-bit indices, as liblinear requires.
    small = np.int32 if len(values) < 2**31 and width < 2**31 else np.int64
    arrays = np.array(values, dtype=np.float64), np.array(columns, dtype=small), np.array(indptr, dtype=small)
    return csr_matrix(arrays, shape=(len(indptr) - 1, width))


# ------------------------------------------------------------------------------------------------ rows to train on


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows to train on.

    tokens     (rows,)   number of the token
    labels     (rows,)   its label
    previous   (rows, order)   its previous labels, the nearest first: NO_LABEL before the start of the sentence,
                               NOT_KNOWN for an unlabelled token
    weights    (rows,)   weight of the row; None if all are 1
    """

    tokens: Numbers
    labels: Numbers
    previous: Numbers
    weights: npt.NDArray[np.float64] | None


def first_tokens(offsets: Numbers) -> Numbers:
    """Return the first token of every sentence that has one."""
    return offsets[:-1][offsets[:-1] < offsets[1:]]


def labels_before(ids: Numbers, offsets: Numbers, tokens: Numbers, order: int) -> Numbers:
    """Return the previous labels of tokens, (len(tokens), order), the nearest first; NO_LABEL before the sentence."""
    starts = np.repeat(offsets[:-1], np.diff(offsets))[tokens]
    at = tokens[:, None] - np.arange(1, order + 1)
    return np.where(at >= starts[:, None], ids[np.maximum(at, 0)], NO_LABEL)


def samples(
    gold: Gold,
    offsets: Numbers,
    weights: npt.NDArray[np.float64] | None,
    worth: npt.NDArray[np.float64] | None,
    order: int = 1,
) -> Sample:
    """Make a row for every labelled token, and one for each label of a token with several, which share its weight."""
    ids = gold.ids.astype(np.int64)
    before = labels_before(np.where(ids < 0, NOT_KNOWN, ids), offsets, np.arange(len(ids)), order)
    tokens, labels, shares = gold.entries(weights, worth)
    plain = weights is None and worth is None and not gold.sets
    return Sample(tokens, labels, before[tokens], None if plain else shares)
