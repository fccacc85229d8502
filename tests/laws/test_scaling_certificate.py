"""Trellises made to break scaled arithmetic.

A scaled pass keeps the numbers of a position within the range of one floating-point row; what falls out of it
is lost. On an ordinary trellis nothing of weight ever does. On these it does, and the library has to notice,
and to count its retreat to log space.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from pytest import approx

from oracle import clear
from oracle.tables import Tables
from seqlab import inference

pytestmark = pytest.mark.usefixtures("kernel")

APART = np.array([[0.0, -np.inf], [-np.inf, 0.0]])


def seesaw(*phases: tuple[int, float], dtype: type = np.float64) -> Tables:
    """Two labels that never meet; each phase (steps, lead) prefers label 0 by `lead` at each of its steps."""
    leads = np.concatenate([np.full(steps, lead) for steps, lead in phases])
    return Tables(np.stack([leads, np.zeros_like(leads)], axis=1).astype(dtype), APART.astype(dtype))


def assert_exact(tables: Tables, marginals: float = 1e-12) -> inference.Posterior:
    """log Z relative 1e-12 (float32: 1e-6), marginals, and everything that hangs on them."""
    single = tables.node.dtype == np.float32
    truth = clear.forward_backward(tables, np.longdouble)
    posterior = inference.posterior(tables.trellis())
    for log_z in (posterior.log_z, inference.log_partition(tables.trellis())):
        assert log_z == approx(float(truth.log_z), rel=1e-6 if single else 1e-12, abs=1e-12)
    tolerance = max(marginals, 1e-5) if single else marginals
    np.testing.assert_allclose(posterior.node, truth.node(), rtol=0, atol=tolerance)
    np.testing.assert_allclose(
        posterior.edge, clear.edge_marginals(tables, np.longdouble), rtol=0, atol=tolerance
    )
    tolerance = 2e-6 + 1e-7 * tables.T if single else 1e-12
    np.testing.assert_allclose(posterior.node.sum(axis=1), 1, rtol=0, atol=tolerance)
    return posterior


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("tail", [39, 40, 41])
def test_component_lost_first_and_needed_later_is_found_again(
    dtype: type, tail: int
) -> None:  # eq:certificate
    tables = seesaw((40, 20), (80, -20), (tail, 20), dtype=dtype)
    before = inference.fallback_count()
    posterior = assert_exact(tables)
    assert inference.fallback_count() > before
    assert posterior.log_space
    assert posterior.node[0, 0] == approx({39: 0, 40: 0.5, 41: 1}[tail], abs=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "phases",
    [
        ((500, 2), (500, -2)),
        ((1000, 1), (1000, -1)),
        ((1000, 1), (2000, -1), (999, 1)),
        ((600, 2), (601, -2)),
    ],
)
def test_component_lost_gently_is_found_again(
    phases: tuple[tuple[int, float], ...], dtype: type
) -> None:  # eq:certificate
    assert_exact(seesaw(*phases, dtype=dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("lead", [1.0, 0.75])
def test_floor_of_a_long_chain_is_no_certificate(dtype: type, lead: float) -> None:  # eq:certificate
    tables = seesaw((1000, 1), (3000, -lead), (1000, 1), dtype=dtype)
    before = inference.fallback_count()
    assert_exact(tables)
    assert inference.fallback_count() > before


def test_component_lost_backwards_is_found_again() -> None:  # eq:certificate
    assert_exact(seesaw((60, -20), (60, 20)))
    assert_exact(seesaw((60, -20), (60, 20), (1, 0.25)))


def test_fallback_reaches_every_answer() -> None:  # eq:certificate
    tables = seesaw((40, 20), (80, -20), (40, 20))
    trellis = tables.trellis()
    counts = inference.expected_counts(trellis)
    np.testing.assert_allclose(counts.node, 0.5, atol=1e-12)
    np.testing.assert_allclose(counts.edge, np.eye(2) * 159 / 2, atol=1e-10)
    posterior = inference.posterior(trellis)
    assert posterior.entropy == approx(np.log(2), abs=1e-10)
    assert posterior.span(10, 150, [1] * 140) == approx(0.5, abs=1e-12)
    assert posterior.move(77, 0, 1) == 0
    drawn = inference.sample(trellis, 2000, seed=1).ids
    assert np.all(drawn == drawn[:, :1])
    assert drawn[:, 0].mean() == approx(0.5, abs=0.06)
    np.testing.assert_allclose(inference.filter(trellis).node[-1], 0.5, atol=1e-12)
    assert inference.viterbi(trellis, log_prob=True).log_prob == approx(np.log(0.5), abs=1e-12)


def test_fallback_in_a_batch_touches_only_its_sequence() -> None:  # eq:certificate
    rng = np.random.default_rng(0)
    easy = [Tables(rng.normal(size=(30, 2)), APART) for _ in range(4)]
    batch = [x.trellis() for x in (*easy[:2], seesaw((40, 20), (80, -20), (40, 20)), *easy[2:])]
    before = inference.fallback_count()
    posteriors = inference.posterior(batch)
    assert inference.fallback_count() == before + 1
    assert [p.log_space for p in posteriors] == [False, False, True, False, False]


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("one_way", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("seed", "T"), [(0, 20), (1, 120), (2, 120), (3, 400), (4, 1040), (5, 1500)])
def test_random_components_in_random_favour_are_exact(
    order: int, one_way: bool, dtype: type, seed: int, T: int
) -> None:  # eq:certificate
    rng = np.random.default_rng(seed)
    L = 6
    block = np.arange(L) % 3
    edge = rng.normal(size=(L,) * (order + 1))
    edge[..., block[:, None] > block if one_way else block[:, None] != block] = -np.inf
    favour = np.repeat(rng.normal(scale=15, size=(T // 20, 3)), 20, axis=0)
    node = favour[:, block] + rng.normal(size=(T, L))
    tables = Tables(node.astype(dtype), edge.astype(dtype), order)
    assert_exact(tables, marginals=1e-10 if dtype == np.float64 else 5e-3)


@pytest.mark.parametrize(("dtype", "scale"), [(np.float32, 3), (np.float64, 5)])
@pytest.mark.parametrize("L", [3, 9, 22, 45])
def test_benign_peaked_trellis_does_not_fall_back(
    L: int, dtype: type, scale: float
) -> None:  # eq:certificate
    rng = np.random.default_rng(L)
    before = inference.fallback_count()
    for _ in range(5):
        node = rng.normal(scale=scale, size=(200, L)).astype(dtype)
        tables = Tables(node, rng.normal(scale=scale, size=(L, L)).astype(dtype))
        posterior = assert_exact(tables, marginals=1e-11 if dtype == np.float64 else 2e-3)
        assert not posterior.log_space
    assert inference.fallback_count() == before


@pytest.mark.parametrize("T", [20, 200, 1500])
@pytest.mark.parametrize("L", [2, 9, 22])
@pytest.mark.parametrize("scale", [5, 20, 100])
def test_peaked_trellis_is_right_in_float32_whether_it_falls_back_or_not(
    T: int, L: int, scale: float
) -> None:  # eq:certificate
    rng = np.random.default_rng(T + L)
    node = rng.integers(-3, 4, (T, L)) * scale + rng.random((T, L))
    edge = rng.integers(-3, 4, (L, L)) * scale
    assert_exact(Tables(node.astype(np.float32), edge.astype(np.float32)), marginals=2e-3)


@lru_cache
def left_to_right(T: int, lead: float) -> Tables:
    """Five states, stay or go on, from the first to the last; each step prefers the lower by `lead`."""
    rng = np.random.default_rng(3)
    edge = np.full((5, 5), -np.inf)
    edge[np.arange(5), np.arange(5)] = -0.1
    edge[np.arange(4), np.arange(1, 5)] = -2.4
    node = rng.normal(size=(T, 5)) - lead * np.arange(5)
    return Tables(
        node, edge, forbidden_starts=frozenset({1, 2, 3, 4}), forbidden_ends=frozenset({0, 1, 2, 3})
    )


@pytest.mark.parametrize("lead", [0, 1, 20, 300, -20])
def test_left_to_right_chain_of_five_thousand_steps_is_exact(
    lead: float,
) -> None:  # eq:scaling eq:certificate
    assert_exact(left_to_right(5000, lead), marginals=1e-9)


def test_left_to_right_chain_with_one_path_is_exact() -> None:  # eq:scaling
    L = 60
    edge = np.full((L, L), -np.inf)
    edge[np.arange(L - 1), np.arange(1, L)] = np.random.default_rng(1).normal(scale=500, size=L - 1)
    node = np.random.default_rng(2).normal(scale=500, size=(L, L))
    tables = Tables(node, edge)
    posterior = inference.posterior(tables.trellis())
    np.testing.assert_allclose(posterior.node, np.eye(L), atol=1e-12)
    assert posterior.log_z == approx(np.trace(node) + np.diag(edge, 1).sum(), rel=1e-12)
