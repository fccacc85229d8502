"""Ctrl-C, as a terminal sends it."""

import os
import signal
import subprocess
import sys
import time

import pytest

import seqlab

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
SEQLAB = [sys.executable, "-m", "seqlab"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_the_model_and_leaves(number, folder, tmp_path, corpora):
    command = [*SEQLAB, "train", folder / "train.txt", "-o", tmp_path / "m", "--model", "svm", "-i", "100000"]
    command += ["-p", "tolerance=0", "--dev", folder / "test.txt"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        for line in running.stdout:  # one line an epoch, as it happens
            if line.split()[:1] == ["2"]:
                break
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (128 + number, "")
    assert "interrupted, the best so far is kept" in out
    assert f"saved     {tmp_path}/m" in out
    tagger = seqlab.load(tmp_path / "m")
    assert tagger.history_.reason == "interrupted"
    assert tagger.score(corpora[0], "chunk") > 0.5


EARLY = """
import os, signal, sys
from seqlab.cli import main
from seqlab.learning.monitor import Monitor
over = Monitor.over
def early(self, train):
    def begin(report):
        os.kill(os.getpid(), signal.SIGINT)
        while not self.interrupted():
            pass
        from seqlab import _core
        raise _core.Stopped
    return over(self, begin)
Monitor.over = early
sys.exit(main(sys.argv[1:]))
"""


def test_without_a_first_iteration_nothing_is_saved(folder, tmp_path):
    (tmp_path / "m").write_bytes(old := seqlab.MostFrequentTag().fit([["a"]], [["N"]]).as_bytes())
    command = [sys.executable, "-c", EARLY, "train", folder / "train.txt", "-o", tmp_path / "m"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 130, done.stderr
    assert "ended     without a model: nothing is saved" in done.stdout
    assert (tmp_path / "m").read_bytes() == old


STUBBORN = """
import signal, time
from seqlab.cli.terminal import impatient
signal.signal(signal.SIGINT, lambda *_: None)
with impatient():
    print("ready", flush=True)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        time.sleep(0.01)
"""


def test_the_second_ctrl_c_ends_what_does_not_listen():
    with subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE) as running:
        assert running.stdout.readline() == b"ready\n"
        running.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert running.poll() is None
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) == 130


def test_one_ctrl_c_harms_nothing_later():
    program = (
        STUBBORN.replace("+ 60", "+ 0.5") + "print('after', flush=True)\ntime.sleep(1.5)\nprint('end')\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as running:
        assert running.stdout.readline() == b"ready\n"
        running.send_signal(signal.SIGINT)
        assert running.stdout.readline() == b"after\n"
        running.send_signal(signal.SIGINT)
        assert running.communicate(timeout=30)[0] == b"end\n"


def test_a_terminal_shows_a_bar_and_the_same_lines(folder, tmp_path):
    import pty

    child, screen = pty.openpty()
    command = [
        *SEQLAB,
        "train",
        folder / "train.txt",
        "-o",
        tmp_path / "m",
        "--model",
        "perceptron",
        "-i",
        "3",
    ]
    with subprocess.Popen(
        command, stdout=screen, stderr=screen, env={**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    ) as running:
        os.close(screen)
        shown = b""
        try:
            while part := os.read(child, 4096):
                shown += part
        except OSError:  # how Linux says that nobody holds the other end
            pass
    os.close(child)
    assert running.returncode == 0
    assert "━".encode() in shown
    assert b"saved     " in shown
    assert b"\x1b[?25h" in shown  # the cursor is back


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_tagger_that_is_ended_leaves_no_half_file(number, crf, folder, tmp_path):
    reader, writer = os.pipe()
    command = [*SEQLAB, "tag", crf, "-", "-o", tmp_path / "out.txt"]
    before = signal.signal(number, signal.SIG_DFL)  # for the child: the tests may be run under nohup
    with subprocess.Popen(command, stdin=reader) as running, os.fdopen(writer, "wb") as pipe:
        signal.signal(number, before)
        os.close(reader)
        pipe.write((folder / "plain.txt").read_bytes() * 200)
        pipe.flush()
        end = time.monotonic() + 30
        while not list(tmp_path.glob(".out.txt.*")) and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.5)  # now it waits for more
        running.send_signal(number)
        assert running.wait(timeout=30) == 128 + number
    assert list(tmp_path.iterdir()) == []
