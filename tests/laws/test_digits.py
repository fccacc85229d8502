"""Digits that only careful sums keep."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pytest import approx

from oracle import clear
from oracle.corpora import random_tables
from oracle.paths import path_score
from oracle.tables import Tables
from seqlab import Trellis, TrellisBatch, inference

pytestmark = pytest.mark.usefixtures("kernel")


@pytest.mark.parametrize("T", [99, 601])
def test_scores_that_cancel_leave_the_digits_of_their_difference(T: int) -> None:  # eq:scaling eq:path-score
    rng = np.random.default_rng(T)
    half = rng.normal(scale=1e10, size=T // 3)
    node = rng.permutation(np.concatenate([half, -half, rng.normal(size=T - 2 * len(half))]))[:, None]
    trellis = Trellis(node, np.zeros((1, 1)))
    total = math.fsum(node[:, 0])  # one label, one path
    assert inference.log_partition(trellis) == approx(total, rel=1e-12)
    assert inference.posterior(trellis).log_z == approx(total, rel=1e-12)
    assert inference.filter(trellis).log_z == approx(total, rel=1e-12)
    assert inference.viterbi(trellis).score == approx(total, rel=1e-12)


def test_shared_edge_is_added_as_often_as_it_is_used_to_the_last_bit() -> None:  # eq:scaling
    node = np.zeros((78, 1))
    node[0] = -0.1 * 77
    trellis = Trellis(node, np.full((1, 1), 0.1))
    total = math.fsum([node[0, 0]] + [0.1] * 77)
    assert total != 0
    assert inference.log_partition(trellis) == approx(total, rel=1e-6, abs=0)
    assert inference.posterior(trellis).log_z == approx(total, rel=1e-6, abs=0)


@pytest.mark.parametrize(("dtype", "rel"), [(np.float32, 3e-7), (np.float64, 1e-15)])
def test_exponential_is_good_to_a_few_roundings(dtype: type, rel: float) -> None:  # eq:node-marginal
    depth = np.linspace(0, 25, 1001).astype(dtype)
    batch = TrellisBatch(
        np.stack([np.zeros_like(depth), -depth], axis=1).reshape(-1, 2), [1] * 1001, np.zeros((2, 2), dtype)
    )
    for d, posterior in zip(depth.astype(np.float64), inference.posterior(batch), strict=True):
        assert float(posterior.node[0, 1]) / float(posterior.node[0, 0]) == approx(math.exp(-d), rel=rel)


@pytest.mark.parametrize("L", [3, 9, 22])
def test_float32_path_of_high_scores_is_as_good_as_the_best(L: int) -> None:  # eq:viterbi
    tables = random_tables(L, 1000, L, dtype=np.float32)
    node = tables.node + np.float32(1000)
    tables = Tables(node, tables.edge)
    best = clear.viterbi(tables)[1]
    ids = tuple(inference.viterbi(tables.trellis()).ids.tolist())
    assert best - path_score(tables, ids) < 0.01


def test_log_partition_pays_a_move_too_faint_for_a_number() -> None:  # eq:certificate
    edge = np.array([[-1000.0, -1001.0], [0.0, 0.0]])
    tables = Tables(np.zeros((2, 2)), edge, forbidden_starts=frozenset({1}))
    expected = -1000 + math.log1p(math.exp(-1))
    assert inference.log_partition(tables.trellis()) == approx(expected, rel=1e-12)
    assert inference.posterior(tables.trellis()).log_z == approx(expected, rel=1e-12)
