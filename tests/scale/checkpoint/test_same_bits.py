"""A training that ended after any of its checkpoints goes on to the model of one that did not."""

from functools import partial

import pytest

from scale.checkpoint.trainings import TRAININGS, bits, fitted
from seqlab import CRF, LBFGS, Checkpoint, LinearTagger
from seqlab.errors import OptionError
from seqlab.learning import checkpoint as checkpoints
from seqlab.learning.monitor import Outcome, Progress, resumed
from seqlab.store.state import State


@pytest.mark.filterwarnings("ignore:nothing is left for the state")
@pytest.mark.parametrize("name", TRAININGS)
def test_a_resumed_training_has_the_bits_of_one_that_was_not_killed(name, tmp_path, killing):
    whole = bits(fitted(name))
    killed = 0
    for n in (1, 4, 9):
        place = Checkpoint(tmp_path / str(n), every=0)
        killing(n)
        try:
            fitted(name, checkpoint=place)
        except killing.Killed:
            killed += 1
            done = all(done for _, done in checkpoints.told_of(place.path).values())
            left = killing(10**9)
            assert bits(fitted(name, checkpoint=place)) == whole
            assert (left[0] == 10**9) == done  # else it went on, and stored more
        killing.never()
        if killed < 1:
            pytest.fail("the training was never killed")
        told = []
        assert bits(fitted(name, checkpoint=place)) == whole
        if "mixture" not in name and "means" not in name:
            fitted(name, checkpoint=place, callbacks=told.append)
        assert not told  # a finished training is not run again
    assert killed > 1


@pytest.mark.parametrize(("name", "n"), [("l2", 9), ("perceptron", 3), ("restarts", 6)])
def test_every_iteration_after_the_checkpoint_is_told_and_none_before(name, n, tmp_path, killing):
    place = Checkpoint(tmp_path, every=0)
    killing(n)
    with pytest.raises(killing.Killed):
        fitted(name, checkpoint=place)
    killing.never()
    before = checkpoints.told_of(tmp_path)
    told = []
    model = fitted(name, checkpoint=place, callbacks=lambda epoch: told.append(epoch.iteration))
    assert min(told) >= min(iteration + 1 for iteration, _ in before.values())
    assert [epoch.iteration for epoch in model.history_.epochs] == sorted(
        epoch.iteration for epoch in model.history_.epochs
    )


def test_the_first_guess_goes_on_too(tmp_path, killing):
    """Before the first iteration there are epochs of averaged stochastic descent, which have no history."""
    place = Checkpoint(tmp_path, every=0)
    killing(3)
    with pytest.raises(killing.Killed):
        fitted("l2", checkpoint=place)
    killing.never()
    with checkpoints.Directory(place) as directory:
        directory.begin(checkpoints.read_manifest(tmp_path)["facts"])
        assert directory.load("order-1").any_part("learner").kind == "first guess"
    assert bits(fitted("l2", checkpoint=place)) == bits(fitted("l2"))


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_may_change_between_two_parts(threads, tmp_path, killing):
    (make, data), place = TRAININGS["l2"], Checkpoint(tmp_path, every=0)
    arguments, _ = data()
    killing(9)
    with pytest.raises(killing.Killed):
        make().set_params(threads=2).fit(*arguments, checkpoint=place)
    killing.never()
    found = make().set_params(threads=threads).fit(*arguments, checkpoint=place)
    assert (found.model_.theta == fitted("l2").model_.theta).all()


def test_a_callback_that_ended_a_training_ends_it_for_good(tmp_path):
    first = fitted("l2", checkpoint=tmp_path, callbacks=lambda epoch: epoch.iteration < 3)
    again = fitted("l2", checkpoint=tmp_path)
    assert (first.history_.reason, again.history_.reason) == ("stopped", "stopped")
    assert bits(first) == bits(again)


class Halving:
    """A learner of a user's own: halves the distance to 1."""

    def __init__(self, *, stateful):
        self.stateful = stateful

    def train(self, task, theta, *, threads, seed, report):
        before, first = resumed(report), 0
        if before is not None:
            theta, first = before.arrays["theta"].copy(), before.number("epoch", 0)
        for epoch in range(first + 1, 7):
            theta = (theta + 1) / 2
            state = partial(State, "halving", {"epoch": epoch}, {"theta": theta}) if self.stateful else None
            report(Progress(epoch, None, None, None, theta.copy, {}, state))
        return Outcome(theta, "epochs", 6, None)


def test_a_learner_of_ones_own_can_be_stored(tmp_path, killing):
    X, y = [["a", "b"]], [["N", "V"]]
    killing(3)
    place = Checkpoint(tmp_path, every=0)
    with pytest.raises(killing.Killed):
        LinearTagger("pos", Halving(stateful=True)).fit(X, y, checkpoint=place)
    killing.never()
    found = LinearTagger("pos", Halving(stateful=True)).fit(X, y, checkpoint=place)
    assert (found.model_.theta == LinearTagger("pos", Halving(stateful=True)).fit(X, y).model_.theta).all()


def test_a_learner_without_a_state_is_refused(tmp_path):
    with pytest.raises(OptionError, match="needs a learner that can go on from where it was"):
        LinearTagger("pos", Halving(stateful=False)).fit([["a", "b"]], [["N", "V"]], checkpoint=tmp_path)


def test_a_checkpoint_changes_no_bit(tmp_path):
    assert bits(fitted("l2", checkpoint=Checkpoint(tmp_path, every=0))) == bits(fitted("l2"))


@pytest.mark.parametrize("start", [LBFGS(max_iterations=3), LBFGS(l1=0.3, max_iterations=3)])
def test_a_training_that_begins_elsewhere_goes_on_too(start, tmp_path, killing):
    make, data = TRAININGS["l2"]
    arguments, _ = data()
    before = CRF("chunk", start).fit(*arguments)
    whole = make().fit(*arguments, start=before)
    killing(4)
    with pytest.raises(killing.Killed):
        make().fit(*arguments, start=before, checkpoint=Checkpoint(tmp_path, every=0))
    killing.never()
    assert bits(make().fit(*arguments, start=before, checkpoint=tmp_path)) == bits(whole)
    with pytest.raises(OptionError, match="start is nothing here and"):
        make().fit(*arguments, checkpoint=tmp_path)
