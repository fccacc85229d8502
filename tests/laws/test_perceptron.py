"""The structured perceptron against a plain loop over all labellings (eq:perceptron)."""

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from oracle.online import PerceptronTwin, TieError
from oracle.training import Problem, problems
from seqlab.families.linear.learners.mistakes import Perceptron

pytestmark = pytest.mark.usefixtures("kernel")


def trained(learner, problem, seed=0, stop_after=None):
    """The outcome, and (mistakes, updates, weights) after each epoch."""
    seen = []

    def report(progress):
        seen.append((progress.more["mistakes"], progress.more["updates"], progress.weights()))
        return progress.iteration != stop_after

    start = problem.theta.copy()
    outcome = learner.train(problem.task(), start, threads=1, seed=seed, report=report)
    np.testing.assert_array_equal(start, problem.theta)
    return outcome, seen


def advance(twin):
    try:
        twin.epoch()
    except TieError:
        reject()


@given(problem=problems(), seed=st.integers(0, 2**63 - 1), averaged=st.booleans(), shuffle=st.booleans())
def test_perceptron_equals_the_plain_loop(problem, seed, averaged, shuffle):
    outcome, seen = trained(Perceptron(epochs=3, averaged=averaged, shuffle=shuffle), problem, seed)
    # the mean weight of three wrong tokens is no sum of powers of 2: the only number here that float32 rounds
    rounding = 0 if problem.token_weight is None else 1e-5
    twin = PerceptronTwin(problem, shuffle=shuffle, seed=seed, rounding=rounding)
    for mistakes, updates, weights in seen:
        advance(twin)
        assert (mistakes, updates) == (twin.mistakes, twin.updates)
        np.testing.assert_allclose(weights, twin.mean() if averaged else twin.theta, atol=1e-5)
    np.testing.assert_array_equal(outcome.theta, seen[-1][2])
    assert outcome.iterations == len(seen)
    assert outcome.reason == ("no mistakes" if seen[-1][1] == 0 else "epochs")


def separable(seed):
    """Each token has an attribute that tells its label, and one that says nothing."""
    problem = Problem(seed, 4, [5, 1, 7, 0, 3, 6], all_pairs=True)
    table = problem.node
    table.indptr = np.arange(0, 2 * len(problem.truth) + 1, 2, dtype=np.int64)
    table.ids = np.stack([problem.truth, np.full_like(problem.truth, 5)], axis=1).reshape(-1)
    problem.theta = np.zeros(problem.size)
    return problem


@pytest.mark.parametrize("seed", range(5))
def test_separable_labels_are_learned_without_a_mistake(seed):
    outcome, seen = trained(Perceptron(epochs=200, averaged=False), separable(seed), seed)
    assert outcome.reason == "no mistakes"
    assert seen[-1][0] == 0
    assert seen[0][0] > 0


def test_attributes_get_no_weight_for_labels_they_were_never_met_with():
    # six labels: an attribute with four of them has a dense row, with two lanes that must stay 0
    problem = Problem(3, 6, [4] * 6)
    _, seen = trained(Perceptron(epochs=5), problem)
    twin = PerceptronTwin(problem, rounding=0)
    for _, _, weights in seen:
        twin.epoch()
        np.testing.assert_allclose(weights, twin.mean(), atol=1e-5)


def test_sentences_are_shuffled_in_blocks_of_neighbours():
    problem = Problem(4, 2, [2] * 70)
    _, seen = trained(Perceptron(epochs=3), problem, seed=11)
    twin = PerceptronTwin(problem, seed=11, rounding=0)
    for _, _, weights in seen:
        twin.epoch()
        np.testing.assert_allclose(weights, twin.mean(), atol=1e-5)


@pytest.mark.parametrize("L", [2, 17, 40])
def test_same_seed_gives_the_same_bits_and_another_order_other_weights(L):
    problem = Problem(1, L, [9, 3, 12, 1, 0, 30] * 5, valued=True)
    first, again, other = (trained(Perceptron(), problem, seed)[0].theta for seed in (7, 7, 8))
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()


def test_training_stops_when_the_report_says_so():
    outcome, seen = trained(Perceptron(epochs=9), Problem(1, 4, [4] * 8), stop_after=2)
    assert (outcome.reason, outcome.iterations, len(seen)) == ("stopped", 2, 2)


@pytest.mark.parametrize("lengths", [[0], [0, 0, 0]])
def test_nothing_to_learn_from_leaves_the_start(lengths):
    problem = Problem(1, 3, lengths)
    outcome, _ = trained(Perceptron(), problem)
    np.testing.assert_array_equal(outcome.theta, problem.theta)
    assert outcome.reason == "no mistakes"
