import shutil
import subprocess

import pytest

from architecture.kernel_symbols import definitions, shared_weak_symbols
from architecture.tree import ROOT


def built_objects():
    """Objects of our code from the builds that pip made, per build folder."""
    for folder in sorted((ROOT / "build").glob("cp*")):
        objects = [
            path for path in sorted((folder / "CMakeFiles").glob("*core.dir/cpp/**/*.o")) if has_source(path)
        ]
        if any(map(is_wide, objects)):
            yield objects


def has_source(path):
    """Whether the source of an object is there still: a build folder keeps objects of files that were moved."""
    inside = path.parts[path.parts.index("cpp", len(ROOT.parts)) :]
    return ROOT.joinpath(*inside).with_suffix("").is_file()


def is_wide(path):
    """Whether an object is compiled for instructions that not every machine has."""
    return path.parent.name == "isa" and path.name.startswith("avx")


def test_wide_kernels_share_no_inline_function():
    nm = shutil.which("nm")
    builds = list(built_objects())
    if nm is None or not builds:
        pytest.skip("no nm, or no build folder with x86 kernels")
    for objects in builds:
        listing = {
            str(path): definitions(subprocess.check_output([nm, "--defined-only", "-P", path], text=True))
            for path in objects
        }
        found = {path.name: shared_weak_symbols(listing, str(path)) for path in objects if is_wide(path)}
        assert {name: symbols for name, symbols in found.items() if symbols} == {}


def test_shared_weak_symbol_is_noticed():
    wide = definitions("_Z5sweepv T 0 10\n_ZSt3maxIdE W 0 8\n_ZN3ownE W 0 8\n")
    plain = definitions("_Z4mainv T 0 10\n_ZSt3maxIdE W 0 8\n")
    assert shared_weak_symbols({"avx512.o": wide, "plain.o": plain}, "avx512.o") == ["_ZSt3maxIdE"]
