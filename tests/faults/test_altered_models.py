"""More than ten thousand altered model files, of every kind that saves: our error or a tagger, never a crash."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from faults.altered_models import RECIPES, recipes
from seqlab.families import kinds

PROGRAM = Path(__file__).with_name("altered_models.py")
EACH = 1000


def test_every_kind_is_among_them():
    made = recipes()
    assert set(kinds()) <= set(made)
    assert EACH * len(made) >= 10_000
    assert set(RECIPES) <= set(made)


@pytest.mark.parametrize("kind", recipes())
def test_altered_files_never_end_the_process(kind):
    done = subprocess.run(
        [sys.executable, PROGRAM, kind, str(EACH), "1"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"ended with {done.returncode}\n{done.stderr[-3000:]}"
    told = json.loads(done.stdout)
    assert told["refused"] + told["loaded"] == EACH
    assert told["refused"] > EACH / 3
    assert told["loaded"] > EACH / 20  # enough of them got through the door to be asked
    assert told["answered"] > EACH / 30 or kind not in RECIPES
