"""Lets allocations of the native code fail in turn; a process of its own, in which shim.so is preloaded.

LD_PRELOAD=shim.so python tests/faults/injected/memory.py [--all] [WORK ...]

Every work runs again and again: the k-th call of operator new fails, then all from the k-th on. It must end as usual,
or with MemoryError or an error of ours. Prints {"work": number of faults} as JSON, and ends with 1 after a list of what
was wrong.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import traceback

from faults.injected.works import works
from seqlab import _core
from seqlab.errors import SeqlabError

MOST = 30  # allocations of a work that fail without --all
# nanobind has a table of its objects, and ends the program if that cannot grow; some hundred bytes, and not our code.
# Here it grows before.
KEPT = [_core.Flag() for _ in range(5000)]
shim = ctypes.CDLL(None)


def attack(name: str, everything: bool, tell: int) -> None:
    """Let allocations of a work fail; writes lines to `tell`: the number of each before it fails, and errors."""
    work = works()[name]
    work()
    shim.faults_memory(0, 0)
    work()
    calls = shim.faults_memory_over()
    stride = 1 if everything else max(1, calls // MOST)
    for k in range(1, calls + 1, stride):
        for last in (k, 1 << 40):
            where = f"allocation {k}{' and all after it' if last > k else ''} of {calls}"
            os.write(tell, f"{where}\n".encode())
            shim.faults_memory(ctypes.c_long(k), ctypes.c_long(last))
            try:
                work()
            except (MemoryError, SeqlabError):
                pass
            except BaseException:  # noqa: BLE001  it is reported
                shim.faults_memory_over()
                os.write(tell, f"wrong: {traceback.format_exc()!r}\n".encode())
            finally:
                shim.faults_memory_over()


def attacked(name: str, everything: bool) -> tuple[int, list[str]]:
    """The number of faults of a work, in a child of its own, and what was wrong."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        attack(name, everything, writer)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        lines = pipe.read().splitlines()
    status = os.waitpid(child, 0)[1]
    faults = [line for line in lines if not line.startswith("wrong: ")]
    wrong = [f"{name}: {lines[i - 1]}: {line}" for i, line in enumerate(lines) if line.startswith("wrong: ")]
    if status:
        wrong.append(f"{name}: {lines[-1] if lines else 'before the first'}: ended with status {status}")
    return len(faults), wrong


def main(*options: str) -> int:
    chosen = [one for one in options if not one.startswith("--")] or list(works())
    counts, wrong = {}, []
    for name in chosen:
        counts[name], more = attacked(name, "--all" in options)
        wrong += more
    print(json.dumps(counts))
    for line in wrong:
        print(line, file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
