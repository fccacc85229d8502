"""The structured SVM against all labellings: its objective, its dual, and that both methods end at one minimum.

eq:structured-svm, eq:duality-gap, eq:loss-augmented
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.online import Enumeration, svm_objective
from oracle.training import Problem, problems
from seqlab.families.linear.learners.mistakes import StructuredSVM

pytestmark = pytest.mark.usefixtures("kernel")

METHODS = ("frank-wolfe", "subgradient")


def trained(learner, problem, *, seed=0, threads=1, start=None):
    """The outcome, and every Progress with the weights of its moment."""
    seen = []

    def report(progress):
        seen.append((progress, progress.weights()))
        return True

    theta = np.zeros(problem.size) if start is None else start
    outcome = learner.train(problem.task(), theta, threads=threads, seed=seed, report=report)
    return outcome, seen


@pytest.mark.parametrize("method", METHODS)
@given(
    problem=problems(partial=False),
    l2=st.sampled_from((0.1, 1.0, 10.0)),
    averaged=st.booleans(),
    seed=st.integers(0, 2**63 - 1),
)
def test_objective_equals_enumeration_and_the_dual_stays_below_it(method, problem, l2, averaged, seed):
    learner = StructuredSVM(l2=l2, method=method, epochs=4, tolerance=0, check_every=1, averaged=averaged)
    _, seen = trained(learner, problem, seed=seed)
    least = np.inf
    for progress, weights in seen:
        wanted = svm_objective(problem, weights, l2)
        assert progress.objective == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        least = min(least, wanted)
        assert progress.more["duality_gap"] == pytest.approx(progress.objective - progress.more["dual"])
    assert all(progress.more["dual"] <= least + 1e-9 * (1 + abs(least)) for progress, _ in seen)


@given(problem=problems(partial=False), averaged=st.booleans())
def test_frank_wolfe_closes_the_gap(problem, averaged):
    # It falls as 1 over the epochs: slowly where little is left to lose.
    learner = StructuredSVM(tolerance=0.05, epochs=3000, check_every=20, averaged=averaged)
    outcome, seen = trained(learner, problem)
    assert outcome.reason == "duality gap"
    last = seen[-1][0]
    assert last.more["duality_gap"] <= 0.05 * last.objective
    assert outcome.objective == last.objective
    np.testing.assert_array_equal(outcome.theta, seen[-1][1])


@given(problem=problems(partial=False), seed=st.integers(0, 1000))
def test_every_step_of_frank_wolfe_raises_the_dual(problem, seed):
    learner = StructuredSVM(tolerance=0, epochs=6, check_every=1, averaged=False)
    _, seen = trained(learner, problem, seed=seed)
    duals = np.array([progress.more["dual"] for progress, _ in seen])
    assert (np.diff(duals) >= -1e-9 * (1 + np.abs(duals[1:]))).all()
    assert duals[0] >= -1e-9


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "more", [{}, {"order": 2}, {"order": 3}, {"edges": True, "valued": True, "masked": True}]
)
def test_both_methods_end_at_one_minimum(seed, more):
    problem = Problem(seed, 3, [4, 3, 1, 0, 4, 2], weighted=True, token_weighted=True, **more)
    ends = [
        trained(StructuredSVM(method=method, epochs=1500, tolerance=0, check_every=1500), problem)
        for method in METHODS
    ]
    gaps = [seen[-1][0].more["duality_gap"] for _, seen in ends]
    (fast, _), (slow, _) = ends
    assert max(gaps) <= 0.01 * fast.objective
    assert abs(slow.objective - fast.objective) <= max(gaps)
    # l2 |θ - θ*|² <= P(θ) - P(θ*) <= the gap, as P bends at least as much as its penalty
    assert np.linalg.norm(slow.theta - fast.theta) <= np.sqrt(gaps).sum()


@pytest.mark.parametrize("method", METHODS)
@given(problem=problems(partial=True), seed=st.integers(0, 1000))
def test_labels_known_in_part_are_completed_by_the_best_path_that_fits(method, problem, seed):
    learner = StructuredSVM(method=method, epochs=4, tolerance=0, check_every=1)
    _, seen = trained(learner, problem, seed=seed)
    for progress, weights in seen:
        wanted = svm_objective(problem, weights, 1.0)
        if method == "subgradient" or not any(problem.partial):
            assert progress.objective == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        else:  # the paths that count as right were chosen before: they can only be worse than the best
            assert progress.objective >= wanted - 1e-9 * (1 + wanted)
            assert progress.more["dual"] <= progress.objective + 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_sentences_with_all_labels_teach_those_without(method):
    problem = Problem(3, 3, [5, 4, 5, 4, 5], all_pairs=True)
    table = problem.node  # one attribute a token, which tells its label
    table.indptr = np.arange(len(problem.truth) + 1, dtype=np.int64)
    table.ids = problem.truth.copy()
    problem.partial = [False, False, False, True, True]
    problem.lists = [list(range(3)) for _ in problem.truth]  # nothing is known of the last two
    outcome, _ = trained(StructuredSVM(l2=0.1, method=method, epochs=20, tolerance=0), problem)
    every = Enumeration(problem, rounding=0)
    assert [every.best(s, outcome.theta)[0] for s in (3, 4)] == [tuple(problem.right(s)) for s in (3, 4)]


@pytest.mark.parametrize("method", METHODS)
def test_l2_weighs_against_the_weights_of_sentences(method):
    problem, heavy = Problem(1, 3, [4, 3, 4]), Problem(1, 3, [4, 3, 4])
    heavy.weight = np.full(3, 2.0)
    one, other = (
        trained(StructuredSVM(l2=l2, method=method, epochs=30, tolerance=0), p)[0].theta
        for l2, p in ((1.0, problem), (2.0, heavy))
    )
    np.testing.assert_array_equal(one, other)  # twice everything is exact


@pytest.mark.parametrize("method", METHODS)
def test_same_seed_gives_the_same_bits_with_any_number_of_threads(method):
    problem = Problem(1, 9, [5, 1, 0, 8] * 400, valued=True)
    learner = StructuredSVM(method=method, epochs=3, check_every=1, tolerance=0)
    runs = []
    for threads in (1, 2, 7):
        outcome, seen = trained(learner, problem, threads=threads, seed=3)
        runs.append((outcome.theta.tobytes(), tuple(progress.objective for progress, _ in seen)))
    assert len(set(runs)) == 1


def test_subgradient_goes_on_from_its_start_and_then_knows_no_gap():
    problem = Problem(1, 3, [4, 3, 4])
    best, _ = trained(StructuredSVM(epochs=2000, tolerance=1e-5), problem)
    learner = StructuredSVM(method="subgradient", epochs=1, tolerance=0)
    _, ((cold, _),) = trained(learner, problem)
    _, ((warm, _),) = trained(learner, problem, start=best.theta)
    assert warm.objective < cold.objective
    assert "duality_gap" in cold.more
    assert "duality_gap" not in warm.more


@pytest.mark.parametrize("method", METHODS)
def test_nothing_to_learn_from_is_a_minimum_at_once(method):
    outcome, _ = trained(StructuredSVM(method=method, epochs=9), Problem(1, 3, [0, 0]))
    np.testing.assert_array_equal(outcome.theta, 0.0)
    assert (outcome.objective, outcome.reason, outcome.iterations) == (0.0, "duality gap", 5)
