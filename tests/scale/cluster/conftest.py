"""A cluster of processes on this machine, with workers that may be killed; a test that hangs ends with a message."""

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading

import pytest

from seqlab import scale

# Seconds for a test. It usually takes one or two, but the machine may be busy.
LIMIT = int(os.environ.get("SEQLAB_TEST_LIMIT", "300"))


@contextlib.contextmanager
def _within(what):
    """Fail, rather than hang, when something takes longer than LIMIT."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_):
        pytest.fail(f"{what} took more than {LIMIT} s: does it hang?")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, LIMIT, 5)  # again and again, in case that someone swallows it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    with _within(f"the setup of {item.name}"):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    with _within(item.name):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item):
    with _within(f"the teardown of {item.name}"):
        return (yield)


def _cluster(workers, **options):
    pytest.importorskip("distributed")
    return scale.local_cluster(workers, silence_logs=logging.CRITICAL, **options)


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


# ------------------------------------------------------------------------------------------------ processes of Dask

QUIET = ["--no-dashboard", "--host", "127.0.0.1"]


@pytest.fixture
def mortals():
    """Make a cluster whose workers stay dead when they are killed: nobody starts them again."""

    @contextlib.contextmanager
    def made(count):
        with _cluster(0) as client, contextlib.ExitStack() as stack:
            for _ in range(count):
                stack.enter_context(program("worker", client.scheduler.address))
            client.wait_for_workers(count, timeout=LIMIT)
            yield client

    return made


@contextlib.contextmanager
def program(name, *words):
    """Run `dask scheduler` or `dask worker`."""
    more = ["--no-nanny", "--nthreads", "1"] if name == "worker" else ["--port", "0"]
    command = [sys.executable, "-m", f"distributed.cli.dask_{name}", *words, *QUIET, *more]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()
            process.stderr.read()


@pytest.fixture
def scheduler():
    """Start `dask scheduler` and a worker, with options; return the first, and its address."""
    pytest.importorskip("distributed")
    with contextlib.ExitStack() as stack:

        def start(*options):
            main = stack.enter_context(program("scheduler", *options))
            lines = iter(main.stderr.readline, "")
            address = next(line.split()[-1] for line in lines if "Scheduler at:" in line)
            threading.Thread(target=lambda: [None for _ in lines], daemon=True).start()
            stack.enter_context(program("worker", address, *options))
            return main, address

        yield start
