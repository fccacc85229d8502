"""The end of a process, as a fixture."""

import os
import threading

import pytest

from seqlab.learning import checkpoint as checkpoints


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def killing(monkeypatch):
    """Make a training end when it has stored its state n times: killing(n); killing.never() lets it be."""
    save = checkpoints.Directory.save
    monkeypatch.setattr(os, "fsync", lambda _: None)  # the machine stays on

    def after(n):
        left, guard = [n], threading.Lock()

        def dying(self, *state, **more):
            save(self, *state, **more)
            with guard:
                left[0] -= 1
                if left[0] <= 0:
                    raise Killed

        monkeypatch.setattr(checkpoints.Directory, "save", dying)
        return left

    after.never = lambda: monkeypatch.setattr(checkpoints.Directory, "save", save)
    after.Killed = Killed
    return after
