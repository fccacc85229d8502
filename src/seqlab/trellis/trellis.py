"""Log-potentials of one sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import LabelIds, Scores, as_scores, check_scores, frozen
from seqlab.errors import ShapeError
from seqlab.lazy import lent
from seqlab.trellis.checks import Tables, check_order, check_tables
from seqlab.trellis.constraints import (
    Constraints,
    Moves,
    PerPosition,
    Restrictions,
    Some,
    forbid,
    forbid_ends,
    move_mask,
    restrictions,
)
from seqlab.trellis.described import Described
from seqlab.trellis.labels import Label, LabelSet


class Trellis(Described):
    """Log-potentials of one sequence with T positions and L labels, checked once and then trusted.

    node    (T, L)             ψ_t(y): natural logs, -inf for what is forbidden
    edge    (L, L)             ψ(y', y) shared by all positions, or (T-1, L, L): slab t-1 holds the moves arriving at t
            order k            k + 1 label axes: (L, ..., L), or (T-k, L, ..., L)
    head    order 2 and 3      scores of the moves arriving at positions 1 .. k-1, where fewer labels lie behind:
                               head[0] (L, L), head[1] (L, L, L); what is missing is zero
    start   (L,)               added to the first row of node
    stop    (L,)               added to the last row of node
    labels                     names; results speak them

    float32 and float64 are kept as they are (mixed: float64). Arrays are borrowed, not copied, unless `start`, `stop`
    or forbidden moves must be folded in: do not change them afterwards. T = 0 is legal: one empty path with score 0.
    """

    __slots__ = ("_batch", "_label_set", "_order", "_restrictions", "_tables", "advice")

    # What whoever made the scores has to say when no path is left; asked then only. "" for nothing.
    advice: Callable[[], str] | None

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
        node = _with_ends(node, start, stop)
        tables = check_tables(node, edge, order, head, None, len(node) if node.ndim else 0)
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
        self._batch: _core.Batch32 | _core.Batch64 | None = None

    @classmethod
    def _trusted(cls, tables: Tables, order: int, label_set: LabelSet, lists: Restrictions) -> Trellis:
        """From parts that were checked elsewhere."""
        trellis = cls.__new__(cls)
        trellis._set(tables, order, label_set, lists)
        return trellis

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self._tables, self._order, self.labels, self._restrictions)

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
        """(L, ..., L) or (T-k, L, ..., L), read-only; forbidden moves are -inf in it."""
        return frozen(self._tables.edge)

    @property
    def head(self) -> tuple[Scores, ...]:
        """Lower-order moves of the first positions, read-only."""
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
        """The same trellis with further masks on it; see Constraints for the arguments."""
        tighter = Trellis._trusted(self._tables, self._order, self._label_set, self._restrictions)
        tighter.advice = self.advice
        tighter._constrain(Constraints(forbidden_moves, forbidden_starts, forbidden_ends, known, allowed))
        return tighter

    def _constrain(self, rules: Constraints) -> None:
        if not isinstance(rules, Constraints):
            raise TypeError(f"constraints must be a seqlab.Constraints, got {type(rules).__name__}")
        self._restrictions = restrictions(rules, self.T, self._label_set, self._restrictions)
        ends = np.arange(self.T)
        node = forbid_ends(self._tables.node, ends[:1], ends[-1:], rules, self._label_set)
        self._tables = masked_tables(self._tables._replace(node=node), rules, self._order, self._label_set)

    def score(self, path: Iterable[Label]) -> float:
        """Score of one path, given as names or numbers; -inf when it breaks a rule (eq:path-score)."""
        ids = self._label_set.ids(path)
        if len(ids) != self.T:
            raise ShapeError(f"a path of {len(ids)} labels for a trellis of {self.T} positions")
        lists = self._restrictions
        rows = lists.mask(self.L)
        if not rows[np.arange(len(lists.where)), ids[lists.where]].all():
            return float("-inf")
        return _core.path_score(self.batch(), 0, ids)

    def batch(self) -> _core.Batch32 | _core.Batch64:
        """This trellis alone, as the core takes it."""
        if self._batch is None:
            batch = _core.Batch32() if self.dtype == np.float32 else _core.Batch64()
            self.add_to(batch)
            self._batch = batch
        return self._batch

    def add_to(self, batch: Any) -> None:
        """Append to a core batch of the same dtype."""
        tables, lists = self._tables, self._restrictions
        batch.add(tables.node, tables.edge, self._order, tables.per_position, list(tables.head), *lists)

    def _repr_svg_(self) -> str | None:
        painter = lent.get("painter")  # a notebook then shows the picture
        return None if painter is None else str(painter(self))

    def __repr__(self) -> str:
        edges = "one edge slab per position" if self.per_position else "shared edges"
        limited = (
            f", {len(self._restrictions.where)} positions restricted" if len(self._restrictions.where) else ""
        )
        return f"Trellis(T={self.T}, L={self.L}, order={self.order}, {self.dtype}, {edges}{limited})"


def masked_tables(tables: Tables, rules: Constraints, order: int, labels: LabelSet) -> Tables:
    """Forbidden moves folded into the edges, and into the head, which is made where it was missing."""
    mask = move_mask(rules.forbidden_moves, labels)
    if mask is None:
        return tables
    size = labels.size
    head = list(tables.head)
    while len(head) < order - 1:
        head.append(np.zeros((size,) * (len(head) + 2), dtype=tables.node.dtype))
    return tables._replace(
        edge=forbid(tables.edge, mask, order + 1),
        head=tuple(forbid(tensor, mask, tensor.ndim) for tensor in head),
    )


def _rebuilt(tables: Tables, order: int, labels: tuple[str, ...] | None, lists: Restrictions) -> Trellis:
    return Trellis._trusted(tables, order, LabelSet(tables.node.shape[1], labels), lists)


def _with_ends(node: npt.ArrayLike, start: npt.ArrayLike | None, stop: npt.ArrayLike | None) -> Scores:
    """Start and stop scores folded into a copy of the first and last rows."""
    rows = as_scores(node, "node")
    if rows.ndim != 2 or (start is None and stop is None):
        return rows
    check_scores(rows, "node")
    ends = {"start": start, "stop": stop}
    arrays = {name: as_scores(value, name) for name, value in ends.items() if value is not None}
    for name, array in arrays.items():
        if array.shape != (rows.shape[1],):
            raise ShapeError(f"{name} scores have shape {array.shape}, but ({rows.shape[1]},) is wanted")
        check_scores(array, name)
    rows = rows.astype(np.result_type(rows, *arrays.values()))
    with np.errstate(over="ignore"):  # what overflows here is named by the checks that follow
        _add_ends(rows, arrays)
    return rows


def _add_ends(rows: Scores, arrays: Mapping[str, Scores]) -> None:
    if len(rows):
        if "start" in arrays:
            rows[0] += arrays["start"]
        if "stop" in arrays:
            rows[-1] += arrays["stop"]
