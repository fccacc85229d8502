"""TrellisBatch: sequences one after another in one array."""

from __future__ import annotations

import numpy as np
import pytest

from seqlab import Constraints, Trellis, TrellisBatch, inference
from seqlab.errors import ScoreError, SeqlabError, ShapeError

NODE = np.arange(18.0).reshape(6, 3)
EDGE = np.zeros((3, 3))


def test_batch_gives_its_sequences_back() -> None:
    batch = TrellisBatch(NODE, [2, 0, 4], EDGE, labels=["a", "b", "c"])
    assert len(batch) == 3
    assert [trellis.T for trellis in batch] == [2, 0, 4]
    assert batch[2].node.tolist() == NODE[2:].tolist()
    assert batch[-1].node.tolist() == NODE[2:].tolist()
    assert batch[0].labels == ("a", "b", "c")
    with pytest.raises(IndexError):
        batch[3]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_batch_hands_each_sequence_its_own_slabs(order: int) -> None:
    lengths = [5, 1, 0, 4]
    slabs = [max(T - order, 0) for T in lengths]
    edge = np.arange(sum(slabs) * 2 ** (order + 1), dtype=float).reshape((sum(slabs),) + (2,) * (order + 1))
    batch = TrellisBatch(np.zeros((10, 2)), lengths, edge, order=order)
    begin = np.cumsum([0, *slabs])
    for i, trellis in enumerate(batch):
        if slabs[i]:
            assert np.array_equal(
                trellis.edge.reshape(edge[begin[i] : begin[i + 1]].shape), edge[begin[i] : begin[i + 1]]
            )


def test_batch_of_trellises_is_the_same_sequences() -> None:
    sequences = [Trellis(NODE[:i], EDGE) for i in (1, 3, 6)]
    batch = TrellisBatch.of(sequences)
    assert [trellis.node.tolist() for trellis in batch] == [trellis.node.tolist() for trellis in sequences]


@pytest.mark.parametrize("lengths", [[2, 3], [7], [], [-1, 7], [[6]], [2.5, 3.5]])
def test_batch_refuses_lengths_that_do_not_add_up(lengths: list) -> None:
    with pytest.raises((ShapeError, SeqlabError)):
        TrellisBatch(NODE, lengths, EDGE)


def test_batch_says_what_the_lengths_add_up_to() -> None:
    with pytest.raises(ShapeError, match="5") as caught:
        TrellisBatch(NODE, [2, 3], EDGE)
    assert "6" in str(caught.value)


def test_batch_refuses_the_wrong_number_of_slabs() -> None:
    with pytest.raises(ShapeError, match=r"\(5, 3, 3\)"):
        TrellisBatch(NODE, [2, 4], np.zeros((5, 3, 3)))


def test_batch_refuses_nan_with_its_position() -> None:
    node = NODE.copy()
    node[4, 1] = np.nan
    with pytest.raises(ScoreError, match="node") as caught:
        TrellisBatch(node, [2, 4], EDGE)
    assert "nan" in str(caught.value).lower()


def test_batch_refuses_labels_that_do_not_fit() -> None:
    with pytest.raises(ShapeError, match="1"):
        TrellisBatch(NODE, [6], EDGE, labels=["a"])


def test_batch_constraints_hold_in_every_sequence() -> None:
    batch = TrellisBatch(
        np.zeros((9, 2)), [4, 5], np.zeros((2, 2)), constraints=Constraints(forbidden_moves=[(1, 1)])
    )
    counts = np.exp(inference.log_partition(batch))
    np.testing.assert_allclose(counts, [8, 13])  # Fibonacci
    ends = TrellisBatch(
        np.zeros((5, 2)),
        [2, 3],
        np.zeros((2, 2)),
        constraints=Constraints(forbidden_starts=[0], forbidden_ends=[1]),
    )
    np.testing.assert_allclose(np.exp(inference.log_partition(ends)), [1, 2])


@pytest.mark.parametrize("thing", [3, "ab", None, [1, 2], np.zeros((3, 3))])
def test_inference_refuses_what_is_not_a_trellis(thing: object) -> None:
    with pytest.raises((TypeError, SeqlabError)):
        inference.viterbi(thing)  # type: ignore[call-overload]
