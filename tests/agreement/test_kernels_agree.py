"""Every kernel gives the answers of the baseline, up to rounding."""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx

from oracle.corpora import ragged, random_batch
from seqlab import TrellisBatch, inference


def answers(batch: TrellisBatch) -> dict[str, list[np.ndarray]]:
    """Everything with rounding in it."""
    posteriors = inference.posterior(batch)
    return {
        "log_z": [np.array(inference.log_partition(batch))],
        "node": [p.node for p in posteriors],
        "edge": [p.edge for p in posteriors],
        "entropy": [np.array([p.entropy for p in posteriors])],
        "counts": [inference.expected_counts(batch).edge],
        "filter": [f.node for f in inference.filter(batch)],
        "viterbi": [np.array([path.score for path in inference.viterbi(batch)])],
    }


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("order", "L"), [(1, 1), (1, 3), (1, 9), (1, 22), (1, 45), (1, 150), (2, 3), (2, 12), (3, 5)]
)
def test_kernel_agrees_with_baseline(kernel: str, order: int, L: int, dtype: type) -> None:  # eq:scaling
    batch = random_batch(L, ragged(L, 5), L, order=order, dtype=dtype)
    here = answers(batch)
    with inference.use_kernel("baseline"):
        there = answers(batch)
    rtol, atol = (3e-6, 1e-4) if dtype == np.float32 else (1e-13, 1e-11)
    for name, arrays in here.items():
        for mine, reference in zip(arrays, there[name], strict=True):
            np.testing.assert_allclose(mine, reference, rtol=rtol, atol=atol, err_msg=f"{name} on {kernel}")


@pytest.mark.parametrize("order", [1, 2])
def test_kernel_finds_the_same_paths_as_baseline(kernel: str, order: int) -> None:  # eq:viterbi eq:nbest
    batch = random_batch(3, ragged(3, 6), 9, order=order, whole=True)
    best, first = inference.viterbi(batch), inference.nbest(batch, 20)
    with inference.use_kernel("baseline"):
        for mine, reference in zip(best, inference.viterbi(batch), strict=True):
            assert (mine.ids.tolist(), mine.score) == (reference.ids.tolist(), reference.score)
        for mine, reference in zip(first, inference.nbest(batch, 20), strict=True):
            assert [p.ids.tolist() for p in mine] == [p.ids.tolist() for p in reference]
            assert [p.score for p in mine] == approx([p.score for p in reference])


def test_kernel_in_use_is_the_one_asked_for(kernel: str) -> None:
    assert inference.kernel() == kernel
