"""The distribution over paths: probabilities of labels, moves and spans, and expected counts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import prod
from typing import Any, overload

import numpy as np

from seqlab import _core
from seqlab.arrays import Probabilities, frozen, position_number, position_of, thread_count
from seqlab.errors import LabelError, Place, ShapeError
from seqlab.inference.questions import Asked, Batched, Doubles, Part, Question, Results, lost_digits
from seqlab.inference.spans import checked_span, span_types
from seqlab.shown import Brief, Table, Tabular
from seqlab.trellis import Trellis, TrellisBatch
from seqlab.trellis.labels import Label

LABELS = 10  # shown in a notebook


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Tabular):
    """The distribution over the paths of one trellis.

    node        (T, L)   P(y_t = y), in the trellis's dtype
    log_z       float    log of the sum over all paths
    entropy     float    of the distribution over paths, in nats
    edge        (T-k, L, ..., L)   P of each transition; slab t-k is the one into t
    log_space   bool     the fast scaled pass could not be certified, so log space was used
    """

    trellis: Trellis
    node: Probabilities
    log_z: float
    log_space: bool

    @cached_property
    def entropy(self) -> float:
        """Entropy of the distribution over paths, in nats (eq:entropy)."""
        return self._sound(_core.entropy(self.trellis.batch(), 0))

    @cached_property
    def edge(self) -> Probabilities:
        """(T-k, L, ..., L): slab t-k holds P of the moves arriving at t (eq:edge-marginal)."""
        return frozen(_edge_marginals(self.trellis))

    @cached_property
    def _messages(self) -> _core.Messages32 | _core.Messages64:
        batch: Any = self.trellis.batch()
        return _core.Messages32(batch, 0) if self.trellis.dtype == np.float32 else _core.Messages64(batch, 0)

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def label(self, t: int, y: Label) -> float:
        """P(y_t = y), t from 0."""
        return float(self.node[self._position(t), self.trellis.label_set.id(y)])

    def move(self, t: int, y1: Label, y2: Label) -> float:
        """P(y_{t-1} = y1, y_t = y2): the move that arrives at t."""
        t = self._position(t)
        if t == 0:
            raise LabelError("no move arrives at position 0; the first is the one that arrives at position 1")
        return self.span(t - 1, t + 1, (y1, y2))

    def span(self, i: int, j: int, path: Iterable[Label] | str) -> float:
        """P of the labels from i up to, but not including, j, exactly.

        path   a list of labels: P(y_i, ..., y_{j-1} = path) (eq:span); or the type of a span, such as "PER" where
               labels are B-PER, I-PER, O: P that exactly these positions form a span of it (eq:typed-span)
        """
        i, j = (position_number(place, "a span") for place in (i, j))
        if i > j:
            raise LabelError(f"span({i}, {j}) ends before it begins")
        if not 0 <= i <= j <= self.trellis.T:
            raise LabelError(f"span({i}, {j}) lies outside a sequence of {self.trellis.T} positions")
        if isinstance(path, str):
            types = span_types(tuple(self.trellis.labels or ()))
            *_, kind = checked_span((i, j, path), self.trellis.T, types, Place())
            return self._sound(self._messages.typed_span(i, j, kind, types.of, types.borders))
        ids = self.trellis.label_set.ids(path)
        if len(ids) != j - i:
            raise ShapeError(
                f"span({i}, {j}) covers {j - i} positions (the end is not included), but {len(ids)} labels came"
            )
        return self._sound(self._messages.span(i, j, ids))

    def _sound(self, value: float) -> float:
        if math.isnan(value):
            raise lost_digits(self.trellis, Place())
        return value

    def _position(self, t: int) -> int:
        return position_of(t, self.trellis.T)

    def _columns(self) -> Table:
        labels = self.trellis.labels or range(self.trellis.L)
        return {str(label): self.node[:, y] for y, label in enumerate(labels)}

    def _views(self) -> Iterator[str | Table]:
        from seqlab.views.notebook import Share

        yield repr(self)
        columns, best = self._columns(), self.node.max(axis=0, initial=0).argsort(kind="stable")[::-1]
        likely = [name for y, name in enumerate(columns) if y in best[:LABELS]]
        if len(likely) < len(columns):
            yield f"the {len(likely)} labels of {len(columns)} that are likely somewhere"
        shares = {name: [*map(Share, columns[name].tolist())] for name in likely}
        yield {"position": range(self.trellis.T), **shares}

    def __repr__(self) -> str:
        return f"Posterior(T={self.trellis.T}, L={self.trellis.L}, log_z={self.log_z:.6g})"


def node_marginals(question: Question, part: Part, threads: int) -> tuple[Any, Any, Any]:
    """Compute flat node marginals, log Z and the log-space flags of one part."""
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
    """Compute node marginals of trellises asked now; entropy, transitions, spans on demand; threads: None for all."""
    question, count = Question(asked), thread_count(threads)

    def marginals(part: Part) -> Iterator[Posterior]:
        node, log_z, log_space = node_marginals(question, part, count)
        parts = zip(part.numbers.tolist(), part.tables(node), log_z.tolist(), log_space, strict=True)
        for number, table, one, fallback in parts:
            yield Posterior(question.trellis(number), frozen(table), one, bool(fallback))

    return question.answer(marginals)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExpectedCounts(Brief):
    """Expected number of each label and each move under the distribution over paths.

    node    (T, L)                   per position; for a TrellisBatch all rows one after another (ΣT, L);
                                     None when it was not asked for
    edge    shared edges             (L, ..., L), summed over positions and, for a TrellisBatch, over its sequences
            per-position edges       (T-k, L, ..., L); for a TrellisBatch the slabs of all sequences
    head    orders 2 and 3           moves of the first positions: (L, L) arriving at 1, (L, L, L) arriving at 2
    log_z   float, or (N,) for a TrellisBatch
    """

    node: Probabilities | Any
    edge: Doubles
    head: tuple[Doubles, ...]
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
    """Compute node marginals and expected moves, the gradient of log Z with respect to node and edge scores.

    asked: a Trellis, a TrellisBatch or a list; threads: how many to use, None for every core.
    A TrellisBatch gives one answer summed over its sequences; a list of trellises gives one answer each.
    With node=False only the moves are counted: for long sequences that saves the time to write the marginals.
    """
    question, count = Question(asked), thread_count(threads)
    if isinstance(asked, TrellisBatch):
        return _of_batch(asked, question, count, node=node)

    def each(part: Part) -> Iterator[ExpectedCounts]:
        some = [question.trellis(number) for number in part.numbers.tolist()]
        shapes = [_shapes(one, _slabs(one) if one.per_position else None) for one in some]
        sizes = np.array([[prod(shape) for shape in of_one] for of_one in shapes])  # (n, 3): edge, head, head
        gamma, flat, log_z = _counts(question, part, sizes.sum(axis=0), count, node=node)
        tables = part.tables(gamma) if node else itertools.repeat(None)
        pieces = zip(*(part.split(*pair) for pair in zip(flat, sizes.T, strict=True)), strict=True)
        for one, of_one, table, cut, value in zip(some, shapes, tables, pieces, log_z.tolist(), strict=False):
            edge, *head = (piece.reshape(shape) for piece, shape in zip(cut, of_one, strict=True))
            yield ExpectedCounts(table, edge, tuple(head[: one.order - 1]), value)

    return question.answer(each)


def _of_batch(batch: TrellisBatch, question: Question, threads: int, *, node: bool) -> ExpectedCounts:
    """Sum over the sequences; heads of per-position batches are returned one by one."""
    copies = len(batch) if batch.per_position else 1
    slabs = int(np.maximum(batch.lengths - batch.order, 0).sum()) if batch.per_position else None
    shape, *heads = _shapes(batch, slabs)
    sizes = [prod(shape), *(copies * prod(one) for one in heads)]
    gamma, (edge, *flat), log_z = _counts(
        question, question.parts[0], sizes, threads, shared=not batch.per_position, node=node
    )
    head = (one.reshape(copies, *own).sum(axis=0) for one, own in zip(flat, heads, strict=True))
    rows = gamma.reshape(-1, batch.L) if node else None
    return ExpectedCounts(rows, edge.reshape(shape), tuple(head)[: batch.order - 1], log_z)


def _slabs(trellis: Trellis) -> int:
    return max(trellis.T - trellis.order, 0)


def _shapes(of: Trellis | TrellisBatch, slabs: int | None) -> list[tuple[int, ...]]:
    """Return the shapes of edge, whose slabs are per position unless None, and of both heads, empty when missing."""
    cube = (of.L,) * (of.order + 1)
    heads = [(of.L,) * k if of.order >= k else (0,) for k in (2, 3)]
    return [cube if slabs is None else (slabs, *cube), *heads]


def _counts(
    question: Question,
    part: Part,
    sizes: Iterable[int],
    threads: int,
    *,
    node: bool = True,
    shared: bool = False,
    spread: bool = False,
) -> tuple[Any, list[Doubles], Doubles]:
    """Compute flat node marginals (or None), flat counts of edge and heads with these sizes, and log Z of one part."""
    gamma = np.empty(int((part.lengths * part.sizes).sum()), part.dtype) if node else None
    edge, head, second = flat = [np.zeros(int(size)) for size in sizes]
    log_z, log_space = np.empty(len(part.numbers)), np.zeros(len(part.numbers), np.uint8)
    _core.expected_counts(part.batch, gamma, edge, head, second, shared, spread, log_z, log_space, threads)
    question.refuse_impossible(part, log_z)
    return gamma, flat, log_z


def _edge_marginals(trellis: Trellis) -> Doubles:
    """P of every move at every position (eq:edge-marginal), (T-k, L, ..., L)."""
    question, shapes = Question(trellis), _shapes(trellis, _slabs(trellis))
    sizes = map(prod, shapes)
    _, flat, _ = _counts(question, question.parts[0], sizes, 1, node=False, spread=True)
    return flat[0].reshape(shapes[0])
