"""Every fast route gives the answer of the definition (cpp/inference/definition), on every kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from oracle.clear import logsumexp
from oracle.corpora import random_tables
from oracle.tables import Tables
from seqlab import Trellis, TrellisBatch, inference
from seqlab.inference import Semiring

pytestmark = pytest.mark.usefixtures("kernel")

SINGLE = {"dtype": np.float32}
# What decides which code runs: order, edges for each position, lists of labels, width of a row, length, dtype.
SHAPES: dict[str, Tables] = {
    "sentence, part of a vector": random_tables(1, 24, 3),
    "sentence, two vectors": random_tables(2, 24, 9),
    "sentence, many vectors": random_tables(3, 24, 45),
    "sentence, float32": random_tables(4, 24, 22, **SINGLE),
    "sentence, holes": random_tables(5, 24, 9, holes=0.4),
    "sentence, scaling refused": random_tables(6, 24, 9, scale=500.0),
    "few lists of labels": replace(
        random_tables(7, 24, 9), allowed={3: frozenset({1, 4}), 9: frozenset({0})}
    ),
    "many lists of labels": replace(
        random_tables(8, 24, 9), allowed={t: frozenset({t % 9, (t + 3) % 9}) for t in range(24)}
    ),
    "edges for each position": random_tables(9, 24, 9, per_position=True),
    "edges for each position, float32": random_tables(10, 24, 9, per_position=True, holes=0.3, **SINGLE),
    "order 2": random_tables(11, 12, 5, order=2),
    "order 2, lists and edges for each position": replace(
        random_tables(12, 12, 5, order=2, per_position=True),
        allowed={t: frozenset({0, t % 5}) for t in range(12)},
    ),
    "order 3": random_tables(13, 9, 4, order=3, holes=0.2),
    "long, few labels": random_tables(14, 1031, 4),
    "long, few labels, float32": random_tables(15, 1031, 3, **SINGLE),
    "long": random_tables(16, 1031, 17, holes=0.2),
    "long, float32": random_tables(17, 1031, 9, **SINGLE),
    "long, in chunks": random_tables(18, 8195, 5),
    "long, in chunks, float32": random_tables(19, 8195, 8, **SINGLE),
}


@dataclass(frozen=True)
class Truth:
    """Answers made from alpha and beta alone."""

    log_z: float
    best: float
    node: np.ndarray
    filtered: np.ndarray
    edge: np.ndarray


@cache
def truth(name: str) -> Truth:
    """By the definition, which no kernel has a part in: once for all of them."""
    tables, trellis = SHAPES[name], SHAPES[name].trellis()
    alpha, beta = inference.forward(trellis), inference.backward(trellis)
    edge = np.zeros((max(tables.T - tables.order, 0),) + (tables.L,) * (tables.order + 1))
    nodes = tables.nodes()
    for t in range(tables.order, tables.T):
        edge[t - tables.order] = shares(alpha[t - 1][..., None] + tables.moves(t) + nodes[t] + beta[t], -1)
    return Truth(
        log_z=float(logsumexp(alpha[-1])),
        best=float(inference.forward(trellis, semiring=Semiring.max)[-1].max()),
        node=by_label(alpha + beta),
        filtered=by_label(alpha),
        edge=edge,
    )


def shares(scores: np.ndarray, first: int) -> np.ndarray:
    """exp of scores, each part from axis `first` on (-1: the whole) divided by its sum."""
    whole = logsumexp(scores) if first < 0 else logsumexp(scores, axis=tuple(range(first, scores.ndim)))
    return np.exp(scores - np.expand_dims(whole, tuple(range(whole.ndim, scores.ndim))))


def by_label(scores: np.ndarray) -> np.ndarray:
    """(T, L): shares of the states of each position, summed over all labels but the last."""
    state = shares(scores, 1)
    return state.sum(axis=tuple(range(1, state.ndim - 1)))


def streamed(trellis: Trellis) -> inference.FilterStep:
    """The last step of a stream that is fed the whole sequence."""
    moves = trellis.edge[0] if trellis.per_position else trellis.edge
    stream = inference.Filter(moves, order=trellis.order, head=trellis.head)
    for t, row in enumerate(trellis.node):
        own = trellis.per_position and t >= trellis.order
        step = stream.push(
            row,
            edge=trellis.edge[t - trellis.order] if own else None,
            allowed=trellis.allowed.get(t),
        )
    return step


def grouped(trellis: Trellis) -> list[Trellis]:
    """Seven of one length: kernels run sentences that share their edges in groups of 4, 2 and 1."""
    return [trellis] * 7


ROUTES: dict[str, Callable[[Trellis], dict[str, object]]] = {
    "log_partition": lambda one: {"log_z": inference.log_partition(one)},
    "log_partition, in groups": lambda one: {"log_z": inference.log_partition(grouped(one))},
    "posterior": lambda one: (
        (found := inference.posterior(one)) and {"log_z": found.log_z, "node": found.node}
    ),
    "posterior, in groups": lambda one: {"node": [found.node for found in inference.posterior(grouped(one))]},
    "moves of a posterior": lambda one: {"edge": inference.posterior(one).edge},
    "expected counts": lambda one: (
        (found := inference.expected_counts(one))
        and {"log_z": found.log_z, "node": found.node, "edge" if one.per_position else "moves": found.edge}
    ),
    "filter": lambda one: (found := inference.filter(one)) and {"log_z": found.log_z, "filtered": found.node},
    "a stream": lambda one: (found := streamed(one)) and {"log_z": found.log_z, "last": found.node},
    "viterbi": lambda one: {"best": inference.viterbi(one).score},
    "viterbi, in groups": lambda one: {"best": [path.score for path in inference.viterbi(grouped(one))]},
    "viterbi table": lambda one: {"best": inference.viterbi_table(one).score[-1].max()},
    "nbest": lambda one: {"best": inference.nbest(one, 1)[0].score},
    "beam": lambda one: {"best": inference.beam(one, one.L**one.order).score},
}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("name", SHAPES)
def test_route_gives_the_answer_of_the_definition(name: str, route: str) -> None:
    # eq:forward eq:backward eq:viterbi eq:scaling eq:mixing
    expected, tables = truth(name), SHAPES[name]
    single = tables.node.dtype == np.float32
    for what, found in ROUTES[route](tables.trellis()).items():
        if what == "moves":
            wanted: object = expected.edge.sum(axis=0)
        elif what == "last":
            wanted = expected.filtered[-1]
        else:
            wanted = getattr(expected, what)
        scale = float(np.max(np.abs(wanted))) if what in ("log_z", "best", "moves") else 1.0
        tolerance = (1e-5 if single else 1e-12) * max(scale, 1.0) + (2e-4 if single else 1e-13 * tables.T)
        answer = np.asarray(found, dtype=np.float64)
        np.testing.assert_allclose(answer, np.broadcast_to(wanted, answer.shape), rtol=0, atol=tolerance)


def test_every_question_with_a_recursion_of_its_own_is_a_route() -> None:
    """A new function of seqlab.inference joins the routes, or is named here as one that is made of them."""
    made_of_others = {"max_marginal", "sample", "span_probabilities"}
    plain = {"kernel", "kernels", "use_kernel", "fallback_count", "forward", "backward"}
    questions = {name for name in inference.__all__ if name[0].islower()} - plain - made_of_others
    named = {"log_partition", "posterior", "expected_counts", "filter", "viterbi", "viterbi_table", "nbest"}
    named |= {"beam"}
    assert questions == named


def test_batch_of_the_shape_of_training_gives_the_answer_of_the_definition() -> None:  # eq:expected-counts
    tables = random_tables(3, 24, 9)
    nodes = np.concatenate([tables.node[:T] for T in (24, 7, 7, 7, 7, 1, 24)]).astype(np.float64)
    batch = TrellisBatch(nodes, [24, 7, 7, 7, 7, 1, 24], tables.edge)
    found = inference.expected_counts(batch)
    alphas, betas = inference.forward(batch), inference.backward(batch)
    wanted = np.concatenate([by_label(alpha + beta) for alpha, beta in zip(alphas, betas, strict=True)])
    np.testing.assert_allclose(found.node, wanted, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.log_z, [logsumexp(alpha[-1]) for alpha in alphas], rtol=1e-13)
