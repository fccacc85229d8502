"""Paths drawn from the distribution over paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import whole_number
from seqlab.errors import OptionError
from seqlab.inference.questions import Asked, Question, Results
from seqlab.threads import thread_count
from seqlab.trellis import Trellis, TrellisBatch
from seqlab.trellis.labels import Label, LabelSet

Batched = TrellisBatch | Sequence[Trellis]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Samples:
    """n paths of one sequence: ids (n, T)."""

    ids: npt.NDArray[np.int32]
    label_set: LabelSet

    @property
    def labels(self) -> list[tuple[Label, ...]]:
        """The same in the user's words."""
        return [self.label_set.words(row) for row in self.ids]

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Samples({self.ids.shape[0]} paths of {self.ids.shape[1]} positions)"


@overload
def sample(asked: Trellis, n: int, *, seed: int, stream: int = 0, threads: int | None = None) -> Samples: ...
@overload
def sample(
    asked: Batched, n: int, *, seed: int, stream: int = 0, threads: int | None = None
) -> Results[Samples]: ...
def sample(
    asked: Asked, n: int, *, seed: int, stream: int = 0, threads: int | None = None
) -> Samples | Results[Samples]:
    """n independent paths, each with probability exp(score) / Z (eq:sample).

    The k-th path depends on (seed, stream, k) alone: not on n, the batch's order of work, or the number of threads.
    Sequence i of a batch draws from stream + i.
    """
    question, count, n = Question(asked), thread_count(threads), whole_number(n, "n", 0)
    seed, stream = _word(seed, "seed"), _word(stream, "stream")
    answers: list[Any] = [None] * len(question)
    for part in question.parts:
        sizes = n * part.lengths
        ids, possible = np.empty(int(sizes.sum()), np.int32), np.empty(len(part.numbers), np.uint8)
        streams = (part.numbers.astype(np.uint64) + np.uint64(stream)).astype(np.uint64)
        _core.sample(part.batch, n, seed, streams, ids, possible, count)
        question.refuse_impossible(part, np.where(possible, 0.0, -np.inf))
        starts = part.starts(sizes)
        for place, number in enumerate(part.numbers):
            rows = ids[starts[place] : starts[place + 1]].reshape(n, part.lengths[place])
            answers[number] = Samples(rows, question.label_set(int(number)))
    return answers[0] if question.single else Results(len(answers), answers.__getitem__)


def _word(value: int, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < 2**63:
        raise OptionError(f"{name} must be a whole number from 0 up, below 2**63, got {value!r}")
    return int(value)
