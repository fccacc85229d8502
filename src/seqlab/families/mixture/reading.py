"""Input of mixture models: counts, bags of words, points, weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import contiguous
from seqlab.corpus.columns import offsets_of
from seqlab.encode.encoder import listed
from seqlab.errors import DtypeError, OptionError, ScoreError, ShapeError
from seqlab.families.hmm.emissions.base import SymbolRows

Numbers = npt.NDArray[np.float64]
LARGEST = 1e100  # sums of squares of larger numbers would overflow


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """Observations of a mixture.

    rows    counts of features, those of 0 left out (SymbolRows), or points (VectorRows)
    size    how many features there are
    names   of the features, if they have any
    """

    rows: Any
    size: int
    names: tuple[str, ...] | None = None

    @staticmethod
    def of(bag: Any, ids: Any, values: Any, shape: tuple[int, int], names: Any = None) -> Bags:
        """Make bags from entries: counts of features."""
        begin = offsets_of(np.bincount(bag, minlength=shape[0]))
        counts = contiguous(values, np.float64)
        return Bags(SymbolRows(begin, np.ascontiguousarray(ids, dtype=np.int32), counts), shape[1], names)


def read_points(X: Any, what: str = "X") -> Numbers:
    """Read (n, D) finite numbers."""
    try:
        points = np.asarray(_plain(X))
    except ValueError as error:
        raise ShapeError(f"{what} must be a table of numbers, but its rows differ in length") from error
    if points.dtype.kind not in "fiub":
        raise DtypeError(f"{what} must hold numbers, found dtype {points.dtype}")
    if points.ndim != 2 or not points.shape[1]:
        hint = "; for one number each write X.reshape(-1, 1)" if points.ndim == 1 else ""
        raise ShapeError(f"{what} must have shape (n, D), found {points.shape}{hint}")
    points = contiguous(points, np.float64)
    bad = ~(np.abs(points) <= LARGEST)
    if bad.any():
        i, j = (int(place) for place in np.argwhere(bad)[0])
        raise ScoreError(
            f"{what}[{i}, {j}] is {points[i, j]}, but a finite number is wanted, of at most {LARGEST:g}"
        )
    return points


def read_bags(X: Any, features: Sequence[str] | int | None) -> Bags:
    """Read bags.

    X          a table of counts (an array, or a sparse matrix of SciPy), or a list of bags: dicts {feature: count} or
               lists of features
    features   those of training: names, or how many columns; None in training
    """
    X = _plain(X)
    if hasattr(X, "tocsr"):
        matrix = X.tocsr()
        bag = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        return _of_entries(bag, matrix.indices, matrix.data, matrix.shape, features)
    if _is_named(X):
        return _of_names(listed(X), features)
    table = read_points(X)
    bag, ids = np.nonzero(table)
    return _of_entries(bag, ids, table[bag, ids], table.shape, features)


def read_weights(sample_weight: Any, n: int) -> Numbers:
    """Read (n,) weights from 0 up, not all 0; 1 each when there are none."""
    if sample_weight is None:
        return np.ones(n)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(f"sample_weight must be {n} numbers, got {sample_weight!r:.80}") from error
    if weights.shape != (n,):
        raise ShapeError(f"sample_weight has shape {weights.shape}, but X has {n} rows")
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        first = int(np.argmax(bad))
        raise OptionError(
            f"sample_weight[{first}] is {weights[first]}, but a finite number from 0 up is wanted"
        )
    if not weights.sum() > 0:
        raise OptionError("every weight in sample_weight is 0, so there is nothing to learn from")
    return weights


def _plain(X: Any) -> Any:
    """Convert a DataFrame to its table; otherwise it would be read as a list of column names."""
    return X.to_numpy() if hasattr(X, "iloc") and hasattr(X, "to_numpy") else X


def _is_named(X: Any) -> bool:
    """Return True if X is a list of dicts or of lists of strings, not a table of numbers."""
    if isinstance(X, np.ndarray) and X.dtype != object:
        return False
    if isinstance(X, (str, bytes, Mapping)) or not isinstance(X, Iterable):
        raise ShapeError(f"X must be a table of counts or a list of bags, got {X!r:.60}")
    for bag in X:
        if isinstance(bag, (Mapping, str)):
            return True
        if isinstance(bag, (list, tuple)) and bag:
            return isinstance(bag[0], str)
    return False


def _of_entries(bag: Any, ids: Any, values: Any, shape: tuple[int, int], features: Any) -> Bags:
    """Read the entries of a table, dense or sparse."""
    if not shape[1]:
        raise ShapeError("X has no column, so there is nothing to count")
    check_columns(shape[1], features)
    values = np.asarray(values, dtype=np.float64)
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any():
        first = int(np.argmax(bad))
        raise ScoreError(
            f"X[{int(bag[first])}, {int(ids[first])}] is {values[first]}, but a count from 0 up is wanted"
        )
    kept = values > 0
    return Bags.of(bag[kept], np.asarray(ids)[kept], values[kept], shape)


def check_columns(found: int, features: Any) -> None:
    """Reject a table with other columns than that of training; None: there was none before."""
    if features is not None and not isinstance(features, int):
        raise ShapeError("X is a table without names, but in training features had names; give bags of them")
    if features not in (None, found):
        raise ShapeError(f"X has {found} columns, but in training it had {features}")


def _of_names(bags: list[Any], features: Any) -> Bags:
    if isinstance(features, int):
        raise ShapeError(
            f"X is a list of bags, but in training it was a table of {features} columns; give such a table"
        )
    counted = [_counts(bag, i) for i, bag in enumerate(bags)]
    names = tuple(sorted({name for bag in counted for name in bag})) if features is None else tuple(features)
    number = {name: j for j, name in enumerate(names)}
    # Features not seen in training are ignored.
    named = ((i, name, value) for i, bag in enumerate(counted) for name, value in bag.items())
    entries = [(i, number[name], value) for i, name, value in named if name in number and value > 0]
    bag, ids, values = zip(*entries, strict=True) if entries else ((), (), ())
    return Bags.of(np.array(bag, dtype=np.int64), ids, values, (len(bags), len(names)), names)


def _counts(bag: Any, i: int) -> dict[str, float]:
    """Read one bag: its counts of features."""
    if isinstance(bag, (str, bytes)) or not isinstance(bag, Iterable):
        raise ShapeError(
            f"bag {i} of X is {bag!r:.60}, but a list of features or a dict {{feature: count}} is wanted"
        )
    counts: dict[str, float] = {}
    for name, value in bag.items() if isinstance(bag, Mapping) else ((name, 1) for name in bag):
        if not isinstance(name, str):
            raise ShapeError(f"bag {i} of X has the feature {name!r:.60}, but features are strings")
        real = isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, complex))
        if not real or not np.isfinite(value) or value < 0:
            raise ScoreError(
                f"bag {i} of X counts {name!r:.60} as {value!r:.60}, but a finite number from 0 up is wanted"
            )
        counts[name] = counts.get(name, 0.0) + float(value)
    return counts
