"""Node and edge marginals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from pytest import approx

from oracle.closeness import is_single, probability_tolerance
from oracle.paths import Enumeration
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import inference

pytestmark = pytest.mark.usefixtures("kernel")


@given(trellises())
def test_posterior_node_is_the_share_of_the_paths_through_it(
    tables: Tables,
) -> None:  # eq:node-marginal eq:backward
    posterior = inference.posterior(tables.trellis())
    assert posterior.node.shape == tables.node.shape
    np.testing.assert_allclose(
        posterior.node, Enumeration(tables).node(), rtol=0, atol=probability_tolerance(tables)
    )


@given(trellises())
def test_posterior_edge_is_the_share_of_the_paths_along_it(tables: Tables) -> None:  # eq:edge-marginal
    posterior = inference.posterior(tables.trellis())
    expected = Enumeration(tables).edge()
    assert posterior.edge.shape == expected.shape
    np.testing.assert_allclose(posterior.edge, expected, rtol=0, atol=probability_tolerance(tables))


@given(trellises())
def test_posterior_sums_to_one_everywhere(tables: Tables) -> None:  # eq:node-marginal eq:edge-marginal
    posterior = inference.posterior(tables.trellis())
    tolerance = 2e-6 if is_single(tables) else 1e-12
    labels = tuple(range(1, posterior.edge.ndim))
    np.testing.assert_allclose(posterior.node.sum(axis=1, dtype=np.float64), 1, rtol=0, atol=tolerance)
    np.testing.assert_allclose(
        posterior.edge.sum(axis=labels, dtype=np.float64), 1, rtol=0, atol=2 * tolerance
    )
    assert np.all(posterior.node >= 0)
    assert np.all(posterior.edge >= 0)


@given(trellises(min_T=2))
def test_posterior_edge_sums_to_node_on_every_axis(tables: Tables) -> None:  # eq:edge-marginal
    posterior = inference.posterior(tables.trellis())
    k = tables.order
    for axis in range(k + 1):
        others = tuple(1 + other for other in range(k + 1) if other != axis)
        margin = posterior.edge.sum(axis=others)
        rows = posterior.node[axis : axis + len(margin)]
        np.testing.assert_allclose(margin, rows, rtol=0, atol=probability_tolerance(tables))


@given(trellises(min_T=1))
def test_posterior_label_and_move_read_the_marginals(
    tables: Tables,
) -> None:  # eq:node-marginal eq:edge-marginal
    posterior = inference.posterior(tables.trellis())
    truth = Enumeration(tables)
    tolerance = probability_tolerance(tables)
    for t in range(tables.T):
        for y in range(tables.L):
            assert posterior.label(t, tables.name(y)) == approx(truth.span(t, t + 1, (y,)), abs=tolerance)
    for t in range(1, tables.T):
        for y1, y2 in np.ndindex(tables.L, tables.L):
            expected = truth.span(t - 1, t + 1, (y1, y2))
            assert posterior.move(t, tables.name(y1), tables.name(y2)) == approx(expected, abs=tolerance)


@given(trellises())
def test_posterior_of_what_is_forbidden_is_exactly_zero(tables: Tables) -> None:  # eq:masks eq:node-marginal
    posterior = inference.posterior(tables.trellis())
    assert np.all(posterior.node[tables.nodes() == -np.inf] == 0)
    for t in range(tables.order, tables.T):
        assert np.all(posterior.edge[t - tables.order][tables.moves(t) == -np.inf] == 0)
