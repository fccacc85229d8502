"""Order k is order 1 on the product of the last k labels."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from pytest import approx

from oracle.closeness import log_z_tolerance, probability_tolerance, score_tolerance
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import Trellis, inference

pytestmark = pytest.mark.usefixtures("kernel")


def product_chain(tables: Tables) -> tuple[Tables, list[tuple[int, ...]]]:
    """The same distribution as an order-1 chain whose states are the last k labels; needs T >= k."""
    T, k, node = tables.T, tables.order, tables.nodes()
    states = list(itertools.product(range(tables.L), repeat=k))
    rows = np.zeros((T - k + 1, len(states)))
    slabs = np.full((T - k, len(states), len(states)), -np.inf)
    for i, state in enumerate(states):
        rows[0, i] = sum(node[t, y] for t, y in enumerate(state))
        rows[0, i] += sum(tables.moves(t)[state[: t + 1]] for t in range(1, k))
        for t in range(k, T):
            rows[t - k + 1, i] = node[t, state[-1]]
    for t in range(k, T):
        moves = tables.moves(t)
        for (i, old), (j, new) in itertools.product(enumerate(states), repeat=2):
            if old[1:] == new[:-1]:
                slabs[t - k, i, j] = moves[(*old, new[-1])]
    edge = slabs if k < T else np.zeros((len(states), len(states)))
    return Tables(rows, edge), states


@given(trellises(orders=(2, 3), min_T=3, max_L=3))
def test_order_k_is_order_one_on_the_product_space(tables: Tables) -> None:  # eq:order-k
    chain, states = product_chain(tables)
    k = tables.order
    high, flat = tables.trellis(), chain.trellis()
    log_z = inference.log_partition(flat)
    assert inference.log_partition(high) == approx(log_z, abs=log_z_tolerance(tables, log_z))
    assert inference.viterbi(high).score == approx(
        inference.viterbi(flat).score, abs=2 * score_tolerance(tables)
    )
    node, state = inference.posterior(high).node, inference.posterior(flat).node
    for axis in range(k):
        for y in range(tables.L):
            share = state[:, [i for i, s in enumerate(states) if s[axis] == y]].sum(axis=1)
            np.testing.assert_allclose(
                node[axis : axis + len(share), y], share, rtol=0, atol=2 * probability_tolerance(tables)
            )


@given(trellises(orders=(1, 2), min_T=1, rules=False, integers=True))
def test_order_k_with_edges_that_ignore_the_oldest_label_is_order_k_minus_one(
    tables: Tables,
) -> None:  # eq:order-k
    k, L = tables.order, tables.L
    slabs = [tables.slab(t) for t in range(k, tables.T)]
    # what arrives at t = k moves into the new head; the rest gets one axis in front that nothing depends on
    head = [tables.moves(t).astype(tables.node.dtype) for t in range(1, k)]
    head.append(slabs[0] if slabs else np.zeros((L,) * (k + 1), tables.node.dtype))
    wide = [np.broadcast_to(slab, (L,) * (k + 2)) for slab in slabs[1:]]
    edge = np.stack(wide) if wide else np.zeros((L,) * (k + 2), tables.node.dtype)
    higher = Trellis(tables.node, edge, order=k + 1, head=head, start=tables.start, stop=tables.stop)
    low = inference.viterbi(tables.trellis())
    high = inference.viterbi(higher)
    assert high.score == low.score
    assert high.ids.tolist() == low.ids.tolist()
    np.testing.assert_allclose(
        inference.posterior(higher).node,
        inference.posterior(tables.trellis()).node,
        rtol=0,
        atol=2 * probability_tolerance(tables),
    )
