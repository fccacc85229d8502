"""Soft masks, very long chains and scores near the end of the number range."""

from __future__ import annotations

import contextlib
import math
from functools import lru_cache

import numpy as np
import pytest
from pytest import approx

from oracle import clear
from oracle.paths import Enumeration
from oracle.tables import Tables
from seqlab import inference
from seqlab.errors import ScoreError, SeqlabError

pytestmark = pytest.mark.usefixtures("kernel")


@pytest.mark.parametrize("soft", [-1e4, -1e9])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_soft_mask_that_can_be_avoided_is_a_hard_mask(
    soft: float, dtype: type
) -> None:  # eq:scaling eq:masks
    rng = np.random.default_rng(8)
    node, edge = rng.normal(size=(50, 7)).astype(dtype), rng.normal(size=(7, 7)).astype(dtype)
    holes = rng.random((7, 7)) < 0.3
    softly, hard = (
        inference.posterior(Tables(node, np.where(holes, m, edge)).trellis())
        for m in (dtype(soft), dtype(-np.inf))
    )
    tolerance = 1e-12 if dtype == np.float64 else 1e-5
    assert softly.log_z == approx(hard.log_z, rel=tolerance)
    np.testing.assert_allclose(softly.node, hard.node, rtol=0, atol=10 * tolerance)


@pytest.mark.parametrize("soft", [-1e4, -1e9])
def test_soft_mask_that_cannot_be_avoided_is_paid(soft: float) -> None:  # eq:scaling
    rng = np.random.default_rng(9)
    node = rng.normal(size=(40, 4))
    edge = np.full((4, 4), soft)
    edge[:2, :2] = edge[2:, 2:] = rng.normal(size=(2, 2))
    # starts among 0 and 1, ends among 2 and 3: exactly one soft move on every path worth counting
    rules = {"forbidden_starts": frozenset({2, 3}), "forbidden_ends": frozenset({0, 1})}
    tables = Tables(node, edge, **rules)
    truth = clear.forward_backward(tables, np.longdouble)
    posterior = inference.posterior(tables.trellis())
    assert posterior.log_z == approx(float(truth.log_z), rel=1e-12)
    np.testing.assert_allclose(posterior.node, truth.node(), rtol=0, atol=1e-15 * abs(soft) + 1e-12)


@pytest.mark.parametrize("soft", [-1e4, -1e9])
def test_viterbi_pays_the_fewest_soft_moves(soft: float) -> None:  # eq:viterbi
    edge = np.full((3, 3), soft)
    edge[0, 1] = edge[1, 2] = edge[2, 0] = 0.0
    path = inference.viterbi(Tables(np.zeros((8, 3)), edge, known={0: 0, 7: 0}).trellis())
    assert path.score == soft
    assert path.ids[0] == path.ids[7] == 0


@lru_cache
def long_chain(T: int, scale: float) -> tuple[Tables, float, np.ndarray]:
    rng = np.random.default_rng(6)
    tables = Tables(rng.normal(scale=scale, size=(T, 3)), rng.normal(scale=scale, size=(3, 3)))
    truth = clear.forward_backward(tables, np.longdouble)
    return tables, float(truth.log_z), truth.node()


@pytest.mark.parametrize(("T", "scale"), [(100_000, 2), (10_000, 30)])
def test_long_chain_keeps_twelve_digits(T: int, scale: float) -> None:  # eq:scaling
    tables, log_z, node = long_chain(T, scale)
    trellis = tables.trellis()
    posterior = inference.posterior(trellis)
    assert posterior.log_z == approx(log_z, rel=1e-12)
    assert inference.log_partition(trellis) == approx(log_z, rel=1e-12)
    np.testing.assert_allclose(posterior.node, node, rtol=0, atol=1e-11)
    np.testing.assert_allclose(posterior.node.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(inference.expected_counts(trellis).edge.sum(), T - 1, rtol=1e-12)
    assert inference.viterbi(trellis).score == approx(clear.viterbi(tables)[1], rel=1e-12)


def huge_tables() -> dict[str, Tables]:
    rng = np.random.default_rng(1)
    spread = lambda *shape: 0.5 + rng.random(shape) / 2  # noqa: E731
    single = np.float32
    return {
        "1e300": Tables(1e300 * spread(4, 3), 1e300 * spread(3, 3)),
        "-1e300": Tables(-1e300 * spread(4, 3), -1e300 * spread(3, 3)),
        "1e300 against -1e300": Tables(np.where(np.eye(4, 3), 1e300, -1e300), 1e3 * spread(3, 3)),
        "1e308 overflows": Tables(1.7e308 * spread(4, 3), 1.7e308 * spread(3, 3)),
        "-1e308 overflows": Tables(-1.7e308 * spread(4, 3), -1.7e308 * spread(3, 3)),
        "float32 3e38": Tables((3e38 * spread(4, 3)).astype(single), (3e38 * spread(3, 3)).astype(single)),
        "float32 -3e38": Tables((-3e38 * spread(4, 3)).astype(single), (-3e38 * spread(3, 3)).astype(single)),
        "float32 3e38 and 0": Tables((3e38 * np.eye(4, 3)).astype(single), np.zeros((3, 3), single)),
        "order 2, 1e300": Tables(1e300 * spread(4, 3), 1e300 * spread(3, 3, 3), 2),
    }


@pytest.mark.parametrize("name", huge_tables())
def test_huge_scores_give_the_right_answer_or_our_error(name: str) -> None:  # eq:scaling
    tables = huge_tables()[name]
    truth = Enumeration(tables) if "overflows" not in name else None
    rel = 2e-6 if tables.node.dtype == np.float32 else 1e-12
    try:
        trellis = tables.trellis()
    except ScoreError:
        assert "overflows" in name
        return

    def right(value: float, expected: float | None) -> bool:
        return math.isfinite(value) and expected is not None and value == approx(expected, rel=rel)

    for answer in (
        lambda: right(inference.viterbi(trellis).score, truth and truth.best()[1]),
        lambda: right(inference.nbest(trellis, 1)[0].score, truth and truth.best()[1]),
        lambda: right(inference.beam(trellis, 9).score, truth and truth.best()[1]),
        lambda: right(inference.log_partition(trellis), truth and truth.log_z),
        lambda: right(inference.filter(trellis).log_z, truth and truth.log_z),
        lambda: right(inference.posterior(trellis).log_z, truth and truth.log_z),
        lambda: np.allclose(inference.posterior(trellis).node.sum(axis=1), 1, rtol=0, atol=1e-5),
        lambda: -1e-6 <= inference.posterior(trellis).entropy <= 4 * math.log(3) + 1e-6,
        lambda: np.allclose(inference.filter(trellis).node.sum(axis=1), 1, rtol=0, atol=1e-5),
        lambda: bool(np.isfinite(inference.expected_counts(trellis).edge).all()),
        lambda: inference.sample(trellis, 3, seed=0).ids.max() < 3,
    ):
        with contextlib.suppress(SeqlabError):
            assert answer()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tiny_differences_on_large_scores_survive_the_shift(dtype: type) -> None:  # eq:scaling
    base = 2.0**16 if dtype == np.float32 else 2.0**40
    node = np.full((20, 2), base, dtype)
    node[:, 1] += dtype(0.0625)
    posterior = inference.posterior(Tables(node, np.zeros((2, 2), dtype)).trellis())
    np.testing.assert_allclose(posterior.node[:, 1], 1 / (1 + math.exp(-0.0625)), rtol=1e-6)
