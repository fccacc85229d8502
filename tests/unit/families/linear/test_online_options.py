"""Options of the learners that learn from mistakes: checked when they are given, word for word."""

import dataclasses

import numpy as np
import pytest

from seqlab import LinearTagger
from seqlab.errors import OptionError, ScoreError
from seqlab.families.linear.learners.mistakes import AROW, PassiveAggressive, Perceptron, StructuredSVM

BAD = [
    (Perceptron, {"epochs": 0}, "epochs must be a whole number from 1 up, got 0"),
    (Perceptron, {"epochs": 2.5}, "epochs must be a whole number from 1 up, got 2.5"),
    (Perceptron, {"averaged": 1}, "averaged must be True or False, got 1"),
    (Perceptron, {"shuffle": None}, "shuffle must be True or False, got None"),
    (
        PassiveAggressive,
        {"kind": 3},
        "kind must be 1 (PA-I), 2 (PA-II) or 0 (without a limit for a sentence), got 3",
    ),
    (
        PassiveAggressive,
        {"kind": True},
        "kind must be 1 (PA-I), 2 (PA-II) or 0 (without a limit for a sentence), got True",
    ),
    (
        PassiveAggressive,
        {"kind": 2.0},
        "kind must be 1 (PA-I), 2 (PA-II) or 0 (without a limit for a sentence), got 2.0",
    ),
    (PassiveAggressive, {"C": 10**400}, f"C must be a finite number above 0, got 1{'0' * 59}"),
    (PassiveAggressive, {"C": 0}, "C must be a finite number above 0, got 0"),
    (PassiveAggressive, {"C": float("nan")}, "C must be a finite number above 0, got nan"),
    (PassiveAggressive, {"C": "1"}, "C must be a finite number above 0, got '1'"),
    (
        PassiveAggressive,
        {"kind": 0, "C": 1.0},
        "kind 0 has no C; leave it out, or take kind 1 or 2, got C=1.0",
    ),
    (PassiveAggressive, {"cost": "f1"}, "cost must be one of 'hamming', 'sqrt', 'one', got 'f1'"),
    (PassiveAggressive, {"cost": None}, "cost must be one of 'hamming', 'sqrt', 'one', got None"),
    (AROW, {"r": -1.0}, "r must be a finite number above 0, got -1.0"),
    (AROW, {"r": float("inf")}, "r must be a finite number above 0, got inf"),
    (AROW, {"epochs": True}, "epochs must be a whole number from 1 up, got True"),
    (StructuredSVM, {"l2": 0.0}, "l2 must be a finite number above 0 and at most 1e+12, got 0.0"),
    (StructuredSVM, {"method": "adam"}, "method must be one of 'frank-wolfe', 'subgradient', got 'adam'"),
    (StructuredSVM, {"tolerance": -0.1}, "tolerance must be a finite number from 0 up, got -0.1"),
    (StructuredSVM, {"check_every": 0}, "check_every must be a whole number from 1 up, got 0"),
    (StructuredSVM, {"averaged": "yes"}, "averaged must be True or False, got 'yes'"),
]


@pytest.mark.parametrize(("learner", "options", "message"), BAD)
def test_options_that_make_no_sense_are_refused(learner, options, message):
    with pytest.raises(OptionError) as caught:
        learner(**options)
    assert str(caught.value) == message


@pytest.mark.parametrize("learner", [Perceptron, PassiveAggressive, AROW, StructuredSVM])
def test_options_are_frozen_and_named(learner):
    made = learner(epochs=3)
    assert made == learner(epochs=3) != learner()
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.epochs = 4
    with pytest.raises(TypeError):
        learner(3)


def test_a_tolerance_of_zero_is_all_epochs():
    assert StructuredSVM(tolerance=0).tolerance == 0


@pytest.mark.parametrize("learner", [Perceptron, PassiveAggressive, AROW, StructuredSVM])
def test_options_may_be_numpys_as_in_a_grid_of_options(learner):
    options = {field.name: np.True_ for field in dataclasses.fields(learner) if field.type == "bool"}
    options |= {"kind": np.int64(2)} if learner is PassiveAggressive else {}
    tagger = LinearTagger("word[0]", learner(epochs=np.int64(2), **options)).fit([["a", "b"]], [["X", "Y"]])
    assert len(tagger.history_) <= 2


@pytest.mark.parametrize(
    ("learner", "weight"),
    [
        (StructuredSVM(l2=1e-308, method="subgradient"), 1e10),
    ],
)
def test_weights_that_leave_the_range_of_numbers_are_refused(learner, weight):
    X, y = [["a", "b", "c"], ["b", "a"], ["a"]], [["x", "y", "x"], ["y", "x"], ["y"]]
    with pytest.raises(ScoreError, match="training left the range of numbers"):
        LinearTagger("word[0]", learner).fit(X, y, sample_weight=[weight] * 3)


@pytest.mark.parametrize("l2", [1e-300, 1e-160])
def test_an_objective_beyond_all_numbers_is_refused(l2):
    tagger = LinearTagger("word[0]", StructuredSVM(l2=l2, method="subgradient", epochs=5))
    with pytest.raises(ScoreError, match="options of the learner may be too large or too small"):
        tagger.fit([["a", "b"], ["b"]] * 3, [["X", "Y"], ["X"]] * 3)
