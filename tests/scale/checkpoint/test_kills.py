"""kill -9 at random moments, then the same command again, until it ends: the same model, bit for bit.

`SEQLAB_KILLS=50 pytest tests/scale/checkpoint/test_kills.py` kills every case 50 times.
"""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scale.checkpoint.child import CASES

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
KILLS = int(os.environ.get("SEQLAB_KILLS", "0"))
FEW = {"l2": 3, "l1": 2, "restarts": 3, "svm": 2}
TESTS = Path(__file__).parents[2]


def started(name, place, out):
    """Start the training; it has read its data when this returns."""
    command = [sys.executable, "-m", "scale.checkpoint.child", name, str(place), str(out)]
    paths = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths}
    )
    assert running.stdout.readline() == "ready\n"
    return running


def ended(running):
    with running:
        assert running.wait(timeout=300) == 0


@pytest.mark.parametrize("name", CASES if KILLS else FEW)
def test_a_killed_training_ends_with_the_same_bits(name, tmp_path):
    kills, chance = KILLS or FEW[name], random.Random(f"{name} {os.environ.get('SEQLAB_SEED', '0')}")
    ended(started(name, "", tmp_path / "whole"))
    alone = started(name, tmp_path / "alone", tmp_path / "stored")
    began = time.monotonic()
    ended(alone)
    seconds = time.monotonic() - began
    whole = (tmp_path / "whole").read_bytes()
    assert (tmp_path / "stored").read_bytes() == whole
    killed = rounds = 0
    while killed < kills:
        rounds += 1
        place, out = tmp_path / f"place{rounds}", tmp_path / f"out{rounds}"
        while not out.exists():
            running = started(name, place, out)
            if killed < kills:
                time.sleep(chance.uniform(0, 0.7 * seconds))
                running.kill()
                with running:
                    killed += running.wait() < 0
            else:
                ended(running)
        assert out.read_bytes() == whole, f"after {killed} kills"


def test_the_command_line_goes_on_too(tmp_path):
    def command(place, out):
        words = [
            sys.executable,
            "-m",
            "seqlab",
            "train",
            "demo:train",
            "-l",
            "chunk",
            "-i",
            "25",
            "-o",
            str(out),
        ]
        return [*words, *(["--checkpoint", str(place), "--checkpoint-every", "0"] if place else [])]

    subprocess.run(command(None, tmp_path / "whole"), check=True, stdout=subprocess.DEVNULL)
    place, out, killed = tmp_path / "place", tmp_path / "out", 0
    with subprocess.Popen(command(place, out), stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout:
            if line.split()[:1] == ["7"]:  # a line for every iteration
                running.kill()
                killed += 1
    assert killed
    assert not out.exists()
    again = subprocess.run(command(place, out), check=True, stdout=subprocess.PIPE, text=True).stdout
    stored = next(line for line in again.splitlines() if line.startswith("stored"))
    assert int(stored.split()[-1]) >= 6
    lines = [line.split()[0] for line in again.splitlines() if line[:9].strip().isdigit()]
    assert lines[0] == str(int(stored.split()[-1]) + 1)
    assert timeless(out) == timeless(tmp_path / "whole")
    finished = subprocess.run(command(place, out), check=True, stdout=subprocess.PIPE, text=True).stdout
    assert f"stored    {place}: the end" in finished
    assert timeless(out) == timeless(tmp_path / "whole")


def timeless(path):
    """The model of a file, without the seconds of its history."""
    import seqlab
    from scale.checkpoint.trainings import bits

    return bits(seqlab.load(path))
