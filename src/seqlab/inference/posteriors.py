"""The distribution over paths, and the probabilities of their parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from seqlab import _core
from seqlab.arrays import Probabilities, frozen, position_number, position_of
from seqlab.errors import LabelError, ShapeError
from seqlab.inference.counting import edge_marginals
from seqlab.inference.questions import Asked, Part, Question, Results
from seqlab.inference.typed_spans import typed_span
from seqlab.threads import thread_count
from seqlab.trellis import Trellis, TrellisBatch
from seqlab.trellis.labels import Label

Batched = TrellisBatch | Sequence[Trellis]


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """The distribution over the paths of one trellis.

    node        (T, L)   P(y_t = y), in the trellis's dtype
    log_z       float    log of the sum over all paths
    entropy     float    of the distribution over paths, in nats
    edge        (T-k, L, ..., L)   P of each move, slab t-k arriving at t
    log_space   bool     the fast scaled pass could not be certified, so log space was used
    """

    trellis: Trellis
    node: Probabilities
    log_z: float
    log_space: bool

    @cached_property
    def entropy(self) -> float:
        """Of the distribution over paths, in nats (eq:entropy)."""
        return float(_core.entropy(self.trellis.batch(), 0))

    @cached_property
    def edge(self) -> Probabilities:
        """(T-k, L, ..., L): slab t-k holds P of the moves arriving at t (eq:edge-marginal)."""
        return frozen(edge_marginals(self.trellis))

    @cached_property
    def _messages(self) -> _core.Messages32 | _core.Messages64:
        batch: Any = self.trellis.batch()
        return _core.Messages32(batch, 0) if self.trellis.dtype == np.float32 else _core.Messages64(batch, 0)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_messages"}

    def label(self, t: int, y: Label) -> float:
        """P(y_t = y)."""
        return float(self.node[self._position(t), self.trellis.label_set.id(y)])

    def move(self, t: int, y1: Label, y2: Label) -> float:
        """P(y_{t-1} = y1, y_t = y2): the move that arrives at t."""
        t = self._position(t)
        if t == 0:
            raise LabelError("no move arrives at position 0; the first is the one that arrives at position 1")
        return self.span(t - 1, t + 1, (y1, y2))

    def span(self, i: int, j: int, path: Iterable[Label] | str) -> float:
        """P of the stretch from i up to, but not including, j, exactly.

        path   a list of labels: P(y_i, ..., y_{j-1} = path) (eq:span); or the type of a span, such as "PER" where
               labels are B-PER, I-PER, O: P that exactly these positions form a span of it (eq:typed-span)
        """
        i, j = (position_number(place, "a span") for place in (i, j))
        if isinstance(path, str) and 0 <= i <= j <= self.trellis.T:
            names = self.trellis.labels
            return typed_span(names, self.trellis.T, i, j, path, self.span)
        ids = self.trellis.label_set.ids(path)
        if i > j:
            raise LabelError(f"span({i}, {j}) ends before it begins")
        if not 0 <= i <= j <= self.trellis.T:
            raise LabelError(f"span({i}, {j}) lies outside a sequence of {self.trellis.T} positions")
        if len(ids) != j - i:
            raise ShapeError(
                f"span({i}, {j}) covers {j - i} positions (the end is not included), but {len(ids)} labels came"
            )
        return float(self._messages.span(i, j, ids))

    def _position(self, t: int) -> int:
        return position_of(t, self.trellis.T)

    def __repr__(self) -> str:
        return f"Posterior(T={self.trellis.T}, L={self.trellis.L}, log_z={self.log_z:.6g})"


def node_marginals(question: Question, part: Part, threads: int) -> tuple[Any, Any, Any]:
    """Flat node marginals, log Z and the log-space flags of one part."""
    node = np.empty(int((part.lengths * part.sizes).sum()), part.dtype)
    log_z, log_space = np.empty(len(part.numbers)), np.zeros(len(part.numbers), np.uint8)
    _core.node_marginals(part.batch, node, log_z, log_space, threads)
    question.refuse_impossible(part, log_z)
    return node, log_z, log_space


@overload
def posterior(asked: Trellis, *, threads: int | None = None) -> Posterior: ...
@overload
def posterior(asked: Batched, *, threads: int | None = None) -> Results[Posterior]: ...
def posterior(asked: Asked, *, threads: int | None = None) -> Posterior | Results[Posterior]:
    """Node marginals now; entropy, moves and stretches when they are asked for."""
    question, count = Question(asked), thread_count(threads)
    answers: list[tuple[Any, float, bool]] = [(None, 0.0, False)] * len(question)
    for part in question.parts:
        node, log_z, log_space = node_marginals(question, part, count)
        starts = part.starts(part.lengths * part.sizes)
        for place, number in enumerate(part.numbers):
            rows = node[starts[place] : starts[place + 1]].reshape(-1, part.sizes[place])
            answers[number] = (frozen(rows), float(log_z[place]), bool(log_space[place]))
    if question.single:
        return Posterior(question.trellis(0), *answers[0])
    # Kept, because what a posterior computes later it remembers.
    made = [Posterior(question.trellis(i), *answer) for i, answer in enumerate(answers)]
    return Results(len(made), made.__getitem__)
