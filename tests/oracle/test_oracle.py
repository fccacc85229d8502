"""The oracle against itself: enumeration and recursion are two independent readings of the same tables."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle import clear, textbook
from oracle.closeness import log_z_tolerance, probability_tolerance, score_tolerance
from oracle.paths import Enumeration, all_paths, first_dead_position, fixed_lag
from oracle.strategies import trellises
from oracle.tables import Tables


@given(trellises())
def test_oracle_log_partition_is_the_same_by_enumeration_and_recursion(tables: Tables) -> None:
    truth = Enumeration(tables)
    tolerance = max(1e-15, log_z_tolerance(tables, truth.log_z) / 10)
    assert float(clear.log_partition(tables)) == approx(truth.log_z, abs=tolerance)
    assert float(clear.forward_backward(tables).log_z) == approx(truth.log_z, abs=10 * tolerance)


@given(trellises())
def test_oracle_marginals_are_the_same_by_enumeration_and_recursion(tables: Tables) -> None:
    truth = Enumeration(tables)
    tolerance = probability_tolerance(tables)
    np.testing.assert_allclose(
        clear.forward_backward(tables, np.longdouble).node().reshape(tables.node.shape),
        truth.node(),
        atol=tolerance,
    )
    np.testing.assert_allclose(clear.edge_marginals(tables, np.longdouble), truth.edge(), atol=tolerance)


@given(trellises(integers=True))
def test_oracle_best_path_is_the_same_with_ties(tables: Tables) -> None:
    assert clear.viterbi(tables) == Enumeration(tables).best()


@given(trellises(integers=False, scales=(1, 1000)))
def test_oracle_best_score_is_the_same_without_ties(tables: Tables) -> None:
    assert clear.viterbi(tables)[1] == approx(Enumeration(tables).best()[1], abs=score_tolerance(tables))


@given(trellises(possible=False))
def test_oracle_finds_a_dead_position_exactly_when_log_z_is_minus_infinity(tables: Tables) -> None:
    dead = first_dead_position(tables)
    assert (dead is not None) == (float(clear.log_partition(tables)) == -math.inf)
    if dead is not None:
        assert float(clear.log_partition(tables.prefix(dead))) > -math.inf


@given(trellises(), st.integers(0, 5))
def test_oracle_fixed_lag_with_a_long_lag_is_the_best_path(tables: Tables, extra: int) -> None:
    assert fixed_lag(tables, tables.T + extra) == Enumeration(tables).best()[0]


def test_oracle_reproduces_the_textbook_numbers() -> None:
    tables = textbook.garden_path()
    paths = {
        "".join(textbook.LABELS[y] for y in path): math.exp(score)
        for path, score in all_paths(tables)
        if score > -math.inf
    }
    assert paths == approx(textbook.PATHS, rel=1e-12)
    assert math.exp(Enumeration(tables).log_z) == approx(textbook.LIKELIHOOD, rel=1e-12)
    for length, (labels, probability) in textbook.BEST_PREFIX.items():
        path, score = Enumeration(tables.prefix(length)).best()
        assert "".join(textbook.LABELS[y] for y in path) == labels
        assert math.exp(score) == approx(probability, rel=1e-12)
