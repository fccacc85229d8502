"""Many sequences that share labels and edges, in flat arrays: one call into the core for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import as_lengths, as_scores
from seqlab.errors import OptionError, ShapeError
from seqlab.trellis.checks import Tables, check_order, check_tables
from seqlab.trellis.constraints import Constraints, Restrictions, forbid_ends
from seqlab.trellis.described import Described
from seqlab.trellis.labels import LabelSet
from seqlab.trellis.trellis import Trellis, masked_tables


class TrellisBatch(Described, Sequence[Trellis]):
    """A ragged batch.

    node      (ΣT, L)     the rows of all sequences, one after another
    lengths   (N,)        how many rows each sequence has; 0 is legal
    edge      (L, ..., L) shared by all, or the per-position slabs of all sequences one after another
    order, head, labels   as in Trellis
    constraints           forbidden moves, starts and ends; what speaks of single positions belongs to single trellises
                          (make a list of Trellis instead: every function of seqlab.inference takes one)
    """

    __slots__ = ("_batch", "_label_set", "_order", "_rows", "_slabs", "_tables", "advice", "lengths")

    advice: Callable[[], str] | None  # see Trellis

    def __init__(
        self,
        node: npt.ArrayLike,
        lengths: Sequence[int] | npt.ArrayLike,
        edge: npt.ArrayLike,
        *,
        order: int = 1,
        head: Sequence[npt.ArrayLike] = (),
        labels: Sequence[str] | None = None,
        constraints: Constraints | None = None,
    ) -> None:
        self._order = check_order(order)
        self.advice = None
        rows = as_scores(node, "node")
        if rows.ndim != 2:
            raise ShapeError(
                f"node scores have shape {rows.shape}, but two axes (positions, labels) are wanted"
            )
        self.lengths = as_lengths(lengths, len(rows))
        slabs = np.maximum(self.lengths - self._order, 0)
        longest = int(self.lengths.max(initial=0))
        self._tables = check_tables(rows, edge, self._order, head, int(slabs.sum()), longest)
        self._label_set = LabelSet(self._tables.node.shape[1], labels)
        self._rows = np.concatenate([[0], np.cumsum(self.lengths)])
        self._slabs = np.concatenate([[0], np.cumsum(slabs)])
        self._batch: _core.Batch32 | _core.Batch64 | None = None
        if constraints is not None:
            self._constrain(constraints)

    def _constrain(self, rules: Constraints) -> None:
        if not isinstance(rules, Constraints):
            raise TypeError(f"constraints must be a seqlab.Constraints, got {type(rules).__name__}")
        if rules.known or rules.allowed is not None:
            raise OptionError(
                "known and allowed labels speak of one sequence's positions; constrain the trellises one by one "
                "(batch[i].constrain(...)) and pass the list of them to seqlab.inference"
            )
        some = np.flatnonzero(self.lengths)
        node = forbid_ends(
            self._tables.node, self._rows[some], self._rows[some + 1] - 1, rules, self._label_set
        )
        self._tables = masked_tables(self._tables._replace(node=node), rules, self._order, self._label_set)

    @staticmethod
    def of(trellises: Sequence[Trellis]) -> TrellisBatch:
        """One batch from trellises that share labels, order and edge scores; their node rows are copied together."""
        if not trellises:
            raise OptionError("a batch is made from at least one trellis; for none, pass an empty list")
        first = trellises[0]
        for i, one in enumerate(trellises):
            same = one.order == first.order and one.labels == first.labels and one.L == first.L
            shared = not one.per_position and np.array_equal(one.edge, first.edge)
            heads = len(one.head) == len(first.head) and all(map(np.array_equal, one.head, first.head))
            if not (same and shared and heads) or one.allowed:
                raise OptionError(
                    f"trellis {i} differs from trellis 0 in labels, order or edge scores, or restricts positions; "
                    f"pass the list itself to seqlab.inference instead"
                )
        node = np.concatenate([one.node for one in trellises])
        lengths = [one.T for one in trellises]
        return TrellisBatch(
            node, lengths, first.edge, order=first.order, head=first.head, labels=first.labels
        )

    def __reduce__(self) -> tuple[Any, ...]:
        tables = self._tables
        return _rebuilt, (tables.node, self.lengths, tables.edge, self._order, tables.head, self.labels)

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if not -len(self) <= i < len(self):
            raise IndexError(f"sequence {i} of a batch of {len(self)}")
        i = int(i) % len(self)
        tables = self._tables
        node = tables.node[self._rows[i] : self._rows[i + 1]]
        edge = tables.edge[self._slabs[i] : self._slabs[i + 1]] if tables.per_position else tables.edge
        part = Tables(node, edge, tables.head, tables.per_position)
        one = Trellis._trusted(part, self._order, self._label_set, Restrictions.none())
        one.advice = self.advice
        return one

    def __iter__(self) -> Iterator[Trellis]:
        return (self[i] for i in range(len(self)))

    def batch(self) -> _core.Batch32 | _core.Batch64:
        """All sequences, as the core takes them."""
        if self._batch is None:
            batch: Any = _core.Batch32() if self.dtype == np.float32 else _core.Batch64()
            tables = self._tables
            batch.add_many(
                tables.node, self.lengths, tables.edge, self._order, tables.per_position, list(tables.head)
            )
            self._batch = batch
        return self._batch

    def __repr__(self) -> str:
        return (
            f"TrellisBatch({len(self)} sequences, {len(self._tables.node)} positions, L={self.L}, "
            f"order={self.order}, {self.dtype})"
        )


def _rebuilt(node: Any, lengths: Any, edge: Any, order: int, head: Any, labels: Any) -> TrellisBatch:
    return TrellisBatch(node, lengths, edge, order=order, head=head, labels=labels)
