"""A test of a cluster that hangs ends with a message."""

import time

import pytest
from _pytest.outcomes import Failed


def test_hanging_test_fails_with_its_name(request, monkeypatch):
    limits = next(
        one
        for one in request.config.pluginmanager.get_plugins()
        if str(getattr(one, "__file__", "")).endswith("cluster/conftest.py")
    )
    monkeypatch.setattr(limits, "LIMIT", 0.2)
    with pytest.raises(Failed, match=r"this one took more than 0.2 s"), limits._within("this one"):
        time.sleep(30)
