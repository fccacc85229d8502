"""Sampling: only legal paths, in their exact proportions, the same ones for the same seed."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.paths import Enumeration, path_score
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import Trellis, TrellisBatch, inference

pytestmark = pytest.mark.usefixtures("kernel")


def some_tables(order: int, per_position: bool, dtype: type) -> Tables:
    """27 paths, a few of them forbidden, none too rare."""
    rng = np.random.default_rng(order)
    stack = (3 - order,) if per_position else ()
    edge = rng.normal(scale=0.7, size=stack + (3,) * (order + 1)).astype(dtype)
    edge[..., 0, 2] = -np.inf
    head = tuple(rng.normal(size=(3,) * (i + 2)).astype(dtype) for i in range(order - 1))
    return Tables(rng.normal(scale=0.7, size=(3, 3)).astype(dtype), edge, order, head)


@given(trellises(), st.integers(0, 2**63 - 1))
def test_sample_draws_only_legal_paths(tables: Tables, seed: int) -> None:  # eq:sample
    samples = inference.sample(tables.trellis(), 20, seed=seed)
    assert samples.ids.shape == (20, tables.T)
    assert samples.ids.dtype == np.int32
    for path in set(map(tuple, samples.ids.tolist())):
        assert path_score(tables, path) > -math.inf


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("order", "per_position"), [(1, False), (1, True), (2, False), (2, True), (3, False)]
)
def test_sample_frequencies_are_the_path_probabilities(
    order: int, per_position: bool, dtype: type
) -> None:  # eq:sample
    tables = some_tables(order, per_position, dtype)
    n = 20_000
    seen = Counter(map(tuple, inference.sample(tables.trellis(), n, seed=11).ids.tolist()))
    distribution = Enumeration(tables).distribution
    chi_square = sum((seen[path] - n * p) ** 2 / (n * p) for path, p in distribution)
    freedom = len(distribution) - 1
    assert sum(seen[path] for path, _ in distribution) == n
    assert chi_square < freedom + 6 * math.sqrt(2 * freedom)


def test_sample_frequencies_are_right_on_a_long_sharp_chain() -> None:  # eq:sample
    rng = np.random.default_rng(5)
    trellis = Trellis(rng.normal(scale=3, size=(300, 11)), rng.normal(scale=3, size=(11, 11)))
    n = 4000
    ids = inference.sample(trellis, n, seed=3).ids
    node = inference.posterior(trellis).node
    seen = np.stack([(ids == y).mean(axis=0) for y in range(11)], axis=1)
    deviation = np.abs(seen - node) / np.sqrt(node * (1 - node) / n + 1 / n**2)
    assert deviation.max() < 8
    assert deviation.mean() < 1


@given(trellises(), st.integers(0, 2**32), st.integers(1, 10), st.integers(0, 30))
def test_sample_k_does_not_depend_on_how_many_are_drawn(
    tables: Tables, seed: int, n: int, extra: int
) -> None:  # eq:sample
    trellis = tables.trellis()
    few = inference.sample(trellis, n, seed=seed).ids
    many = inference.sample(trellis, n + extra, seed=seed).ids
    np.testing.assert_array_equal(many[:n], few)


def test_sample_follows_the_seed_and_the_stream() -> None:  # eq:sample
    trellis = Trellis(np.zeros((50, 4)), np.zeros((4, 4)))
    draw = lambda **options: inference.sample(trellis, 5, **options).ids.tolist()  # noqa: E731
    assert draw(seed=1) == draw(seed=1)
    assert draw(seed=1) != draw(seed=2)
    assert draw(seed=1) != draw(seed=1, stream=1)
    assert draw(seed=1, stream=0) == draw(seed=1)


def test_sample_gives_sequence_i_of_a_batch_the_stream_plus_i() -> None:  # eq:sample
    rng = np.random.default_rng(2)
    batch = TrellisBatch(rng.normal(size=(24, 5)), [7, 0, 1, 16], rng.normal(size=(5, 5)))
    together = inference.sample(batch, 6, seed=9, stream=40)
    for i, trellis in enumerate(batch):
        alone = inference.sample(trellis, 6, seed=9, stream=40 + i)
        np.testing.assert_array_equal(together[i].ids, alone.ids)


def test_sample_draws_the_positions_and_the_samples_independently() -> None:  # eq:sample
    ids = inference.sample(Trellis(np.zeros((400, 2)), np.zeros((2, 2))), 400, seed=0).ids * 2 - 1
    along_time = (ids[:, 1:] * ids[:, :-1]).mean()
    along_samples = (ids[1:] * ids[:-1]).mean()
    assert abs(along_time) < 0.015
    assert abs(along_samples) < 0.015


def test_sample_speaks_the_labels() -> None:
    trellis = Trellis(np.array([[0.0, -np.inf], [-np.inf, 0.0]]), np.zeros((2, 2)), labels=("in", "out"))
    samples = inference.sample(trellis, 3, seed=0)
    assert [tuple(row) for row in samples.labels] == [("in", "out")] * 3
