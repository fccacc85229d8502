import json
import subprocess
import sys

import pytest

import seqlab
from architecture.test_python_rooms import module_name
from architecture.tree import PACKAGE
from architecture.tree import files as sources
from seqlab.cli import COMMANDS

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


# Beginnings of names that tagging with a linear model from a file has no use for.
TAGGING_NEEDS_NO = (
    "seqlab.draw",
    "seqlab.evaluation.",  # the package itself has only names
    "seqlab.foreign",
    "seqlab.tuning",
    "seqlab.families.chain",
    "seqlab.views",
    "seqlab.families.hmm",
    "seqlab.families.local",
    "seqlab.families.mixture",
    "seqlab.families.rerank",
    "seqlab.store.writing",
)

COMMAND_LINE = """
import contextlib, io, seqlab.cli
with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
    assert seqlab.cli.main(["tag", {model!r}, {text!r}]) == 0
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("light")
    model, text = folder / "pos.model", folder / "one.txt"
    learner = seqlab.LBFGS(max_iterations=1)
    seqlab.CRF("pos", learner).fit(seqlab.demo_corpus("train")[:5], "pos").save(model)
    text.write_text("The\ncat\nsat\n\n")
    return str(model), str(text)


def beginning_with(names, modules):
    return [module for module in modules if module.startswith(names)]


def test_tagging_by_the_command_line_loads_no_other_command(files):
    loaded = newly_loaded(COMMAND_LINE.format(model=files[0], text=files[1]))
    others = tuple(f"seqlab.cli.{name}" for name in COMMANDS if name != "tag")
    assert "seqlab.families.linear.tagger" in loaded
    assert beginning_with((*TAGGING_NEEDS_NO, *others), loaded) == []
    assert strangers(loaded) == []


def test_tagging_by_the_library_loads_no_front_door(files):
    loaded = newly_loaded(f"import seqlab; seqlab.load({files[0]!r}).predict([['The', 'cat'], ['a']])")
    assert "seqlab.families.linear.tagger" in loaded
    assert beginning_with((*TAGGING_NEEDS_NO, "seqlab.cli", "seqlab.serve", "seqlab.compat"), loaded) == []
    assert strangers(loaded) == []


def test_what_tagging_does_not_need_is_there_at_all():
    """A name that is misspelled, or that moved, would be missing from every list."""
    ours = [module_name(path) for path in sources(PACKAGE, ".py")]
    assert [name for name in TAGGING_NEEDS_NO if not beginning_with(name, ours)] == []
