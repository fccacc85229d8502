"""Long chains, which go through kernels of their own, against the clear recursions: paths, ties, counts."""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx

from oracle import clear
from oracle.closeness import is_single
from oracle.corpora import random_tables
from oracle.paths import path_score
from oracle.tables import Tables
from seqlab import inference

pytestmark = pytest.mark.usefixtures("kernel")

DTYPES = (np.float32, np.float64)
# Widths: part of a vector, a full one, two, three, four and more, on every instruction set.
# Lengths: odd and even, no multiple of 16, several stretches of the long Viterbi.
WIDTHS = (1, 3, 4, 5, 8, 9, 16, 17, 22, 45)


def long_tables(L: int, dtype: type) -> Tables:
    """Just beyond what runs in lockstep; an odd length for even L, an even one for odd L."""
    return random_tables(L, 1031 + L % 2, L, dtype=dtype, holes=0.2)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("L", WIDTHS)
def test_long_marginals_and_counts_equal_clear_ones(L: int, dtype: type) -> None:  # eq:expected-counts
    tables = long_tables(L, dtype)
    truth, edge = clear.forward_backward(tables), clear.edge_marginals(tables)
    tolerance = 1e-4 if is_single(tables) else 1e-10
    before = inference.fallback_count()
    counts = inference.expected_counts(tables.trellis())
    assert inference.fallback_count() == before  # ordinary scores stay scaled
    assert counts.log_z == approx(float(truth.log_z), rel=2e-6 if is_single(tables) else 1e-12)
    np.testing.assert_allclose(counts.node, truth.node(), rtol=0, atol=tolerance)
    np.testing.assert_allclose(counts.edge, edge.sum(axis=0), rtol=0, atol=tolerance * 10)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("L", "T"), [(L, 1031) for L in WIDTHS] + [(5, 20_001), (9, 9001), (17, 6001), (45, 1999)]
)
def test_long_best_path_breaks_ties_like_the_clear_one(L: int, T: int, dtype: type) -> None:  # eq:viterbi
    for whole in (True, False):
        tables = random_tables(L, T, L, dtype=dtype, whole=whole, holes=0.2)
        if whole:
            tables = Tables(np.floor(tables.node / 6), np.floor(tables.edge / 6))
        ids, score = clear.viterbi(tables)
        path = inference.viterbi(tables.trellis())
        assert path.score == approx(score, rel=1e-12)
        assert path_score(tables, tuple(path.ids.tolist())) == approx(score, rel=1e-12)
        if whole or dtype == np.float64:
            assert path.ids.tolist() == list(ids)


@pytest.mark.parametrize("T", [1025, 1031, 1040, 2047])
def test_score_of_a_long_path_is_the_sum_along_it(T: int) -> None:  # eq:path-score
    tables = random_tables(T, T, 5)
    path = tuple(int(y) for y in np.random.default_rng(T).integers(5, size=T))
    assert tables.trellis().score(path) == approx(path_score(tables, path), rel=1e-13)
