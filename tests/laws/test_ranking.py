"""Learning from lists: value and slope against enumeration and differences, and the walk of the perceptron."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from seqlab.errors import OptionError
from seqlab.families.rerank.learners import ListPerceptron, Lists, LogLinear, RankLikelihood, Task


def random_task(seed, lengths, *, features=5, goods=None):
    rng = np.random.default_rng(seed)
    count = sum(lengths)
    sizes = rng.integers(0, 4, count)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    lists = Lists(
        np.concatenate([[0], np.cumsum(lengths)]),
        indptr,
        rng.integers(0, features, indptr[-1]).astype(np.int32),
        rng.normal(size=indptr[-1]),
        rng.normal(size=count) * 3,
        features,
    )
    good = np.zeros(count, dtype=bool)
    for begin, length in zip(lists.offsets[:-1].tolist(), lengths, strict=True):
        most = goods or int(rng.integers(1, length + 1))
        good[begin + rng.permutation(length)[:most]] = True
    return Task(lists, good, rng.integers(0, 3, len(lengths)).astype(float))


def dense(lists):
    """(C, K) features, by the definition."""
    table = np.zeros((len(lists.base), lists.size))
    for c in range(len(lists.base)):
        for e in range(lists.indptr[c], lists.indptr[c + 1]):
            table[c, lists.ids[e]] += lists.values[e]
    return table


def by_enumeration(task, theta, l2):
    lists, value = task.lists, l2 * float(theta @ theta)
    scores = lists.base + dense(lists) @ theta
    for i, weight in enumerate(task.weights):
        mine = range(lists.offsets[i], lists.offsets[i + 1])
        total = math.fsum(math.exp(scores[c]) for c in mine)
        right = math.fsum(math.exp(scores[c]) for c in mine if task.good[c])
        value -= weight * math.log(right / total)
    return value


tasks = st.builds(random_task, st.integers(0, 2**32), st.lists(st.integers(1, 4), min_size=1, max_size=5))


@given(task=tasks, l2=st.floats(0, 3), seed=st.integers(0, 100))
def test_rank_likelihood_equals_the_sum_over_candidates(task, l2, seed):  # eq:rerank-likelihood
    theta = np.random.default_rng(seed).normal(size=task.lists.size)
    value, slope = RankLikelihood(task, l2)(theta)
    assert value == approx(by_enumeration(task, theta, l2), abs=1e-9)
    for k in range(len(theta)):
        step = np.zeros(len(theta))
        step[k] = 1e-5
        up, down = (by_enumeration(task, theta + d, l2) for d in (step, -step))
        assert slope[k] == approx((up - down) / 2e-5, abs=1e-5)


@given(task=tasks)
def test_scores_are_base_and_weights(task):  # eq:rerank-likelihood
    theta = np.linspace(-1, 2, task.lists.size)
    np.testing.assert_allclose(
        task.lists.scores(theta), task.lists.base + dense(task.lists) @ theta, atol=1e-12
    )


def test_log_linear_ends_where_the_slope_is_flat():  # eq:rerank-likelihood
    task = random_task(1, [4] * 30, goods=1)
    found = LogLinear(l2=0.5).train(task)
    value, slope = RankLikelihood(task, 0.5)(found.theta)
    assert found.objective == value
    assert np.linalg.norm(slope) < 1e-3 * max(1, np.linalg.norm(found.theta))
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert RankLikelihood(task, 0.5)(found.theta + rng.normal(size=5) * 0.1)[0] > value


def test_large_scores_do_not_overflow():
    task = random_task(3, [3, 2])
    task.lists.base[:] *= 1e4
    value, slope = RankLikelihood(task, 1.0)(np.full(5, 1e3))
    assert math.isfinite(value)
    assert np.isfinite(slope).all()


def slow_perceptron(task, epochs, seed, *, averaged):
    """The textbook's: every weight vector kept, then the mean."""
    rng, lists, table = np.random.default_rng(seed), task.lists, dense(task.lists)
    theta, kept = np.zeros(lists.size), []
    for _ in range(epochs):
        mistakes = 0
        for i in rng.permutation(len(task.weights)):
            mine = np.arange(lists.offsets[i], lists.offsets[i + 1])
            scores = lists.base[mine] + table[mine] @ theta
            chosen = mine[scores.argmax()]
            if not task.good[chosen]:
                mistakes += 1
                right = mine[np.where(task.good[mine], scores, -np.inf).argmax()]
                theta = theta + task.weights[i] * (table[right] - table[chosen])
            kept.append(theta)
        if not mistakes:
            break
    return np.mean(kept, axis=0) if averaged else theta


@given(task=tasks, averaged=st.booleans())
def test_perceptron_walks_as_the_textbook_does(task, averaged):
    found = ListPerceptron(epochs=4, averaged=averaged, seed=3).train(task)
    np.testing.assert_allclose(found.theta, slow_perceptron(task, 4, 3, averaged=averaged), atol=1e-9)


def test_perceptron_stops_when_all_lists_are_right():
    rng = np.random.default_rng(0)
    count, truth = 200, np.array([1.0, -2.0, 0.5])
    values = rng.normal(size=(count, 3))
    good = np.zeros(count, dtype=bool)
    best = (values @ truth).reshape(-1, 4)
    gap = np.sort(best, axis=1)
    good[np.arange(50) * 4 + best.argmax(axis=1)] = True
    assert (gap[:, -1] - gap[:, -2] > 0).all()
    lists = Lists(
        np.arange(0, count + 1, 4),
        np.arange(0, 3 * count + 1, 3),
        np.tile(np.arange(3, dtype=np.int32), count),
        values.reshape(-1),
        np.zeros(count),
        3,
    )
    found = ListPerceptron(epochs=1000, averaged=False).train(Task(lists, good, np.ones(50)))
    assert found.reason == "no mistakes"
    chosen = lists.scores(found.theta).reshape(-1, 4).argmax(axis=1)
    assert good[np.arange(50) * 4 + chosen].all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LogLinear(l2=-1), "l2 must be a finite number from 0 up, got -1"),
        (lambda: LogLinear(l2=math.nan), "l2 must be"),
        (lambda: LogLinear(max_iterations=0), "max_iterations must be"),
        (lambda: ListPerceptron(epochs=0), "epochs must be"),
        (lambda: ListPerceptron(averaged=1), "averaged must be True or False"),
        (lambda: ListPerceptron(seed=-1), "seed must be"),
    ],
)
def test_learners_refuse_bad_options(make, message):
    with pytest.raises(OptionError, match=message):
        make()
