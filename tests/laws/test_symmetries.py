"""What must not change when the trellis is turned round, shifted or relabelled."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle.closeness import log_z_tolerance, probability_tolerance, score_tolerance
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import inference

pytestmark = pytest.mark.usefixtures("kernel")


def reversed_in_time(tables: Tables) -> Tables:
    """The same paths read backwards: rows and slabs in reverse, label axes transposed."""
    edge = tables.edge.T if tables.shared else tables.edge[::-1].transpose(0, *range(tables.order + 1, 0, -1))
    return replace(
        tables,
        node=tables.node[::-1],
        edge=edge,
        start=tables.stop,
        stop=tables.start,
        forbidden_moves=frozenset((b, a) for a, b in tables.forbidden_moves),
        forbidden_starts=tables.forbidden_ends,
        forbidden_ends=tables.forbidden_starts,
        known={tables.T - 1 - t: y for t, y in tables.known.items()},
        allowed={tables.T - 1 - t: ys for t, ys in tables.allowed.items()},
    )


def relabelled(tables: Tables, new: list[int]) -> Tables:
    """Label new[i] takes the place i."""
    pick = lambda scores, axes: scores[np.ix_(*map(range, scores.shape[: scores.ndim - axes]), *[new] * axes)]  # noqa: E731
    return Tables(
        pick(tables.node, 1),
        pick(tables.edge, tables.order + 1),
        tables.order,
        tuple(pick(h, h.ndim) for h in tables.head),
        None if tables.start is None else tables.start[new],
        None if tables.stop is None else tables.stop[new],
    )


@given(trellises())
def test_time_reversal_keeps_log_z_and_reverses_the_marginals(
    tables: Tables,
) -> None:  # eq:forward eq:backward
    tables = replace(tables, head=())
    forth, back = (inference.posterior(x.trellis()) for x in (tables, reversed_in_time(tables)))
    assert back.log_z == approx(forth.log_z, abs=log_z_tolerance(tables, forth.log_z))
    np.testing.assert_allclose(back.node[::-1], forth.node, rtol=0, atol=2 * probability_tolerance(tables))
    turned = back.edge[::-1].transpose(0, *range(tables.order + 1, 0, -1))
    np.testing.assert_allclose(turned, forth.edge, rtol=0, atol=2 * probability_tolerance(tables))
    best = [inference.viterbi(x.trellis()).score for x in (tables, reversed_in_time(tables))]
    assert best[0] == approx(best[1], abs=2 * score_tolerance(tables))


@given(trellises(min_T=1), st.data(), st.sampled_from((1.0, -8.0, 300.0, -4000.0)))
def test_shift_of_one_row_adds_to_log_z_and_changes_no_marginal(
    tables: Tables, data: st.DataObject, c: float
) -> None:  # eq:scaling
    t = data.draw(st.integers(0, tables.T - 1))
    node = tables.node.copy()
    node[t] += np.asarray(c, node.dtype)
    moved = replace(tables, node=node)
    before, after = (inference.posterior(x.trellis()) for x in (tables, moved))
    tolerance = log_z_tolerance(tables, before.log_z) + log_z_tolerance(moved, after.log_z)
    assert after.log_z == approx(before.log_z + c, abs=2 * tolerance)
    tolerance = probability_tolerance(tables) + probability_tolerance(moved)
    np.testing.assert_allclose(after.node, before.node, rtol=0, atol=tolerance)
    assert after.entropy == approx(before.entropy, abs=20 * log_z_tolerance(moved, after.log_z) + tolerance)


@given(trellises(rules=False), st.data())
def test_relabelling_permutes_the_marginals(tables: Tables, data: st.DataObject) -> None:  # eq:node-marginal
    new = list(data.draw(st.permutations(range(tables.L))))
    before, after = (inference.posterior(x.trellis()) for x in (tables, relabelled(tables, new)))
    assert after.log_z == approx(before.log_z, abs=log_z_tolerance(tables, before.log_z))
    np.testing.assert_allclose(
        after.node, before.node[:, new], rtol=0, atol=2 * probability_tolerance(tables)
    )


@given(trellises(scales=(0, 1)))
def test_entropy_and_best_path_bound_each_other(tables: Tables) -> None:  # eq:entropy eq:viterbi
    posterior = inference.posterior(tables.trellis())
    best = inference.viterbi(tables.trellis(), log_prob=True)
    slack = 10 * log_z_tolerance(tables, posterior.log_z)
    assert best.score <= posterior.log_z + slack
    assert posterior.entropy >= -best.log_prob - slack
    assert posterior.entropy <= tables.T * math.log(tables.L) + slack
