"""Expected counts: sums of marginals, and the gradient of log Z."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle.closeness import probability_tolerance
from oracle.paths import Enumeration
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import TrellisBatch, inference

pytestmark = pytest.mark.usefixtures("kernel")


@given(trellises())
def test_expected_counts_are_the_marginals_added_up(tables: Tables) -> None:  # eq:expected-counts
    counts = inference.expected_counts(tables.trellis())
    truth = Enumeration(tables)
    tolerance = probability_tolerance(tables) * max(tables.T, 1)
    np.testing.assert_allclose(counts.node, truth.node(), rtol=0, atol=tolerance)
    edge = truth.edge()
    if tables.shared or len(tables.edge) != len(edge):
        np.testing.assert_allclose(
            np.squeeze(counts.edge).ravel(), edge.sum(axis=0).ravel(), rtol=0, atol=tolerance
        )
    else:
        assert counts.edge.shape[-1 - tables.order :] == edge.shape[1:]
        np.testing.assert_allclose(counts.edge.reshape(edge.shape), edge, rtol=0, atol=tolerance)


@given(trellises())
def test_moves_alone_are_the_same_moves(tables: Tables) -> None:
    trellis = tables.trellis()
    both, alone = inference.expected_counts(trellis), inference.expected_counts(trellis, node=False)
    assert alone.node is None
    tolerance = 1e-12 * max(tables.T, 1)
    np.testing.assert_allclose(alone.edge, both.edge, rtol=0, atol=tolerance)
    assert alone.log_z == both.log_z or alone.log_z == approx(both.log_z, rel=1e-12)
    batch = [inference.expected_counts([trellis, trellis], node=False)[1], alone]
    np.testing.assert_array_equal(batch[0].edge, batch[1].edge)


@given(trellises(orders=(2, 3)))
def test_expected_counts_of_the_first_moves_are_in_the_head(
    tables: Tables,
) -> None:  # eq:expected-counts eq:order-k
    counts = inference.expected_counts(tables.trellis())
    truth = Enumeration(tables)
    assert len(counts.head) >= len(tables.head)
    for i, head in enumerate(counts.head):
        np.testing.assert_allclose(head, truth.head(i), rtol=0, atol=probability_tolerance(tables))


@given(trellises(scales=(0, 1), dtypes=(np.float64,), min_T=1), st.data())
def test_expected_counts_are_the_gradient_of_log_z(
    tables: Tables, data: st.DataObject
) -> None:  # eq:expected-counts
    counts = inference.expected_counts(tables.trellis())
    step = 1e-5
    for name in ("node", "edge"):
        scores = getattr(tables, name)
        gradient = getattr(counts, name).reshape(scores.shape)
        for _ in range(3):
            cell = tuple(data.draw(st.integers(0, n - 1)) for n in scores.shape)
            slopes = []
            for h in (step, -step):
                moved = scores.copy()
                moved[cell] += h
                slopes.append(inference.log_partition(replace(tables, **{name: moved}).trellis()))
            assert gradient[cell] == approx((slopes[0] - slopes[1]) / (2 * step), abs=1e-7)


@given(trellises(holes=(0.0,)), st.integers(1, 4))
def test_expected_counts_of_a_batch_add_up_what_is_shared(
    tables: Tables, copies: int
) -> None:  # eq:expected-counts
    tables = Tables(tables.node, tables.edge if tables.shared else tables.edge[0], tables.order, tables.head)
    sequences = [tables.prefix(max(tables.T - i, 0)) for i in range(copies)]
    batch = TrellisBatch(
        np.concatenate([s.node for s in sequences]),
        [s.T for s in sequences],
        tables.edge,
        order=tables.order,
        head=tables.head,
    )
    counts = inference.expected_counts(batch)
    single = [inference.expected_counts(s) for s in batch]
    np.testing.assert_allclose(counts.edge, sum(c.edge for c in single), rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(counts.node, np.concatenate([one.node for one in single]))
    np.testing.assert_array_equal(counts.log_z, [one.log_z for one in single])
    for i in range(len(counts.head)):
        np.testing.assert_allclose(counts.head[i], sum(c.head[i] for c in single), rtol=1e-6, atol=1e-6)
