"""A file that is changed while it is used gives wrong labels at worst."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("altered_in_place.py")
LONE = "word[0]\nword[-1] & word[0]\nword[-1] & word[0] & word[1]"


@pytest.mark.parametrize("features", ["pos", "chunk", "ner", "attributes", LONE])
def test_a_file_changed_in_place_never_ends_the_process(features):
    done = subprocess.run(
        [sys.executable, PROGRAM, features, "30", "1"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"ended with {done.returncode}\n{done.stderr[-3000:]}"
    assert int(done.stdout) > 10_000
