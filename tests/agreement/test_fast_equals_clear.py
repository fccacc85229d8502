"""The compiled kernels against the clear recursions on trellises too large to enumerate."""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx

from oracle import clear
from oracle.closeness import is_single, score_tolerance
from oracle.corpora import random_tables
from oracle.paths import path_score
from oracle.tables import Tables
from seqlab import inference

pytestmark = pytest.mark.usefixtures("kernel")

WIDTHS = (1, 2, 7, 8, 9, 16, 17, 22, 33, 45, 64, 100, 150)
LENGTHS = (1, 2, 3, 5, 24, 60)
DTYPES = (np.float32, np.float64)


def assert_agrees(tables: Tables) -> None:
    single = is_single(tables)
    truth = clear.forward_backward(tables)
    edge = clear.edge_marginals(tables)
    trellis = tables.trellis()
    posterior = inference.posterior(trellis)
    counts = inference.expected_counts(trellis)
    tolerance = 1e-4 if single else 1e-11
    assert posterior.log_z == approx(
        float(truth.log_z), rel=2e-6 if single else 1e-12, abs=1e-4 if single else 1e-12
    )
    assert inference.log_partition(trellis) == approx(posterior.log_z, rel=2e-6 if single else 1e-13)
    np.testing.assert_allclose(posterior.node, truth.node(), rtol=0, atol=tolerance)
    np.testing.assert_allclose(posterior.edge, edge, rtol=0, atol=tolerance)
    np.testing.assert_allclose(counts.node, truth.node(), rtol=0, atol=tolerance)
    np.testing.assert_allclose(
        counts.edge, edge.sum(axis=0) if tables.shared else edge, rtol=0, atol=tolerance * tables.T
    )


def assert_best_path_agrees(tables: Tables) -> None:
    ids, score = clear.viterbi(tables)
    path = inference.viterbi(tables.trellis())
    assert path.score == approx(score, abs=score_tolerance(tables))
    assert path_score(tables, tuple(path.ids.tolist())) == approx(score, abs=2 * score_tolerance(tables))
    if not is_single(tables):
        assert path.ids.tolist() == list(ids)


def coarse(scores: np.ndarray) -> np.ndarray:
    """Four different scores, so that most best paths have equals."""
    return np.floor(scores / 6)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("L", WIDTHS)
def test_fast_marginals_equal_clear_ones(L: int, dtype: type) -> None:  # eq:forward eq:backward
    for T in LENGTHS:
        assert_agrees(random_tables(T, T, L, dtype=dtype))
    assert_agrees(random_tables(L, 24, L, dtype=dtype, per_position=True))
    assert_agrees(random_tables(L, 24, L, dtype=dtype, holes=0.4))
    assert_agrees(random_tables(L, 24, L, dtype=dtype, per_position=True, holes=0.4))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("order", "L"), [(2, 1), (2, 2), (2, 7), (2, 9), (2, 16), (2, 25), (3, 2), (3, 5), (3, 9)]
)
def test_fast_marginals_equal_clear_ones_at_high_order(order: int, L: int, dtype: type) -> None:  # eq:order-k
    for T in (1, 2, 3, 4, 5, 20):
        assert_agrees(random_tables(T, T, L, order=order, dtype=dtype))
    assert_agrees(random_tables(L, 12, L, order=order, dtype=dtype, per_position=True))
    assert_agrees(random_tables(L, 12, L, order=order, dtype=dtype, holes=0.4))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("L", WIDTHS)
def test_fast_best_path_equals_the_clear_one(L: int, dtype: type) -> None:  # eq:viterbi
    for T in LENGTHS:
        assert_best_path_agrees(random_tables(T, T, L, dtype=dtype))
    assert_best_path_agrees(random_tables(L, 60, L, dtype=dtype, per_position=True, holes=0.4))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("L", [2, 3, 8, 9, 17])
def test_fast_best_path_breaks_ties_like_the_clear_one(L: int, order: int, dtype: type) -> None:  # eq:viterbi
    for seed in range(8):
        tables = random_tables(seed, 3 + 4 * seed, L, order=order, dtype=dtype, whole=True, holes=0.2)
        tables = Tables(coarse(tables.node), coarse(tables.edge), order, tuple(map(coarse, tables.head)))
        ids, score = clear.viterbi(tables)
        path = inference.viterbi(tables.trellis())
        assert (path.ids.tolist(), path.score) == (list(ids), score)


@pytest.mark.parametrize("L", [200, 500])
def test_fast_equals_clear_with_hundreds_of_labels(L: int) -> None:  # eq:forward eq:viterbi
    for dtype in DTYPES:
        tables = random_tables(1, 6, L, dtype=dtype)
        assert_agrees(tables)
        assert_best_path_agrees(tables)


@pytest.mark.parametrize("T", [1000, 3000])
@pytest.mark.parametrize("L", [4, 9])
def test_fast_best_path_does_not_drown_in_its_own_sum_in_float32(L: int, T: int) -> None:  # eq:viterbi
    rng = np.random.default_rng(0)
    node, edge = 1000 + rng.normal(size=(T, L)), rng.normal(size=(L, L))
    tables = Tables(node.astype(np.float32), edge.astype(np.float32))
    _, best = clear.viterbi(tables)
    path = inference.viterbi(tables.trellis())
    assert path_score(tables, tuple(path.ids.tolist())) == approx(best, abs=0.02)
    assert path.score == approx(best, abs=0.02)
