"""The margin between two paths as a sum over features and moves (eq:margin-account)."""

from __future__ import annotations

import math

from seqlab import inference
from seqlab.arrays import LabelIds
from seqlab.families.linear.explain.around import Chain
from seqlab.families.linear.explain.explanation import Contribution, MoveContribution
from seqlab.families.linear.explain.pieces import Pieces
from seqlab.trellis import Trellis


class Margin:
    """eq:margin-account   s(y) - s(r) = Σ_t Σ_a v_ta (w(a, y_t) - w(a, r_t)) + Σ_t (move into y_t - move into r_t).

    y is the best path with the label at t, r the best one with the rival. Only positions where
    they differ add anything.
    """

    def __init__(self, trellis: Trellis, pieces: Pieces, t: int, label: int, rival: int) -> None:
        self._chain, self._pieces = Chain(trellis), pieces
        self.path, self.rival_path = (
            inference.viterbi(trellis.constrain(known={t: y})).ids for y in (label, rival)
        )
        self.features: list[Contribution] = []
        self.moves: list[MoveContribution] = []
        self._scores: list[float] = []
        beyond: list[float] = []
        for at in range(trellis.T):
            beyond += [self._add_node(at), self._add_move(at)]
        self.normaliser = math.fsum(beyond)

    @property
    def value(self) -> float:
        """The difference of the two scores, from the trellis and not from the account."""
        return math.fsum(self._scores)

    def _add_node(self, t: int) -> float:
        """The features of token t; gives what its scores have beyond the weights."""
        y, r = int(self.path[t]), int(self.rival_path[t])
        if y == r:
            return 0.0
        node = self._chain.node[t]
        rows = self._pieces.contributions(t, y, r)
        self.features += rows
        self._scores += [float(node[y]), -float(node[r])]
        return math.fsum([float(node[y]), -float(node[r]), *(-row.difference for row in rows)])

    def _add_move(self, t: int) -> float:
        """The move into token t; gives what its score has beyond the weights."""
        one, other = (self._window(path, t) for path in (self.path, self.rival_path))
        if t == 0 or one == other:
            return 0.0
        slab = self._chain.slab(t)
        rows = self._rows(t, one, other)
        self.moves += [row for row in rows if row.difference]
        self._scores += [float(slab[one]), -float(slab[other])]
        return math.fsum([float(slab[one]), -float(slab[other]), *(-row.difference for row in rows)])

    def _rows(self, t: int, one: tuple[int, ...], other: tuple[int, ...]) -> list[MoveContribution]:
        model, found = self._pieces.model, self._pieces.edge_attributes(t)
        rows = []
        if one[-2:] != other[-2:]:
            rows.append(self._row(t, one[-2:], other[-2:], model.moves))
            for name, value, table in zip(found.names, found.values.tolist(), found.weights, strict=True):
                rows.append(self._row(t, one[-2:], other[-2:], table, name, value))
        if model.triples is not None and len(one) == 3:
            rows.append(self._row(t, one, other, model.triples))
        return rows

    def _row(
        self,
        t: int,
        one: tuple[int, ...],
        other: tuple[int, ...],
        table: object,
        attribute: str | None = None,
        value: float = 1.0,
    ) -> MoveContribution:
        names = self._pieces.model.labels
        weight, rival_weight = (float(table[cell]) for cell in (one, other))  # type: ignore[index]
        return MoveContribution(
            tuple(names[i] for i in one),
            tuple(names[i] for i in other),
            weight,
            rival_weight,
            value * (weight - rival_weight),
            t,
            attribute=attribute,
            value=value,
        )

    def _window(self, path: LabelIds, t: int) -> tuple[int, ...]:
        return tuple(path[max(t - self._chain.order, 0) : t + 1].tolist())
