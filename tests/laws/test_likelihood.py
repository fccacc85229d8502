"""The CRF's likelihood and its slope against all labellings and against differences (eq:crf-likelihood)."""

import numpy as np
import pytest
from hypothesis import given

from oracle.lessons import exercise, exercises
from seqlab import LBFGS, _core
from seqlab.learning.monitor import Job

pytestmark = pytest.mark.usefixtures("kernel")

KINDS = [(_core.Likelihood32, 3e-6), (_core.Likelihood64, 1e-12)]


def asked(task, kind, threads=1):
    slope = np.full(len(task.theta), np.nan)
    return task.loss(kind)(task.theta, slope, threads), slope


def rounding(task, digits):
    """What sums of scores of this size lose; a slope loses what e^score does."""
    weights = task.lesson.weights
    heaviest = 1.0 if weights is None else weights.max(initial=1.0)
    entries = 0 if task.lesson.encoded.values is None else np.abs(task.lesson.encoded.values).max(initial=0)
    size = max(1.0, entries) * np.abs(task.theta).max(initial=1.0) * 20
    return digits * size * heaviest * max(1, sum(task.lengths))


@pytest.mark.parametrize(("kind", "digits"), KINDS)
@given(task=exercises())
def test_likelihood_equals_the_sum_over_labellings(kind, digits, task):
    value, slope = asked(task, kind)
    wanted_value, wanted_slope = task.by_enumeration()
    assert value == pytest.approx(wanted_value, abs=rounding(task, digits))
    np.testing.assert_allclose(slope, wanted_slope, atol=10 * rounding(task, digits))


@pytest.mark.parametrize(
    ("L", "order"), [(L, 1) for L in (1, 2, 9, 22, 45, 70)] + [(1, 2), (5, 2), (17, 2), (1, 3), (4, 3)]
)
def test_slope_equals_differences_on_larger_problems(L, order):
    task = exercise(
        L, L, [7, 1, 0, 12, 5] * (3 if order == 1 else 1), order=order, valued=True, masked=True,
        dictionary=order > 1, partial=True, weighted="tokens", edges=L < 20,
    )  # fmt: skip
    loss, theta = task.loss(_core.Likelihood64), task.theta
    slope, ignored = np.empty(len(theta)), np.empty(len(theta))
    loss(theta, slope, 1)
    assert np.abs(slope).max() > 0.01 or L == 1
    for k in np.random.default_rng(0).choice(len(theta), 20):
        step = np.zeros(len(theta))
        step[k] = 1e-5
        up, down = (loss(theta + d, ignored, 1) for d in (step, -step))
        assert slope[k] == pytest.approx((up - down) / 2e-5, abs=1e-5)


# One stretch, two and four of many parts, one without a part, and four of one part each.
SHARED = [
    exercise(1, 5, [20] * 700),
    exercise(1, 5, [20] * 11_000),
    exercise(1, 2, [20] * 21_000),
    exercise(1, 2, [250_000, *[50] * 3_000]),
    exercise(1, 3, [1, 30, 0] * 1_100, edges=True),
]


@pytest.mark.parametrize("kind", [kind for kind, _ in KINDS])
@pytest.mark.parametrize("task", SHARED)
def test_threads_and_repetition_give_the_same_bits(kind, task):
    loss, answers = task.loss(kind), []
    for threads in (1, 2, 3, 8, 1):
        slope = np.empty(len(task.theta))
        answers.append((loss(task.theta, slope, threads), slope.tobytes()))
    assert len(set(answers)) == 1


def test_float32_sums_do_not_drift():
    task = exercise(2, 4, [25] * 4_000, all_pairs=True)
    (_, narrow), (_, wide) = asked(task, _core.Likelihood32), asked(task, _core.Likelihood64)
    np.testing.assert_allclose(narrow, wide, atol=5e-7 * np.abs(wide).max())


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", [kind for kind, _ in KINDS])
def test_no_sentences_add_nothing(kind, threads):
    value, slope = asked(exercise(3, 3, []), kind, threads)
    assert value == 0
    assert not slope.any()


@pytest.mark.parametrize("kind", [kind for kind, _ in KINDS])
def test_sentences_without_tokens_or_labels_add_nothing(kind):
    task = exercise(3, 3, [0, 0], order=2, edges=True, partial=True)
    value, slope = asked(task, kind)
    assert value == 0
    assert not slope.any()


def test_float32_is_used_first_and_float64_at_the_end():
    task = exercise(3, 5, [10] * 60)
    quick, exact = task.loss(_core.Likelihood32), task.loss(_core.Likelihood64)
    slope, l2 = np.empty(len(task.theta)), 0.5

    def value(loss, theta):
        return loss(theta, slope, 1) + l2 * float(theta @ theta)

    told = []

    def report(progress):
        theta = progress.weights()
        told.append((progress.objective, value(quick, theta), value(exact, theta)))
        return True

    LBFGS(l2=l2, epsilon=1e-9, delta=0).train(Job(quick, exact, None, 1), np.zeros(len(slope)), report)
    for objective, in_float32, in_float64 in told[1:4]:
        assert objective == pytest.approx(in_float32, rel=1e-13)
        assert abs(objective - in_float64) > 1e-12 * objective
    assert told[-1][0] == pytest.approx(told[-1][2], rel=1e-13)
