"""The shell blocks of docs/guide/command-line.md are run, and show what they say; ... stands for anything."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "command-line.md"


def commands():
    """(command, what it shows) in the order of the page."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append((command, shown))
    return found


@pytest.fixture
def bash(tmp_path):
    program = tmp_path / "bin" / "seqlab"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m seqlab "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "work").mkdir()
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"

    def run(command):
        return subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path / "work",
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_the_page_shows_what_the_commands_say(bash):
    for command, shown in commands():
        done = bash(command)
        assert done.returncode == 0, (command, done.stderr)
        pattern = ".*".join(map(re.escape, shown.rstrip("\n").split("...")))
        assert re.fullmatch(pattern, done.stdout.rstrip("\n"), re.DOTALL), (command, done.stdout)


def test_there_are_commands():
    assert len(commands()) >= 8
