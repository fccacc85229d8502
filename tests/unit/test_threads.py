"""How many threads are used: what was asked for, what there is, and what SEQLAB_THREADS allows."""

import numpy as np
import pytest

from seqlab.arrays import MOST_THREADS, thread_count
from seqlab.errors import OptionError


@pytest.fixture(autouse=True)
def free(monkeypatch):
    monkeypatch.delenv("SEQLAB_THREADS", raising=False)


@pytest.mark.parametrize("asked", [3, np.int64(3), np.uint8(3)])
def test_as_many_as_asked_for(asked):
    count = thread_count(asked)
    assert count == 3
    assert type(count) is int


def test_never_more_than_the_most():
    assert thread_count(10**30) == MOST_THREADS


def test_none_is_at_least_one():
    assert 1 <= thread_count(None) <= MOST_THREADS


@pytest.mark.parametrize("asked", [0, -1, True, 2.0, "2", np.bool_(True), np.float64(2), np.array([2])])
def test_what_is_no_number_of_threads_is_refused(asked):
    with pytest.raises(OptionError, match="threads must be a whole number from 1 up"):
        thread_count(asked)


@pytest.mark.parametrize(("cap", "count"), [("", 8), ("2", 2), ("002", 2), ("20", 8), ("9" * 5000, 8)])
def test_the_environment_caps_what_was_asked_for(monkeypatch, cap, count):
    monkeypatch.setenv("SEQLAB_THREADS", cap)
    assert thread_count(8) == count
    assert thread_count(None) <= (int(cap) if 0 < len(cap) < 5 else MOST_THREADS)


@pytest.mark.parametrize("cap", ["0", "000", "-2", "+2", " 2", "2.0", "many", "٢", "²"])
@pytest.mark.parametrize("asked", [None, 1])
def test_a_cap_that_makes_no_sense_is_refused(monkeypatch, cap, asked):
    monkeypatch.setenv("SEQLAB_THREADS", cap)
    with pytest.raises(OptionError, match="SEQLAB_THREADS must be a whole number from 1 up"):
        thread_count(asked)
