"""log Z, to a relative 1e-12 at any scale."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from pytest import approx

from oracle import clear
from oracle.closeness import log_z_tolerance
from oracle.paths import Enumeration
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import inference

pytestmark = pytest.mark.usefixtures("kernel")


@given(trellises())
def test_log_partition_is_the_sum_over_all_paths(tables: Tables) -> None:  # eq:log-partition eq:forward
    expected = Enumeration(tables).log_z
    assert inference.log_partition(tables.trellis()) == approx(
        expected, abs=log_z_tolerance(tables, expected)
    )


@given(trellises(dtypes=(np.float64,)))
def test_log_partition_keeps_twelve_digits(tables: Tables) -> None:  # eq:scaling eq:log-partition
    expected = clear.log_partition(tables)
    error = abs(np.longdouble(inference.log_partition(tables.trellis())) - expected)
    assert error <= log_z_tolerance(tables, float(expected))


@given(trellises())
def test_log_partition_is_the_same_from_every_function(tables: Tables) -> None:  # eq:log-partition
    trellis = tables.trellis()
    log_z = inference.log_partition(trellis)
    tolerance = log_z_tolerance(tables, log_z)
    assert isinstance(log_z, float)
    assert inference.posterior(trellis).log_z == approx(log_z, abs=tolerance)
    assert inference.expected_counts(trellis).log_z == approx(log_z, abs=tolerance)
    assert inference.filter(trellis).log_z == approx(log_z, abs=tolerance)


@pytest.mark.parametrize("scale", [1, 50, 500, 1000])
@pytest.mark.parametrize("L", [2, 5, 9, 22])
@pytest.mark.parametrize("order", [1, 2])
def test_log_partition_keeps_twelve_digits_on_longer_chains(
    scale: int, L: int, order: int
) -> None:  # eq:scaling
    rng = np.random.default_rng(scale + L)
    for _ in range(3):
        node = rng.normal(scale=scale, size=(40, L))
        tables = Tables(node, rng.normal(scale=scale, size=(L,) * (order + 1)), order)
        expected = clear.log_partition(tables)
        error = abs(np.longdouble(inference.log_partition(tables.trellis())) - expected)
        assert error <= 1e-12 * abs(expected)


def test_log_partition_counts_paths_when_all_scores_are_zero() -> None:  # eq:log-partition
    tables = Tables(np.zeros((60, 7)), np.zeros((7, 7)))
    assert inference.log_partition(tables.trellis()) == approx(60 * math.log(7), rel=1e-14)
