"""Models and learners by name: the list of learners is the only place that names them."""

import pytest

import seqlab
from seqlab.cli import kinds, train
from seqlab.families.linear import learners
from seqlab.tuning.comparison import MODELS as NAMES

OF_THEIR_OWN = [name for name, one in learners.LEARNERS.items() if not one.models]


def test_every_learner_has_a_name_and_a_public_class():
    listed = [one.learner for one in learners.LEARNERS.values()]
    assert sorted(listed) == sorted(learners.__all__)
    assert all(getattr(seqlab, name) is getattr(learners, name) for name in listed)
    assert set(learners.__all__) <= set(seqlab.__all__)


def test_a_learner_is_one_of_a_model_or_makes_one():
    assert {model for one in learners.LEARNERS.values() for model in one.models} <= set(kinds.KINDS)
    assert set(OF_THEIR_OWN) <= set(kinds.KINDS) & set(NAMES)


@pytest.mark.parametrize("name", OF_THEIR_OWN)
def test_the_help_of_train_tells_a_model_by_the_name_of_its_learner(name, shell):
    shown = " ".join(shell("train", "--help")[1].split())
    assert f"{name} {learners.LEARNERS[name].help}" in shown


def test_a_line_in_the_list_is_all_that_the_command_line_needs(shell, folder, tmp_path, monkeypatch):
    import importlib

    line = learners.Listed("Perceptron", "mistakes", help="a perceptron by another name")
    with monkeypatch.context() as patch:
        patch.setitem(learners.LEARNERS, "neuron", line)
        importlib.reload(kinds)
        importlib.reload(train)
        out = shell.done("train", folder / "train.txt", "-m", "neuron", "-i", 1, "-o", tmp_path / "m")
        assert "learner=Perceptron(epochs=1" in " ".join(out.split())
    importlib.reload(kinds)
    importlib.reload(train)
    assert "neuron" not in kinds.KINDS
