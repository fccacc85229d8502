"""One path per sequence: the best, the best at each position, or the best a beam can find."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import LabelIds, whole_number
from seqlab.errors import BeamError
from seqlab.inference.partition import log_partitions
from seqlab.inference.paths import Path
from seqlab.inference.posteriors import node_marginals
from seqlab.inference.questions import Asked, Part, Question, Results
from seqlab.threads import thread_count
from seqlab.trellis import Trellis, TrellisBatch

Batched = TrellisBatch | Sequence[Trellis]


class _Table:
    """Flat answers of all parts, and the path of sequence i cut out of them when it is looked at."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.log_z: npt.NDArray[np.float64] | None = None
        self.exact = np.ones(len(question), dtype=bool)
        self._scores = np.zeros(len(question))
        self._ids: list[LabelIds] = []
        self._starts: list[list[int]] = []
        self._home = np.zeros((len(question), 2), dtype=np.int64)  # part, and place in it

    def fill(self, part: Part, ids: LabelIds, scores: npt.NDArray[np.float64]) -> None:
        self._scores[part.numbers] = scores
        self._home[part.numbers, 0] = len(self._ids)
        self._home[part.numbers, 1] = np.arange(len(part.numbers))
        ids.flags.writeable = False
        self._ids.append(ids)
        self._starts.append(part.starts(part.lengths).tolist())

    def path(self, i: int) -> Path:
        part, place = self._home[i].tolist() if len(self._ids) > 1 else (0, i)
        starts = self._starts[part]
        score = self._scores.item(i)
        log_prob = None if self.log_z is None else score - self.log_z.item(i)
        ids = self._ids[part][starts[place] : starts[place + 1]]
        return Path(ids, score, log_prob, self.exact.item(i), self.question.label_set(i))

    def answer(self) -> Path | Results[Path]:
        return self.path(0) if self.question.single else Results(len(self.question), self.path)


@overload
def viterbi(asked: Trellis, *, log_prob: bool = False, threads: int | None = None) -> Path: ...
@overload
def viterbi(asked: Batched, *, log_prob: bool = False, threads: int | None = None) -> Results[Path]: ...
def viterbi(asked: Asked, *, log_prob: bool = False, threads: int | None = None) -> Path | Results[Path]:
    """The path with the largest score (eq:viterbi).

    Among equally good paths, the one with the lowest label at the last position, then at the one before, and so on.
    With log_prob=True the path's log-probability comes along, at the price of a forward pass.
    """
    question, count = Question(asked), thread_count(threads)
    table = _Table(question)
    for part in question.parts:
        ids, scores = np.empty(int(part.lengths.sum()), np.int32), np.empty(len(part.numbers))
        _core.viterbi(part.batch, ids, scores, count)
        question.refuse_impossible(part, scores)
        table.fill(part, ids, scores)
    if log_prob:
        table.log_z = log_partitions(question, count)
    return table.answer()


@overload
def max_marginal(asked: Trellis, *, threads: int | None = None) -> Path: ...
@overload
def max_marginal(asked: Batched, *, threads: int | None = None) -> Results[Path]: ...
def max_marginal(asked: Asked, *, threads: int | None = None) -> Path | Results[Path]:
    """Posterior decoding: at each position the label with the largest marginal (eq:max-marginal).

    It makes the expected number of right labels largest. Each label is chosen alone, so neighbours need not fit
    together: the score may be -inf. Among equals the lowest label.
    """
    question, count = Question(asked), thread_count(threads)
    table = _Table(question)
    table.log_z = np.zeros(len(question))
    for part in question.parts:
        node, log_z, _ = node_marginals(question, part, count)
        table.log_z[part.numbers] = log_z
        ids, scores = np.empty(int(part.lengths.sum()), np.int32), np.empty(len(part.numbers))
        rows, cells = part.starts(part.lengths), part.starts(part.lengths * part.sizes)
        for place, size in enumerate(part.sizes):
            path = ids[rows[place] : rows[place + 1]]
            path[:] = node[cells[place] : cells[place + 1]].reshape(-1, size).argmax(axis=1)
            scores[place] = _core.path_score(part.batch, place, path)
        table.fill(part, ids, scores)
    return table.answer()


@overload
def beam(asked: Trellis, width: int, *, threads: int | None = None) -> Path: ...
@overload
def beam(asked: Batched, width: int, *, threads: int | None = None) -> Results[Path]: ...
def beam(asked: Asked, width: int, *, threads: int | None = None) -> Path | Results[Path]:
    """A good path: only the `width` best states of each position are followed (eq:beam).

    Inexact: the answer's `exact` is False when anything was cut, for then a better path may have been lost. When the
    beam loses every legal path it raises BeamError, naming the position.
    """
    question, count, width = Question(asked), thread_count(threads), whole_number(width, "width", 1)
    table = _Table(question)
    for part in question.parts:
        number = len(part.numbers)
        ids, scores = np.empty(int(part.lengths.sum()), np.int32), np.empty(number)
        exact, dead = np.empty(number, np.uint8), np.empty(number, np.int64)
        _core.beam(part.batch, width, ids, scores, exact, dead, count)
        _refuse_dead_beams(question, part, exact, dead, width)
        table.fill(part, ids, scores)
        table.exact[part.numbers] = exact.astype(bool)
    return table.answer()


def _refuse_dead_beams(question: Question, part: Part, exact: Any, dead: Any, width: int) -> None:
    for place in np.flatnonzero(dead >= 0):
        number, length = int(part.numbers[place]), int(part.lengths[place])
        if exact[place]:
            question.raise_impossible(number, int(dead[place]), length)
        raise BeamError(
            f"the beam of width {width} lost every legal path at position {int(dead[place])} (of {length}); "
            f"pass a larger width, or use viterbi, which is exact",
            place=question.place(number, int(dead[place])),
        )
