"""Scores of induced states against gold labels: many-to-one and one-to-one accuracy, V-measure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import number
from seqlab.evaluation.scores import is_corpus, pair

Counts = npt.NDArray[np.float64]


# eq:many-to-one   Σ_k max_y c(k, y) / N
def many_to_one(gold: Any, predicted: Any, column: str | None = None) -> float:
    """Compute token accuracy after each state is mapped to its most frequent gold label.

    gold        the gold labels: a list of labels for every sentence, or a Corpus
    predicted   the states, likewise; labels and states may be strings or whole numbers
    column      of the labels, if gold is a Corpus

    More states can only help: the accuracy is 1 when every token has its own state.
    """
    table = _table(gold, predicted, column)
    return float(table.max(axis=1).sum() / table.sum())


def one_to_one(gold: Any, predicted: Any, column: str | None = None) -> float:
    """Compute token accuracy after the best one-to-one mapping of states to labels.

    gold, predicted and column as for many_to_one. Tokens of a state without a label count as errors.
    """
    table = _table(gold, predicted, column)
    size = max(table.shape)
    square = np.zeros((size, size))
    square[: table.shape[0], : table.shape[1]] = table
    return float(square[np.arange(size), _assignment(square)].sum() / table.sum())


# eq:v-measure   V = (1 + β) h c / (β h + c),  h = 1 - H(y | k) / H(y),  c = 1 - H(k | y) / H(k)
def v_measure(gold: Any, predicted: Any, column: str | None = None, *, beta: float = 1.0) -> float:
    """Compute the V-measure: the harmonic mean of homogeneity and completeness, from 0 to 1.

    gold, predicted and column as for many_to_one
    beta   above 1 gives more weight to completeness, below 1 to homogeneity
    """
    number(beta, "beta")
    joint = _table(gold, predicted, column)
    joint = joint / joint.sum()
    labels, states = _entropy(joint.sum(axis=0)), _entropy(joint.sum(axis=1))
    both = _entropy(joint)
    homogeneity = 1.0 if labels == 0 else 1.0 - (both - states) / labels
    completeness = 1.0 if states == 0 else 1.0 - (both - labels) / states
    if beta * homogeneity + completeness <= 0:
        return 0.0
    found = (1 + beta) * homogeneity * completeness / (beta * homogeneity + completeness)
    return float(min(max(found, 0.0), 1.0))


def _table(gold: Any, predicted: Any, column: str | None) -> Counts:
    """Count the tokens of each state and label, (states, labels); no row or column is all zero."""
    paired = pair(_strings(gold), _strings(predicted), column)
    states, state = np.unique(paired.predicted.codes, return_inverse=True)
    labels, label = np.unique(paired.gold.codes, return_inverse=True)
    counts = np.bincount(state * len(labels) + label, minlength=len(states) * len(labels))
    return counts.reshape(len(states), len(labels)).astype(np.float64)


def _strings(rows: Any) -> Any:
    """Convert whole numbers to strings; other values are checked later."""
    if is_corpus(rows) or isinstance(rows, (str, bytes)) or not isinstance(rows, Iterable):
        return rows
    listed = [row.tolist() if isinstance(row, np.ndarray) else row for row in rows]
    return [[_name(one) for one in row] if isinstance(row, (list, tuple)) else _name(row) for row in listed]


def _name(label: Any) -> Any:
    whole = isinstance(label, (int, np.integer)) and not isinstance(label, bool)
    return str(int(label)) if whole else label


def _entropy(shares: Counts) -> float:
    some = shares[shares > 0]
    return float(-(some * np.log(some)).sum())


def _assignment(worth: Counts) -> npt.NDArray[np.int64]:
    """Find the assignment of columns to rows with the largest sum, by shortest augmenting paths (Hungarian method)."""
    size, cost = len(worth), worth.max() - worth
    rows, columns = np.zeros(size + 1), np.zeros(size + 1)  # dual variables
    taken = np.full(size + 1, -1)  # row assigned to each column; the last column starts paths
    for row in range(size):
        taken[size], at = row, size
        least, before = np.full(size, np.inf), np.full(size, size)
        done = np.zeros(size + 1, dtype=bool)
        while taken[at] >= 0:
            done[at] = True
            price = cost[taken[at]] - rows[taken[at]] - columns[:size]
            better = ~done[:size] & (price < least)
            least[better], before[better] = price[better], at
            new = int(np.argmin(np.where(done[:size], np.inf, least)))
            step = least[new]
            rows[taken[done]] += step
            columns[done] -= step
            least[~done[:size]] -= step
            at = new
        while at != size:
            taken[at], at = taken[before[at]], before[at]
    found = np.empty(size, dtype=np.int64)
    found[taken[:size]] = np.arange(size)
    return found
