"""Sequences that run side by side: of one length, with edges of their own, by the thousand."""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx

from oracle import clear
from oracle.corpora import random_batch, random_tables
from oracle.tables import Tables
from seqlab import TrellisBatch, inference

pytestmark = pytest.mark.usefixtures("kernel")

DTYPES = (np.float32, np.float64)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("L", [3, 9, 17, 45, 100])
@pytest.mark.parametrize("N", [2, 3, 4, 7])
def test_sequences_of_one_length_keep_to_themselves(
    N: int, L: int, dtype: type
) -> None:  # eq:viterbi eq:scaling
    batch = random_batch(N, [12] * N, L, dtype=dtype)
    alone = list(batch)
    for together, one in zip(inference.viterbi(batch), map(inference.viterbi, alone), strict=True):
        assert (together.ids.tolist(), together.score) == (one.ids.tolist(), one.score)
    for together, one in zip(inference.posterior(batch), map(inference.posterior, alone), strict=True):
        assert np.array_equal(together.node, one.node)
    assert np.array_equal(inference.log_partition(batch), [inference.log_partition(x) for x in alone])


@pytest.mark.parametrize("dtype", DTYPES)
def test_sequences_of_one_length_keep_their_own_edges(dtype: type) -> None:  # eq:viterbi eq:scaling
    alone = [random_tables(seed, 12, 5, dtype=dtype).trellis() for seed in range(7)]
    for together, one in zip(inference.viterbi(alone), map(inference.viterbi, alone), strict=True):
        assert (together.ids.tolist(), together.score) == (one.ids.tolist(), one.score)
    for together, one in zip(inference.posterior(alone), map(inference.posterior, alone), strict=True):
        assert np.array_equal(together.node, one.node)
    assert np.array_equal(inference.log_partition(alone), [inference.log_partition(x) for x in alone])


def test_thousands_of_sequences_are_each_counted_once() -> None:  # eq:expected-counts
    batch = random_batch(1, [3, 2, 4, 3, 1] * 500, 3)
    counts = inference.expected_counts(batch)
    assert counts.edge.sum() == approx(sum(max(x.node.shape[0] - 1, 0) for x in batch), rel=1e-12)
    np.testing.assert_allclose(counts.edge, sum(inference.expected_counts(x).edge for x in batch), rtol=1e-11)


def test_log_partition_redoes_the_very_sequence_that_lost_something() -> None:  # eq:certificate
    apart = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    leads = np.repeat([20.0, -20.0, 20.0], [40, 80, 40])
    hard = np.stack([leads, np.zeros(160)], axis=1)
    easy = np.random.default_rng(0).normal(size=(160, 2))
    for place in range(4):
        tables = [Tables(hard if i == place else easy + i, apart) for i in range(4)]
        log_z = inference.log_partition(_batch(tables))
        np.testing.assert_allclose(
            log_z, [float(clear.log_partition(x)) for x in tables], rtol=1e-12, atol=1e-12
        )


def _batch(tables: list[Tables]) -> TrellisBatch:
    return TrellisBatch(
        np.concatenate([x.node for x in tables]), [len(x.node) for x in tables], tables[0].edge
    )


@pytest.mark.parametrize("repeat", range(5))
def test_threads_do_not_change_the_counts_of_unequal_jobs(repeat: int) -> None:  # eq:expected-counts
    # jobs of very different length finish in another order than they began
    lengths = [4000] + [30] * 400
    batch = random_batch(repeat, lengths, 22)
    alone = inference.expected_counts(batch, threads=1).edge
    for threads in (2, 8):
        assert np.array_equal(inference.expected_counts(batch, threads=threads).edge, alone)


@pytest.mark.parametrize("L", [3, 8])
def test_long_chain_whose_rows_lie_at_different_heights_stays_scaled(L: int) -> None:  # eq:certificate
    tables = random_tables(L, 1500, L)
    node = tables.node + np.where(np.arange(1500) % 3 == 1, -300.0, 0.0)[:, None]
    tables = Tables(node, tables.edge)
    before = inference.fallback_count()
    posterior = inference.posterior(tables.trellis())
    truth = clear.forward_backward(tables)
    np.testing.assert_allclose(posterior.node, truth.node(), rtol=0, atol=1e-10)
    assert inference.fallback_count() == before
