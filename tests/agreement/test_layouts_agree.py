"""The layout of the caller's arrays in memory does not matter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from oracle.corpora import random_tables
from seqlab import HMM, BaumWelch, Gaussian, Trellis, TrellisBatch, inference

pytestmark = pytest.mark.usefixtures("kernel")


def strided(scores: np.ndarray) -> np.ndarray:
    """The same numbers with gaps on every axis."""
    wide = np.full(tuple(2 * n + 1 for n in scores.shape), np.nan, scores.dtype)
    view = wide[tuple(slice(1, None, 2) for _ in scores.shape)]
    view[...] = scores
    return view


def backwards(scores: np.ndarray) -> np.ndarray:
    """The same numbers behind negative strides."""
    turn = (slice(None, None, -1),) * scores.ndim
    return scores[turn].copy()[turn]


def frozen(scores: np.ndarray) -> np.ndarray:
    copy = scores.copy()
    copy.flags.writeable = False
    return copy


def unaligned(scores: np.ndarray) -> np.ndarray:
    """The same numbers one byte off."""
    raw = np.zeros(scores.nbytes + 1, np.uint8)
    view = raw[1:].view(scores.dtype).reshape(scores.shape)
    view[...] = scores
    return view


def swapped(scores: np.ndarray) -> np.ndarray:
    """The other byte order."""
    return scores.astype(scores.dtype.newbyteorder())


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "fortran": np.asfortranarray,
    "strided": strided,
    "backwards": backwards,
    "read-only": frozen,
    "unaligned": unaligned,
    "byte order": swapped,
    "list": lambda scores: scores.tolist(),
}


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize(
    ("layout", "dtype"),
    [(layout, np.float64) for layout in LAYOUTS]
    + [(layout, np.float32) for layout in LAYOUTS if layout != "list"],
)
def test_layout_of_the_arrays_does_not_matter(layout: str, order: int, dtype: type) -> None:
    change = LAYOUTS[layout]
    for per_position in (False, True):
        tables = random_tables(order, 9, 5, order=order, dtype=dtype, per_position=per_position)
        plain = tables.trellis()
        other = Trellis(
            change(tables.node), change(tables.edge), order=order, head=[change(h) for h in tables.head]
        )
        assert np.array_equal(inference.posterior(other).node, inference.posterior(plain).node)
        assert np.array_equal(inference.viterbi(other).ids, inference.viterbi(plain).ids)
        assert np.array_equal(inference.expected_counts(other).edge, inference.expected_counts(plain).edge)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_of_a_batch_does_not_matter(layout: str) -> None:
    tables = random_tables(3, 20, 6)
    change = LAYOUTS[layout]
    plain = TrellisBatch(tables.node, [5, 0, 15], tables.edge)
    other = TrellisBatch(change(tables.node), np.array([5, 0, 15], np.int32), change(tables.edge))
    assert np.array_equal(inference.log_partition(other), inference.log_partition(plain))


def test_shared_edge_is_the_same_slab_repeated() -> None:
    for order in (1, 2, 3):
        tables = random_tables(order, 12, 4, order=order)
        slabs = np.broadcast_to(tables.edge, (12 - order, *tables.edge.shape))
        shared, repeated = tables.trellis(), Trellis(tables.node, slabs, order=order, head=tables.head)
        one = Trellis(tables.node, tables.edge[None], order=order, head=tables.head)
        for other in (repeated, one):
            np.testing.assert_allclose(
                inference.posterior(other).node, inference.posterior(shared).node, atol=1e-13
            )
            assert inference.viterbi(other).ids.tolist() == inference.viterbi(shared).ids.tolist()
        np.testing.assert_allclose(
            inference.expected_counts(repeated).edge.sum(axis=0),
            inference.expected_counts(shared).edge,
            atol=1e-12,
        )


def test_inference_leaves_the_arrays_alone() -> None:
    tables = random_tables(1, 30, 9)
    node, edge = tables.node.copy(), tables.edge.copy()
    trellis = Trellis(node, edge)
    inference.posterior(trellis)
    inference.viterbi(trellis)
    inference.expected_counts(trellis)
    assert np.array_equal(node, tables.node)
    assert np.array_equal(edge, tables.edge)


def test_vectors_one_byte_off_are_learned_from() -> None:
    points = np.random.default_rng(0).normal(size=(60, 2))
    off = unaligned(points)
    assert not off.flags.aligned
    plain, other = (HMM(2, Gaussian(), learner=BaumWelch(max_iterations=3)).fit([x]) for x in (points, off))
    assert np.array_equal(plain.predict_proba([points])[0], other.predict_proba([off])[0])
