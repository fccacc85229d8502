"""The shell blocks of docs/guide/command-line.md and of the README are run, and show what they say.

`...` stands for anything. Numbers of the README have the tolerance that the Python blocks have; those of its last
table, with times, are any.
"""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "docs_site"))

from blocks import fits  # noqa: E402

PAGE, README = ROOT / "docs" / "guide" / "command-line.md", ROOT / "README.md"


def commands(page=PAGE):
    """(command, what it shows) in the order of the page."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
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
            env={**os.environ, "PATH": path, "SEQLAB_KERNEL": "baseline"},
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


def test_the_readme_shows_what_its_commands_say(bash):
    for command, shown in commands(README):
        done = bash(command)
        assert done.returncode == 0, (command, done.stderr)
        if shown:
            loose = command.startswith("seqlab compare")
            assert fits(done.stdout, shown, near=True, loose=loose), (command, done.stdout)
        else:
            assert not done.stdout, command


def test_there_are_commands():
    assert len(commands()) >= 8
    assert len(commands(README)) == 4
