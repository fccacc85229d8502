"""Small training tasks with everything in them, and their likelihood by enumeration of every labelling."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from seqlab.encode.encoded import EncodedCorpus, Rows
from seqlab.families.linear.model import LEVELS, EdgeWeights, LinearModel
from seqlab.families.linear.training import TrainingSet
from seqlab.tagging.door.constraints import Rules
from seqlab.tagging.door.sentences import NOTHING, SEVERAL, Gold

ATTRIBUTES, EDGE_ATTRIBUTES = 6, 3


@dataclass(frozen=True)
class Exercise:
    """A model, and what it is to learn from."""

    model: LinearModel
    lesson: TrainingSet

    @property
    def theta(self):
        return self.model.theta

    @property
    def lengths(self):
        return np.diff(self.lesson.encoded.offsets).tolist()

    def loss(self, kind, *, layered=True):
        """The core's loss (a class of _core) on this exercise."""
        return kind(self.lesson.task(self.model, layered=layered))

    def paths(self, s):
        """(paths, T) every labelling of sentence s that rules and dictionary allow."""
        L, T = self.model.L, self.lengths[s]
        every = np.array(list(itertools.product(range(L), repeat=T)), dtype=int).reshape(L**T, T)
        return every[[self._legal(s, path) for path in every]]

    def _legal(self, s, path):
        rules, begin = self.model.rules, self.lesson.encoded.offsets[s]
        if len(path) and (rules.no_start[path[0]] or rules.no_end[path[-1]]):
            return False
        if any(rules.forbidden[a, b] for a, b in itertools.pairwise(path)):
            return False
        active = self.lesson.active
        return active is None or all(active[begin + t, y] for t, y in enumerate(path))

    def fits(self, s, path, least=0.0):
        """Whether a path has the labels given for the tokens that weigh more than `least`."""
        gold, weights = self.lesson.gold, self.lesson.weights
        for token, y in enumerate(path, int(self.lesson.encoded.offsets[s])):
            given = gold.ids[token]
            if given == NOTHING or (1.0 if weights is None else weights[token]) <= least:
                continue
            if y != given and not (given == SEVERAL and y in gold.sets[token]):
                return False
        return True

    def used(self, s, paths):
        """(paths, weights) how often each labelling of sentence s uses each weight."""
        model, encoded = self.model, self.lesson.encoded
        begin, L = int(encoded.offsets[s]), model.L
        total = np.zeros((len(paths), len(model.theta)))
        first = np.cumsum([len(model.label), *(int(seen.sum()) for _, seen in model.tables)])
        for t in range(paths.shape[1]):
            y = paths[:, t]
            _add(total, 0, encoded.node, begin + t, model.begin, model.label, y)
            if t == 0:
                continue
            cell = y
            for k, (_, seen) in enumerate(model.tables[:t], 1):
                cell = paths[:, t - k] * L**k + cell
                _add_numbered(total, first[k - 1], seen, cell)
            if model.edge is not None:
                move = paths[:, t - 1] * L + y
                _add(total, first[-1], encoded.edge, begin + t, model.edge.begin, model.edge.move, move)
        return total

    def by_enumeration(self, theta=None):
        """Value and slope of the negative log-likelihood (eq:partial-labels, eq:token-weights).

        The weights of a sentence's tokens cut 0 .. largest into stretches: between two of them, the labels of the
        tokens that weigh more are what is known.
        """
        theta = self.theta if theta is None else theta
        value, slope = 0.0, np.zeros(len(theta))
        for s in range(len(self.lengths)):
            paths = self.paths(s)
            used = self.used(s, paths)
            log_z, mean = _summed(used, theta)
            for least, height in self._stretches(s):
                good = np.array([self.fits(s, path, least) for path in paths], dtype=bool)
                log_known, known = _summed(used[good], theta)
                value += height * (log_z - log_known)
                slope += height * (mean - known)
        return value, slope

    def _stretches(self, s):
        begin, end = self.lesson.encoded.offsets[s : s + 2]
        weights = self.lesson.weights
        worth = np.ones(end - begin) if weights is None else weights[begin:end]
        return [(low, high - low) for low, high in itertools.pairwise(sorted({0.0, *worth.tolist()}))]


def _add(total, at, rows, token, begin, cell, chosen):
    for i in range(rows.indptr[token], rows.indptr[token + 1]):
        value = 1.0 if rows.values is None else rows.values[i]
        for k in range(begin[rows.ids[i]], begin[rows.ids[i] + 1]):
            total[:, at + k] += value * (cell[k] == chosen)


def _add_numbered(total, at, seen, chosen):
    number = np.cumsum(seen.reshape(-1)) - 1
    for i in np.flatnonzero(seen.reshape(-1)):
        total[:, at + number[i]] += chosen == i


def _summed(used, theta):
    """log Σ exp of the scores, and the mean of the features under them."""
    scores = used @ theta
    log_z = np.logaddexp.reduce(scores)
    return log_z, np.exp(scores - log_z) @ used


def same_weights(one: Any, other: Any, digits: float) -> None:
    """Two taggers have the same weights, name by name: attributes may have other numbers."""
    for kind in ("state_features_", "transition_features_"):
        mine, theirs = getattr(one, kind), getattr(other, kind)
        assert set(mine) == set(theirs)
        names = sorted(mine)
        np.testing.assert_allclose([mine[n] for n in names], [theirs[n] for n in names], atol=digits)


# ------------------------------------------------------------------------------------------------ random ones


def exercise(
    seed: int,
    L: int,
    lengths: list[int],
    *,
    order: int = 1,
    valued: bool = False,
    edges: bool = False,
    masked: bool = False,
    dictionary: bool = False,
    partial: bool = False,
    weighted: str | None = None,
    all_pairs: bool = False,
    scale: float = 1.0,
) -> Exercise:
    """Random sentences and weights; labels given are always possible.

    weighted   "sentences" or "tokens"
    """
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    tokens = int(offsets[-1])
    right = rng.integers(0, L, tokens).astype(np.int32)
    rules = _rules(rng, L, offsets, right) if masked else Rules.none(L)
    encoded: Any = EncodedCorpus(
        offsets,
        _rows(rng, tokens, ATTRIBUTES, valued=valued),
        _rows(rng, tokens, EDGE_ATTRIBUTES, valued=valued) if edges else None,
        None,
        None,  # type: ignore[arg-type]
    )
    active = None
    if dictionary:
        active = rng.random((tokens, L)) < 0.6
        active[np.arange(tokens), right] = True
    gold = _gold(rng, right, L, active) if partial else Gold(_names(L), right)
    model = _model(rng, L, rules, order=order, edges=edges, all_pairs=all_pairs, scale=scale)
    return Exercise(model, TrainingSet(encoded, gold, _weights(rng, lengths, weighted), active))


def _names(L):
    return tuple(f"y{i:02}" for i in range(L))


def _rows(rng, tokens, size, *, valued):
    counts = rng.integers(0, 4, tokens)
    ids = rng.integers(0, size, int(counts.sum())).astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Rows(indptr, ids, rng.normal(size=len(ids)) if valued else None)


def _rules(rng, L, offsets, right):
    forbidden = rng.random((L, L)) < 0.4
    no_start, no_end = rng.random((2, L)) < 0.4
    for begin, end in itertools.pairwise(offsets):
        for a, b in itertools.pairwise(right[begin:end]):
            forbidden[a, b] = False
        if end > begin:
            no_start[right[begin]] = no_end[right[end - 1]] = False
    return Rules(forbidden, no_start, no_end)


def _gold(rng, right, L, active):
    """Some labels forgotten, some among others that the dictionary allows as well."""
    ids, sets = right.copy(), {}
    for token in np.flatnonzero(rng.random(len(right)) < 0.5).tolist():
        ids[token] = NOTHING
        others = rng.random(L) < 0.5
        others = others if active is None else others & active[token]
        some = sorted({int(right[token]), *np.flatnonzero(others).tolist()})
        if len(some) > 1 and rng.random() < 0.5:
            ids[token] = SEVERAL
            sets[token] = tuple(some)
    return Gold(_names(L), ids, sets)


def _weights(rng, lengths, weighted):
    if weighted is None:
        return None
    if weighted == "sentences":
        return np.repeat(rng.integers(0, 3, len(lengths)).astype(float), lengths)
    return rng.choice([0.0, 0.5, 1.0, 2.5], sum(lengths))


def _model(rng, L, rules, *, order, edges, all_pairs, scale):
    def sparse(rows, size):
        has = rng.random((rows, size)) < (1.0 if all_pairs else 0.6)
        begin = np.concatenate([[0], np.cumsum(has.sum(axis=1))]).astype(np.int64)
        cell = np.nonzero(has)[1].astype(np.int32)
        return begin, cell, scale * rng.normal(size=len(cell))

    def table(k):
        seen = rng.random((L,) * k) < 0.8
        return np.where(seen, scale * rng.normal(size=seen.shape), 0.0), seen

    moves, move_seen = table(2)
    longer = {}
    for k, names in enumerate(LEVELS[1:order], 3):
        longer.update(zip(names, table(k), strict=True))
    edge = EdgeWeights(*sparse(EDGE_ATTRIBUTES, L * L)) if edges else None
    return LinearModel(_names(L), *sparse(ATTRIBUTES, L), moves, move_seen, rules, edge=edge, **longer)


@st.composite
def exercises(draw, **fixed):
    """Exercises of every kind that can still be enumerated; `fixed` options are the same for all."""
    flag = st.booleans()
    options = {
        "order": st.sampled_from([1, 2, 3]), "valued": flag, "edges": flag, "masked": flag, "dictionary": flag,
        "partial": flag, "weighted": st.sampled_from([None, "sentences", "tokens"]), "all_pairs": flag,
        "scale": st.sampled_from([0.0, 1.0, 30.0, 1000.0]),
    }  # fmt: skip
    chosen = {name: fixed[name] if name in fixed else draw(how) for name, how in options.items()}
    lengths = draw(st.lists(st.integers(0, 4), min_size=1, max_size=5))
    return exercise(draw(st.integers(0, 2**32)), draw(st.integers(1, 4)), lengths, **chosen)
