"""Ctrl-C with a checkpoint: the best model so far is kept as ever, and the same call goes on."""

import os
import signal

import pytest

from scale.checkpoint.trainings import TRAININGS, bits, fitted
from seqlab import Checkpoint, _core
from seqlab.learning import checkpoint as checkpoints

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")


@pytest.mark.parametrize("name", ["l2", "l1", "sgd", "perceptron", "em dev", "restarts"])
@pytest.mark.parametrize("every", [0, 1000])
def test_an_interrupted_training_goes_on_where_it_was(name, every, tmp_path):
    """Also when the last checkpoint was long ago: it is stored at once."""
    make, data = TRAININGS[name]
    arguments, more = data()
    sent = []

    def interrupt(epoch):
        if epoch.iteration == 3 and not sent:
            sent.append(True)
            signal.raise_signal(signal.SIGINT)

    model = make()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*arguments, **more, callbacks=interrupt, checkpoint=Checkpoint(tmp_path, every=every))
    if name != "restarts":  # of which another run may have come to its end
        assert model.history_.reason == "interrupted"
        assert list(checkpoints.told_of(tmp_path).values()) == [(3, False)]
    told = []
    again = fitted(name, checkpoint=tmp_path, callbacks=lambda epoch: told.append(epoch.iteration))
    assert bits(again) == bits(fitted(name))
    if name != "restarts":
        assert told[0] == 4


def test_a_first_guess_that_was_cut_short_goes_on(tmp_path, monkeypatch):
    """It ends in the midst of an epoch; only whole epochs before it are stored."""
    begin = _core.averaged_start

    def interrupted(*arguments):
        signal.raise_signal(signal.SIGINT)
        begin(*arguments)

    monkeypatch.setattr(_core, "averaged_start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fitted("l2", checkpoint=Checkpoint(tmp_path, every=0))
    monkeypatch.undo()
    assert {number for number, _ in checkpoints.told_of(tmp_path).values()} <= {0}
    assert bits(fitted("l2", checkpoint=tmp_path)) == bits(fitted("l2"))
