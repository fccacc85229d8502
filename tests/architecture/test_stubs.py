import subprocess
import sys

from architecture.tree import PACKAGE, text


def test_stub_is_what_the_compiled_module_says(tmp_path):
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "seqlab._core", "-o", fresh]
    subprocess.run(command, check=True)
    assert text(PACKAGE / "_core.pyi") == text(fresh), "run `make stubs`"
