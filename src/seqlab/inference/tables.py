"""The Viterbi table: scores of the best prefixes, and back links (eq:viterbi)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import overload

import numpy as np
import numpy.typing as npt

from seqlab.arrays import position_of
from seqlab.errors import ImpossibleError, ShapeError
from seqlab.inference.decoding import Path
from seqlab.inference.messages import Semiring, forward
from seqlab.inference.questions import Asked, Batched, Doubles, Question, Results
from seqlab.shown import Brief
from seqlab.trellis import Trellis
from seqlab.trellis.labels import Label, LabelSet, Named

Links = npt.NDArray[np.int32]
NOWHERE = -1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ViterbiTable(Brief):
    """Best prefixes of one sequence, for every position and state; a state is the last k labels, in order 1 one label.

    score      (T, L), or (T, L, ..., L) for order k: v[t, y_{t-k+1}, ..., y_t], the score of the best prefix that ends
               in a state; -inf if there is none. Labels before the first position count as label 0
    back       the same shape: the label before those of the state on that prefix, y_{t-k}; -1 if there is none. Of
               equally good ones it is the first
    label_set  the names of the labels
    """

    score: Doubles
    back: Links
    label_set: LabelSet = field(repr=False)

    @property
    def order(self) -> int:
        """Return k, the number of labels of a state."""
        return self.score.ndim - 1

    def best(self, t: int, *labels: Label) -> float:
        """Return v(t, labels): the score of the best prefix that ends at t in these k labels, t from 0."""
        return float(self.score[self._cell(t, labels)])

    def before(self, t: int, *labels: Label) -> Named | None:
        """Return the label before the k labels that end at t, on the best prefix; None if there is none."""
        found = int(self.back[self._cell(t, labels)])
        return None if found == NOWHERE else self.label_set.name(found)

    def path(self, t: int | None = None, *labels: Label) -> Path:
        """Follow the back links from k labels at position t; from the best state there if no labels are given.

        t   None for the last position: with no labels, this is the best path of all
        """
        T = len(self.score)
        if T == 0 and t is None:
            return Path(np.zeros(0, dtype=np.int32), 0.0, None, label_set=self.label_set)
        at = T - 1 if t is None else position_of(t, T)
        state = list(self._cell(at, labels)[1:]) if labels else self._largest(at)
        score = float(self.score[(at, *state)])
        if score == -np.inf:
            raise ImpossibleError(f"no legal path: nothing leads to this state at position {at}", position=at)
        found = []
        for here in range(at, -1, -1):
            found.append(state[-1])
            before = int(self.back[(here, *state)])
            state = [max(before, 0), *state[:-1]]
        return Path(np.array(found[::-1], dtype=np.int32), score, None, label_set=self.label_set)

    def _largest(self, t: int) -> list[int]:
        """Find the best state at t; ties go to the smallest last label, then to the smallest label before it."""
        turned = self.score[t].transpose()
        return [int(i) for i in np.unravel_index(int(np.argmax(turned)), turned.shape)][::-1]

    def _cell(self, t: int, labels: tuple[Label, ...]) -> tuple[int, ...]:
        if len(labels) != self.order:
            raise ShapeError(f"a state has {self.order} labels here, got {len(labels)}")
        return position_of(t, len(self.score)), *(self.label_set.id(label) for label in labels)


@overload
def viterbi_table(asked: Trellis, *, threads: int | None = None) -> ViterbiTable: ...
@overload
def viterbi_table(asked: Batched, *, threads: int | None = None) -> Results[ViterbiTable]: ...
def viterbi_table(asked: Asked, *, threads: int | None = None) -> ViterbiTable | Results[ViterbiTable]:
    """Compute v(t, j) and the back links of the Viterbi algorithm (eq:viterbi), for any order.

    asked     a Trellis, a TrellisBatch or a list of trellises
    threads   how many to use, None for every core

    This is the definition: float64, in logs. A sequence without a legal path is no error here: from some position on,
    all states have -inf. `viterbi` finds the best path faster.
    """
    question = Question(asked)
    found = forward(asked, semiring=Semiring.max, threads=threads)
    tables = [found] if isinstance(found, np.ndarray) else list(found)
    made = [_linked(question.trellis(i), table) for i, table in enumerate(tables)]
    return made[0] if question.single else Results(len(made), made.__getitem__)


def _linked(trellis: Trellis, score: Doubles) -> ViterbiTable:
    """Compute the back link of every state: argmax over a of v(t - 1, a, rest) + edge(a, rest, y)."""
    order = trellis.order
    back = np.full(score.shape, NOWHERE, dtype=np.int32)
    for t in range(order, trellis.T):
        slab = trellis.edge[t - order] if trellis.per_position else trellis.edge
        into = score[t - 1][..., None] + np.asarray(slab, dtype=np.float64)  # (a, rest, y)
        back[t] = np.where(score[t] == -np.inf, NOWHERE, into.argmax(axis=0))
    score.flags.writeable = back.flags.writeable = False
    return ViterbiTable(score, back, trellis.label_set)
