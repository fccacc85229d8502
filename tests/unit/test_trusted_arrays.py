"""What the core trusts cannot be changed behind its back, and what is pickled comes back whole."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from seqlab import Trellis, TrellisBatch, inference
from seqlab.errors import ImpossibleError, LabelError, OptionError, ScoreError, ShapeError

NODE, EDGE = np.arange(12.0).reshape(4, 3), np.eye(3)


def test_lengths_are_a_copy() -> None:
    lengths = np.array([2, 2])
    batch = TrellisBatch(NODE, lengths, EDGE)
    lengths[:] = 10**7
    assert [len(path) for path in inference.viterbi(batch)] == [2, 2]
    with pytest.raises(ValueError, match="read-only"):
        batch.lengths[0] = 3


def test_lengths_whose_sum_wraps_around_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"lengths\[0\] is 4611686018427387904, but node has only 4 rows"):
        TrellisBatch(NODE, np.array([2**62] * 4 + [4]), EDGE)


def test_allowed_lists_cannot_be_written_to() -> None:
    trellis = Trellis(NODE, EDGE).constrain(known={0: 1})
    with pytest.raises(ValueError, match="read-only"):
        trellis.allowed[0][0] = 10**8


def test_results_survive_pickling_after_use() -> None:
    batch = TrellisBatch(NODE, [1, 3], EDGE)
    paths, posteriors = inference.viterbi(batch), inference.posterior(batch)
    posteriors[1].span(0, 1, [0])
    for value in (batch, paths, posteriors, posteriors[1]):
        pickle.loads(pickle.dumps(value))
    again = pickle.loads(pickle.dumps(paths))
    assert list(again) == list(paths)
    assert not again[0].ids.flags.writeable
    assert pickle.loads(pickle.dumps(posteriors[1])).span(0, 1, [0]) == posteriors[1].span(0, 1, [0])


def test_a_posterior_of_a_batch_is_kept() -> None:
    posteriors = inference.posterior(TrellisBatch(NODE, [1, 3], EDGE))
    assert posteriors[1] is posteriors[1]


@pytest.mark.parametrize("place", [1.0, "1", True, None])
def test_positions_are_whole_numbers(place: object) -> None:
    posterior = inference.posterior(Trellis(NODE, EDGE))
    with pytest.raises(LabelError, match="whole numbers"):
        posterior.label(place, 0)  # type: ignore[arg-type]
    with pytest.raises(LabelError, match="whole numbers"):
        posterior.span(0, place, [0])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda t: inference.beam(t, 10**30),
        lambda t: inference.sample(t, 10**30, seed=0),
        lambda t: inference.nbest(t, 2**40),
    ],
)
def test_counts_have_an_upper_limit(call: object) -> None:
    with pytest.raises(OptionError, match="at most"):
        call(Trellis(NODE, EDGE))  # type: ignore[operator]


def test_a_stream_refuses_one_slab_per_position() -> None:
    with pytest.raises(ShapeError, match="push"):
        inference.Filter(np.zeros((0, 3, 3)))


def test_a_stream_keeps_its_digits_at_large_scores() -> None:  # eq:filter
    rng = np.random.default_rng(0)
    node, edge = rng.normal(size=(6, 3)), rng.normal(size=(3, 3))
    near, far = inference.Filter(edge), inference.Filter(edge + 2.0**40)
    for row in node:
        np.testing.assert_allclose(far.push(row + 2.0**40).node, near.push(row).node, atol=1e-3)


def test_scalar_scores_are_refused_with_their_shape() -> None:
    with pytest.raises(ShapeError, match=r"node scores have shape \(\)"):
        Trellis(3.0, EDGE)
    with pytest.raises(ShapeError, match=r"node scores have shape \(\)"):
        TrellisBatch(3.0, [1], EDGE)


@pytest.mark.parametrize("length", [4, 2000])
def test_nan_written_after_the_check_is_an_error_of_ours(length: int) -> None:
    node = np.zeros((length, 3))
    trellis = Trellis(node, EDGE)
    node[:] = np.nan
    for ask in (inference.viterbi, inference.log_partition, inference.posterior):
        with pytest.raises((ScoreError, ImpossibleError)):
            ask(trellis)


def test_missing_rules_may_be_written_as_none() -> None:
    trellis = Trellis(NODE, EDGE, head=None)  # type: ignore[arg-type]
    same = trellis.constrain(forbidden_ends=None, allowed={0: None})
    assert not same.allowed
    with pytest.raises(OptionError, match="position: label"):
        trellis.constrain(known=["a"])  # type: ignore[arg-type]
