"""Learners: their options, and that all of one objective end at the same minimum."""

import itertools

import numpy as np
import pytest

from oracle.lessons import exercise
from seqlab import CRF, LBFGS, ConjugateGradient, GradientAscent, _core, demo_corpus
from seqlab.errors import OptionError, ScoreError
from seqlab.learning.monitor import Job

TRAIN = demo_corpus("train")[:40]
FEATURES = "word[0]\nsuffix(word[0], 2)"


def fitted(learner, **options):
    return CRF(FEATURES, learner, **options).fit(TRAIN, "entity")


@pytest.fixture(scope="module")
def exact():
    return fitted(LBFGS(dtype="float64", start_epochs=0, precondition=False, epsilon=1e-8, delta=0))


@pytest.mark.parametrize(
    "learner",
    [
        LBFGS(epsilon=1e-6, delta=0),
        LBFGS(epsilon=1e-6, delta=0, dtype="float64"),
        LBFGS(epsilon=1e-6, delta=0, precondition=False),
        LBFGS(epsilon=1e-6, delta=0, start_epochs=0),
        LBFGS(epsilon=1e-6, delta=0, start_epochs=0, precondition=False),
        LBFGS(epsilon=1e-6, delta=0, line_search="backtracking", dtype="float64"),
        LBFGS(epsilon=1e-6, delta=0, l1=1e-9),
        LBFGS(epsilon=1e-6, delta=0, l1=1e-9, dtype="float64", memory=3),
        ConjugateGradient(epsilon=1e-6, delta=0),
        GradientAscent(epsilon=1e-5, delta=0),
        GradientAscent(epsilon=1e-5, delta=0, step=0.02, max_iterations=5000),
    ],
    ids=repr,
)
def test_all_learners_end_at_the_same_minimum(learner, exact):
    tagger = fitted(learner)
    assert tagger.history_.objective[-1] == pytest.approx(exact.history_.objective[-1], rel=1e-6)
    np.testing.assert_allclose(tagger.model_.theta, exact.model_.theta, atol=1e-3)


@pytest.mark.parametrize("l1", [0.0, 0.2])
def test_float32_ends_within_1e_6_of_float64(l1):
    narrow, wide = (fitted(LBFGS(l1=l1, dtype=d, delta=1e-9, epsilon=1e-7)) for d in ("float32", "float64"))
    assert narrow.history_.objective[-1] == pytest.approx(wide.history_.objective[-1], rel=1e-6)


@pytest.mark.parametrize("learner", [LBFGS(), LBFGS(l1=0.1), ConjugateGradient(max_iterations=20)], ids=repr)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_same_seed_same_bits_for_any_number_of_threads(learner, order):
    found = {fitted(learner, threads=n, seed=3, order=order).model_.theta.tobytes() for n in (1, 2, 3)}
    assert len(found) == 1


def test_another_seed_is_another_way_to_the_same_minimum():
    first, other = (fitted(LBFGS(epsilon=1e-7, delta=0), seed=seed) for seed in (0, 1))
    assert first.history_.objective[0] != other.history_.objective[0]
    assert first.history_.objective[-1] == pytest.approx(other.history_.objective[-1], rel=1e-8)


@pytest.mark.parametrize("l1", [0.0, 0.3])
def test_the_last_objective_is_that_of_the_model(l1):
    tagger = fitted(LBFGS(l1=l1, l2=0.5))
    theta = tagger.model_.theta
    told = sum(tagger.log_prob(sentence, sentence["entity"]) for sentence in TRAIN)
    wanted = 0.5 * float(theta @ theta) + l1 * float(np.abs(theta).sum()) - told
    assert tagger.history_.objective[-1] == pytest.approx(wanted, rel=1e-9)
    assert tagger.history_.active[-1] == np.count_nonzero(theta)


def test_l1_makes_weights_zero():
    plain, sparse = fitted(LBFGS()), fitted(LBFGS(l1=1.0))
    assert np.count_nonzero(plain.model_.theta) == plain.model_.size
    assert np.count_nonzero(sparse.model_.theta) < 0.5 * sparse.model_.size


def test_objective_never_rises():
    for learner in (
        LBFGS(dtype="float64"),
        LBFGS(l1=0.1, dtype="float64"),
        ConjugateGradient(),
        GradientAscent(),
    ):
        values = fitted(learner).history_.objective
        assert all(b <= a + 1e-9 * abs(a) for a, b in itertools.pairwise(values))


@pytest.mark.parametrize(
    ("learner", "options", "message"),
    [
        (LBFGS, {"l2": -1}, "l2"),
        (LBFGS, {"l2": "1"}, "l2"),
        (LBFGS, {"l2": 1e308}, "from 0 to 1e"),
        (LBFGS, {"l1": 1e30}, "from 0 to 1e"),
        (LBFGS, {"l2": float("nan")}, "l2"),
        (LBFGS, {"l2": True}, "l2"),
        (LBFGS, {"l1": -0.1}, "l1"),
        (LBFGS, {"l1": float("inf")}, "l1"),
        (LBFGS, {"epsilon": -1e-5}, "epsilon"),
        (LBFGS, {"delta": "small"}, "delta"),
        (LBFGS, {"period": 1.5}, "period"),
        (LBFGS, {"max_iterations": 0}, "max_iterations"),
        (LBFGS, {"memory": 0}, "memory"),
        (LBFGS, {"start_epochs": -1}, "start_epochs"),
        (LBFGS, {"precondition": 1}, "precondition"),
        (LBFGS, {"dtype": "float16"}, "dtype"),
        (LBFGS, {"dtype": np.float32}, "dtype"),
        (LBFGS, {"line_search": "none"}, "line_search"),
        (ConjugateGradient, {"l2": -2.0}, "l2"),
        (GradientAscent, {"step": 0}, "step"),
        (GradientAscent, {"step": -1.0}, "step"),
        (GradientAscent, {"l2": [1]}, "l2"),
    ],
)
def test_bad_options_are_refused_by_name(learner, options, message):
    with pytest.raises((OptionError, TypeError), match=message) as caught:
        learner(**options)
    assert "seqlab" in type(caught.value).__module__
    assert repr(next(iter(options.values()))) in str(caught.value)


def test_options_that_a_learner_does_not_use_cannot_be_given():
    for learner in (ConjugateGradient, GradientAscent):
        with pytest.raises(TypeError, match="l1"):
            learner(l1=1.0)


def test_learners_are_values():
    assert LBFGS(l2=2.0) == LBFGS(l2=2.0) != LBFGS()
    with pytest.raises(AttributeError):
        LBFGS().l2 = 3


def test_a_start_without_a_finite_objective_is_told():
    task = exercise(0, 3, [3, 4])
    loss = task.loss(_core.Likelihood64)
    with pytest.raises(ScoreError, match="the objective at the start"):
        LBFGS(dtype="float64").train(
            Job(loss, loss, None, 1), np.full(len(task.theta), np.inf), lambda p: True
        )
