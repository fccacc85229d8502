"""Run tests against one mutant, in a process that is forked for it."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pickle
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cpp import ROOT
from mutant import Mutant
from python import Mutated
from reach import Chosen, Functions, Passed, Recorder, Switches

FEWEST_SECONDS = 6  # of CPU that a trial may always use
LONGEST_WAIT = 900  # seconds of a trial that uses none
OPTIONS = (
    *("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
    *("-k", "not million"),  # they look at the clock, and several trials run at a time
)
MEMORY = 6 << 30  # bytes; a mutant may ask for all there is
# Loaded here once, for all the processes that are forked.
for name in ("hypothesis", "numpy", "scipy.optimize", "scipy.special", "sklearn.metrics", "pandas"):
    with contextlib.suppress(ImportError):
        importlib.import_module(name)


def trial(
    tests: tuple[str, ...], site: Path, *, number: int = 0, mutant: Mutant | None = None, seconds: float = 0.0
) -> str:
    """Run tests until one fails.

    tests     their names, the first one first
    site      folder of the package that is tested
    number    of the mutant of C++ that is on; 0 for none
    mutant    of Python; None for none
    seconds   of CPU that the tests need without a mutant

    Returns "survived", or how the mutant was killed.
    """
    if not tests:
        return "survived"
    most = int(FEWEST_SECONDS + 3 * seconds)

    def run() -> int:
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
        if mutant is not None:
            Mutated(mutant).install()
        files = dict.fromkeys(test.partition("::")[0] for test in tests)
        return int(pytest.main([*OPTIONS, *files], plugins=[Chosen(tests)]))

    return _forked(run, site, number)


def record(file: str, site: Path, sample: dict[int, Mutant], *, in_cpp: bool) -> tuple[str, Passed]:
    """Run a file or folder of tests without a mutant; return how it ended, and what its tests pass."""
    with tempfile.NamedTemporaryFile() as answer:

        def run() -> int:
            recorder = Recorder(Switches(site) if in_cpp else Functions(sample, site))
            code = int(pytest.main([*OPTIONS, file], plugins=[recorder]))
            Path(answer.name).write_bytes(pickle.dumps(recorder.tests))
            return code

        verdict = _forked(run, site, 0)
        return verdict, pickle.loads(Path(answer.name).read_bytes()) if verdict == "survived" else {}


def _forked(run: Callable[[], int], site: Path, number: int) -> str:
    child = os.fork()
    if child == 0:
        _child(run, site, number)
    end = time.monotonic() + LONGEST_WAIT
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.02)
    if os.WIFSIGNALED(status):
        return "time" if os.WTERMSIG(status) in {signal.SIGXCPU, signal.SIGKILL} else "crash"
    return {0: "survived", 1: "test", 2: "import"}.get(os.waitstatus_to_exitcode(status), "error")


def _child(run: Callable[[], int], site: Path, number: int) -> None:
    """Become the process of a trial; never returns."""
    code = 3
    try:
        os.setsid()
        os.chdir(ROOT)
        os.environ.update(SEQLAB_MUTANT=str(number), SEQLAB_HYPOTHESIS_PROFILE="quick", CI="true")
        os.environ["PYTHONPATH"] = str(site)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        sys.stdout = sys.stderr = io.StringIO()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        sys.path.insert(0, str(site))
        code = run()
    finally:
        os._exit(code)
