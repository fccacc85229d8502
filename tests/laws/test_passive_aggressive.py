"""Passive-aggressive learning against a plain loop over all labellings (eq:passive-aggressive, eq:loss-augmented)."""

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from oracle.online import PassiveAggressiveTwin, TieError
from oracle.training import Problem, problems
from seqlab.families.linear.learners.mistakes import PassiveAggressive

pytestmark = pytest.mark.usefixtures("kernel")


def trained(learner, problem, seed=0):
    seen = []

    def report(progress):
        seen.append((progress.more, progress.weights()))
        return True

    outcome = learner.train(problem.task(), problem.theta, threads=1, seed=seed, report=report)
    return outcome, seen


@given(
    problem=problems(),
    seed=st.integers(0, 2**63 - 1),
    kind=st.sampled_from((0, 1, 2)),
    C=st.sampled_from((0.05, 1.0, 3.0)),
    cost=st.sampled_from(("hamming", "sqrt", "one")),
    averaged=st.booleans(),
)
def test_passive_aggressive_equals_the_plain_loop(problem, seed, kind, C, cost, averaged):
    learner = PassiveAggressive(
        kind=kind, C=C if kind else None, cost=cost, epochs=3, averaged=averaged, shuffle=seed % 2 == 0
    )
    outcome, seen = trained(learner, problem, seed)
    twin = PassiveAggressiveTwin(problem, kind=kind, C=C, cost=cost, seed=seed, shuffle=seed % 2 == 0)
    for told, weights in seen:
        try:
            twin.epoch()
        except TieError:
            reject()
        assert told["updates"] == twin.updates
        assert told.get("mistakes", twin.mistakes) == twin.mistakes
        np.testing.assert_allclose(weights, twin.mean() if averaged else twin.theta, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(outcome.theta, seen[-1][1])


def one_sentence(**more):
    """One sentence whose best path is wrong at the start."""
    problem = Problem(5, 3, [4], all_pairs=True, **more)
    problem.theta = np.zeros(problem.size)
    return problem


@pytest.mark.parametrize("cost", ["hamming", "sqrt", "one"])
def test_without_a_limit_the_loss_of_the_sentence_is_gone_after_the_visit(cost):
    # plain PA is the smallest change that leaves the rival no loss: doing it again for the same rival changes nothing
    problem = one_sentence()
    _, seen = trained(PassiveAggressive(kind=0, cost=cost, epochs=40, averaged=False), problem)
    assert seen[0][0]["updates"] == 1
    assert seen[-1][0] == {**seen[-1][0], "loss": 0.0, "updates": 0.0}


def test_a_small_limit_keeps_every_step_small():
    problem = one_sentence()
    twin = PassiveAggressiveTwin(problem, kind=1, C=1e-3, cost="hamming", shuffle=False, rounding=0)
    twin.epoch()
    _, seen = trained(PassiveAggressive(kind=1, C=1e-3, epochs=1, averaged=False), problem)
    assert 0 < np.abs(seen[0][1]).max() < 0.05
    np.testing.assert_allclose(seen[0][1], twin.theta, atol=1e-12)


def test_a_sentence_of_weight_three_has_three_times_the_limit():
    heavy, light = one_sentence(), one_sentence()
    heavy.weight = np.array([3.0])
    once, thrice = (
        trained(PassiveAggressive(kind=1, C=C, epochs=1, averaged=False), problem)[0].theta
        for C, problem in ((1e-3, heavy), (3e-3, light))
    )
    np.testing.assert_allclose(once, thrice, rtol=1e-12)
