"""Forward and backward messages: the tables that every other answer is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab._core import Semiring
from seqlab.errors import OptionError
from seqlab.inference.questions import Asked, Question, Results
from seqlab.threads import thread_count
from seqlab.trellis import Trellis, TrellisBatch

Batched = TrellisBatch | Sequence[Trellis]
Table = npt.NDArray[np.float64]

__all__ = ["Semiring", "backward", "forward"]


@overload
def forward(
    asked: Trellis, *, semiring: Semiring = Semiring.log_sum, threads: int | None = None
) -> Table: ...
@overload
def forward(
    asked: Batched, *, semiring: Semiring = Semiring.log_sum, threads: int | None = None
) -> Results[Table]: ...
def forward(
    asked: Asked, *, semiring: Semiring = Semiring.log_sum, threads: int | None = None
) -> Table | Results[Table]:
    """Compute alpha: log of the summed potentials of all prefixes that end in a state (eq:forward).

    The table is (T, L) for order 1, and (T, L, ..., L) for order k: alpha[t, y_{t-k+1}, ..., y_t]. Labels before the
    first position count as label 0. A state that no prefix reaches has -inf. A sequence without a legal path is no
    error here: from some position on, all states have -inf.

    This is the definition: float64, in logs, not scaled. log_partition, posterior and filter answer faster.

    semiring   Semiring.log_sum adds up the prefixes, Semiring.max keeps the best (eq:viterbi)
    """
    return _tables(asked, _core.forward, semiring, threads)


@overload
def backward(
    asked: Trellis, *, semiring: Semiring = Semiring.log_sum, threads: int | None = None
) -> Table: ...
@overload
def backward(
    asked: Batched, *, semiring: Semiring = Semiring.log_sum, threads: int | None = None
) -> Results[Table]: ...
def backward(
    asked: Asked, *, semiring: Semiring = Semiring.log_sum, threads: int | None = None
) -> Table | Results[Table]:
    """Compute beta: log of the summed potentials of all suffixes that follow a state (eq:backward).

    The axes are those of `forward`. alpha + beta is the log of the summed potentials of all paths through a state, or
    with Semiring.max the score of the best of them. A state that is not allowed has -inf.
    """
    return _tables(asked, _core.backward, semiring, threads)


def _tables(
    asked: Asked, compute: Callable[..., None], semiring: Semiring, threads: int | None
) -> Table | Results[Table]:
    if not isinstance(semiring, Semiring):
        raise OptionError(f"semiring must be Semiring.log_sum or Semiring.max, got {semiring!r}")
    question, count = Question(asked), thread_count(threads)
    answers = [np.empty(0)] * len(question)
    for part in question.parts:
        orders = np.array([question.order(int(number)) for number in part.numbers], dtype=np.int64)
        starts = part.starts(part.lengths * part.sizes**orders)
        table = np.empty(int(starts[-1]))
        compute(part.batch, semiring, table, count)
        for place, number in enumerate(part.numbers):
            shape = (part.lengths[place], *(part.sizes[place],) * orders[place])
            answers[number] = table[starts[place] : starts[place + 1]].reshape(shape)
    return answers[0] if question.single else Results(len(answers), answers.__getitem__)
