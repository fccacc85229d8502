import json
import subprocess
import sys

PROGRAM = """
import sys, json
import numpy
before = set(sys.modules)
{statement}
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def newly_loaded(statement):
    """Modules that the statement loads beyond numpy, in a fresh interpreter."""
    command = [sys.executable, "-c", PROGRAM.format(statement=statement)]
    return json.loads(subprocess.check_output(command))


def strangers(modules):
    """Top-level packages that are neither ours, nor numpy, nor the standard library."""
    tops = {name.partition(".")[0] for name in modules}
    return sorted(tops - set(sys.stdlib_module_names) - {"seqlab", "numpy"})


def test_import_loads_nothing_but_numpy():
    loaded = newly_loaded("from seqlab import Trellis, TrellisBatch, Constraints, inference")
    assert "seqlab" in loaded
    assert strangers(loaded) == []


def test_import_opens_no_front_door():
    loaded = newly_loaded("import seqlab; seqlab.inference")
    assert [name for name in loaded if name.startswith(("seqlab.cli", "seqlab.draw"))] == []


def test_strangers_are_noticed():
    assert strangers(["json", "seqlab.cli", "numpy.linalg", "scipy.special", "rich"]) == ["rich", "scipy"]
    assert strangers(newly_loaded("import pytest")) != []
