"""The CRF's likelihood and its slope against all labellings and against differences (eq:crf-likelihood)."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab import _core

pytestmark = pytest.mark.usefixtures("kernel")

KINDS = [(_core.Likelihood32, 2e-5), (_core.Likelihood64, 1e-9)]


class Problem:
    """Sequences with attributes and labels, and every way to ask the core about them."""

    def __init__(self, seed, L, lengths, *, valued, masked, weighted, all_pairs):
        rng = np.random.default_rng(seed)
        self.L, self.lengths = L, lengths
        self.offset = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        N, A = int(self.offset[-1]), 6
        sizes = rng.integers(0, 5, N)
        self.indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.ids = rng.integers(0, A, int(sizes.sum())).astype(np.int32)
        self.values = rng.normal(size=len(self.ids)) if valued else None
        self.weight = rng.integers(0, 3, len(lengths)).astype(float) if weighted else None
        self.labels = rng.integers(0, L, N).astype(np.int32)
        has = rng.random((A, L)) < 0.6 if not all_pairs else np.ones((A, L), dtype=bool)
        self.begin = np.concatenate([[0], np.cumsum(has.sum(axis=1))]).astype(np.int64)
        self.label = np.nonzero(has)[1].astype(np.int32)
        moves = rng.random(L * L) < 0.8
        self.number = np.where(moves, np.cumsum(moves) - 1, -1).astype(np.int32)
        self.forbidden = self.no_start = self.no_end = None
        if masked:
            self.forbidden, self.no_start, self.no_end = self._masks(rng)
        self.theta = rng.normal(size=len(self.label) + int(moves.sum()))

    def _masks(self, rng):
        """Masks that leave the labels given, and every sequence, possible."""
        forbidden = (rng.random((self.L, self.L)) < 0.4).astype(np.uint8)
        no_start, no_end = (rng.random((2, self.L)) < 0.4).astype(np.uint8)
        for s in range(len(self.lengths)):
            labels = self.labels[self.offset[s] : self.offset[s + 1]]
            for a, b in itertools.pairwise(labels):
                forbidden[a, b] = 0
            if len(labels):
                no_start[labels[0]] = no_end[labels[-1]] = 0
        return forbidden.reshape(-1), no_start, no_end

    def core(self, kind):
        task = _core.Task(
            self.L, self.offset, self.labels, self.indptr, self.ids, self.values, self.begin, self.label, self.number
        )  # fmt: skip
        if self.forbidden is not None:
            task.set_rules(self.forbidden, self.no_start, self.no_end)
        if self.weight is not None:
            task.set_weights(self.weight, self.weight)
        return kind(task)

    def features(self, s, labelling):
        """F(x_s, y): how often each weight is used."""
        used = np.zeros(len(self.theta))
        for t, y in enumerate(labelling):
            n = self.offset[s] + t
            for i in range(self.indptr[n], self.indptr[n + 1]):
                a = self.ids[i]
                for k in range(self.begin[a], self.begin[a + 1]):
                    if self.label[k] == y:
                        used[k] += 1.0 if self.values is None else self.values[i]
        for a, b in itertools.pairwise(labelling):
            if self.number[a * self.L + b] >= 0:
                used[len(self.label) + self.number[a * self.L + b]] += 1
        return used

    def legal(self, labelling):
        if self.forbidden is None or not labelling:
            return True
        return (
            not self.no_start[labelling[0]]
            and not self.no_end[labelling[-1]]
            and not any(self.forbidden[a * self.L + b] for a, b in itertools.pairwise(labelling))
        )

    def by_enumeration(self):
        """Value and slope, summed over every labelling."""
        value, slope = 0.0, np.zeros(len(self.theta))
        for s, length in enumerate(self.lengths):
            weight = 1.0 if self.weight is None else self.weight[s]
            paths = [p for p in itertools.product(range(self.L), repeat=length) if self.legal(p)]
            used = np.array([self.features(s, p) for p in paths])
            scores = used @ self.theta
            log_z = np.logaddexp.reduce(scores)
            gold = self.features(s, self.labels[self.offset[s] : self.offset[s + 1]].tolist())
            value += weight * (log_z - gold @ self.theta)
            slope += weight * (np.exp(scores - log_z) @ used - gold)
        return value, slope


@st.composite
def problems(draw):
    return Problem(
        draw(st.integers(0, 2**32)),
        draw(st.integers(1, 4)),
        draw(st.lists(st.integers(0, 4), min_size=1, max_size=5)),
        valued=draw(st.booleans()),
        masked=draw(st.booleans()),
        weighted=draw(st.booleans()),
        all_pairs=draw(st.booleans()),
    )


@pytest.mark.parametrize(("kind", "digits"), KINDS)
@given(problem=problems())
def test_likelihood_equals_the_sum_over_labellings(kind, digits, problem):
    likelihood, slope = problem.core(kind), np.empty(len(problem.theta))
    value = likelihood(problem.theta, slope, 1)
    wanted_value, wanted_slope = problem.by_enumeration()
    scale = 1 + np.abs(problem.theta).sum()
    assert value == pytest.approx(wanted_value, abs=digits * scale)
    np.testing.assert_allclose(slope, wanted_slope, atol=digits * scale)


@pytest.mark.parametrize("L", [2, 9, 22, 45, 70])
def test_slope_equals_differences_on_larger_problems(L):
    problem = Problem(L, L, [7, 1, 0, 12, 5] * 3, valued=True, masked=True, weighted=True, all_pairs=False)
    likelihood = problem.core(_core.Likelihood64)
    slope, ignored = np.empty(len(problem.theta)), np.empty(len(problem.theta))
    likelihood(problem.theta, slope, 1)
    for k in np.random.default_rng(0).choice(len(problem.theta), 20):
        step = np.zeros(len(problem.theta))
        step[k] = 1e-5
        up, down = (likelihood(problem.theta + d, ignored, 1) for d in (step, -step))
        assert slope[k] == pytest.approx((up - down) / 2e-5, abs=1e-5)


@pytest.mark.parametrize("kind", [kind for kind, _ in KINDS])
def test_threads_and_repetition_give_the_same_bits(kind):
    problem = Problem(1, 5, [20] * 11_000, valued=False, masked=False, weighted=False, all_pairs=False)
    likelihood = problem.core(kind)
    answers = []
    for threads in (1, 2, 8, 1):
        slope = np.empty(len(problem.theta))
        answers.append((likelihood(problem.theta, slope, threads), slope.tobytes()))
    assert len(set(answers)) == 1


def test_float32_sums_do_not_drift():
    problem = Problem(2, 4, [25] * 4_000, valued=False, masked=False, weighted=False, all_pairs=True)
    narrow, wide = np.empty(len(problem.theta)), np.empty(len(problem.theta))
    problem.core(_core.Likelihood32)(problem.theta, narrow, 1)
    problem.core(_core.Likelihood64)(problem.theta, wide, 1)
    np.testing.assert_allclose(narrow, wide, atol=1e-6 * np.abs(wide).max() + 0.01)
