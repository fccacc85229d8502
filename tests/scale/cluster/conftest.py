"""A cluster of processes on this machine, with workers that may be killed."""

import logging
import os
import signal

import pytest

from seqlab import scale


def _cluster(workers):
    pytest.importorskip("distributed")
    return scale.local_cluster(workers, silence_logs=logging.CRITICAL)


@pytest.fixture(scope="module")
def client():
    with _cluster(2) as made:
        yield made


@pytest.fixture
def local_cluster():
    return _cluster


@pytest.fixture
def kill_one():
    return _kill


def _kill(client):
    """Kill a worker as the system does when memory runs out."""
    pids = client.run(os.getpid)
    address = min(pids)
    os.kill(pids[address], signal.SIGKILL)
    return address
