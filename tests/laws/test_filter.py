"""Filtering: what is known at t from the scores up to t, in one go and one position at a time."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle.closeness import log_z_tolerance, probability_tolerance
from oracle.paths import Enumeration, filtered, first_dead_position, fixed_lag
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import inference
from seqlab.errors import ImpossibleError

pytestmark = pytest.mark.usefixtures("kernel")


def stream(tables: Tables, lag: int = 0) -> inference.Filter:
    """A Filter for the tables, nothing pushed yet."""
    return inference.Filter(
        tables.edge if tables.shared else tables.edge[0],
        order=tables.order,
        head=tables.head,
        start=tables.start,
        labels=tables.labels,
        lag=lag,
        forbidden_moves=[(tables.name(a), tables.name(b)) for a, b in tables.forbidden_moves],
        forbidden_starts=[tables.name(y) for y in tables.forbidden_starts],
    )


def push_all(tables: Tables, machine: inference.Filter) -> Iterator[inference.FilterStep]:
    """Feed the positions one after another; what holds only at the end goes into the last row."""
    per_position = not tables.shared and len(tables.edge) > 1
    for t in range(tables.T):
        last = t == tables.T - 1
        row = tables.node[t] + tables.stop if last and tables.stop is not None else tables.node[t]
        labels = {tables.known[t]} if t in tables.known else set(range(tables.L))
        labels &= tables.allowed.get(t, labels)
        labels -= tables.forbidden_ends if last else set()
        yield machine.push(
            row,
            edge=tables.edge[t - tables.order] if per_position and t >= tables.order else None,
            allowed=None if len(labels) == tables.L else [tables.name(y) for y in sorted(labels)],
        )


def decided_labels(tables: Tables, lag: int) -> list[object]:
    """The labels in the order of their positions, each decided exactly once and no later than the lag."""
    machine = stream(tables, lag)
    decided: dict[int, object] = {}
    for t, step in enumerate(push_all(tables, machine)):
        for position, label in step.decided:
            assert position not in decided
            assert position == t - lag
            decided[position] = label
    for position, label in machine.finish():
        assert position not in decided
        decided[position] = label
    assert sorted(decided) == list(range(tables.T))
    return [decided[t] for t in range(tables.T)]


@given(trellises())
def test_filter_is_the_posterior_of_the_prefix_at_its_last_position(tables: Tables) -> None:  # eq:filter
    result = inference.filter(tables.trellis())
    assert result.node.shape == tables.node.shape
    np.testing.assert_allclose(result.node, filtered(tables), rtol=0, atol=probability_tolerance(tables))


@given(trellises(rules=False, min_T=1))
def test_filter_agrees_with_the_posterior_of_prefix_trellises(tables: Tables) -> None:  # eq:filter
    rows = inference.filter(tables.trellis()).node
    for t in range(tables.T):
        posterior = inference.posterior(tables.prefix(t + 1).trellis())
        np.testing.assert_allclose(rows[t], posterior.node[-1], rtol=0, atol=probability_tolerance(tables))


@given(trellises())
def test_filter_fed_one_by_one_is_the_filter(tables: Tables) -> None:  # eq:filter
    expected = filtered(tables)
    for t, step in enumerate(push_all(tables, stream(tables))):
        log_z = Enumeration(tables.prefix(t + 1)).log_z
        assert step.position == t
        assert step.log_z == approx(log_z, abs=log_z_tolerance(tables, log_z))
        np.testing.assert_allclose(step.node, expected[t], rtol=0, atol=probability_tolerance(tables))


@given(trellises(integers=True), st.integers(0, 4))
def test_fixed_lag_decides_t_by_the_best_path_up_to_t_plus_lag(
    tables: Tables, lag: int
) -> None:  # eq:fixed-lag
    assert decided_labels(tables, lag) == [tables.name(y) for y in fixed_lag(tables, lag)]


@given(trellises(integers=False, dtypes=(np.float64,)), st.integers(0, 4))
def test_fixed_lag_decides_the_same_on_real_scores(tables: Tables, lag: int) -> None:  # eq:fixed-lag
    assert decided_labels(tables, lag) == [tables.name(y) for y in fixed_lag(tables, lag)]


@given(trellises(integers=True), st.integers(0, 3))
def test_fixed_lag_as_long_as_the_sequence_is_viterbi(
    tables: Tables, extra: int
) -> None:  # eq:fixed-lag eq:viterbi
    path = inference.viterbi(tables.trellis())
    assert decided_labels(tables, tables.T + extra) == list(path.labels)


@given(trellises(possible=False, holes=(0.3, 0.6)))
def test_filter_stream_stops_where_nothing_is_left(tables: Tables) -> None:  # eq:filter eq:masks
    dead = first_dead_position(tables)
    steps = push_all(tables, stream(tables))
    for _ in range(tables.T if dead is None else dead):
        next(steps)
    if dead is not None:
        with pytest.raises(ImpossibleError) as caught:
            next(steps)
        assert caught.value.position == dead


def test_filter_stream_runs_long_without_losing_the_scale() -> None:  # eq:filter eq:scaling
    rng = np.random.default_rng(4)
    node = rng.normal(scale=20, size=(3000, 4))
    tables = Tables(node, rng.normal(scale=5, size=(4, 4)))
    *_, last = push_all(tables, stream(tables, lag=7))
    whole = inference.filter(tables.trellis())
    np.testing.assert_allclose(last.node, whole.node[-1], rtol=0, atol=1e-12)
    assert last.log_z == approx(inference.log_partition(tables.trellis()), rel=1e-12)


@given(trellises(), st.integers(0, 3))
def test_a_copy_of_a_stream_goes_on_as_the_stream_does(tables: Tables, lag: int) -> None:
    machine = copied = stream(tables, lag)
    rows = np.where(np.isfinite(tables.node), tables.node, 0.0)
    try:
        for row in rows:
            copied = pickle.loads(pickle.dumps(copied))
            step, same = machine.push(row), copied.push(row)
            assert same.node.tolist() == step.node.tolist()
            assert (same.position, same.log_z, same.decided) == (step.position, step.log_z, step.decided)
    except ImpossibleError as error:
        with pytest.raises(ImpossibleError):
            copied.push(rows[error.position])
    assert copied.finish() == machine.finish()
    assert copy.deepcopy(machine).finish() == machine.finish()
