"""The smallest trellises: no position, one position, one label, fewer positions than the order."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pytest import approx

from oracle.paths import Enumeration
from oracle.tables import Tables
from seqlab import Trellis, inference

pytestmark = pytest.mark.usefixtures("kernel")

ORDERS = (1, 2, 3)
DTYPES = (np.float32, np.float64)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_empty_sequence_has_one_empty_path_of_score_zero(order: int, dtype: type) -> None:  # eq:log-partition
    trellis = Trellis(np.zeros((0, 3), dtype), np.zeros((3,) * (order + 1), dtype), order=order)
    assert inference.log_partition(trellis) == 0.0
    for path in (
        inference.viterbi(trellis),
        inference.max_marginal(trellis),
        inference.beam(trellis, 2),
        *inference.nbest(trellis, 5),
    ):
        assert (len(path), path.ids.shape, path.labels, path.score) == (0, (0,), (), 0.0)
    assert len(inference.nbest(trellis, 5)) == 1
    assert inference.viterbi(trellis, log_prob=True).log_prob == 0.0
    posterior = inference.posterior(trellis)
    assert posterior.node.shape == (0, 3)
    assert posterior.edge.shape == (0,) + (3,) * (order + 1)
    assert (posterior.log_z, posterior.entropy) == (0.0, 0.0)
    assert np.all(inference.expected_counts(trellis).edge == 0)
    assert inference.sample(trellis, 4, seed=0).ids.shape == (4, 0)
    assert inference.filter(trellis).node.shape == (0, 3)
    assert inference.filter(trellis).log_z == 0.0


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_one_position_is_a_softmax(order: int, dtype: type) -> None:  # eq:node-marginal
    scores = np.array([0.5, -1.0, 2.0, -np.inf], dtype)
    edge = np.full((4,) * (order + 1), 77.0, dtype)
    trellis = Trellis(scores[None], edge, order=order, start=np.ones(4, dtype), stop=-np.ones(4, dtype))
    weights = np.exp(scores.astype(np.float64))
    posterior = inference.posterior(trellis)
    np.testing.assert_allclose(
        posterior.node[0], weights / weights.sum(), rtol=1e-6 if dtype == np.float32 else 1e-14
    )
    assert posterior.log_z == approx(math.log(weights.sum()), rel=1e-6)
    assert posterior.edge.shape == (0,) + (4,) * (order + 1)
    assert inference.viterbi(trellis).ids.tolist() == [2]
    assert [path.ids.tolist() for path in inference.nbest(trellis, 9)] == [[2], [0], [1]]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("T", [1, 2, 3, 4, 50])
def test_one_label_has_one_path(order: int, T: int) -> None:  # eq:log-partition
    rng = np.random.default_rng(T)
    node = rng.normal(scale=10, size=(T, 1))
    edge = rng.normal(scale=10, size=(max(T - order, 1),) + (1,) * (order + 1))
    head = [rng.normal(size=(1,) * (i + 2)) for i in range(order - 1)]
    total = node.sum() + edge[: max(T - order, 0)].sum() + sum(float(h.sum()) for h in head[: T - 1])
    trellis = Trellis(node, edge, order=order, head=head)
    assert inference.log_partition(trellis) == approx(total, rel=1e-12, abs=1e-12)
    assert inference.viterbi(trellis).score == approx(total, rel=1e-12, abs=1e-12)
    assert inference.viterbi(trellis).ids.tolist() == [0] * T
    np.testing.assert_allclose(inference.posterior(trellis).node, np.ones((T, 1)), rtol=0, atol=1e-12)
    assert inference.posterior(trellis).entropy == approx(0, abs=1e-11)
    assert len(inference.nbest(trellis, 10)) == 1


@pytest.mark.parametrize(("order", "heads"), [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)])
@pytest.mark.parametrize("T", [1, 2, 3])
def test_sequence_shorter_than_the_order_uses_only_its_head(
    order: int, heads: int, T: int
) -> None:  # eq:order-k
    rng = np.random.default_rng(10 * order + T)
    head = tuple(rng.normal(size=(3,) * (i + 2)) for i in range(heads))
    tables = Tables(rng.normal(size=(T, 3)), rng.normal(size=(3,) * (order + 1)), order, head)
    truth = Enumeration(tables)
    posterior = inference.posterior(tables.trellis())
    assert posterior.log_z == approx(truth.log_z, abs=1e-12)
    np.testing.assert_allclose(posterior.node, truth.node(), atol=1e-12)
    assert tuple(inference.viterbi(tables.trellis()).ids) == truth.best()[0]
