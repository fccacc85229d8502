"""Which weights a linear model has: those that training data asks for, and those an earlier model brings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import LabelIds
from seqlab.encode import EncodedCorpus
from seqlab.encode.encoded import Rows
from seqlab.families.linear.model import EdgeWeights, LinearModel
from seqlab.tagging.door.constraints import Bools, Rules

Sets = Mapping[int, tuple[int, ...]]


def empty_model(
    encoded: EncodedCorpus,
    labels: tuple[str, ...],
    ids: LabelIds,
    sets: Sets,
    rules: Rules,
    *,
    order: int = 1,
    all_states: bool = False,
    all_moves: bool = False,
    bigrams: bool = True,
    threads: int = 1,
) -> LinearModel:
    """A model whose weights are all 0: what was met in training has one, or (all_...) every combination.

    ids    (tokens,) label numbers, negative where no single one is known
    sets   {token: label numbers} where one of several is right
    bigrams   whether moves between labels have weights of their own
    """
    L, attributes = len(labels), encoded.encoder.size
    if all_states:
        begin = np.arange(attributes + 1, dtype=np.int64) * L
        label = np.tile(np.arange(L, dtype=np.int32), attributes)
    else:
        begin, label = _core.observed_pairs(
            encoded.indptr,
            encoded.ids,
            np.ascontiguousarray(ids),
            *_set_lists(ids, sets),
            attributes,
            L,
            threads,
        )
    seen = _moves_met(encoded.offsets, ids, sets, L)
    if all_moves:
        seen = ~rules.forbidden
    if not bigrams:
        seen = np.zeros((L, L), dtype=bool)
    edge = None
    if encoded.edge is not None and encoded.encoder.edge_size:
        edge = _edge_weights(
            encoded.edge, encoded.offsets, ids, sets, L, encoded.encoder.edge_size, all_moves=all_moves
        )
    triples = _triples_met(encoded.offsets, ids, L) if order == 2 else None
    return LinearModel(
        labels,
        begin,
        label,
        np.zeros(len(label)),
        np.zeros((L, L)),
        seen,
        rules,
        None if triples is None else np.zeros((L, L, L)),
        triples,
        edge,
    )


def _set_lists(ids: LabelIds, sets: Sets) -> tuple[Any, Any]:
    if not sets:
        return None, None
    sizes = np.zeros(len(ids), dtype=np.int64)
    for token, some in sets.items():
        sizes[token] = len(some)
    flat = [y for token in sorted(sets) for y in sets[token]]
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), np.array(flat, dtype=np.int32)


def _inner(offsets: npt.NDArray[np.int64], tokens: int, back: int) -> npt.NDArray[np.int64]:
    """Tokens that have `back` tokens of their sentence before them."""
    starts = np.repeat(offsets[:-1], np.diff(offsets))
    return np.flatnonzero(np.arange(tokens) - starts >= back)


def _moves_met(offsets: npt.NDArray[np.int64], ids: LabelIds, sets: Sets, L: int) -> Bools:
    seen = np.zeros((L, L), dtype=bool)
    inner = _inner(offsets, len(ids), 1)
    both = inner[(ids[inner] >= 0) & (ids[inner - 1] >= 0)]
    seen[ids[both - 1], ids[both]] = True
    if sets:
        inside = set(inner.tolist())
        for token in {*sets, *(token + 1 for token in sets)} & inside:
            seen[np.ix_(_possible(token - 1, ids, sets), _possible(token, ids, sets))] = True
    return seen


def _possible(token: int, ids: LabelIds, sets: Sets) -> list[int]:
    if token in sets:
        return list(sets[token])
    return [int(ids[token])] if ids[token] >= 0 else []


def _triples_met(offsets: npt.NDArray[np.int64], ids: LabelIds, L: int) -> Bools:
    seen = np.zeros((L, L, L), dtype=bool)
    inner = _inner(offsets, len(ids), 2)
    known = inner[(ids[inner] >= 0) & (ids[inner - 1] >= 0) & (ids[inner - 2] >= 0)]
    seen[ids[known - 2], ids[known - 1], ids[known]] = True
    return seen


def _edge_weights(
    rows: Rows,
    offsets: npt.NDArray[np.int64],
    ids: LabelIds,
    sets: Sets,
    L: int,
    attributes: int,
    *,
    all_moves: bool,
) -> EdgeWeights:
    """Attributes that see a move, with the moves they were met with (or all moves)."""
    if all_moves:
        begin = np.arange(attributes + 1, dtype=np.int64) * (L * L)
        move = np.tile(np.arange(L * L, dtype=np.int32), attributes)
        return EdgeWeights(begin, move, np.zeros(len(move)))
    inner = np.zeros(len(ids), dtype=bool)
    inner[_inner(offsets, len(ids), 1)] = True
    single = inner.copy()
    single[1:] &= (ids[1:] >= 0) & (ids[:-1] >= 0)
    token = np.repeat(np.arange(len(ids)), np.diff(rows.indptr))
    inside = single[token]
    move = ids[token[inside] - 1].astype(np.int64) * L + ids[token[inside]]
    keys = [rows.ids[inside].astype(np.int64) * (L * L) + move]
    for t in np.flatnonzero(inner & ~single).tolist() if sets else ():
        some = [a * L + b for a in _possible(t - 1, ids, sets) for b in _possible(t, ids, sets)]
        met = rows.ids[rows.indptr[t] : rows.indptr[t + 1]].astype(np.int64)
        keys.append((met[:, None] * (L * L) + np.array(some, dtype=np.int64)).reshape(-1))
    unique = np.unique(np.concatenate(keys))
    counts = np.bincount(unique // (L * L), minlength=attributes)
    begin = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return EdgeWeights(begin, (unique % (L * L)).astype(np.int32), np.zeros(len(unique)))


def joined(model: LinearModel, before: LinearModel) -> LinearModel:
    """The weights of both; where the earlier model has one, it keeps its value.

    The earlier model's labels must be among the new ones, and its attributes the first of them (Encoder.extend).
    """
    place = np.array([model.labels.index(name) for name in before.labels], dtype=np.int64)
    L = model.L
    attributes = len(model.begin) - 1
    old = _keys(before.begin, place[before.label], L)
    new = _keys(model.begin, model.label, L)
    begin, label, weights = _union(new, model.weights, old, before.weights, attributes, L)
    moves, seen = _overlaid(model.moves, model.move_seen, before.moves, before.move_seen, place)
    triples, triple_seen = model.triples, model.triple_seen
    if triples is not None and before.triples is not None:
        triples, triple_seen = _overlaid(triples, triple_seen, before.triples, before.triple_seen, place)
    edge = _joined_edges(model.edge, before.edge, place, len(before.labels), L)
    return LinearModel(
        model.labels, begin, label, weights, moves, seen, model.rules, triples, triple_seen, edge
    )


def _overlaid(
    new: Any, new_seen: Any, old: Any, old_seen: Any, place: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], Bools]:
    """Tables of moves or triples, the old one's labels at `place` in the new one."""
    at = np.ix_(*(place,) * new.ndim)
    values, seen = new.copy(), new_seen.copy()
    values[at] = np.where(old_seen, old, values[at])
    seen[at] |= old_seen
    return values, seen


def _joined_edges(
    new: EdgeWeights | None, old: EdgeWeights | None, place: npt.NDArray[np.int64], was: int, L: int
) -> EdgeWeights | None:
    if old is None or new is None:
        return new if old is None else None
    moved = place[old.move // was] * L + place[old.move % was]
    begin, move, weights = _union(
        _keys(new.begin, new.move, L * L),
        new.weights,
        _keys(old.begin, moved, L * L),
        old.weights,
        len(new.begin) - 1,
        L * L,
    )
    return EdgeWeights(begin, move, weights)


def _keys(begin: npt.NDArray[np.int64], label: npt.NDArray[Any], size: int) -> npt.NDArray[np.int64]:
    attribute = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    keys: npt.NDArray[np.int64] = attribute * size + label
    return keys


def _union(
    new: npt.NDArray[np.int64],
    new_values: Any,
    old: npt.NDArray[np.int64],
    values: Any,
    attributes: int,
    size: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Pairs of both, sorted; the old ones with their weights."""
    keys = np.union1d(new, old)
    weights = np.zeros(len(keys))
    weights[np.searchsorted(keys, new)] = new_values
    weights[np.searchsorted(keys, old)] = values
    begin = np.concatenate([[0], np.cumsum(np.bincount(keys // size, minlength=attributes))]).astype(np.int64)
    return begin, (keys % size).astype(np.int32), weights
