"""Posterior decoding takes the most probable label at each position."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from pytest import approx

from oracle.closeness import probability_tolerance, score_tolerance
from oracle.paths import Enumeration, path_score
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import Trellis, inference

pytestmark = pytest.mark.usefixtures("kernel")


@given(trellises())
def test_max_marginal_takes_the_most_probable_label_everywhere(tables: Tables) -> None:  # eq:max-marginal
    node = Enumeration(tables).node()
    path = inference.max_marginal(tables.trellis())
    assert len(path) == tables.T
    chosen = node[np.arange(tables.T), path.ids]
    assert np.all(chosen >= node.max(axis=1, initial=0) - 2 * probability_tolerance(tables))


@given(trellises())
def test_max_marginal_score_is_the_score_of_its_path(tables: Tables) -> None:  # eq:path-score
    path = inference.max_marginal(tables.trellis())
    expected = path_score(tables, tuple(path.ids.tolist()))
    assert path.score == approx(expected, abs=score_tolerance(tables))


@pytest.mark.parametrize("L", [1, 2, 5, 8, 16, 33])
def test_max_marginal_takes_the_lowest_label_among_equals(L: int) -> None:  # eq:max-marginal
    path = inference.max_marginal(Trellis(np.zeros((6, L)), np.zeros((L, L))))
    assert path.ids.tolist() == [0] * 6


def test_max_marginal_may_put_together_an_impossible_path() -> None:  # eq:max-marginal
    joint = np.array([[0.0, 0.2, 0.2], [0.3, 0.0, 0.0], [0.3, 0.0, 0.0]])
    with np.errstate(divide="ignore"):
        edge = np.log(joint)
    path = inference.max_marginal(Trellis(np.zeros((2, 3)), edge))
    assert path.ids.tolist() == [0, 0]
    assert path.score == -math.inf
