import json
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from architecture.kernel_symbols import definitions, shared_weak_symbols
from architecture.tree import ROOT

WIDE = ("kernels_avx2.dir", "kernels_avx512.dir")  # instructions that not every machine has


def built_targets():
    """Objects of our code by target, {target: paths}, for each build that pip made."""
    for commands in sorted((ROOT / "build").glob("cp*/compile_commands.json")):
        targets = defaultdict(list)
        for command in json.loads(commands.read_text()):
            path = Path(commands.parent, command["output"])
            if path.is_file() and "nanobind" not in path.name and "cmake_pch" not in path.name:
                targets[path.parts[path.parts.index("CMakeFiles") + 1]].append(path)
        if all(name in targets for name in WIDE):
            yield targets


def test_wide_kernels_share_no_inline_function():
    nm = shutil.which("nm")
    builds = list(built_targets())
    if nm is None or not builds:
        pytest.skip("no nm, or no build folder with x86 kernels")
    for targets in builds:
        listing = {
            name: definitions(subprocess.check_output([nm, "--defined-only", "-P", *paths], text=True))
            for name, paths in targets.items()
        }
        assert {name: shared_weak_symbols(listing, name) for name in WIDE} == {name: [] for name in WIDE}


def test_shared_weak_symbol_is_noticed():
    wide = definitions("_Z5sweepv T 0 10\n_ZSt3maxIdE W 0 8\n_ZN3ownE W 0 8\n")
    plain = definitions("_Z4mainv T 0 10\n_ZSt3maxIdE W 0 8\n")
    assert shared_weak_symbols({"avx512.o": wide, "plain.o": plain}, "avx512.o") == ["_ZSt3maxIdE"]
