"""`seqlab train --max-memory --cache`: files larger than memory."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import seqlab
from seqlab.scale import columns


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(columns, "SHARD", columns.TOKEN * 1500)


@pytest.fixture
def parts(tmp_path):
    train = seqlab.demo_corpus("train")[:200]
    seqlab.write(train[:90], tmp_path / "a.txt")
    seqlab.write(train[90:], tmp_path / "b.txt.gz")
    return [str(tmp_path / name) for name in ("a.txt", "b.txt.gz")]


FLAGS = ["--columns", "word,pos,chunk,entity", "--label", "chunk", "--features", "chunk", "-i", "3"]
KINDS = {
    "crf": FLAGS,
    "memm": ["-m", "memm", *FLAGS],
    "perceptron": ["-m", "perceptron", *FLAGS],
    "hmm": ["-m", "hmm", "--columns", "word,pos,chunk,entity", "--label", "pos"],
    "hidden": ["-m", "hmm", "--columns", "word,pos,chunk,entity", "--states", "3", "-i", "2"],
    "markov": ["-m", "markov", "--columns", "word,pos,chunk,entity", "--order", "2"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_model_is_that_of_memory(kind, parts, shell, tmp_path):
    near, distant = tmp_path / "near", tmp_path / "distant"
    limits = ["--max-memory", "4G", "--cache", str(tmp_path / "cache")]
    for target, more in ((near, []), (distant, limits)):
        shell.done("train", *parts, *KINDS[kind], *more, "-o", target, "-q")
    one, other = (seqlab.store.reading.read(path, mapped=False).arrays for path in (near, distant))
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_an_earlier_model_is_learned_on(parts, shell, tmp_path):
    first = tmp_path / "first"
    shell.done("train", parts[0], *FLAGS, "-o", first, "-q")
    for name, more in (("near", []), ("distant", ["--max-memory", "4G"])):
        shell.done("train", *parts, *FLAGS, *more, "--start", first, "-o", tmp_path / name, "-q")
    near, distant = (seqlab.load(tmp_path / name).model_.theta for name in ("near", "distant"))
    assert np.array_equal(near, distant)


def test_the_cache_is_used_again(parts, shell, tmp_path):
    words = ["train", *parts, *FLAGS, "--max-memory", "4G", "--cache", str(tmp_path / "cache"), "--json"]
    _, second = (shell.done(*words, "-o", tmp_path / name) for name in ("one", "two"))
    assert len(list((tmp_path / "cache").iterdir())) == 2
    assert json.loads(second)["label"] == "chunk"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-m", "local"], "--max-memory means nothing to --model local"),
        (["--max-memory", "many"], "max_memory must be a number of bytes"),
    ],
)
def test_wrong_use_is_said(words, told, parts, shell, tmp_path):
    code, _, err = shell("train", *parts, "--max-memory", "1G", *words, "-o", tmp_path / "model")
    assert code == 2
    assert told in " ".join(err.split())


def test_standard_input_is_refused(shell, tmp_path):
    assert "name files" in shell.refused("train", "-", "--max-memory", "1G", "-o", tmp_path / "model")


def test_the_bar_tells_the_time_left(monkeypatch):
    """Also after a step without a known end; the first part of a step says nothing about the others."""
    import io

    from seqlab.cli import terminal

    class Tty(io.StringIO):
        def isatty(self):
            return True

    now = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    monkeypatch.setenv("TERM", "xterm")
    screen = terminal.Screen(None, Tty())
    screen.step("reading")
    screen.advance(500, "reading, 500 tokens")
    assert screen._left() == ""
    screen.step("encoding", 1000)
    now[0] = 100.0
    screen.advance(100)
    assert screen._left() == ""
    now[0] = 110.0
    screen.advance(100)
    assert screen._left() == "20 %, about 80.0 s left"
    screen.advance(0, total=600)  # estimated better
    assert screen._left() == "33 %, about 40.0 s left"
    screen.__exit__()
    assert "left" in screen.stream.getvalue()


TOLD = """
import os, runpy, signal
from seqlab.scale import columns
columns.ColumnWriter.finish = lambda *_: os.kill(os.getpid(), signal.SIGTERM)
runpy.run_module("seqlab", run_name="__main__")
"""


def test_a_program_that_is_told_to_end_while_it_reads_leaves_no_data(parts, tmp_path):
    """Temporary data of a large corpus would fill the disk."""
    room = tmp_path / "room"
    room.mkdir()
    command = [sys.executable, "-c", TOLD, "train", *parts, *FLAGS, "--max-memory", "4G", "-o", "model"]
    assert subprocess.run(command, env={**os.environ, "TMPDIR": str(room)}, check=False).returncode == 143
    assert not any(room.iterdir())
