import dataclasses
import os
import signal

import numpy as np
import pytest

from seqlab.errors import DtypeError, OptionError, ScoreError, ShapeError
from seqlab.learning.optimisers import Iteration, minimise


def bowl(theta):
    return float(theta @ theta), 2.0 * theta


@pytest.mark.parametrize(
    ("method", "options", "word"),
    [
        ("newton", {}, "'lbfgs'"),
        ("lbfgs", {"l1": 1.0}, "has no option 'l1'"),
        ("gradient", {"memory": 3}, "has no option 'memory'"),
        ("lbfgs", {"epsilon": -1.0}, "epsilon"),
        ("lbfgs", {"epsilon": float("nan")}, "epsilon"),
        ("lbfgs", {"epsilon": True}, "epsilon"),
        ("lbfgs", {"delta": "small"}, "delta"),
        ("lbfgs", {"period": 1.5}, "period"),
        ("lbfgs", {"max_iterations": 0}, "max_iterations"),
        ("lbfgs", {"max_linesearch": 0}, "max_linesearch"),
        ("lbfgs", {"precision": 2.0}, "precision"),
        ("lbfgs", {"memory": 0}, "memory"),
        ("lbfgs", {"memory": 10**6}, "memory"),
        ("lbfgs", {"memory_dtype": "float16"}, "memory_dtype"),
        ("lbfgs", {"line_search": "golden"}, "'more-thuente'"),
        ("lbfgs", {"first_step": 0.0}, "first_step"),
        ("lbfgs", {"diagonal": [1.0, -1.0, 1.0]}, r"diagonal\[1\]"),
        ("lbfgs", {"diagonal": [1.0, 0.0, 1.0]}, r"diagonal\[1\]"),
        ("lbfgs", {"diagonal": "abc"}, "diagonal"),
        ("owlqn", {"l1": -1.0}, "l1"),
        ("owlqn", {"l1": [1.0, float("inf"), 1.0]}, r"l1\[1\]"),
        ("owlqn", {"l1": [1.0, 1.0, 1.0], "l1_range": (0, 2)}, "l1_range"),
        ("owlqn", {"l1": 1.0, "l1_range": (0, 4)}, "l1_range"),
        ("owlqn", {"l1": 1.0, "l1_range": (2, 1)}, "l1_range"),
        ("owlqn", {"l1": 1.0, "l1_range": 2}, "l1_range"),
        ("conjugate-gradient", {"curvature": 1e-5}, "curvature"),
        ("conjugate-gradient", {"restart": 0}, "restart"),
        ("gradient", {"step": -0.1}, "step"),
    ],
)
def test_option_is_refused(method, options, word):
    with pytest.raises(OptionError, match=word):
        minimise(bowl, np.ones(3), method, **options)


@pytest.mark.parametrize("options", [{"diagonal": [1.0]}, {"l1": [1.0, 2.0]}, {"l1": [[1.0]]}])
def test_option_of_another_length_is_refused(options):
    method = "lbfgs" if "diagonal" in options else "owlqn"
    with pytest.raises(ShapeError, match=r"theta has shape \(3,\)"):
        minimise(bowl, np.ones(3), method, **options)


@pytest.mark.parametrize(
    ("start", "error"),
    [
        (1.0, ShapeError),
        (np.ones((2, 2)), ShapeError),
        ([[1.0], [1.0, 2.0]], ShapeError),
        (["a", "b"], DtypeError),
        ([1j], DtypeError),
        ([0.0, float("nan")], ScoreError),
        ([0.0, float("inf")], ScoreError),
    ],
)
def test_start_is_refused(start, error):
    with pytest.raises(error, match="start"):
        minimise(bowl, start)


@pytest.mark.parametrize("answer", [1.0, (1.0,), (1.0, np.ones(2)), (1.0, 1.0), (1.0, np.ones((3, 1)))])
def test_answer_of_the_objective_is_checked(answer):
    with pytest.raises(ShapeError, match="objective"):
        minimise(lambda theta: answer, np.ones(3))


def test_objective_must_be_a_function():
    with pytest.raises(OptionError, match="objective"):
        minimise(3.0, np.ones(3))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("step", [{}, {"step": 0.1}])
def test_start_without_a_value_is_refused(value, step):
    method = "gradient" if step else "lbfgs"
    with pytest.raises(ScoreError, match="at the start"):
        minimise(lambda theta: (value, theta), np.ones(3), method, **step)


@pytest.mark.parametrize("when", [0, 1, 4])
def test_exceptions_of_the_objective_pass_through(when):
    calls = []

    def objective(theta):
        calls.append(theta)
        if len(calls) > when:
            raise RuntimeError("enough")
        return bowl(theta)

    with pytest.raises(RuntimeError, match="enough"):
        minimise(objective, np.ones(3), "gradient", step=0.01)


def test_a_false_of_numpys_ends_the_walk():
    found = minimise(bowl, np.ones(3), "gradient", step=0.01, on_iteration=lambda step, theta: theta[0] > 2)
    assert (found.reason, found.iterations) == ("stopped", 0)


def test_exceptions_of_the_callback_pass_through():
    def fail(step, theta):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        minimise(bowl, np.ones(3), on_iteration=fail)


def test_control_c_ends_the_walk():
    def objective(theta):
        os.kill(os.getpid(), signal.SIGINT)
        return bowl(theta)

    # A shell starts what runs in the background with SIGINT ignored, and then Python does, too.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            minimise(objective, np.ones(3))
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_the_objective_keeps_or_changes_does_no_harm():
    kept = []

    def objective(theta):
        kept.append(theta)
        answer = bowl(theta)
        theta[:] = np.nan
        return answer

    found = minimise(objective, np.ones(3))
    assert found.theta == pytest.approx(np.zeros(3), abs=1e-5)
    assert all(np.isnan(theta).all() for theta in kept)


def test_start_stays_as_it_was_and_the_answer_is_frozen():
    start = np.ones(3)
    found = minimise(bowl, start)
    assert (start == 1.0).all()
    assert not found.theta.flags.writeable
    assert (minimise(bowl, [1, 1, 1]).theta == found.theta).all()


def test_history_is_plain_data():
    found = minimise(bowl, np.ones(3))
    assert all(isinstance(step, Iteration) for step in found.history)
    row = dataclasses.asdict(found.history[-1])
    assert row["evaluations"] == found.evaluations
    assert found.history[0].active == 3
    assert {type(value) for value in row.values()} == {int, float}
    assert "ended by" in repr(found)


def test_lists_and_numpy_numbers_are_good_answers():
    found = minimise(lambda theta: (np.float32(theta @ theta), [2.0 * x for x in theta]), np.ones(2))
    assert found.theta == pytest.approx(np.zeros(2), abs=1e-4)
