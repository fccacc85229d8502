"""Hidden Markov models of order 2 and 3 by enumeration: tables, every path, and the counts of EM as plain sums."""

from __future__ import annotations

import itertools
import math

import numpy as np


def random_tables(rng, L, V, order, *, end=False, zeros=0.0):
    """Draw start, head, transitions, emissions and ends of a model."""

    def rows(count, size):
        table = rng.dirichlet(np.ones(size), count) * (rng.random((count, size)) >= zeros)
        table[table.sum(axis=1) == 0, 0] = 1.0
        return table / table.sum(axis=1, keepdims=True)

    last = rng.uniform(0.1, 0.5, L) if end else None
    going = 1.0 if last is None else (1 - last)[:, None]
    *head, A = (rows(L**j, L).reshape((L,) * (j + 1)) * going for j in range(1, order + 1))
    return {
        "pi": rows(1, L)[0],
        "A": A,
        "B": rows(L, V),
        "head": head,
        "end": last,
    }


def joint(tables, x, path):
    """eq:order-k-hmm   P(x, y), factor by factor; None is an observation that is missing."""
    moves = [*tables["head"], tables["A"]]
    order, p = len(moves), 1.0
    for t, y in enumerate(path):
        history = tuple(path[max(t - order, 0) : t])
        p *= tables["pi"][y] if t == 0 else moves[len(history) - 1][(*history, y)]
        p *= 1.0 if x[t] is None else tables["B"][y][x[t]]
    if tables["end"] is None:
        return p
    return p * tables["end"][path[-1]] if len(path) else 0.0


def all_paths(tables, x, allowed=None):
    for path in itertools.product(range(len(tables["pi"])), repeat=len(x)):
        if allowed is None or all(allowed[t][y] for t, y in enumerate(path)):
            yield path, joint(tables, x, path)


def enumerated(tables, sequences, weights, allowed):
    """Sum expected counts over paths: starts, moves by length of history, ends, emissions, log P of each sequence."""
    moves = [np.zeros_like(one) for one in (*tables["head"], tables["A"])]
    order, (L, V) = len(moves), tables["B"].shape
    starts, ends, emitted, logs = np.zeros(L), np.zeros(L), np.zeros((L, V)), []
    at = 0
    for x, weight in zip(sequences, weights, strict=True):
        found = list(all_paths(tables, x, allowed[at : at + len(x)]))
        at += len(x)
        z = math.fsum(p for _, p in found)
        logs.append((math.log(z) if z else -math.inf) if x else 0.0)  # EM learns nothing from an empty one
        for path, p in found if x and z else ():
            share = weight * p / z
            starts[path[0]] += share
            ends[path[-1]] += share
            for t, y in enumerate(path):
                history = tuple(path[max(t - order, 0) : t])
                if t:
                    moves[len(history) - 1][(*history, y)] += share
                if x[t] is not None:
                    emitted[y, x[t]] += share
    return starts, moves, ends, emitted, logs
