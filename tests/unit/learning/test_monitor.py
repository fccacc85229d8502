"""What happens between two epochs."""

import io
import itertools

import numpy as np
import pytest

from seqlab.errors import OptionError
from seqlab.learning.history import Epoch
from seqlab.learning.monitor import Bar, Monitor, Outcome, Progress, checked_callbacks, checked_patience


def training(epochs=10):
    """A learner whose weights are the number of the epoch."""

    def train(report):
        for i in range(epochs):
            if not report(Progress(i, 100.0 - i, 1.0, 1, lambda i=i: np.array([float(i)]), {"mistakes": i})):
                return Outcome(np.array([float(i)]), "stopped by report", i, 100.0 - i)
        return Outcome(np.array([float(epochs - 1)]), "epochs", epochs - 1, 0.0)

    return train


def test_without_a_development_set_the_last_weights_stay():
    watch = Monitor()
    outcome = watch.over(training())
    assert outcome.theta == [9]
    assert outcome.reason == watch.history.reason == "epochs"
    assert watch.history.best == 9
    assert [epoch.more["mistakes"] for epoch in watch.history] == list(range(10))


def test_the_best_weights_on_the_development_set_are_kept():
    scores = [1, 3, 2, 5, 5, 4, 0, 0, 0, 0]
    watch = Monitor(lambda theta: scores[int(theta[0])], "points")
    outcome = watch.over(training())
    assert outcome.theta == [3]
    assert watch.history.best == 3
    assert watch.history.metric == "points"
    assert watch.history.dev_score == scores
    assert watch.history.reason == "epochs"


def test_patience_counts_epochs_since_the_best():
    scores = [1, 3, 2, 2, 5, 4, 3, 9, 0, 0]
    watch = Monitor(lambda theta: scores[int(theta[0])], "points", patience=3)
    outcome = watch.over(training())
    assert outcome.theta == [7]  # 4, and 5 and 6 without a better one
    short = Monitor(lambda theta: scores[int(theta[0])], "points", patience=2)
    assert short.over(training()).theta == [1]
    assert short.history.reason == "patience"
    assert len(short.history) == 4


def test_all_callbacks_hear_of_every_epoch_and_false_ends_training():
    heard = [], []
    watch = Monitor(callbacks=(lambda e: heard[0].append(e) or e.iteration < 3, heard[1].append))
    watch.over(training())
    assert heard[0] == heard[1] == list(watch.history)
    assert watch.history.reason == "stopped"
    assert len(watch.history) == 4


def test_a_false_of_numpys_ends_training():
    watch = Monitor(callbacks=(lambda epoch: np.float64(epoch.iteration) < 3,))
    watch.over(training())
    assert watch.history.reason == "stopped"
    assert len(watch.history) == 4


@pytest.mark.parametrize("answer", [None, True, np.True_, 0, "", []])
def test_only_false_itself_ends_training(answer):
    watch = Monitor(callbacks=(lambda epoch: answer,))
    watch.over(training())
    assert watch.history.reason == "epochs"


def test_exceptions_of_callbacks_pass_through():
    def fail(epoch):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Monitor(callbacks=(fail,)).over(training())


@pytest.mark.parametrize("callbacks", ["print", 3, [print, 3], [None]])
def test_callbacks_are_functions(callbacks):
    with pytest.raises(OptionError, match="callbacks must be functions"):
        checked_callbacks(callbacks)


def test_one_callback_or_several():
    assert checked_callbacks(None) == ()
    assert checked_callbacks(print) == (print,)
    assert checked_callbacks([print, repr]) == (print, repr)


@pytest.mark.parametrize("patience", [0, -1, 1.5, "3", True])
def test_patience_is_a_whole_number(patience):
    with pytest.raises((OptionError, TypeError), match="patience"):
        checked_patience(patience)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_writes_one_line_anew_on_a_terminal_and_leaves_it():
    stream = Terminal()
    Monitor(bar=Bar(stream)).over(training(3))
    assert stream.getvalue().count("\r") == 3
    assert stream.getvalue().count("\n") == 1
    assert stream.getvalue().endswith("\n")


def test_the_bar_writes_lines_elsewhere():
    stream = io.StringIO()
    Monitor(lambda theta: 0.5, "accuracy", bar=Bar(stream)).over(training(3))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 3
    for i, line in enumerate(lines):
        assert line.startswith(f"iteration {i:>4}  objective {100 - i}")
        assert "dev 0.5000" in line


def test_the_bar_leaves_out_what_there_is_not():
    line = Bar(io.StringIO()).line(Epoch(7, None, None, None, None, 0.0))
    assert [part for part in ("objective", "gradient", "active", "dev") if part in line] == []


def test_the_bar_is_left_behind_when_training_fails():
    stream = Terminal()

    def fail(report):
        report(Progress(0, 1.0, None, None, lambda: np.zeros(1)))
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        Monitor(bar=Bar(stream)).over(fail)
    assert stream.getvalue().endswith("\n")


def test_shorter_lines_cover_longer_ones():
    stream = Terminal()
    bar = Bar(stream)
    for iteration, value in itertools.product([1], [123456.0, 1.0]):
        bar.advance(Epoch(iteration, value, None, None, None, 0.0))
    first, second = stream.getvalue().split("\r")[1:]
    assert len(second) >= len(first)
