"""The record of a training, as data."""

import json

import pytest

from seqlab import CRF, demo_corpus
from seqlab.learning.history import Epoch, History

TRAIN, DEV = demo_corpus("train")[:20], demo_corpus("test")[:10]


@pytest.fixture(scope="module")
def history():
    return CRF("word[0]").fit(TRAIN, "pos", dev=DEV).history_


def test_history_has_one_epoch_per_iteration(history):
    assert [epoch.iteration for epoch in history] == list(range(len(history)))
    assert history[-1].iteration == len(history) - 1
    assert history[0].objective > history[-1].objective
    assert all(norm > 0 for norm in history.gradient_norm)
    assert all(0 <= score <= 1 for score in history.dev_score)
    assert all(seconds >= 0 for seconds in history.seconds)
    assert all(isinstance(active, int) for active in history.active)


def test_columns_are_lists_over_epochs(history):
    for name in ("objective", "gradient_norm", "active", "dev_score", "seconds"):
        assert getattr(history, name) == [getattr(epoch, name) for epoch in history]


def test_history_survives_json(history):
    again = History.from_dict(json.loads(history.json()))
    assert again.to_dict() == history.to_dict()
    assert list(again) == list(history)
    assert (again.reason, again.best, again.metric) == (history.reason, history.best, "accuracy")


def test_slices_are_lists(history):
    assert history[:2] == [history[0], history[1]]


def test_best_is_the_first_epoch_with_the_highest_score(history):
    assert history.best == history.dev_score.index(max(history.dev_score))


def test_repr_says_how_it_ended(history):
    assert repr(History()) == "History(no epochs)"
    assert f"ended by {history.reason!r}" in repr(history)
    assert f"best accuracy at {history.best}" in repr(history)


def test_epochs_without_numbers_have_none():
    epoch = Epoch(1, None, None, None, None, 0.5)
    made = History([epoch], "epochs", 1, None)
    assert made.objective == [None]
    assert "objective" not in repr(made)
    assert History.from_dict(made.to_dict()).to_dict() == made.to_dict()
