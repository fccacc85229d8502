"""A linear-chain model: weights of attributes, of moves between labels, and of both together.

eq:linear-score   node_t(y) = Σ_a value_ta · w(a, y);   edge_t(y', y) = w(y', y) + Σ_b w(b, y', y)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import Scores
from seqlab.encode import EncodedCorpus
from seqlab.encode.encoded import Rows
from seqlab.errors import StoreError
from seqlab.store.codec import Array, Inside, Names, Offsets, Packed, Part, Setting
from seqlab.store.fields import check_dtype
from seqlab.tagging.door.constraints import Bools, Rules
from seqlab.trellis import Trellis, TrellisBatch

Weights = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class EdgeWeights:
    """Weights of attributes that see a move: attribute b has weights begin[b] .. begin[b + 1].

    begin     (attributes + 1,)
    move      (weights,)   from * L + to, rising within an attribute
    weights   (weights,)
    """

    begin: Annotated[npt.NDArray[np.int64], Offsets("edge weights", "E")]
    move: Annotated[npt.NDArray[np.int32], Array(np.int32, "edge weights", least=0, below="L*L")]
    weights: Annotated[Weights, Packed("edge weights")]

    def check(self) -> None:
        """Refuse a move that an attribute has twice."""
        check_rising("edge.move", self.move, self.begin)


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """Parameters of a linear-chain model with L labels and K attributes; frozen.

    labels      names, in the order of their numbers
    begin       (K + 1,)    attribute a has weights begin[a] .. begin[a + 1]
    label       (pairs,)    the label of each weight, rising within an attribute
    weights     (pairs,)
    moves       (L, L)      weight of the move from -> to; 0 where there is none
    move_seen   (L, L)      which moves have a weight
    triples     (L, L, L)   weights of three labels in a row, for order 2
    edge        weights of attributes that see a move, or None
    rules       what the model never says
    coarse      for order 2: a model of order 1 that tells which labels are worth a look
    keep        for order 2: labels with a smaller posterior under `coarse` are left out
    sharpness   for order 2: what the weights of `coarse` were multiplied by after its training
    dtype       how a model file holds the weights: float64 keeps them bit for bit; float32, float16 and int8 (of
                attributes only; moves stay float32 then) make the file smaller
    """

    stored_kind: ClassVar[str] = "linear model"
    stored_facts: ClassVar[tuple[str, ...]] = ("order",)

    labels: Annotated[tuple[str, ...], Names("L")]
    begin: Annotated[npt.NDArray[np.int64], Offsets("weights", "K")]
    label: Annotated[npt.NDArray[np.int32], Array(np.int32, "weights", least=0, below="L")]
    weights: Annotated[Weights, Packed("weights")]
    moves: Annotated[Weights, Packed("L", "L", small=True)]
    move_seen: Annotated[Bools, Array(np.bool_, "L", "L")]
    rules: Annotated[Rules, Inside(Rules, "rules.")]
    triples: Annotated[Weights | None, Packed("L", "L", "L", small=True, optional=True)] = None
    triple_seen: Annotated[Bools | None, Array(np.bool_, "L", "L", "L", optional=True)] = None
    edge: Annotated[EdgeWeights | None, Inside(EdgeWeights, "edge.", "edge")] = None
    coarse: Annotated[LinearModel | None, Part(optional=True)] = None
    keep: Annotated[float, Setting(float, least=0, most=1)] = 0.0
    sharpness: float = 1.0
    dtype: str = "float64"
    _scorers: dict[Any, Any] = field(default_factory=dict, repr=False)

    def check(self) -> None:
        """Refuse what a file may say and training never does."""
        check_rising("label", self.label, self.begin)
        if not 0 < self.sharpness < math.inf:
            raise StoreError(f"the setting 'sharpness' should be a number above 0, found {self.sharpness}")
        if (self.triples is None) != (self.triple_seen is None):
            raise StoreError("a model of order 2 should say which triples of labels have a weight")
        coarse = self.coarse
        if coarse is not None and (coarse.coarse, coarse.order, coarse.labels) != (None, 1, self.labels):
            raise StoreError("the coarse model should have the same labels, order 1 and no coarse model")
        check_dtype(self.dtype)

    @property
    def L(self) -> int:
        """Number of labels."""
        return len(self.labels)

    @property
    def order(self) -> int:
        """How many labels back a move looks."""
        return 1 if self.triples is None else 2

    @property
    def size(self) -> int:
        """Number of weights."""
        seen = 0 if self.triple_seen is None else int(self.triple_seen.sum())
        edges = 0 if self.edge is None else len(self.edge.weights)
        return len(self.weights) + int(self.move_seen.sum()) + seen + edges

    @property
    def theta(self) -> Weights:
        """All weights in one row: attribute-label pairs | moves | triples | edge attributes (a copy)."""
        parts = [self.weights, self.moves[self.move_seen]]
        if self.triples is not None:
            parts.append(self.triples[self.triple_seen])
        if self.edge is not None:
            parts.append(self.edge.weights)
        return np.concatenate(parts)

    def move_number(self) -> npt.NDArray[np.int32]:
        """(L · L,) the place of each move's weight among the moves, -1 for a move without one."""
        seen = self.move_seen.reshape(-1)
        return np.where(seen, np.cumsum(seen) - 1, -1).astype(np.int32)

    def with_theta(self, theta: Weights, **changes: Any) -> LinearModel:
        """The same model with other weights, in the order of `theta`."""
        theta = np.asarray(theta, dtype=np.float64)
        sizes = [len(self.weights), int(self.move_seen.sum())]
        sizes.append(0 if self.triple_seen is None else int(self.triple_seen.sum()))
        node, move, triple, edge = np.split(theta, np.cumsum(sizes))
        moves = np.zeros((self.L, self.L))
        moves[self.move_seen] = move
        triples = None
        if self.triple_seen is not None:
            triples = np.zeros((self.L,) * 3)
            triples[self.triple_seen] = triple
        edges = None if self.edge is None else replace(self.edge, weights=edge.copy())
        return replace(
            self, weights=node.copy(), moves=moves, triples=triples, edge=edges, _scorers={}, **changes
        )

    def multiplied(self, factor: float) -> LinearModel:
        """The same model with every weight times a factor above 0: the same labels, other probabilities."""
        return self if factor == 1.0 else self.with_theta(self.theta * factor)

    def node_scores(self, rows: Rows, *, dtype: Any = np.float32, threads: int = 1) -> Scores:
        """(tokens, L) scores of every label at every token."""
        tokens = len(rows.indptr) - 1
        node = np.empty((tokens, self.L), dtype=dtype)
        self._scorer(dtype)(rows.indptr, rows.ids, rows.values, node.reshape(-1), threads)
        return node

    def edge_scores(self, encoded: EncodedCorpus, *, dtype: Any = np.float32) -> Scores:
        """(L, L), or one slab (L, L) for every move of the corpus where attributes see moves."""
        moves = np.asarray(self.moves, dtype=dtype)
        if self.edge is None or encoded.edge is None:
            return moves
        return _slabs(moves, self.edge, encoded.edge, encoded.offsets)

    def trellises(
        self, encoded: EncodedCorpus, *, allowed: Any = None, dtype: Any = np.float32, threads: int = 1
    ) -> TrellisBatch | Sequence[Trellis]:
        """The trellis of every sentence.

        allowed   a models.dictionary.Allowed that restricts tokens, or None
        """
        if self.order == 2:
            from seqlab.families.linear.second_order import (
                second_order_trellises,  # it asks for the coarse pass
            )

            return second_order_trellises(self, encoded, allowed=allowed, dtype=dtype, threads=threads)
        node = self.node_scores(encoded.node, dtype=dtype, threads=threads)
        if allowed is not None:
            allowed.mask(node)
        return TrellisBatch(
            node,
            np.diff(encoded.offsets),
            self.edge_scores(encoded, dtype=dtype),
            labels=self.labels,
            constraints=self.rules.as_constraints(),
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__ if name != "_scorers"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_scorers", {})

    def __repr__(self) -> str:
        size = f"{len(self.begin) - 1} attributes, {self.size} weights"
        return f"LinearModel({self.L} labels, {size}, order {self.order})"

    def _scorer(self, dtype: Any) -> Any:
        kind = np.dtype(dtype)
        if kind not in self._scorers:
            made = _core.Scorer32 if kind == np.float32 else _core.Scorer64
            self._scorers[kind] = made(self.begin, self.label, self.weights, self.L)
        return self._scorers[kind]


def check_rising(name: str, numbers: npt.NDArray[np.int32], begin: npt.NDArray[np.int64]) -> None:
    """Refuse numbers that do not rise within an attribute: none may be there twice."""
    rises = np.diff(numbers) > 0
    inner = np.ones(max(len(numbers) - 1, 0), dtype=bool)
    first = begin[1:-1]
    inner[first[(first > 0) & (first < len(numbers))] - 1] = False  # from one attribute to the next
    if not rises[inner].all():
        raise StoreError(f"the array {name!r} should rise within each attribute")


def _slabs(moves: Scores, edge: EdgeWeights, rows: Rows, offsets: npt.NDArray[np.int64]) -> Scores:
    """moves plus the weights of the attributes that see each move: one slab for every token but the first ones."""
    lengths = np.diff(offsets)
    first = np.zeros(len(rows.indptr) - 1, dtype=bool)
    first[offsets[:-1][lengths > 0]] = True
    number = np.cumsum(~first) - 1  # the slab of each token that has one
    slabs = np.repeat(moves[None], int((~first).sum()), axis=0)
    token = np.repeat(np.arange(len(first)), np.diff(rows.indptr))
    inside = ~first[token]
    token, ids = token[inside], rows.ids[inside]
    values = None if rows.values is None else rows.values[inside]
    counts = np.diff(edge.begin)[ids]
    # The weights of every entry: runs begin[id] .. begin[id] + count, one after another.
    ends = np.cumsum(counts)
    weight = np.arange(int(counts.sum())) - np.repeat(ends - counts - edge.begin[ids], counts)
    cells = np.repeat(number[token], counts) * moves.size + edge.move[weight]
    amount = edge.weights[weight]
    if values is not None:
        amount = amount * np.repeat(values, counts)
    np.add.at(slabs.reshape(-1), cells, amount.astype(slabs.dtype))
    return slabs
