"""AROW against a plain loop over all labellings (eq:arow)."""

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from oracle.online import ArowTwin, TieError
from oracle.training import Problem, problems
from seqlab.families.linear.learners.mistakes import AROW

pytestmark = pytest.mark.usefixtures("kernel")


def trained(learner, problem, seed=0):
    seen = []

    def report(progress):
        seen.append((progress.more, progress.weights()))
        return True

    outcome = learner.train(problem.task(), problem.theta, threads=1, seed=seed, report=report)
    return outcome, seen


@given(problem=problems(), seed=st.integers(0, 2**63 - 1), r=st.sampled_from((0.1, 1.0, 20.0)))
def test_arow_equals_the_plain_loop(problem, seed, r):
    outcome, seen = trained(AROW(r=r, epochs=3, shuffle=seed % 2 == 0), problem, seed)
    twin = ArowTwin(problem, r=r, seed=seed, shuffle=seed % 2 == 0)
    for told, weights in seen:
        try:
            twin.epoch()
        except TieError:
            reject()
        assert (told["mistakes"], told["updates"]) == (twin.mistakes, twin.updates)
        np.testing.assert_allclose(weights, twin.theta, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(outcome.theta, seen[-1][1])


def test_weights_that_were_changed_often_are_changed_less():
    problem = Problem(2, 3, [3], all_pairs=True)
    problem.theta = np.zeros(problem.size)
    _, (first, *_, last) = trained(AROW(epochs=50), problem)
    assert first[0]["updates"] == 1
    assert last[0]["updates"] == 0


def test_a_large_r_makes_small_steps():
    problem = Problem(2, 3, [3], all_pairs=True)
    problem.theta = np.zeros(problem.size)
    bold, timid = (np.abs(trained(AROW(r=r, epochs=1), problem)[0].theta).max() for r in (0.1, 1000.0))
    assert 0 < timid < bold / 50
