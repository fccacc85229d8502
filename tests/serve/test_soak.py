"""A short soak: `make soak` is the long one."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from architecture.tree import ROOT


@pytest.mark.skipif(sys.platform != "linux", reason="handles and memory are read from /proc")
def test_some_seconds_of_mixed_load_leave_nothing_behind() -> None:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.soak", "--seconds", "5"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert "or failed: 0\n" in done.stdout
    assert re.search(
        r"handles at rest: (\d+) files before, \1 after, (\d+) threads before, \2 after", done.stdout
    )
    for name in ("tag a stream", "models written anew", "load and save", "structured svm", "em"):
        assert re.search(rf"\b{name} \d", done.stdout), name
