"""Build seqlab and install it into the environment that runs this: `make build`.

On a terminal one line says how far the compiler has come; elsewhere there is only the headline. All that was printed
is shown when a build fails.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

COMPILER_SECONDS = 100  # of CPU, for everything, with GCC 12: 85 on an idle machine, 114 on a busy one
STEP = re.compile(r"\[([1-9]\d*/\d+)\] (?:Building \w+ object |Linking \w+ \w+ \w+ )?(?:CMakeFiles/)?(\S+)")
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")
INSTALL = ("install", "--no-build-isolation", ".")


def headline() -> str:
    """How long it will take, from the number of cores."""
    if any(Path("build").glob("cp*/build.ninja")):
        return "building seqlab: what has changed ..."
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    seconds = COMPILER_SECONDS // cores + 10
    return f"building seqlab: {COMPILER_SECONDS} CPU seconds of compiling, some {seconds} s if nothing else runs ..."


def shown(step: re.Match[str], began: float) -> str:
    """One line of the terminal, written over the one before."""
    text = f"  [{step[1]}] {time.monotonic() - began:.0f} s  {step[2]}"
    return "\r\x1b[K" + text[: shutil.get_terminal_size().columns - 1]


def install_with_progress() -> int:
    """Run pip, and write the line anew after every step of the build."""
    began, said = time.monotonic(), []
    with subprocess.Popen(
        [*PIP, "-v", *INSTALL], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        for line in pip.stdout or ():
            said.append(line)
            if step := STEP.search(line):
                print(shown(step, began), end="", flush=True)
    print("\r\x1b[K", end="", flush=True)
    if pip.returncode:
        sys.stderr.writelines(said)
    return pip.returncode


if __name__ == "__main__":
    print(headline(), flush=True)
    sys.exit(
        install_with_progress()
        if sys.stdout.isatty()
        else subprocess.run([*PIP, "-qq", *INSTALL], check=False).returncode
    )
