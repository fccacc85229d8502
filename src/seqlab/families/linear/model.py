"""A linear-chain model: weights of attributes, of transitions between labels, and of both together (edge attributes).

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
from seqlab.arrays import LabelIds, Scores
from seqlab.encode import EncodedCorpus
from seqlab.encode.encoded import Rows
from seqlab.errors import OptionError, StoreError
from seqlab.store.codec import Inside, Part
from seqlab.store.fields import Array, Names, Offsets, Packed, Setting, check_dtype
from seqlab.tagging.door.constraints import Bools, Rules
from seqlab.tagging.door.sentences import Gold
from seqlab.trellis import Trellis, TrellisBatch

Weights = npt.NDArray[np.float64]
Begins = npt.NDArray[np.int64]
Cells = npt.NDArray[np.int32]

MOST_CELLS = 2**25  # total size of the tables of tokens decoded at a time
MOST_ROWS = 2**27  # largest size of a table of labels in a row: 512 labels in order 2, 107 in order 3
# Fields of a model with the weights of two, three, ... labels in a row; a model of order k has the first k.
LEVELS = (("moves", "move_seen"), ("triples", "triple_seen"), ("quadruples", "quadruple_seen"))


@dataclass(frozen=True, slots=True, eq=False)
class EdgeWeights:
    """Weights of edge attributes: attribute b has weights begin[b] .. begin[b + 1].

    begin     (attributes + 1,)
    move      (weights,)   from * L + to, rising within an attribute; -1 for the one weight of an attribute of
              label_pairs(...), whose pairs are in Rows.moves
    weights   (weights,)
    """

    begin: Annotated[Begins, Offsets("edge weights", "E")]
    move: Annotated[Cells, Array(np.int32, "edge weights", least=-1, below="L*L")]
    weights: Annotated[Weights, Packed("edge weights")]

    def check(self) -> None:
        """Check that no attribute has a transition twice, or a weight for all pairs besides others."""
        check_rising("edge.move", self.move, self.begin)
        owner = np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))
        if (np.diff(self.begin)[owner[self.move < 0]] != 1).any():
            raise StoreError("an attribute with a weight for all pairs of labels should have no other")


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """Parameters of a linear-chain model with L labels and K attributes; frozen.

    labels      names, in the order of their numbers
    begin       (K + 1,)    attribute a has weights begin[a] .. begin[a + 1]
    label       (pairs,)    the label of each weight, rising within an attribute
    weights     (pairs,)
    moves       (L, L)      weight of the transition from -> to; 0 where there is none
    move_seen   (L, L)      True for transitions with a weight
    triples     (L, L, L)   weights of three labels in a row, from order 2 on; triple_seen: those with a weight
    quadruples  (L, L, L, L)   weights of four labels in a row, for order 3; quadruple_seen likewise
    edge        weights of edge attributes, or None
    rules       constraints on labels
    coarse      for order 2 and 3: a first-order model that prunes labels
    keep        for order 2 and 3: labels with a smaller posterior under `coarse` are pruned
    sharpness   for order 2 and 3: factor of the weights of `coarse`, applied after its training
    dtype       number type of the weights in a model file: float64 is exact; float32, float16 and int8 make the file
                smaller (with int8, transitions are float32)
    """

    stored_kind: ClassVar[str] = "linear model"
    stored_facts: ClassVar[tuple[str, ...]] = ("order",)

    labels: Annotated[tuple[str, ...], Names("L")]
    begin: Annotated[Begins, Offsets("weights", "K")]
    label: Annotated[Cells, Array(np.int32, "weights", least=0, below="L")]
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
    quadruples: Annotated[Weights | None, Packed("L", "L", "L", "L", small=True, optional=True)] = None
    quadruple_seen: Annotated[Bools | None, Array(np.bool_, "L", "L", "L", "L", optional=True)] = None
    _scorers: dict[Any, Any] = field(init=False, default_factory=dict, repr=False)

    def check(self) -> None:
        """Check parameters that were read from a file."""
        check_rising("label", self.label, self.begin)
        if not 0 < self.sharpness < math.inf:
            raise StoreError(f"the setting 'sharpness' should be a number above 0, found {self.sharpness}")
        there = [getattr(self, name) is not None for names in LEVELS for name in names]
        if there != sorted(there, reverse=True) or sum(there) % 2:
            raise StoreError("the model should have a table of weights for every order, and say which it has")
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
        """Number of previous labels that a transition depends on."""
        return len(self.tables)

    @property
    def tables(self) -> tuple[tuple[Weights, Bools], ...]:
        """Tables of two, three, ... labels in a row: (weights, True for those with a weight)."""
        both = ((getattr(self, weights), getattr(self, seen)) for weights, seen in LEVELS)
        return tuple((weights, seen) for weights, seen in both if weights is not None)

    @property
    def size(self) -> int:
        """Number of weights."""
        edges = 0 if self.edge is None else len(self.edge.weights)
        return len(self.weights) + sum(int(seen.sum()) for _, seen in self.tables) + edges

    @property
    def theta(self) -> Weights:
        """All weights in one vector: attribute-label pairs | transitions | triples | ... | edge attributes (a copy)."""
        parts = [self.weights, *(weights[seen] for weights, seen in self.tables)]
        if self.edge is not None:
            parts.append(self.edge.weights)
        return np.concatenate(parts)

    def with_theta(self, theta: Weights, **changes: Any) -> LinearModel:
        """Return the model with other weights, in the order of `theta`."""
        theta = np.asarray(theta, dtype=np.float64)
        sizes = [len(self.weights), *(int(seen.sum()) for _, seen in self.tables)]
        node, *own, edge = np.split(theta, np.cumsum(sizes))
        for (name, _), (_, seen), weights in zip(LEVELS, self.tables, own, strict=False):
            changes[name] = np.zeros(seen.shape)
            changes[name][seen] = weights
        edges = None if self.edge is None else replace(self.edge, weights=edge.copy())
        return replace(self, weights=node.copy(), edge=edges, **changes)

    def multiplied(self, factor: float) -> LinearModel:
        """Multiply every weight by a factor above 0: equal labels, other probabilities."""
        return self if factor == 1.0 else self.with_theta(self.theta * factor)

    def node_scores(self, rows: Rows, *, dtype: Any = np.float32, threads: int = 1) -> Scores:
        """Compute (tokens, L) scores of every label at every token."""
        tokens = len(rows.indptr) - 1
        node = np.empty((tokens, self.L), dtype=dtype)
        self._scorer(dtype)(rows.indptr, rows.ids, rows.values, node.reshape(-1), threads)
        return node

    def edge_scores(self, encoded: EncodedCorpus, *, dtype: Any = np.float32) -> Scores:
        """Compute (L, L), or one slab (L, L) for every transition of the corpus with edge attributes."""
        moves = np.asarray(self.moves, dtype=dtype)
        if self.edge is None or encoded.edge is None:
            return moves
        return _slabs(moves, self.edge, encoded.edge, encoded.offsets)

    def tokens_at_once(self, most: int, *, local: bool = False) -> int:
        """Compute how many tokens to decode at a time: fewer if each has its own transition table.

        local   True for an MEMM, whose normalisers make the tables differ
        """
        own = self.order > 1 and (local or self.edge is not None)
        return max(min(most, MOST_CELLS // self.L ** (self.order + 1)), 1) if own else most

    def trellises(
        self, encoded: EncodedCorpus, *, allowed: Any = None, dtype: Any = np.float32, threads: int = 1
    ) -> TrellisBatch | Sequence[Trellis]:
        """Make the trellis of every sentence.

        allowed   a tagging.door.constraints.Allowed that restricts tokens, or None
        """
        if self.order > 1:
            from seqlab.families.linear.higher_order import (
                higher_order_trellises,  # imported here, because it needs this module for the coarse pass
            )

            return higher_order_trellises(self, encoded, allowed=allowed, dtype=dtype, threads=threads)
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


def check_rising(name: str, numbers: Cells, begin: Begins) -> None:
    """Check that numbers rise within an attribute, so that none occurs twice."""
    rises = np.diff(numbers) > 0
    inner = np.ones(max(len(numbers) - 1, 0), dtype=bool)
    first = begin[1:-1]
    inner[first[(first > 0) & (first < len(numbers))] - 1] = False  # the next attribute
    if not rises[inner].all():
        raise StoreError(f"the array {name!r} should rise within each attribute")


def _slabs(moves: Scores, edge: EdgeWeights, rows: Rows, offsets: Begins) -> Scores:
    """Compute one slab for every token but the first ones: transition weights plus those of edge attributes."""
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
    cell = edge.move[weight]
    if rows.moves is not None:
        own = np.repeat(rows.moves[inside], counts)
        cell = np.where(own >= 0, own, cell)
    cells = np.repeat(number[token], counts) * moves.size + cell
    amount = edge.weights[weight]
    if values is not None:
        amount = amount * np.repeat(values, counts)
    np.add.at(slabs.reshape(-1), cells, amount.astype(slabs.dtype))
    return slabs


# ------------------------------------------------------------------------------------------- which weights there are


def check_rows(L: int, order: int) -> None:
    """Check that the tables of labels in a row fit into memory."""
    if order > 1 and L ** (order + 1) > MOST_ROWS:
        raise OptionError(
            f"order={order} with {L} labels needs a table of {L}^{order + 1} weights, but {MOST_ROWS} is the most; "
            f"use order={order - 1}, or fewer labels",
            option="order",
        )


def empty_model(
    encoded: EncodedCorpus,
    gold: Gold,
    rules: Rules,
    *,
    order: int = 1,
    all_states: bool = False,
    all_moves: bool = False,
    threads: int = 1,
) -> LinearModel:
    """Make a model with weights of 0: for combinations seen in training, or (all_...) for every combination.

    Transitions have weights of their own unless the template excludes them.
    """
    L, encoder = len(gold.names), encoded.encoder
    if all_states:
        begin, label = every_pair(encoder.size, L)
    else:
        node, ids = encoded.node, np.ascontiguousarray(gold.ids)
        begin, label = _core.observed_pairs(
            node.indptr, node.ids, ids, *_set_lists(gold), encoder.size, L, threads
        )
    move, several = moves_seen(encoded.offsets, gold)
    seen = np.zeros((L, L), dtype=bool)
    if getattr(encoder.features, "bigram", True):
        if all_moves:
            seen = ~rules.forbidden
        else:
            seen.reshape(-1)[np.concatenate([move[move >= 0], *several.values()]).astype(np.int64)] = True
    edge = None
    if encoded.edge is not None and encoder.edge_size:
        from seqlab.families.linear.edges import empty_edges  # which needs this module

        edge = empty_edges(encoded.edge, encoder.edge_size, encoded.offsets, gold, all_moves=all_moves)
    longer: dict[str, Any] = {}
    for back, (name, seen_name) in enumerate(LEVELS[1:order], 2):
        longer[seen_name] = rows_seen(encoded.offsets, gold.ids, L, back)
        longer[name] = np.zeros((L,) * (back + 1))
    return LinearModel(
        gold.names,
        begin,
        label,
        np.zeros(len(label)),
        np.zeros((L, L)),
        seen,
        rules,
        edge=edge,
        **longer,
    )


def every_pair(attributes: int, size: int) -> tuple[Begins, Cells]:
    """Return offsets and labels of the pairs of every attribute with every label (or transition)."""
    return np.arange(attributes + 1, dtype=np.int64) * size, np.tile(
        np.arange(size, dtype=np.int32), attributes
    )


def _set_lists(gold: Gold) -> tuple[Any, Any]:
    """Return offsets and label numbers of the tokens with sets of labels."""
    if not gold.sets:
        return None, None
    sizes = np.zeros(len(gold.ids) + 1, dtype=np.int64)
    tokens = sorted(gold.sets)
    sizes[np.array(tokens) + 1] = [len(gold.sets[token]) for token in tokens]
    return np.cumsum(sizes), np.array([y for token in tokens for y in gold.sets[token]], dtype=np.int32)


def _inner(offsets: Begins, back: int) -> Begins:
    """Find the tokens that have `back` tokens of their sentence before them."""
    starts = np.repeat(offsets[:-1], np.diff(offsets))
    return np.flatnonzero(np.arange(len(starts)) - starts >= back)


def moves_seen(offsets: Begins, gold: Gold) -> tuple[Begins, dict[int, list[int]]]:
    """Number the transition into each token, from * L + to: (tokens,), -1 if unknown, and {token: transitions}."""
    L, ids = len(gold.names), gold.ids.astype(np.int64)
    inner = _inner(offsets, 1)
    move = np.full(len(ids), -1, dtype=np.int64)
    known = inner[(ids[inner] >= 0) & (ids[inner - 1] >= 0)]
    move[known] = ids[known - 1] * L + ids[known]

    def possible(token: int) -> tuple[int, ...]:
        single = (int(ids[token]),) if ids[token] >= 0 else ()
        return gold.sets.get(token, single)

    touched = {*gold.sets, *(token + 1 for token in gold.sets)} & set(inner.tolist() if gold.sets else ())
    return move, {t: [a * L + b for a in possible(t - 1) for b in possible(t)] for t in touched}


def rows_seen(offsets: Begins, ids: LabelIds, L: int, back: int) -> Bools:
    """Return an array (L, ..., L), True for `back` + 1 labels in a row that were seen in training."""
    seen = np.zeros((L,) * (back + 1), dtype=bool)
    inner = _inner(offsets, back)
    rows = np.stack([ids[inner - distance] for distance in range(back, -1, -1)])
    seen[tuple(rows[:, (rows >= 0).all(axis=0)])] = True
    return seen


def unfolded(keys: Begins, attributes: int, size: int) -> tuple[Begins, Cells]:
    """Split keys attribute * size + label, rising, into offsets of the attributes and labels."""
    begin = np.searchsorted(keys, np.arange(attributes + 1) * size).astype(np.int64)
    return begin, (keys % size).astype(np.int32)


def merged(
    one: tuple[Begins, Any, Weights], other: tuple[Begins, Any, Weights], size: int
) -> tuple[Begins, Cells, Weights]:
    """Merge the weights (begin, label, weights) of the same attributes; where both have one, the second counts."""
    pair = ((begin[:-1], np.diff(begin), label) for begin, label, _ in (one, other))
    mine, others = (np.repeat(np.arange(len(first)), count) * size + label for first, count, label in pair)
    keys = np.union1d(mine, others)
    weights = np.zeros(len(keys))
    weights[np.searchsorted(keys, mine)] = one[2]
    weights[np.searchsorted(keys, others)] = other[2]
    return (*unfolded(keys, len(one[0]) - 1, size), weights)


def joined(model: LinearModel, before: LinearModel) -> LinearModel:
    """Join the weights of two models; where the earlier model has a weight, its value is kept.

    The earlier model's labels must be among the new ones, and its attributes the first of them (Encoder.extend).
    """
    place = np.array([model.labels.index(name) for name in before.labels], dtype=np.int64)
    L, was, edge = model.L, before.L, model.edge
    own = (model.begin, model.label, model.weights)
    begin, label, weights = merged(own, (before.begin, place[before.label], before.weights), L)
    tables: dict[str, Any] = {}
    for names, new, earlier in zip(LEVELS, model.tables, before.tables, strict=False):
        tables.update(zip(names, _overlaid(*new, *earlier, place), strict=True))
    if before.edge is not None:
        old = before.edge
        moved = np.where(old.move < 0, -1, place[old.move // was] * L + place[old.move % was])
        if edge is not None:
            # Plus 1, because keys must not be negative and a weight for all pairs has move -1.
            own, theirs = (edge.begin, edge.move + 1, edge.weights), (old.begin, moved + 1, old.weights)
            begins, cells, values = merged(own, theirs, L * L + 1)
            edge = EdgeWeights(begins, cells - np.int32(1), values)
    return replace(model, begin=begin, label=label, weights=weights, edge=edge, **tables)


def _overlaid(new: Any, new_seen: Any, old: Any, old_seen: Any, place: Begins) -> tuple[Weights, Bools]:
    """Copy the weights of an earlier table into a new one, in which its labels have the numbers `place`."""
    at = np.ix_(*(place,) * new.ndim)
    values, seen = new.copy(), new_seen.copy()
    values[at] = np.where(old_seen, old, values[at])
    seen[at] |= old_seen
    return values, seen
