"""The diagonal that scales the first directions of L-BFGS (eq:curvature, eq:preconditioner)."""

import numpy as np
import pytest
from hypothesis import given

from oracle.lessons import exercise, exercises
from seqlab import LBFGS, _core
from seqlab.learning.monitor import Job

KINDS = [(_core.Likelihood32, 1e-4), (_core.Likelihood64, 1e-9)]


def curvature(task, kind, threads=1):
    diagonal = np.full(len(task.theta), np.nan)
    task.loss(kind).curvature(task.theta, diagonal, threads)
    return diagonal


def by_enumeration(task):
    """Σ w value² p (1 - p) for attributes with a label, Σ w p for moves, from all paths."""
    model, encoded = task.model, task.lesson.encoded
    found = np.zeros(len(task.theta))
    for s in range(len(task.lengths)):
        begin, end = encoded.offsets[s : s + 2].tolist()
        weights = task.lesson.weights
        w = 1.0 if weights is None else weights[begin:end].max(initial=0.0)
        paths = task.paths(s)
        used = task.used(s, paths)
        scores = used @ task.theta
        p = np.exp(scores - np.logaddexp.reduce(scores))
        found[len(model.label) :] += w * (p @ used)[len(model.label) :]
        for t in range(end - begin):
            for i in range(encoded.indptr[begin + t], encoded.indptr[begin + t + 1]):
                value = 1.0 if encoded.values is None else encoded.values[i]
                for k in range(model.begin[encoded.ids[i]], model.begin[encoded.ids[i] + 1]):
                    q = p[paths[:, t] == model.label[k]].sum()
                    found[k] += w * value**2 * q * (1 - q)
    return found


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(("kind", "digits"), KINDS)
@given(task=exercises(partial=False, weighted=None, edges=False, scale=1.0))
def test_curvature_equals_its_definition(kind, digits, task):
    np.testing.assert_allclose(curvature(task, kind), by_enumeration(task), atol=digits, rtol=digits)


@pytest.mark.parametrize(("kind", "digits"), KINDS)
@given(task=exercises(partial=False, weighted="sentences", edges=False, scale=1.0))
def test_sentences_weigh_in_the_curvature(kind, digits, task):
    np.testing.assert_allclose(curvature(task, kind), by_enumeration(task), atol=digits, rtol=digits)


@given(task=exercises(scale=30.0))
def test_curvature_is_never_negative(task):
    assert (curvature(task, _core.Likelihood32) >= 0).all()
    assert (curvature(task, _core.Likelihood64) >= 0).all()


def test_curvature_is_the_second_derivative_for_attributes_met_once():
    task = exercise(1, 3, [3, 2], valued=True)
    loss, theta = task.loss(_core.Likelihood64), task.theta
    diagonal = curvature(task, _core.Likelihood64)
    once = [a for a in range(6) if (task.lesson.encoded.ids == a).sum() == 1]
    assert once
    for a in once:
        for k in range(task.model.begin[a], task.model.begin[a + 1]):
            up, down = np.empty(len(theta)), np.empty(len(theta))
            step = 1e-5 * (np.arange(len(theta)) == k)
            loss(theta + step, up, 1)
            loss(theta - step, down, 1)
            assert diagonal[k] == pytest.approx((up[k] - down[k]) / 2e-5, abs=1e-7)


def test_threads_give_the_same_bits():
    task = exercise(1, 5, [20] * 11_000, valued=True)
    assert len({curvature(task, _core.Likelihood32, threads).tobytes() for threads in (1, 2, 3)}) == 1


def test_the_first_step_goes_along_the_scaled_slope():
    """θ₁ - θ₀ = -α (h + 2 l2)^-0.8 ∇: for every weight the same α."""
    task, l2 = exercise(4, 4, [6, 5, 7], valued=True), 0.7
    loss = task.loss(_core.Likelihood64)
    zero = np.zeros(len(task.theta))
    slope, h = np.empty_like(zero), np.empty_like(zero)
    loss(zero, slope, 1)
    loss.curvature(zero, h, 1)
    seen = []
    learner = LBFGS(l2=l2, start_epochs=0, dtype="float64", max_iterations=1)
    learner.train(
        Job(loss, loss, None, 1), zero.copy(), lambda progress: seen.append(progress.weights()) is None
    )
    direction = -slope * (h + 2 * l2) ** -0.8
    step = seen[-1] / np.where(direction == 0, 1, direction)
    moved = np.abs(slope) > 1e-9
    assert moved.sum() > 10
    np.testing.assert_allclose(step[moved], step[moved][0], rtol=1e-9)
    assert step[moved][0] > 0


@pytest.mark.parametrize("l1", [0.0, 0.4])
def test_preconditioned_or_not_the_minimum_is_the_same(l1):
    task = exercise(5, 4, [6, 5, 7, 3, 9], valued=True, edges=True)
    found = []
    for precondition in (False, True):
        loss = task.loss(_core.Likelihood64)
        learner = LBFGS(l1=l1, l2=0.2, precondition=precondition, dtype="float64", epsilon=1e-9, delta=0)
        outcome = learner.train(Job(loss, loss, None, 1), np.zeros(len(task.theta)), lambda progress: True)
        found.append(outcome)
    assert found[0].objective == pytest.approx(found[1].objective, rel=1e-10)
    np.testing.assert_allclose(found[0].theta, found[1].theta, atol=1e-5)
