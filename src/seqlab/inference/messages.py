"""Sums over paths: forward and backward messages, and log Z."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import overload

import numpy as np

from seqlab import _core
from seqlab._core import Semiring
from seqlab.arrays import thread_count
from seqlab.errors import OptionError
from seqlab.inference.questions import Asked, Batched, Doubles, Part, Question, Results
from seqlab.trellis import Trellis

__all__ = ["Semiring", "backward", "forward", "log_partition"]


@overload
def forward(
    asked: Trellis, *, semiring: Semiring = Semiring.log_sum, threads: int | None = None
) -> Doubles: ...
@overload
def forward(
    asked: Batched, *, semiring: Semiring = Semiring.log_sum, threads: int | None = None
) -> Results[Doubles]: ...
def forward(
    asked: Asked, *, semiring: Semiring = Semiring.log_sum, threads: int | None = None
) -> Doubles | Results[Doubles]:
    """Compute alpha: log of the summed potentials of all prefixes that end in a state (eq:forward).

    The table is (T, L) for order 1, and (T, L, ..., L) for order k: alpha[t, y_{t-k+1}, ..., y_t]. Labels before the
    first position count as label 0. A state that no prefix reaches has -inf. A sequence without a legal path is no
    error here: from some position on, all states have -inf.

    This is the definition: float64, in logs, not scaled. log_partition, posterior and filter answer faster.

    asked      a Trellis, a TrellisBatch or a list of trellises; threads: how many to use, None for every core
    semiring   Semiring.log_sum adds up the prefixes, Semiring.max keeps the best (eq:viterbi)
    """
    return _tables(asked, _core.forward, semiring, threads)


@overload
def backward(
    asked: Trellis, *, semiring: Semiring = Semiring.log_sum, threads: int | None = None
) -> Doubles: ...
@overload
def backward(
    asked: Batched, *, semiring: Semiring = Semiring.log_sum, threads: int | None = None
) -> Results[Doubles]: ...
def backward(
    asked: Asked, *, semiring: Semiring = Semiring.log_sum, threads: int | None = None
) -> Doubles | Results[Doubles]:
    """Compute beta: log of the summed potentials of all suffixes that follow a state (eq:backward).

    The axes are those of `forward`. alpha + beta is the log of the summed potentials of all paths through a state, or
    with Semiring.max the score of the best of them. A state that is not allowed has -inf.
    asked, semiring, threads   as for forward: what to compute it of, the sum or the best, how many to use
    """
    return _tables(asked, _core.backward, semiring, threads)


def _tables(
    asked: Asked, compute: Callable[..., None], semiring: Semiring, threads: int | None
) -> Doubles | Results[Doubles]:
    if not isinstance(semiring, Semiring):
        raise OptionError(f"semiring must be Semiring.log_sum or Semiring.max, got {semiring!r}")
    question, count = Question(asked), thread_count(threads)

    def tables(part: Part) -> Iterator[Doubles]:
        orders = np.array([question.about(number).order for number in part.numbers.tolist()], dtype=np.int64)
        flat = np.empty(int((part.lengths * part.sizes**orders).sum()))
        compute(part.batch, semiring, flat, count)
        pieces = part.split(flat, part.lengths * part.sizes**orders)
        for piece, length, size, order in zip(pieces, part.lengths, part.sizes, orders, strict=True):
            yield piece.reshape(length, *(size,) * order)

    return question.answer(tables)


def log_partitions(question: Question, threads: int) -> Doubles:
    """Compute log Z of every sequence."""
    log_z = np.zeros(len(question))
    for part in question.parts:
        values = np.empty(len(part.numbers))
        _core.log_partition(part.batch, values, threads)
        question.refuse_impossible(part, values)
        log_z[part.numbers] = values
    return log_z


@overload
def log_partition(asked: Trellis, *, threads: int | None = None) -> float: ...
@overload
def log_partition(asked: Batched, *, threads: int | None = None) -> Doubles: ...
def log_partition(asked: Asked, *, threads: int | None = None) -> float | Doubles:
    """Compute log Z of trellises asked: log of the sum of exp(score) over legal paths (eq:log-partition); threads."""
    question = Question(asked)
    log_z = log_partitions(question, thread_count(threads))
    return float(log_z[0]) if question.single else log_z
