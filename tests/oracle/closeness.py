"""How near is near enough.

`size` bounds what one path can add up to; rounding of a sum is proportional to it, so it sets every
tolerance. float64: log Z to a relative 1e-12 (of the score scale when log Z itself is near 0), probabilities
to 1e-12 or a few roundings of `size`. float32: 2e-6 times size.
"""

from __future__ import annotations

import numpy as np
from pytest import approx

from oracle.paths import Enumeration, path_score
from oracle.tables import Tables

SINGLE = 2e-6


def is_single(tables: Tables) -> bool:
    """Whether every array is float32, so that the library keeps float32."""
    arrays = [tables.node, tables.edge, *tables.head]
    return all(a.dtype == np.float32 for a in arrays)


def scale(tables: Tables) -> float:
    """The largest finite score, at least 1."""
    arrays = [tables.node, tables.edge, *tables.head, tables.start, tables.stop]
    return max([1.0] + [_largest(a) for a in arrays if a is not None])


def size(tables: Tables) -> float:
    """1 + the most that the scores on one path can add up to."""
    steps = sum(_largest(slab) for t in range(tables.T) if (slab := tables.slab(t)) is not None)
    ends = sum(_largest(a) for a in (tables.start, tables.stop) if a is not None)
    return 1.0 + steps + ends + sum(_largest(row) for row in tables.node)


def _largest(scores: np.ndarray) -> float:
    finite = np.abs(scores[np.isfinite(scores)])
    return float(finite.max(initial=0.0))


def log_z_tolerance(tables: Tables, log_z: float) -> float:
    """Relative 1e-12 in float64, of the scale when log Z is small."""
    if is_single(tables):
        return SINGLE * size(tables)
    return 1e-12 * max(abs(log_z), scale(tables))


def score_tolerance(tables: Tables) -> float:
    """For the score of one path."""
    return (SINGLE if is_single(tables) else 2e-15) * size(tables)


def probability_tolerance(tables: Tables) -> float:
    """For one probability; exp turns an error in a score into the same relative error."""
    return SINGLE * size(tables) if is_single(tables) else max(1e-12, 5e-15 * size(tables))


def is_whole(tables: Tables) -> bool:
    """Whether every score is a small whole number, so that sums are exact in float32 and ties are real."""
    arrays = [tables.node, tables.edge, *tables.head, tables.start, tables.stop]
    return all(bool(np.all(a[np.isfinite(a)] % 1 == 0)) for a in arrays if a is not None)


def assert_rank(tables: Tables, truth: Enumeration, path: object, rank: int = 0) -> None:
    """The path has the score of the truth's rank-th; with exact sums it is that very path."""
    ids, score = tuple(path.ids.tolist()), path.score  # type: ignore[attr-defined]
    expected_ids, expected = truth.ranked[rank]
    tolerance = score_tolerance(tables)
    own = path_score(tables, ids)
    assert score == approx(own, abs=tolerance)
    assert own == approx(expected, abs=2 * tolerance)
    if is_whole(tables):
        assert ids == expected_ids
        assert score == expected
