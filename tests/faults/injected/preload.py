"""Builds shim.c with the compiler of this machine, and runs programs of this folder with it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
LIBRARIES = ("-ldl", "-Wl,--no-as-needed", "-lstdc++")  # operator new is that of the core


@cache
def shim() -> str:
    """The path of the shared library; skips the test where it cannot be made."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("a C compiler and Linux are needed to preload a library")
    made = Path(tempfile.mkdtemp(prefix="seqlab-shim-"), "shim.so")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-fexceptions", "-o", made, HERE / "shim.c", *LIBRARIES],
        check=True,
    )
    return str(made)


def run(program: str, *arguments: str, timeout: int = 1600) -> Any:
    """Run a program with the shim; it prints JSON."""
    paths = [str(HERE.parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "LD_PRELOAD": shim(), "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [sys.executable, HERE / program, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, f"ended with {done.returncode}\n{done.stderr[-4000:]}"
    return json.loads(done.stdout)
