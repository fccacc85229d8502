"""A file that is changed while it is used gives wrong labels at worst."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("altered_in_place.py")
LONE = "word[0]\nword[-1] & word[0]\nword[-1] & word[0] & word[1]"


def run(*arguments):
    command = [sys.executable, PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"ended with {done.returncode}\n{done.stderr[-3000:]}"
    return int(done.stdout)


@pytest.mark.parametrize("features", ["pos", "chunk", "ner", "attributes", LONE])
def test_a_file_changed_in_place_never_ends_the_process(features):
    assert run(features, 30, 1) > 10_000


@pytest.mark.parametrize("seed", [1, 2])
def test_no_question_to_a_model_whose_file_is_changed_ends_the_process(seed):
    assert run("--stored", 1, seed) > 500
