"""Viterbi is the best of all paths, and says which one among equals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from pytest import approx

from oracle.closeness import assert_rank, log_z_tolerance, score_tolerance
from oracle.paths import Enumeration, path_score
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import Trellis, inference

pytestmark = pytest.mark.usefixtures("kernel")


@given(trellises())
def test_viterbi_is_the_best_of_all_paths(tables: Tables) -> None:  # eq:viterbi
    assert_rank(tables, Enumeration(tables), inference.viterbi(tables.trellis()))


@given(trellises(integers=True, scales=(0, 1)))
def test_viterbi_breaks_ties_by_the_lowest_last_label(tables: Tables) -> None:  # eq:viterbi
    best, score = Enumeration(tables).best()
    path = inference.viterbi(tables.trellis())
    assert tuple(path.ids.tolist()) == best
    assert path.score == score


@pytest.mark.parametrize("L", [2, 3, 8, 9, 17, 40])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_viterbi_takes_label_zero_when_nothing_matters(L: int, dtype: type) -> None:  # eq:viterbi
    path = inference.viterbi(Trellis(np.zeros((7, L), dtype), np.zeros((L, L), dtype)))
    assert path.ids.tolist() == [0] * 7


def test_viterbi_prefers_the_lowest_label_at_the_end_over_the_lowest_at_the_start() -> None:  # eq:viterbi
    edge = np.array([[-np.inf, 0.0], [0.0, -np.inf]])
    assert inference.viterbi(Trellis(np.zeros((4, 2)), edge)).ids.tolist() == [1, 0, 1, 0]


@given(trellises())
def test_viterbi_log_prob_is_score_minus_log_z(tables: Tables) -> None:  # eq:viterbi
    truth = Enumeration(tables)
    path = inference.viterbi(tables.trellis(), log_prob=True)
    expected = path_score(tables, tuple(path.ids.tolist())) - truth.log_z
    tolerance = log_z_tolerance(tables, truth.log_z) + score_tolerance(tables)
    assert path.log_prob == approx(expected, abs=tolerance)
    assert inference.viterbi(tables.trellis()).log_prob is None


@given(trellises())
def test_viterbi_path_speaks_the_labels(tables: Tables) -> None:
    path = inference.viterbi(tables.trellis())
    assert path.labels == tuple(tables.name(int(y)) for y in path.ids)
    assert path.ids.dtype == np.int32
    assert len(path) == tables.T
    assert path.exact


@given(trellises())
def test_trellis_score_is_the_sum_along_the_path(tables: Tables) -> None:  # eq:path-score
    trellis = tables.trellis()
    rng = np.random.default_rng(0)
    for _ in range(5):
        path = tuple(int(y) for y in rng.integers(tables.L, size=tables.T))
        expected = path_score(tables, path)
        assert trellis.score(path) == approx(expected, abs=score_tolerance(tables))
        assert trellis.score([tables.name(y) for y in path]) == trellis.score(path)
