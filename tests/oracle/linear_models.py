"""Small linear models with random weights, and every labelling of a sentence under them."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab.encode import EncodedCorpus, Encoder
from seqlab.families.linear.model import EdgeWeights, LinearModel
from seqlab.tagging.door.constraints import Rules
from seqlab.trellis import Trellis

WORDS = ("the", "old", "man", "boat", "Saw")


@dataclass(frozen=True)
class Case:
    """A model, a sentence and its trellis."""

    model: LinearModel
    encoder: Encoder
    encoded: EncodedCorpus
    trellis: Trellis
    words: list[str]

    @property
    def L(self) -> int:
        return self.model.L

    @property
    def T(self) -> int:
        return len(self.words)


def random_case(
    seed: int,
    *,
    L: int = 3,
    T: int = 4,
    order: int = 1,
    edges: bool = False,
    valued: bool = False,
    rules: bool = False,
    dtype: Any = np.float64,
) -> Case:
    """A model over words and neighbours, with some weights missing."""
    rng = np.random.default_rng(seed)
    template = "word[0]\nword[-1]\nlength(word[0])" + ("\nedge: word[0]\nedge: word[-1]" if edges else "")
    encoder = Encoder(_with_values if valued else template)
    sentences = [rng.choice(WORDS, rng.integers(1, 6)).tolist() for _ in range(8)]
    encoder.fit(sentences)
    labels = tuple(f"y{i}" for i in range(L))
    model = random_model(rng, encoder, labels, order=order, rules=rules)
    words = rng.choice([*WORDS, "new"], T).tolist()
    encoded = encoder.encode([words])
    trellis = model.trellises(encoded, dtype=np.dtype(dtype))[0]
    return Case(model, encoder, encoded, trellis, words)


def _with_values(sentence: Any, t: int) -> dict[str, Any]:
    word = sentence["word"][t]
    return {"word": word, "length": len(word) / 4, "place": -t}


def random_model(rng, encoder: Encoder, labels: tuple[str, ...], *, order: int, rules: bool) -> LinearModel:
    L = len(labels)
    has = rng.random((encoder.size, L)) < 0.7
    begin, label, weights = _sparse(rng, has)
    edge = None
    if encoder.edge_size:
        edge = EdgeWeights(*_sparse(rng, rng.random((encoder.edge_size, L * L)) < 0.5))
    forbidden = np.zeros((L, L), dtype=bool)
    no_start, no_end = np.zeros((2, L), dtype=bool)
    if rules:
        forbidden = rng.random((L, L)) < 0.35
        forbidden[:, 0] = forbidden[0] = False
        no_start, no_end = rng.random((2, L)) < 0.3
        no_start[0] = no_end[0] = False
    seen = rng.random((L, L)) < 0.8
    triple_seen = rng.random((L, L, L)) < 0.8
    moves = np.where(seen, rng.normal(size=(L, L)), 0.0)
    longer = {}
    if order > 1:
        longer = {
            "triples": np.where(triple_seen, rng.normal(size=(L,) * 3), 0.0),
            "triple_seen": triple_seen,
        }
    if order > 2:
        has = rng.random((L,) * 4) < 0.8
        longer |= {"quadruples": np.where(has, rng.normal(size=has.shape), 0.0), "quadruple_seen": has}
    return LinearModel(
        labels, begin, label, weights, moves, seen, Rules(forbidden, no_start, no_end), edge=edge, **longer
    )


def _sparse(rng, has):
    begin = np.concatenate([[0], np.cumsum(has.sum(axis=1))]).astype(np.int64)
    cell = np.nonzero(has)[1].astype(np.int32)
    return begin, cell, rng.normal(size=len(cell)) * 2


def paths(trellis: Trellis) -> list[tuple[tuple[int, ...], float]]:
    """Every possible labelling with its score."""
    found = [(p, trellis.score(p)) for p in itertools.product(range(trellis.L), repeat=trellis.T)]
    return [(p, s) for p, s in found if s > -math.inf]


def log_odds(trellis: Trellis, t: int, y: int, r: int) -> float:
    """log p(y_t = y) - log p(y_t = r), summed over all paths."""
    sums = [math.fsum(math.exp(s) for p, s in paths(trellis) if p[t] == label) for label in (y, r)]
    return math.log(sums[0]) - math.log(sums[1])


def neighbour_share(trellis: Trellis, t: int, y: int, places: dict[int, int]) -> float:
    """P(y_s = places[s] for all s | y_t = y), summed over all paths."""
    through = [(p, math.exp(s)) for p, s in paths(trellis) if p[t] == y]
    return math.fsum(w for p, w in through if all(p[s] == a for s, a in places.items())) / math.fsum(
        w for _, w in through
    )
