"""The algorithms that go from sequence to sequence are CRFsuite's: its order, its rates, its stops, its text."""

import json
import subprocess
import sys

import numpy as np
import pytest

import seqlab.compat.pycrfsuite as ours
from seqlab import _core

RUNS = [
    ("ap", {}),
    ("ap", {"epsilon": 0.01}),
    ("pa", {}),
    ("pa", {"type": 0, "error_sensitive": False}),
    ("pa", {"type": 2, "c": 0.3, "averaging": False}),
    ("pa", {"epsilon": 0.1}),
    ("arow", {}),
    ("arow", {"variance": 2.0, "gamma": 0.5, "max_iterations": 4}),
    ("l2sgd", {}),
    ("l2sgd", {"c2": 0.1, "period": 3, "delta": 0.01}),
    (
        "l2sgd",
        {
            "calibration.eta": 0.7,
            "calibration.rate": 3.0,
            "calibration.samples": 9,
            "calibration.candidates": 2,
            "max_iterations": 5,
        },
    ),
    ("l2sgd", {"calibration.max_trials": 3, "max_iterations": 4, "feature.possible_transitions": True}),
]
# The original shuffles by a generator that the whole process shares, so every run gets a process of its own.
ORIGINAL = """
import json, sys, pycrfsuite
given = json.load(sys.stdin)
said = []
class Trainer(pycrfsuite.BaseTrainer):
    def message(self, message):
        said.append(message)
trainer = Trainer(given["algorithm"], given["params"])
for x, y in zip(given["X"], given["y"]):
    trainer.append(x, y)
trainer.train(given["path"])
tagger = pycrfsuite.Tagger()
tagger.open(given["path"])
info = tagger.info()
print(json.dumps({
    "log": "".join(said),
    "moves": [[*names, weight] for names, weight in info.transitions.items()],
    "states": [[*names, weight] for names, weight in info.state_features.items()],
    "tags": [tagger.tag(x) for x in given["unseen"]],
}))
"""


class Heard(ours.BaseTrainer):
    def message(self, message):
        self.said = [*getattr(self, "said", []), message]


def plain(X):
    return [[dict.fromkeys(ours.ItemSequence([token]).items()[0], 1.0) for token in x] for x in X]


def trained(algorithm, params, X, y):
    trainer = Heard(algorithm, params)
    for x, labels in zip(X, y, strict=True):
        trainer.append(x, labels)
    trainer.train("")
    return trainer


def numbers(log):
    """The lines of a log from the first iteration on, or from the calibration on, without seconds."""
    begin = min(at for at in (log.find("Calibrating"), log.find("*****")) if at >= 0)
    lines = log[begin : log.index("Storing")].splitlines()
    return [line for line in lines if "econds" not in line]


def number(word):
    return word.replace(".", "").strip("-").isdigit()


@pytest.mark.parametrize(("algorithm", "params"), RUNS)
def test_training_is_that_of_the_original_step_by_step(algorithm, params, train, test, tmp_path):
    pytest.importorskip("pycrfsuite")
    X, y = plain(train[0]), train[1]
    path = str(tmp_path / "their.model")
    given = {"algorithm": algorithm, "params": params, "X": X, "y": y, "unseen": plain(test[0]), "path": path}
    done = subprocess.run(
        [sys.executable, "-c", ORIGINAL], input=json.dumps(given), capture_output=True, text=True, check=True
    )
    theirs = json.loads(done.stdout)
    trainer = trained(algorithm, params, X, y)
    one, other = numbers(theirs["log"]), numbers("".join(trainer.said))
    assert [line.partition(":")[0] for line in one] == [line.partition(":")[0] for line in other]
    for a, b in zip(one, other, strict=True):
        assert [word for word in a.split() if not number(word)] == [
            word for word in b.split() if not number(word)
        ]
        values = ([float(word) for word in line.split() if number(word)] for line in (a, b))
        np.testing.assert_allclose(*values, rtol=1e-6, atol=2e-6)
    mine = trainer.model_.state_features_
    for attribute, label, weight in theirs["states"]:
        assert mine[attribute, label] == pytest.approx(weight, rel=1e-5, abs=1e-5)
    assert trainer.model_.predict(plain(test[0])) == theirs["tags"]


def test_the_order_is_that_of_rand_in_a_new_process():
    first = [1804289383, 846930886, 1681692777, 1714636915, 1957747793, 424238335, 719885386, 1649760492]
    expected = list(range(8))
    for i, number in enumerate(first):
        j = number % 8
        expected[i], expected[j] = expected[j], expected[i]
    order = np.arange(8)
    _core.LibcRandom().shuffle(order)
    assert order.tolist() == expected


@pytest.mark.parametrize("algorithm", ["ap", "pa", "arow", "l2sgd"])
def test_trainings_are_repeatable_and_sequences_without_items_do_not_count(algorithm, train):
    X, y = train
    with_empty = [X[0], [], *X[1:], []], [y[0], [], *y[1:], []]
    one, other = (trained(algorithm, {"max_iterations": 4}, *data).model_ for data in (train, with_empty))
    np.testing.assert_array_equal(one.model_.theta, other.model_.theta)


@pytest.mark.parametrize("algorithm", ["ap", "pa", "arow"])
def test_no_iteration_learns_nothing(algorithm, train):
    assert not trained(algorithm, {"max_iterations": 0}, *train).model_.model_.theta.any()


@pytest.mark.parametrize(
    ("algorithm", "params"),
    [
        ("pa", {"c": 0.0}),
        ("arow", {"gamma": 0.0}),
        ("arow", {"variance": -1.0}),
        ("l2sgd", {"calibration.eta": -1.0}),
        ("l2sgd", {"calibration.rate": 0.0}),
    ],
)
def test_numbers_with_which_nothing_can_be_learned_are_refused(algorithm, params, train):
    with pytest.raises(ValueError, match=r"should be (a number|numbers) above 0"):
        trained(algorithm, params, *train)


def test_l2sgd_keeps_the_best_epoch_also_with_a_holdout_group(train):
    trainers = []
    for groups in (0, 1):
        trainer = Heard(
            "l2sgd", {"c2": 1e-3, "delta": -1.0, "max_iterations": 25, "calibration.max_trials": 1}
        )
        for i, (x, labels) in enumerate(zip(*train, strict=True)):
            if groups or i % 10:
                trainer.append(x, labels, int(groups and i % 10 == 0))
        for label in dict.fromkeys(label for one in train[1] for label in one):
            trainer.append([{"known": 1.0}], [label])
        trainer.train("", holdout=1 if groups else -1)
        trainers.append(trainer)
    one, other = (trainer.model_.state_features_ for trainer in trainers)
    assert one == pytest.approx(other, abs=1e-9)
    losses = [float(said.split()[1]) for said in trainers[0].said if said.startswith("Loss")]
    assert losses[-1] == min(losses)
