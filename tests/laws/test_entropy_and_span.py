"""Entropy of the distribution over paths, and the probability of a stretch of labels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle.closeness import log_z_tolerance, probability_tolerance
from oracle.paths import Enumeration
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import Trellis, inference

pytestmark = pytest.mark.usefixtures("kernel")


@given(trellises())
def test_entropy_is_the_mean_surprise_of_a_path(tables: Tables) -> None:  # eq:entropy
    truth = Enumeration(tables)
    tolerance = 10 * log_z_tolerance(tables, truth.log_z)
    entropy = inference.posterior(tables.trellis()).entropy
    assert entropy == approx(truth.entropy(), abs=tolerance)
    assert entropy >= -tolerance


@pytest.mark.parametrize("L", [1, 2, 9, 33])
@pytest.mark.parametrize("order", [1, 2])
def test_entropy_of_the_uniform_distribution_is_the_log_of_the_number_of_paths(
    L: int, order: int
) -> None:  # eq:entropy
    posterior = inference.posterior(Trellis(np.zeros((30, L)), np.zeros((L,) * (order + 1)), order=order))
    assert posterior.entropy == approx(30 * math.log(L), rel=1e-12, abs=1e-12)


@given(trellises(min_T=1), st.data())
def test_span_is_the_share_of_the_paths_with_that_stretch(
    tables: Tables, data: st.DataObject
) -> None:  # eq:span
    posterior = inference.posterior(tables.trellis())
    truth = Enumeration(tables)
    tolerance = probability_tolerance(tables)
    for _ in range(4):
        i = data.draw(st.integers(0, tables.T - 1))
        j = data.draw(st.integers(i + 1, tables.T))
        likely, _ = truth.best()
        stretch = data.draw(st.sampled_from([path[i:j] for path, _ in truth.paths[:50]] + [likely[i:j]]))
        names = [tables.name(y) for y in stretch]
        assert posterior.span(i, j, names) == approx(truth.span(i, j, stretch), abs=tolerance)


@given(trellises(min_T=1, max_T=4, max_L=3))
def test_span_over_all_stretches_sums_to_one(tables: Tables) -> None:  # eq:span
    posterior = inference.posterior(tables.trellis())
    for i in range(tables.T):
        for j in range(i + 1, min(i + 3, tables.T) + 1):
            total = math.fsum(posterior.span(i, j, path) for path in np.ndindex((tables.L,) * (j - i)))
            assert total == approx(1, abs=max(1e-12, 10 * probability_tolerance(tables)))


@given(trellises())
def test_span_of_the_whole_sequence_is_the_probability_of_the_path(tables: Tables) -> None:  # eq:span
    trellis = tables.trellis()
    path = inference.viterbi(trellis, log_prob=True)
    span = inference.posterior(trellis).span(0, tables.T, path.ids)
    assert span == approx(math.exp(path.log_prob), abs=probability_tolerance(tables))
    assert inference.posterior(trellis).span(0, 0, []) == 1.0
