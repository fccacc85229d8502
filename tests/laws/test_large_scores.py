"""Large scores: probabilities equal those of exact arithmetic, or there is an error; never NaN or wrong numbers."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from pytest import approx

from seqlab import Trellis, inference
from seqlab.errors import ScoreError

pytestmark = pytest.mark.usefixtures("kernel")
SHAPES = {"order 1": (4, 3, 1), "order 2": (4, 2, 2), "per position": (4, 3, 1), "one label alone": (5, 2, 1)}


class Exact:
    """All paths with their scores in fractions; differences are rounded once."""

    def __init__(self, trellis: Trellis) -> None:
        node, edge, order = trellis.node, trellis.edge, trellis.order
        self.paths = list(itertools.product(range(trellis.L), repeat=trellis.T))
        scores = []
        for path in self.paths:
            parts = [node[t, y] for t, y in enumerate(path)]
            for t in range(order, trellis.T):
                table = edge[t - order] if trellis.per_position else edge
                parts.append(table[path[t - order : t + 1]])
            scores.append(sum((Fraction(float(x)) for x in parts), Fraction(0)))
        self.best = max(scores)
        logs = [float(score - self.best) for score in scores]
        self.norm = math.log(math.fsum(map(math.exp, logs)))
        self.log_p = [x - self.norm for x in logs]
        self.p = [math.exp(x) for x in self.log_p]
        self.log_z = float(self.best) + self.norm

    def entropy(self) -> float:
        return -math.fsum(p * x for p, x in zip(self.p, self.log_p, strict=True) if p > 0)

    def span(self, i: int, j: int, labels: tuple[int, ...]) -> float:
        return math.fsum(p for path, p in zip(self.paths, self.p, strict=True) if path[i:j] == labels)

    def node(self, T: int, L: int) -> np.ndarray:
        return np.array([[self.span(t, t + 1, (y,)) for y in range(L)] for t in range(T)])


def drawn(rng: np.random.Generator, name: str, scale: float) -> Trellis:
    """Multiples of the scale plus small numbers, so that many paths differ by the small numbers only."""
    T, L, order = SHAPES[name]
    some = lambda *shape: scale * rng.integers(-2, 3, shape) + rng.normal(size=shape)  # noqa: E731
    slabs = (T - 1,) if name == "per position" else ()
    return Trellis(some(T, L), some(*slabs, *(L,) * (order + 1)), order=order)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6, 1e8, 1e10])
def test_every_probability_is_that_of_exact_arithmetic(
    name: str, scale: float
) -> None:  # eq:entropy eq:lost-digits
    rng = np.random.default_rng(5)
    close = 1e-12 + 1e-15 * scale * 8
    for _ in range(25):
        trellis = drawn(rng, name, scale)
        truth, found = Exact(trellis), inference.posterior(trellis)
        assert found.entropy == approx(truth.entropy(), rel=0, abs=10 * close)
        np.testing.assert_allclose(found.node, truth.node(trellis.T, trellis.L), rtol=0, atol=close)
        assert found.log_z == approx(truth.log_z, rel=1e-14, abs=1e-12)
        assert inference.log_partition(trellis) == approx(truth.log_z, rel=1e-14, abs=1e-12)
        labels = truth.paths[int(np.argmax(truth.p))][1:3]
        assert found.span(1, 3, labels) == approx(truth.span(1, 3, labels), abs=10 * close)
        ranked = sorted(truth.log_p, reverse=True)[:3]
        assert [path.log_prob for path in inference.nbest(trellis, 3)] == approx(ranked, abs=100 * close)
        likely = [
            truth.p[truth.paths.index(tuple(path))] for path in inference.sample(trellis, 5, seed=1).ids
        ]
        assert min(likely) > 1e-9


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("scale", [1e12, 1e13, 1e16, 1e20, 1e30, 1e100, 1e300])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_cannot_be_computed_is_refused(name: str, scale: float, dtype: type) -> None:  # eq:lost-digits
    if scale > 1e30 and dtype == np.float32:
        pytest.skip("float32 ends before")
    rng, refused = np.random.default_rng(6), 0
    for _ in range(25):
        drawn_one = drawn(rng, name, scale)
        trellis = Trellis(drawn_one.node.astype(dtype), drawn_one.edge.astype(dtype), order=drawn_one.order)
        truth = Exact(trellis)
        begin = truth.paths[0][:2]
        for answer, expected in (
            (lambda one: inference.posterior(one).node, truth.node(trellis.T, trellis.L)),
            (lambda one: inference.posterior(one).entropy, truth.entropy()),
            (lambda one: inference.posterior(one).span(0, 2, (0, 0)), truth.span(0, 2, begin)),
            (lambda one: inference.expected_counts(one).node, truth.node(trellis.T, trellis.L)),
            (lambda one: inference.posterior(one).log_z / scale, truth.log_z / scale),
            (lambda one: math.exp(inference.nbest(one, 1)[0].log_prob), max(truth.p)),
            (lambda one: math.exp(inference.viterbi(one, log_prob=True).log_prob), max(truth.p)),
            (lambda one: math.exp(inference.max_marginal(one).log_prob) <= 1, True),
            (lambda one: np.isfinite(inference.sample(one, 2, seed=0).ids).all(), True),
            (lambda one: inference.filter(one).node.sum(axis=1), np.ones(trellis.T)),
        ):
            try:
                found = answer(trellis)
            except ScoreError:
                refused += 1
            else:
                np.testing.assert_allclose(found, expected, rtol=0, atol=2e-3)
    assert refused or scale < 1e13


def test_the_error_says_how_large_the_scores_are() -> None:  # eq:lost-digits
    apart = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    trellis = Trellis(np.array([[1e20, 1.0], [2.0, 1e20]]), apart)
    with pytest.raises(ScoreError, match=r"as large as 1e\+20.*scale the scores down"):
        inference.posterior(trellis)
    with pytest.raises(ScoreError, match=r"^sequence 1: probabilities"):
        inference.log_partition([Trellis(np.zeros((2, 2)), apart), trellis])


def test_a_large_negative_score_that_nobody_pays_is_a_mask() -> None:  # eq:lost-digits
    rng = np.random.default_rng(7)
    node, edge = rng.normal(size=(9, 4)), rng.normal(size=(4, 4))
    soft, hard = node.copy(), node.copy()
    soft[::2, 1], hard[::2, 1] = float(np.finfo(np.float32).min), -np.inf
    one, two = (inference.posterior(Trellis(x, edge)) for x in (soft, hard))
    np.testing.assert_allclose(one.node, two.node, rtol=0, atol=1e-13)
    assert one.entropy == approx(two.entropy, rel=1e-12)


def test_a_stream_refuses_what_it_cannot_compute_and_stays() -> None:  # eq:lost-digits eq:filter
    stream = inference.Filter(np.array([[0.0, -1e20], [-1e20, 0.0]]))
    stream.push([0.0, -np.inf])
    with pytest.raises(ScoreError, match="position 1 are too large"):
        stream.push([-np.inf, 0.0])
    assert stream.push([0.0, 0.0]).node.tolist() == [1.0, 0.0]
