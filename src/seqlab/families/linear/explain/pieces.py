"""The scores of one sentence taken apart into weights by name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from seqlab.encode import EncodedCorpus
from seqlab.encode.encoded import Rows
from seqlab.families.linear.explain.explanation import Contribution
from seqlab.families.linear.model import LinearModel

Weights = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Attributes:
    """The n attributes of one token.

    names     n strings
    values    (n,)
    weights   (n, L), or (n, L, L) [from, to] for attributes that see a move; 0 where the model has none
    """

    names: list[str]
    values: Weights
    weights: Weights

    @property
    def score(self) -> Weights:
        """(L,) or (L, L): what they add up to."""
        score: Weights = np.tensordot(self.values, self.weights, axes=1)
        return score


class Pieces:
    """Sentence `sentence` of an encoded corpus, under a linear model."""

    def __init__(self, model: LinearModel, encoded: EncodedCorpus, sentence: int) -> None:
        self.model = model
        self._encoded = encoded
        self._begin = int(encoded.offsets[sentence])

    def attributes(self, t: int) -> Attributes:
        """The attributes that labels see at token t."""
        model, names = self.model, self._encoded.encoder.attributes
        ids, values = self._row(self._encoded.node, t)
        weights = _dense(model.begin, model.label, model.weights, ids, model.L)
        return Attributes([names[i] for i in ids.tolist()], values, weights)

    def edge_attributes(self, t: int) -> Attributes:
        """The attributes that see the move into token t; none for models without."""
        model, L = self.model, self.model.L
        if model.edge is None or self._encoded.edge is None:
            return Attributes([], np.zeros(0), np.zeros((0, L, L)))
        names = self._encoded.encoder.edge_attributes
        ids, values = self._row(self._encoded.edge, t)
        weights = _dense(model.edge.begin, model.edge.move, model.edge.weights, ids, L * L)
        return Attributes([names[i] for i in ids.tolist()], values, weights.reshape(-1, L, L))

    def pairs(self, t: int) -> Weights:
        """(L, L): weight of each move into token t, with all attributes that see it."""
        pairs: Weights = self.model.moves + self.edge_attributes(t).score
        return pairs

    def slab(self, t: int) -> Weights:
        """(L, L), or (L, L, L) for order 2 from position 2 on: the moves into t as the weights have them."""
        triples = self.model.triples
        return self.pairs(t) if triples is None or t < 2 else triples + self.pairs(t)

    def contributions(self, t: int, label: int, rival: int) -> list[Contribution]:
        """What each attribute of token t adds for label and against rival."""
        found, names = self.attributes(t), self.model.labels
        rows = zip(found.names, found.values.tolist(), found.weights[:, [label, rival]].tolist(), strict=True)
        return [
            Contribution(name, value, one, other, value * (one - other), t, names[label], names[rival])
            for name, value, (one, other) in rows
        ]

    def _row(self, rows: Rows, t: int) -> tuple[npt.NDArray[np.int32], Weights]:
        begin, end = rows.indptr[self._begin + t : self._begin + t + 2].tolist()
        ids = rows.ids[begin:end]
        return ids, np.ones(len(ids)) if rows.values is None else np.asarray(rows.values[begin:end])


def _dense(
    begin: npt.NDArray[np.int64],
    cell: npt.NDArray[np.int32],
    weights: Weights,
    ids: npt.NDArray[np.int32],
    width: int,
) -> Weights:
    """(n, width): the weights of n attributes, one row each."""
    table = np.zeros((len(ids), width))
    for row, i in enumerate(ids.tolist()):
        stretch = slice(begin[i], begin[i + 1])
        table[row, cell[stretch]] = weights[stretch]
    return table
