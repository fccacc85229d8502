"""The targets in C++, for a moment each; skipped where clang has not built them (`make fuzz` does)."""

import shutil
import subprocess
from pathlib import Path

import pytest

from fuzz.seeds import NATIVE

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "build" / "fuzz" / "tests" / "fuzz"
SOURCES = Path(__file__).parent / "native"
RUNS = 2000


def test_every_target_has_seeds():
    assert sorted(NATIVE) == sorted(path.stem for path in SOURCES.glob("*.cpp"))


@pytest.mark.parametrize("name", NATIVE)
def test_altered_input_breaks_nothing(name, tmp_path):
    program = PROGRAMS / f"fuzz_{name}"
    if shutil.which("clang++") is None:
        pytest.skip("clang++ is not installed, which has libFuzzer")
    if not program.exists():
        pytest.skip("the targets are not built; `make fuzz` builds and runs them")
    for number, seed in enumerate(NATIVE[name]()):
        (tmp_path / str(number)).write_bytes(seed)
    command = [program, f"-runs={RUNS}", "-max_total_time=2", "-seed=1", "-timeout=10", "-rss_limit_mb=1024"]
    found = tmp_path / "found-"
    done = subprocess.run(
        [*command, f"-artifact_prefix={found}", tmp_path],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
