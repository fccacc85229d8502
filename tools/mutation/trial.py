"""Run tests against one mutant, in a process that is forked for it."""

from __future__ import annotations

import io
import os
import resource
import signal
import sys
import time
from pathlib import Path

import hypothesis  # noqa: F401  loaded here once, for all the processes that are forked
import numpy as np  # noqa: F401
import pytest
from cpp import ROOT
from mutant import Mutant
from python import Mutated

FEWEST_SECONDS = 10  # of CPU that a trial may always use
LONGEST_WAIT = 900  # seconds of a trial that uses none
OPTIONS = (
    *("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
    *("-k", "not million"),  # they look at the clock, and several trials run at a time
)
MEMORY = 6 << 30  # bytes; a mutant may ask for all there is


def trial(
    tests: tuple[str, ...], site: Path, *, number: int = 0, mutant: Mutant | None = None, seconds: float = 0.0
) -> tuple[str, float]:
    """Run tests until one fails.

    tests     files and folders
    site      folder of the package that is tested
    number    of the mutant of C++ that is on; 0 for none
    mutant    of Python; None for none
    seconds   of CPU that the tests need without a mutant

    Returns "survived", or how the mutant was killed, and the seconds of CPU.
    """
    before = _used()
    child = os.fork()
    if child == 0:
        _child(tests, site, number, mutant, seconds)
    end = time.monotonic() + LONGEST_WAIT
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.02)
    used = _used() - before
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "time" if number in {signal.SIGXCPU, signal.SIGKILL} else "crash", used
    return {0: "survived", 1: "test", 2: "import"}.get(os.waitstatus_to_exitcode(status), "error"), used


def _used() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _child(tests: tuple[str, ...], site: Path, number: int, mutant: Mutant | None, seconds: float) -> None:
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
        if seconds:
            most = int(FEWEST_SECONDS + 3 * seconds)
            resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
        sys.path.insert(0, str(site))
        if mutant is not None:
            Mutated(mutant).install()
        code = int(pytest.main([*OPTIONS, *tests]))
    finally:
        os._exit(code)
