"""Log-potentials of one sequence, and of many that share labels and edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import LabelIds, Scores, as_lengths, as_scores, check_scores, frozen
from seqlab.errors import OptionError, ShapeError
from seqlab.lazy import hooks
from seqlab.trellis.checks import Tables, as_rows, check_order, check_tables
from seqlab.trellis.constraints import (
    Constraints,
    Moves,
    PerPosition,
    Restrictions,
    Some,
    masked_tables,
    restrictions,
)
from seqlab.trellis.labels import Label, LabelSet


class _Scored:
    """Checked scores of one sequence or of several, with their labels, order and dtype."""

    __slots__ = ("_batch", "_label_set", "_order", "_tables", "advice")

    _tables: Tables
    _order: int
    _label_set: LabelSet
    _batch: _core.Batch32 | _core.Batch64 | None

    # Advice for the error when no path is left, computed only then. "" for none.
    advice: Callable[[], str] | None

    @property
    def L(self) -> int:
        """Number of labels."""
        return self._label_set.size

    @property
    def order(self) -> int:
        """Number of previous labels that a transition depends on."""
        return self._order

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64: the type of the scores and of the computation."""
        return self._tables.node.dtype

    @property
    def per_position(self) -> bool:
        """True when edge has one slab per position."""
        return self._tables.per_position

    @property
    def labels(self) -> tuple[str, ...] | None:
        """Names of the labels, if they have any."""
        return self._label_set.names

    @property
    def label_set(self) -> LabelSet:
        """Translates between names and numbers."""
        return self._label_set

    def batch(self) -> _core.Batch32 | _core.Batch64:
        """Return the scores as a batch of the core."""
        if self._batch is None:
            batch = _core.Batch32() if self.dtype == np.float32 else _core.Batch64()
            self.add_to(batch)
            self._batch = batch
        return self._batch

    def add_to(self, batch: Any) -> None:
        """Append to a core batch of the same dtype."""
        raise NotImplementedError

    def _mask(self, rules: Constraints, firsts: npt.ArrayLike, lasts: npt.ArrayLike) -> None:
        """Write -inf for forbidden transitions, starts and ends into the scores."""
        self._tables = masked_tables(self._tables, rules, firsts, lasts, self._order, self._label_set)


class Trellis(_Scored):
    """Log-potentials of one sequence with T positions and L labels, checked once and then trusted.

    node    (T, L)             ψ_t(y): natural logs, -inf for what is forbidden
    edge    (L, L)             ψ(y', y) shared by all positions, or (T-1, L, L): slab t-1 holds the moves arriving at t
            order k            k + 1 label axes: (L, ..., L), or (T-k, L, ..., L)
    head    order 2 and 3      scores of the moves arriving at positions 1 .. k-1, where fewer labels lie behind:
                               head[0] (L, L), head[1] (L, L, L); what is missing is zero
    start   (L,)               added to the first row of node
    stop    (L,)               added to the last row of node
    labels, constraints        names, which results speak; a Constraints

    float32 and float64 are kept as they are (mixed: float64). Arrays are borrowed, not copied, unless `start`, `stop`
    or forbidden moves must be folded in: do not change them afterwards. T = 0 is legal: one empty path with score 0.
    """

    __slots__ = ("_restrictions",)

    def __init__(
        self,
        node: npt.ArrayLike,
        edge: npt.ArrayLike,
        *,
        order: int = 1,
        head: Sequence[npt.ArrayLike] = (),
        start: npt.ArrayLike | None = None,
        stop: npt.ArrayLike | None = None,
        labels: Sequence[str] | None = None,
        constraints: Constraints | None = None,
    ) -> None:
        order = check_order(order)
        rows = _with_ends(as_rows(node), start, stop)
        tables = check_tables(rows, edge, order, head, max(len(rows) - order, 0), len(rows))
        label_set = LabelSet(tables.node.shape[1], labels)
        self._set(tables, order, label_set, Restrictions.none())
        if constraints is not None:
            self._constrain(constraints)

    def _set(self, tables: Tables, order: int, label_set: LabelSet, lists: Restrictions) -> None:
        self._tables = tables
        self._order = order
        self._label_set = label_set
        self._restrictions = lists
        self.advice = None
        self._batch = None

    @classmethod
    def _trusted(cls, tables: Tables, order: int, label_set: LabelSet, lists: Restrictions) -> Trellis:
        """Make a trellis from parts that are already checked."""
        trellis = cls.__new__(cls)
        trellis._set(tables, order, label_set, lists)
        return trellis

    def __reduce__(self) -> tuple[Any, ...]:
        return Trellis._trusted, (self._tables, self._order, self._label_set, self._restrictions)

    @property
    def T(self) -> int:
        """Number of positions."""
        return int(self._tables.node.shape[0])

    @property
    def node(self) -> Scores:
        """(T, L), read-only."""
        return frozen(self._tables.node)

    @property
    def edge(self) -> Scores:
        """(L, ..., L) or (T-k, L, ..., L), read-only; forbidden transitions are -inf in it."""
        return frozen(self._tables.edge)

    @property
    def head(self) -> tuple[Scores, ...]:
        """Lower-order transitions of the first positions, read-only."""
        return tuple(frozen(tensor) for tensor in self._tables.head)

    @property
    def allowed(self) -> dict[int, LabelIds]:
        """{position: label numbers} for the positions where not everything is allowed."""
        lists = self._restrictions
        return {int(t): lists.at(i) for i, t in enumerate(lists.where)}

    def constrain(
        self,
        *,
        forbidden_moves: Moves = (),
        forbidden_starts: Some = (),
        forbidden_ends: Some = (),
        known: Mapping[int, Label] | None = None,
        allowed: PerPosition | None = None,
    ) -> Trellis:
        """Copy the trellis with further masks on it, those of Constraints.

        forbidden_moves, forbidden_starts, forbidden_ends, known, allowed   as there
        """
        tighter = Trellis._trusted(self._tables, self._order, self._label_set, self._restrictions)
        tighter.advice = self.advice
        tighter._constrain(Constraints(forbidden_moves, forbidden_starts, forbidden_ends, known, allowed))
        return tighter

    def _constrain(self, rules: Constraints) -> None:
        _check_rules(rules)
        self._restrictions = restrictions(rules, self.T, self._label_set, self._restrictions)
        ends = np.arange(self.T)
        self._mask(rules, ends[:1], ends[-1:])

    def score(self, path: Iterable[Label]) -> float:
        """Compute the score of one path, given as names or numbers; -inf when it breaks a rule (eq:path-score)."""
        ids = self._label_set.ids(path)
        if len(ids) != self.T:
            raise ShapeError(f"a path of {len(ids)} labels for a trellis of {self.T} positions")
        lists = self._restrictions
        rows = lists.mask(self.L)
        if not rows[np.arange(len(lists.where)), ids[lists.where]].all():
            return float("-inf")
        return _core.path_score(self.batch(), 0, ids)

    def add_to(self, batch: Any) -> None:
        """Append to a core batch of the same dtype."""
        tables, lists = self._tables, self._restrictions
        batch.add(tables.node, tables.edge, self._order, tables.per_position, list(tables.head), *lists)

    def _repr_svg_(self) -> str | None:
        painter = hooks.get("painter")  # a notebook then shows the picture
        return None if painter is None else str(painter(self))

    def __repr__(self) -> str:
        edges = "one edge slab per position" if self.per_position else "shared edges"
        limited = (
            f", {len(self._restrictions.where)} positions restricted" if len(self._restrictions.where) else ""
        )
        return f"Trellis(T={self.T}, L={self.L}, order={self.order}, {self.dtype}, {edges}{limited})"


class TrellisBatch(_Scored, Sequence[Trellis]):
    """A ragged batch.

    node      (ΣT, L)     the rows of all sequences, one after another
    lengths   (N,)        how many rows each sequence has; 0 is legal
    edge      (L, ..., L) shared by all, or the per-position slabs of all sequences one after another
    order, head, labels   as in Trellis
    constraints           forbidden moves, starts and ends; what speaks of single positions belongs to single trellises
                          (make a list of Trellis instead: every function of seqlab.inference takes one)
    """

    __slots__ = ("_rows", "_slabs", "lengths")

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
        rows = as_rows(node)
        self.lengths = as_lengths(lengths, len(rows))
        slabs = np.maximum(self.lengths - self._order, 0)
        longest = int(self.lengths.max(initial=0))
        self._tables = check_tables(rows, edge, self._order, head, int(slabs.sum()), longest)
        self._label_set = LabelSet(self._tables.node.shape[1], labels)
        self._rows = np.concatenate([[0], np.cumsum(self.lengths)])
        self._slabs = np.concatenate([[0], np.cumsum(slabs)])
        self._batch = None
        if constraints is not None:
            self._constrain(constraints)

    def _constrain(self, rules: Constraints) -> None:
        _check_rules(rules)
        if rules.known or rules.allowed is not None:
            raise OptionError(
                "known and allowed labels speak of one sequence's positions; constrain the trellises one by one "
                "(batch[i].constrain(...)) and pass the list of them to seqlab.inference"
            )
        some = np.flatnonzero(self.lengths)
        self._mask(rules, self._rows[some], self._rows[some + 1] - 1)

    @staticmethod
    def of(trellises: Sequence[Trellis]) -> TrellisBatch:
        """Make a batch of trellises that share labels, order and edge scores; their node rows are copied together."""
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
        make = partial(TrellisBatch, order=self._order, head=self._tables.head, labels=self.labels)
        return make, (self._tables.node, self.lengths, self._tables.edge)

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

    def add_to(self, batch: Any) -> None:
        """Append all sequences to a core batch of the same dtype."""
        node, edge, head, per_position = self._tables
        batch.add_many(node, self.lengths, edge, self._order, per_position, list(head))

    def __repr__(self) -> str:
        return (
            f"TrellisBatch({len(self)} sequences, {len(self._tables.node)} positions, L={self.L}, "
            f"order={self.order}, {self.dtype})"
        )


def _check_rules(rules: Any) -> None:
    if not isinstance(rules, Constraints):
        raise TypeError(f"constraints must be a seqlab.Constraints, got {type(rules).__name__}")


def _with_ends(rows: Scores, start: npt.ArrayLike | None, stop: npt.ArrayLike | None) -> Scores:
    """Fold start and stop scores into a copy of the first and last rows."""
    if start is None and stop is None:
        return rows
    check_scores(rows, "node")
    ends = {}
    for name, value in (("start", start), ("stop", stop)):
        if value is None:
            continue
        ends[name] = as_scores(value, name)
        if ends[name].shape != (rows.shape[1],):
            raise ShapeError(f"{name} scores have shape {ends[name].shape}, but ({rows.shape[1]},) is wanted")
        check_scores(ends[name], name)
    rows = rows.astype(np.result_type(rows, *ends.values()))
    with np.errstate(over="ignore"):  # the checks below report an overflow
        rows[:1] += ends.get("start", 0)
        rows[-1:] += ends.get("stop", 0)
    return rows
