"""Lets every system call of writers fail in turn; a process of its own, in which shim.so is preloaded.

LD_PRELOAD=shim.so python tests/faults/injected/run.py GROUP [--all]

Prints {"writer": number of faults} as JSON, and ends with 1 after a list of what was wrong. Without --all some of the
calls of long writers are left out, and fewer errors are tried.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from faults.injected.writers import GROUPS, Writer
from seqlab.errors import SeqlabError

SHORT, KILL = 1000, 1001
NAMES = {errno.ENOSPC: "ENOSPC", errno.EIO: "EIO", errno.EINTR: "EINTR", SHORT: "short", KILL: "kill"}
MOST = 24  # calls of a writer that are tried without --all

Snapshot = dict[str, bytes]
shim = ctypes.CDLL(None)


def snapshot(folder: Path) -> Snapshot:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def restore(folder: Path, content: Snapshot) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


class Trial:
    """A writer over a folder as it was before."""

    def __init__(self, writer: Writer, write: Callable[[Path, int], object], folder: Path, old: bool) -> None:
        self.writer, self.write, self.folder = writer, write, folder
        restore(folder, {})
        if old:
            write(folder, 0)
        self.before = snapshot(folder)
        write(folder, 1)
        self.after = snapshot(folder)
        self.answer = self.settled()

    def settled(self) -> Any:
        return self.writer.settled and self.writer.settled(self.folder)

    def tried(self, k: int, fault: int) -> tuple[int, str | None]:
        """Let the k-th call fail; the number of calls, and the name of the error or None."""
        restore(self.folder, self.before)
        shim.faults_arm(os.fsencode(self.folder), k, fault)
        try:
            self.write(self.folder, 1)
            told = None
        except SeqlabError as error:
            told = str(error)
        finally:
            calls = shim.faults_disarm()
        return calls, told

    def killed(self, k: int) -> bool:
        """Let a child kill itself at the k-th call; False if it had fewer."""
        restore(self.folder, self.before)
        child = os.fork()
        if not child:
            try:
                shim.faults_arm(os.fsencode(self.folder), k, KILL)
                self.write(self.folder, 1)
            finally:
                os._exit(0)
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])

    def fault(self, k: int, fault: int) -> str | None:
        """What was wrong after a fault at the k-th call; "end" if there are fewer."""
        if fault == KILL:
            return self._after_kill() if self.killed(k) else "end"
        calls, told = self.tried(k, fault)
        if calls < k:
            return "end"
        found = snapshot(self.folder)
        if fault in (SHORT, errno.EINTR) and told is not None:
            return f"failed: {told}"
        if told is None:
            wrong = "" if self.writer.silent or self.writer.settled else _differences(found, self.after)
        elif self.writer.whole:
            wrong = _differences(found, self.before)
        else:
            wrong = self._each(found)
        if wrong:
            return f"{'error' if told else 'no error'}, and {wrong}"
        if self.writer.silent:
            wrong = self._each(found)
        return wrong or self._unsettled()

    def _after_kill(self) -> str | None:
        found = snapshot(self.folder)
        wrong = self._each({name: data for name, data in found.items() if not name.endswith(".tmp")})
        if wrong:
            return wrong
        if self.writer.settled:
            return self._unsettled()
        self.write(self.folder, 1)  # once more, over what was left
        found = snapshot(self.folder)
        if self.writer.silent:  # which may leave temporary files for its user to remove
            found = {name: data for name, data in found.items() if not name.endswith(".tmp")}
        return _differences(found, self.after) or None

    def _each(self, found: Snapshot) -> str:
        """Each file is the old or the new one."""
        if self.writer.settled:
            return ""  # its answer tells
        for name, data in found.items():
            if data not in (self.before.get(name), self.after.get(name)):
                return f"{name} is neither the old file nor the new one"
        return ", ".join(
            f"{name} is gone" for name in self.before if name not in found and not self.writer.silent
        )

    def _unsettled(self) -> str | None:
        if self.writer.settled is None:
            return None
        try:
            answer = self.settled()
        except SeqlabError as error:
            return f"afterwards: {error}"
        return None if answer == self.answer else "another answer afterwards"


def _differences(found: Snapshot, wanted: Snapshot) -> str:
    more, fewer = sorted(found.keys() - wanted), sorted(wanted.keys() - found)
    other = sorted(name for name in found.keys() & wanted if found[name] != wanted[name])
    told = {"left behind": more, "missing": fewer, "changed": other}
    return "; ".join(f"{what}: {', '.join(names)}" for what, names in told.items() if names)


def attack(name: str, writer: Writer, folder: Path, everything: bool) -> tuple[int, list[str]]:
    """All faults at all calls of a writer; the number of trials, and what was wrong."""
    write = writer.make()
    plans = [(old, fault) for old in (False, True) for fault in NAMES]
    if not everything:
        plans = [(False, errno.ENOSPC), (True, errno.EIO), (True, SHORT), (True, errno.EINTR), (True, KILL)]
    done, wrong = 0, []
    for old, fault in plans:
        if writer.over and not old:
            continue
        trial = Trial(writer, write, folder, old)
        calls, _ = trial.tried(0, fault)
        stride = 1 if everything else -(-calls // MOST)
        for k in range(1, calls + 1, stride):
            try:
                told = trial.fault(k, fault)
            except Exception:  # noqa: BLE001  it is reported
                shim.faults_disarm()
                told = traceback.format_exc()
            if told == "end":
                break
            done += 1
            if told:
                start = "an old file" if old else "no file"
                wrong.append(f"{name}: {NAMES[fault]} at call {k} of {calls}, with {start}: {told}")
    return done, wrong


def main(group: str, *options: str) -> int:
    signal.alarm(1500)
    counts, wrong = {}, []
    only = [one for one in options if not one.startswith("--")]
    warnings.simplefilter("ignore")
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # where syncing takes no time
    with tempfile.TemporaryDirectory(dir=memory) as name:
        folder = Path(name).resolve() / "files"
        for writer, made in GROUPS[group]().items():
            if only and writer not in only:
                continue
            counts[writer], more = attack(writer, made, folder, "--all" in options)
            wrong += more
    print(json.dumps(counts))
    for line in wrong:
        print(line, file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
