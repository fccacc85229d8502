"""Sums over all paths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.inference.questions import Asked, Question
from seqlab.threads import thread_count
from seqlab.trellis import Trellis, TrellisBatch

Batched = TrellisBatch | Sequence[Trellis]


def log_partitions(question: Question, threads: int) -> npt.NDArray[np.float64]:
    """log Z of every sequence."""
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
def log_partition(asked: Batched, *, threads: int | None = None) -> npt.NDArray[np.float64]: ...
def log_partition(asked: Asked, *, threads: int | None = None) -> float | npt.NDArray[np.float64]:
    """log Z: the log of the sum of exp(score) over all legal paths (eq:log-partition)."""
    question = Question(asked)
    log_z = log_partitions(question, thread_count(threads))
    return float(log_z[0]) if question.single else log_z
