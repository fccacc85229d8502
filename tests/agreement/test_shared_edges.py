"""Trellises that share one array of edges, but not their kind, must not share what is made from it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from seqlab import Trellis, inference

pytestmark = pytest.mark.usefixtures("kernel")


def same_bits(trellises: list[Trellis]) -> None:
    """One call for all gives what one call each gives."""
    paths, log_z = inference.viterbi(trellises), inference.log_partition(trellises)
    posteriors, counts = inference.posterior(trellises), inference.expected_counts(trellises)
    for i, one in enumerate(trellises):
        np.testing.assert_array_equal(paths[i].ids, inference.viterbi(one).ids)
        np.testing.assert_array_equal(posteriors[i].node, inference.posterior(one).node)
        np.testing.assert_array_equal(counts[i].edge, inference.expected_counts(one).edge)
        assert log_z[i] == inference.log_partition(one)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_free_and_restricted_sentences_may_share_edges(dtype: type) -> None:  # eq:masks
    rng = np.random.default_rng(0)
    edge = rng.normal(size=(9, 9)).astype(dtype)
    free = [Trellis(rng.normal(size=(6, 9)).astype(dtype), edge) for _ in range(4)]
    known = [one.constrain(known={1: 0}) for one in free]
    few = [one.constrain(allowed={t: [t, t + 1] for t in range(6)}) for one in free]
    for order in itertools.permutations((free, known, few)):
        same_bits([one for group in order for one in group])


def test_one_address_may_hold_edges_of_several_shapes() -> None:
    rng = np.random.default_rng(1)
    buffer = rng.normal(size=16)
    small = [Trellis(rng.normal(size=(5, 3)), buffer[:9].reshape(3, 3)) for _ in range(3)]
    large = [Trellis(rng.normal(size=(5, 4)), buffer.reshape(4, 4)) for _ in range(3)]
    for order in itertools.permutations((small, large)):
        same_bits([one for group in order for one in group])


def test_a_tensor_and_its_first_slab_may_meet_in_one_call() -> None:  # eq:order-k
    rng = np.random.default_rng(2)
    tensor = rng.normal(size=(4, 4, 4))
    second = [Trellis(rng.normal(size=(5, 4)), tensor, order=2) for _ in range(3)]
    first = [Trellis(rng.normal(size=(5, 4)), tensor[0]) for _ in range(3)]
    apart = [Trellis(rng.normal(size=(5, 4)), tensor) for _ in range(3)]  # four slabs of order 1
    masked = [one.constrain(allowed={t: [0, 2] for t in range(5)}) for one in first]
    for order in itertools.permutations((second, first, apart, masked)):
        same_bits([one for group in order for one in group])


def test_lists_that_leave_most_labels_give_what_short_lists_give() -> None:  # eq:masks
    rng = np.random.default_rng(3)
    node, edge = rng.normal(size=(40, 12)), rng.normal(size=(12, 12))
    for allowed in ({3: [5]}, {0: [1, 2], 39: [4]}, {t: range(11) for t in range(40)}):
        trellis = Trellis(node, edge).constrain(allowed=allowed)
        masked = node.copy()
        for t, labels in allowed.items():
            masked[t, [y for y in range(12) if y not in labels]] = -np.inf
        other = Trellis(masked, np.broadcast_to(edge, (39, 12, 12)))  # per position: the general way
        assert inference.log_partition(trellis) == pytest.approx(inference.log_partition(other), rel=1e-13)
        np.testing.assert_array_equal(inference.viterbi(trellis).ids, inference.viterbi(other).ids)
        np.testing.assert_allclose(
            inference.posterior(trellis).node, inference.posterior(other).node, atol=1e-13
        )
