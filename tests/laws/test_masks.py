"""Constraints are masks: they remove paths and change nothing else."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle.closeness import log_z_tolerance, probability_tolerance, score_tolerance
from oracle.paths import Enumeration
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import Constraints, Trellis, inference

pytestmark = pytest.mark.usefixtures("kernel")


@given(trellises(scales=(0,)))
def test_masks_on_zero_scores_count_the_legal_paths(tables: Tables) -> None:  # eq:masks
    count = len(Enumeration(tables).paths)
    assert math.exp(inference.log_partition(tables.trellis())) == approx(count, rel=1e-5)
    if tables.node.dtype == np.float64:
        assert math.exp(inference.log_partition(tables.trellis())) == approx(count, rel=1e-12)


def test_masks_count_paths_of_a_long_chain() -> None:  # eq:masks
    # no two 1s in a row: Fibonacci numbers
    trellis = Trellis(np.zeros((30, 2)), np.zeros((2, 2))).constrain(forbidden_moves=[(1, 1)])
    assert math.exp(inference.log_partition(trellis)) == approx(2_178_309, rel=1e-12)


@given(trellises())
def test_masks_equal_minus_infinity_written_by_hand(tables: Tables) -> None:  # eq:masks
    k = tables.order
    edge = tables.edge.astype(np.float64)
    head = [h.astype(np.float64) for h in tables.head]
    head += [np.zeros((tables.L,) * (i + 2)) for i in range(len(head), k - 1)]
    for y_from, y in tables.forbidden_moves:
        for table in (edge, *head):
            table[..., y_from, y] = -np.inf
    by_hand = inference.posterior(Trellis(tables.nodes(), edge, order=k, head=head))
    ruled = inference.posterior(tables.trellis())
    assert ruled.log_z == approx(by_hand.log_z, abs=log_z_tolerance(tables, by_hand.log_z))
    np.testing.assert_allclose(ruled.node, by_hand.node, rtol=0, atol=probability_tolerance(tables))
    np.testing.assert_allclose(ruled.edge, by_hand.edge, rtol=0, atol=probability_tolerance(tables))


@given(trellises())
def test_constrain_is_the_same_as_passing_constraints(tables: Tables) -> None:  # eq:masks
    free = replace(
        tables,
        forbidden_moves=frozenset(),
        forbidden_starts=frozenset(),
        forbidden_ends=frozenset(),
        known={},
        allowed={},
    ).trellis()
    rules = tables.constraints() or Constraints()
    later = free.constrain(
        forbidden_moves=rules.forbidden_moves,
        forbidden_starts=rules.forbidden_starts,
        forbidden_ends=rules.forbidden_ends,
        known=rules.known,
        allowed=rules.allowed,
    )
    assert inference.log_partition(later) == inference.log_partition(tables.trellis())
    np.testing.assert_array_equal(inference.posterior(later).node, inference.posterior(tables.trellis()).node)


@given(trellises(min_T=1, scales=(0, 1)), st.data())
def test_known_label_takes_its_share_of_z(tables: Tables, data: st.DataObject) -> None:  # eq:masks
    trellis = tables.trellis()
    posterior = inference.posterior(trellis)
    t = data.draw(st.integers(0, tables.T - 1))
    y = int(np.argmax(posterior.node[t]))
    known = inference.posterior(trellis.constrain(known={t: tables.name(y)}))
    expected = posterior.log_z + math.log(posterior.node[t, y])
    assert known.log_z == approx(expected, abs=10 * probability_tolerance(tables))
    assert known.node[t, y] == approx(1, abs=probability_tolerance(tables))


@given(trellises(min_T=1), st.data())
def test_masks_never_raise_the_best_score(tables: Tables, data: st.DataObject) -> None:  # eq:masks
    trellis = tables.trellis()
    best = inference.viterbi(trellis)
    t = data.draw(st.integers(0, tables.T - 1))
    again = inference.viterbi(trellis.constrain(known={t: best.labels[t]}))
    assert again.score == approx(best.score, abs=score_tolerance(tables))
    np.testing.assert_array_equal(again.ids[t], best.ids[t])


@given(trellises())
def test_allowed_of_a_trellis_lists_the_restricted_positions(tables: Tables) -> None:  # eq:masks
    allowed = tables.trellis().allowed
    for t in range(tables.T):
        given_labels = tables.allowed.get(t, frozenset(range(tables.L)))
        if t in tables.known:
            given_labels = frozenset({tables.known[t]})
        if len(given_labels) < tables.L:
            assert set(allowed[t].tolist()) <= given_labels
