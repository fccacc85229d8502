"""Decompose the scores of one sentence into named weights, and the margin between two paths into their sum."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from seqlab import inference
from seqlab.encode import EncodedCorpus
from seqlab.encode.encoded import Rows
from seqlab.families.linear.explain.explanation import Contribution, Explanation, MoveContribution
from seqlab.families.linear.model import Begins, Cells, LinearModel, Weights
from seqlab.trellis import Trellis

Logs = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Attributes:
    """The n attributes of one token.

    names     n strings
    values    (n,)
    weights   (n, L), or (n, L, L) [from, to] for edge attributes; 0 where the model has none
    """

    names: list[str]
    values: Weights
    weights: Weights

    @property
    def score(self) -> Weights:
        """Compute the summed scores (L,) or (L, L) of the attributes."""
        score: Weights = np.tensordot(self.values, self.weights, axes=1)
        return score


class Pieces:
    """One sentence of an encoded corpus under a linear model: its scores, in float64 with masks on, and their weights.

    node   (T, L)   scores of the trellis; -inf for labels that are not allowed
    """

    def __init__(self, model: LinearModel, encoded: EncodedCorpus, sentence: int, trellis: Trellis) -> None:
        self.model, self.trellis = model, trellis
        self._encoded, self._begin = encoded, int(encoded.offsets[sentence])
        self.node: Logs = np.array(trellis.node, dtype=np.float64)
        for t, labels in trellis.allowed.items():
            self.node[t, np.setdiff1d(np.arange(trellis.L), labels)] = -np.inf

    def slab(self, t: int) -> Logs:
        """Compute the scores of the transitions into t: (L, L), or more axes for higher orders."""
        trellis = self.trellis
        if t >= trellis.order:
            edge = trellis.edge[t - trellis.order] if trellis.per_position else trellis.edge
            return np.asarray(edge, dtype=np.float64)
        if len(trellis.head) < t:
            return np.zeros((trellis.L,) * (t + 1))
        return np.asarray(trellis.head[t - 1], dtype=np.float64)

    def weights(self, t: int) -> Weights:
        """Compute the scores of the transitions into t from the weights alone."""
        scores: Weights = self.edge_attributes(t).score
        for weights, _ in self.model.tables[:t]:
            scores = weights + scores
        return scores

    def attributes(self, t: int) -> Attributes:
        """Look up the node attributes of token t."""
        model, names = self.model, self._encoded.encoder.attributes
        table = (model.begin, model.label, model.weights)
        return self._looked_up(names, self._encoded.node, t, table, (model.L,))

    def edge_attributes(self, t: int) -> Attributes:
        """Look up the edge attributes of the transition into token t; none for models without."""
        edge, rows, L = self.model.edge, self._encoded.edge, self.model.L
        if edge is None or rows is None:
            return Attributes([], np.zeros(0), np.zeros((0, L, L)))
        names = self._encoded.encoder.edge_attributes
        return self._looked_up(names, rows, t, (edge.begin, edge.move, edge.weights), (L, L))

    def _looked_up(
        self,
        names: list[str],
        rows: Rows,
        t: int,
        table: tuple[Begins, Cells, Weights],
        shape: tuple[int, ...],
    ) -> Attributes:
        begin, end = rows.indptr[self._begin + t : self._begin + t + 2].tolist()
        ids = rows.ids[begin:end].tolist()
        values = np.ones(len(ids)) if rows.values is None else np.asarray(rows.values[begin:end])
        moves = [-1] * len(ids) if rows.moves is None else rows.moves[begin:end].tolist()
        begins, cells, numbers = table
        # Entries of one attribute for different label pairs, with the same value, make one row.
        row_of: dict[tuple[int, float] | int, int] = {}
        tables: list[tuple[int, float, Weights]] = []
        for place, (i, value, move) in enumerate(zip(ids, values.tolist(), moves, strict=True)):
            row = row_of.setdefault(place if move < 0 else (i, value), len(tables))
            if row == len(tables):
                tables.append((i, value, np.zeros(math.prod(shape))))
            span = slice(begins[i], begins[i + 1])
            tables[row][2][cells[span] if move < 0 else move] += (
                numbers[span] if move < 0 else numbers[span].sum()
            )
        weights = np.array([one for _, _, one in tables]).reshape(len(tables), *shape)
        return Attributes([names[i] for i, _, _ in tables], np.array([v for _, v, _ in tables]), weights)

    def contributions(self, t: int, label: int, rival: int) -> list[Contribution]:
        """Compute the contribution of each attribute of token t for the label against the rival."""
        found, names = self.attributes(t), self.model.labels
        rows = zip(found.names, found.values.tolist(), found.weights[:, [label, rival]].tolist(), strict=True)
        return [
            Contribution(name, value, one, other, value * (one - other), t, names[label], names[rival])
            for name, value, (one, other) in rows
        ]


# ------------------------------------------------------------------------------------------------ two paths


def margin_account(pieces: Pieces, words: tuple[str, ...], t: int, label: int, rival: int) -> Explanation:
    """Explain the margin between the best path with the label at t and the best one with the rival.

    eq:margin-account   s(y) - s(r) = Σ_t Σ_a v_ta (w(a, y_t) - w(a, r_t)) + Σ_t (edge into y_t - edge into r_t)

    Only positions where they differ contribute.
    """
    trellis, names = pieces.trellis, pieces.model.labels
    one, other = (inference.viterbi(trellis.constrain(known={t: y})).ids.tolist() for y in (label, rival))
    features: list[Contribution] = []
    moves: list[MoveContribution] = []
    scores: list[float] = []  # from the trellis and not from the contributions
    for at in range(trellis.T):
        if one[at] != other[at]:
            features += pieces.contributions(at, one[at], other[at])
            scores += [float(pieces.node[at, one[at]]), -float(pieces.node[at, other[at]])]
        y, r = (tuple(path[max(at - trellis.order, 0) : at + 1]) for path in (one, other))
        if at > 0 and y != r:
            moves += _move_rows(pieces, at, y, r)
            slab = pieces.slab(at)
            scores += [float(slab[y]), -float(slab[r])]
    added = [row.difference for row in features] + [row.difference for row in moves]
    path, rival_path = (tuple(names[y] for y in ids) for ids in (one, other))
    return Explanation(
        words,
        t,
        path[t],
        rival_path[t],
        None,
        math.fsum(scores),
        tuple(features),
        tuple(row for row in moves if row.difference),
        normaliser=math.fsum([*scores, *(-one for one in added)]),
        path=path,
        rival_path=rival_path,
    )


def _move_rows(
    pieces: Pieces, t: int, one: tuple[int, ...], other: tuple[int, ...]
) -> list[MoveContribution]:
    """Compute the contributions of the transition into token t: edge attributes, and weights of labels in a row."""
    model, found = pieces.model, pieces.edge_attributes(t)
    rows = []

    def add(y: tuple[int, ...], r: tuple[int, ...], table: Weights, name: str | None, value: float) -> None:
        weight, rival_weight = float(table[y]), float(table[r])
        labels, rival_labels = (tuple(model.labels[i] for i in ids) for ids in (y, r))
        difference = value * (weight - rival_weight)
        rows.append(
            MoveContribution(
                labels, rival_labels, weight, rival_weight, difference, t, attribute=name, value=value
            )
        )

    if one[-2:] != other[-2:]:
        add(one[-2:], other[-2:], model.moves, None, 1.0)
        for name, value, table in zip(found.names, found.values.tolist(), found.weights, strict=True):
            add(one[-2:], other[-2:], table, name, value)
    for size, (table, _) in enumerate(model.tables[1 : len(one) - 1], 3):
        if one[-size:] != other[-size:]:
            add(one[-size:], other[-size:], table, None, 1.0)
    return rows
