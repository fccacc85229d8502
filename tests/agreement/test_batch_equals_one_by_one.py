"""A ragged batch gives bit for bit what its sequences give alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oracle.corpora import ragged, random_batch
from seqlab import Trellis, TrellisBatch, inference

pytestmark = pytest.mark.usefixtures("kernel")

DTYPES = (np.float32, np.float64)
SHAPES = [(1, 1), (1, 2), (1, 7), (1, 9), (1, 17), (1, 45), (2, 3), (2, 9), (3, 4)]


def assert_same_bits(batch: Any, alone: list[Trellis]) -> None:
    """Every question, together and one by one."""
    log_z = inference.log_partition(batch)
    assert isinstance(log_z, np.ndarray)
    assert np.array_equal(log_z, [inference.log_partition(x) for x in alone])
    for together, one in zip(inference.viterbi(batch), map(inference.viterbi, alone), strict=True):
        assert np.array_equal(together.ids, one.ids)
        assert together.score == one.score
    for together, one in zip(inference.posterior(batch), map(inference.posterior, alone), strict=True):
        assert np.array_equal(together.node, one.node)
        assert np.array_equal(together.edge, one.edge)
        assert (together.log_z, together.entropy) == (one.log_z, one.entropy)
    for together, one in zip(inference.filter(batch), map(inference.filter, alone), strict=True):
        assert np.array_equal(together.node, one.node)
        assert together.log_z == one.log_z
    for together, one in zip(inference.max_marginal(batch), map(inference.max_marginal, alone), strict=True):
        assert np.array_equal(together.ids, one.ids)
        assert together.score == one.score
    for together, one in zip(inference.nbest(batch, 5), [inference.nbest(x, 5) for x in alone], strict=True):
        assert [p.ids.tolist() for p in together] == [p.ids.tolist() for p in one]
        assert [p.score for p in together] == [p.score for p in one]
    for together, one in zip(inference.beam(batch, 2), [inference.beam(x, 2) for x in alone], strict=True):
        assert np.array_equal(together.ids, one.ids)
        assert (together.score, together.exact) == (one.score, one.exact)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("order", "L"), SHAPES)
def test_batch_has_the_bits_of_its_sequences(order: int, L: int, dtype: type) -> None:
    for N in (1, 2, 5, 13):
        batch = random_batch(N, ragged(N, N), L, order=order, dtype=dtype)
        assert len(batch) == N
        assert_same_bits(batch, list(batch))


@pytest.mark.parametrize("N", range(1, 14))
def test_batch_of_every_size_has_the_bits_of_its_sequences(N: int) -> None:
    batch = random_batch(N, ragged(N, N), 9)
    assert_same_bits(batch, [batch[i] for i in range(N)])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("order", "L"), [(1, 2), (1, 9), (2, 5), (3, 3)])
def test_batch_with_edges_of_its_own_has_the_bits_of_its_sequences(order: int, L: int, dtype: type) -> None:
    batch = random_batch(7, ragged(7, 6), L, order=order, dtype=dtype, per_position=True)
    assert_same_bits(batch, list(batch))


@pytest.mark.parametrize("dtype", DTYPES)
def test_list_of_trellises_is_a_batch(dtype: type) -> None:
    batch = random_batch(4, ragged(4, 7), 11, dtype=dtype)
    alone = list(batch)
    assert_same_bits(alone, alone)
    assert_same_bits(TrellisBatch.of(alone), alone)
    assert np.array_equal(inference.log_partition(alone), inference.log_partition(batch))


def test_list_may_mix_labels_orders_and_types() -> None:
    batches = [random_batch(i, [4, 9], 3 + i, order=1 + i % 2, dtype=DTYPES[i % 2]) for i in range(3)]
    alone = [x for batch in batches for x in batch]
    assert_same_bits(alone, alone)


def test_empty_batch_has_no_answers() -> None:
    assert list(inference.viterbi([])) == []
    assert inference.log_partition([]).shape == (0,)
    assert list(inference.posterior(TrellisBatch(np.zeros((0, 3)), [], np.zeros((3, 3))))) == []


@pytest.mark.parametrize("order", [1, 2, 3])
def test_batch_of_empty_sequences_is_answered(order: int) -> None:
    batch = TrellisBatch(np.zeros((0, 3)), [0, 0], np.zeros((3,) * (order + 1)), order=order)
    assert inference.log_partition(batch).tolist() == [0.0, 0.0]
    assert [len(path) for path in inference.viterbi(batch)] == [0, 0]
