"""Options of the questions: wrong ones are refused in words."""

from __future__ import annotations

import numpy as np
import pytest

from seqlab import Trellis, inference
from seqlab.errors import OptionError, ScoreError, ShapeError

TRELLIS = Trellis(np.zeros((3, 2)), np.zeros((2, 2)))
BAD_COUNTS = [0, -1, 1.5, "3", None]


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2"])
@pytest.mark.parametrize(
    "name",
    [
        "viterbi",
        "max_marginal",
        "log_partition",
        "posterior",
        "expected_counts",
        "filter",
        "forward",
        "backward",
    ],
)
def test_threads_must_be_a_positive_number(name: str, threads: object) -> None:
    with pytest.raises(OptionError, match="threads"):
        getattr(inference, name)(TRELLIS, threads=threads)


@pytest.mark.parametrize("threads", [None, 1, 2, 64, np.int64(3)])
def test_threads_may_be_any_positive_number(threads: object) -> None:
    assert inference.log_partition([TRELLIS] * 5, threads=threads).shape == (5,)


@pytest.mark.parametrize("semiring", ["max", None, True, 1])
@pytest.mark.parametrize("name", ["forward", "backward"])
def test_semiring_is_one_of_two(name: str, semiring: object) -> None:
    with pytest.raises(OptionError, match=r"must be Semiring\.log_sum or Semiring\.max, got"):
        getattr(inference, name)(TRELLIS, semiring=semiring)


@pytest.mark.parametrize("n", BAD_COUNTS)
def test_nbest_needs_a_positive_n(n: object) -> None:
    with pytest.raises(OptionError, match="n"):
        inference.nbest(TRELLIS, n)


@pytest.mark.parametrize("width", BAD_COUNTS)
def test_beam_needs_a_positive_width(width: object) -> None:
    with pytest.raises(OptionError, match="width"):
        inference.beam(TRELLIS, width)


@pytest.mark.parametrize("n", [-1, 1.5, "3", None])
def test_sample_needs_a_number_of_samples(n: object) -> None:
    with pytest.raises(OptionError, match="n"):
        inference.sample(TRELLIS, n, seed=0)


def test_sample_of_none_is_empty() -> None:
    assert inference.sample(TRELLIS, 0, seed=0).ids.shape == (0, 3)


def test_sample_needs_a_seed() -> None:
    with pytest.raises(TypeError, match="seed"):
        inference.sample(TRELLIS, 3)  # type: ignore[call-arg]


@pytest.mark.parametrize("seed", [-1, 1.5, "a", None, 2**64, True])
def test_sample_refuses_what_is_not_a_seed(seed: object) -> None:
    with pytest.raises(OptionError, match="seed"):
        inference.sample(TRELLIS, 3, seed=seed)


@pytest.mark.parametrize("seed", [0, 2**32, 2**63 - 1, np.uint32(7)])
def test_sample_takes_every_63_bit_seed(seed: int) -> None:
    assert inference.sample(TRELLIS, 3, seed=seed).ids.shape == (3, 3)


def test_options_are_keyword_only() -> None:
    with pytest.raises(TypeError):
        inference.viterbi(TRELLIS, True)  # type: ignore[misc]
    with pytest.raises(TypeError):
        inference.sample(TRELLIS, 3, 1)  # type: ignore[misc]


def test_filter_stream_refuses_a_row_that_does_not_fit() -> None:
    machine = inference.Filter(np.zeros((2, 2)))
    with pytest.raises(ShapeError):
        machine.push(np.zeros(3))
    with pytest.raises(ScoreError):
        machine.push([0.0, np.nan])
    with pytest.raises(ShapeError):
        machine.push(np.zeros(2), edge=np.zeros((3, 3)))
    assert machine.push(np.zeros(2)).position == 0


@pytest.mark.parametrize("lag", [-1, 1.5, "2"])
def test_filter_stream_refuses_a_wrong_lag(lag: object) -> None:
    with pytest.raises(OptionError, match="lag"):
        inference.Filter(np.zeros((2, 2)), lag=lag)  # type: ignore[arg-type]


def test_filter_stream_finishes_what_is_open() -> None:
    machine = inference.Filter(np.zeros((2, 2)), lag=3)
    assert list(machine.finish()) == []
    machine.push([0.0, 1.0])
    assert list(machine.finish()) == [(0, 1)]
