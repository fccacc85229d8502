"""Expected counts: what a learner takes the difference of (eq:expected-counts)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import Probabilities
from seqlab.inference.questions import Asked, Part, Question, Results
from seqlab.threads import thread_count
from seqlab.trellis import Trellis, TrellisBatch

Counts = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedCounts:
    """How often each label and each move is expected under the distribution over paths.

    node    (T, L)                   per position; for a TrellisBatch all rows one after another (ΣT, L);
                                     None when it was not asked for
    edge    shared edges             (L, ..., L), summed over positions and, for a TrellisBatch, over its sequences
            per-position edges       (T-k, L, ..., L); for a TrellisBatch the slabs of all sequences
    head    orders 2 and 3           moves of the first positions: (L, L) arriving at 1, (L, L, L) arriving at 2
    log_z   float, or (N,) for a TrellisBatch
    """

    node: Probabilities | None
    edge: Counts
    head: tuple[Counts, ...]
    log_z: Any


@overload
def expected_counts(  # type: ignore[overload-overlap]  # a TrellisBatch is a sequence too: the first match is meant
    asked: Trellis | TrellisBatch, *, node: bool = True, threads: int | None = None
) -> ExpectedCounts: ...
@overload
def expected_counts(
    asked: Sequence[Trellis], *, node: bool = True, threads: int | None = None
) -> Results[ExpectedCounts]: ...
def expected_counts(
    asked: Asked, *, node: bool = True, threads: int | None = None
) -> ExpectedCounts | Results[ExpectedCounts]:
    """Node marginals and expected moves, the gradient of log Z with respect to node and edge scores.

    A TrellisBatch gives one answer summed over its sequences; a list of trellises gives one answer each.
    With node=False only the moves are counted: for long sequences that saves the time to write the marginals.
    """
    question, count = Question(asked), thread_count(threads)
    if isinstance(asked, TrellisBatch):
        return _of_batch(asked, question, question.parts[0], count, node=node)
    answers: list[ExpectedCounts] = [None] * len(question)  # type: ignore[list-item]
    for part in question.parts:
        _fill(question, part, count, answers, node=node)
    return answers[0] if question.single else Results(len(answers), answers.__getitem__)


def _run(
    question: Question,
    part: Part,
    edge: Counts,
    head: list[Counts],
    *,
    shared: bool,
    threads: int,
    with_node: bool = True,
    spread: bool = False,
) -> tuple[Any, Any]:
    node = np.empty(int((part.lengths * part.sizes).sum()), part.dtype) if with_node else None
    log_z, log_space = np.empty(len(part.numbers)), np.zeros(len(part.numbers), np.uint8)
    _core.expected_counts(part.batch, node, edge, head[0], head[1], shared, spread, log_z, log_space, threads)
    question.refuse_impossible(part, log_z)
    return node, log_z


def _of_batch(
    batch: TrellisBatch, question: Question, part: Part, threads: int, *, node: bool
) -> ExpectedCounts:
    size, order = batch.L, batch.order
    cube = (size,) * (order + 1)
    slabs = int(np.maximum(batch.lengths - order, 0).sum())
    shape = (slabs, *cube) if batch.per_position else cube
    shared = not batch.per_position
    copies = 1 if shared else len(batch)  # heads of per-position batches come back one by one
    edge = np.zeros(int(np.prod(shape)))
    head = [np.zeros(copies * size ** (i + 2) if order > i + 1 else 0) for i in range(2)]
    gamma, log_z = _run(question, part, edge, head, shared=shared, threads=threads, with_node=node)
    heads = tuple(head[i].reshape(copies, *(size,) * (i + 2)).sum(axis=0) for i in range(order - 1))
    rows = gamma.reshape(-1, size) if node else None
    return ExpectedCounts(rows, edge.reshape(shape), heads, log_z)


def _fill(question: Question, part: Part, threads: int, answers: list[ExpectedCounts], *, node: bool) -> None:
    trellises = [question.trellis(int(number)) for number in part.numbers]
    shapes = [_edge_shape(one) for one in trellises]
    edge_sizes = np.array([int(np.prod(shape)) for shape in shapes], dtype=np.int64)
    head_sizes = [
        np.array([one.L ** (i + 2) if one.order > i + 1 else 0 for one in trellises]) for i in range(2)
    ]
    edge, head = np.zeros(int(edge_sizes.sum())), [np.zeros(int(sizes.sum())) for sizes in head_sizes]
    gamma, log_z = _run(question, part, edge, head, shared=False, threads=threads, with_node=node)
    node_at, edge_at = part.starts(part.lengths * part.sizes), part.starts(edge_sizes)
    head_at = [part.starts(sizes) for sizes in head_sizes]
    for place, one in enumerate(trellises):
        heads = tuple(
            head[i][head_at[i][place] : head_at[i][place + 1]].reshape((one.L,) * (i + 2))
            for i in range(one.order - 1)
        )
        answers[part.numbers[place]] = ExpectedCounts(
            gamma[node_at[place] : node_at[place + 1]].reshape(one.T, one.L) if node else None,
            edge[edge_at[place] : edge_at[place + 1]].reshape(shapes[place]),
            heads,
            float(log_z[place]),
        )


def _edge_shape(trellis: Trellis) -> tuple[int, ...]:
    cube = (trellis.L,) * (trellis.order + 1)
    return (max(trellis.T - trellis.order, 0), *cube) if trellis.per_position else cube


def edge_marginals(trellis: Trellis) -> Counts:
    """P of every move at every position (eq:edge-marginal), (T-k, L, ..., L)."""
    question = Question(trellis)
    shape = (max(trellis.T - trellis.order, 0), *(trellis.L,) * (trellis.order + 1))
    edge = np.zeros(int(np.prod(shape)))
    head = [np.zeros(trellis.L ** (i + 2) if trellis.order > i + 1 else 0) for i in range(2)]
    _run(question, question.parts[0], edge, head, shared=False, threads=1, with_node=False, spread=True)
    return edge.reshape(shape)
