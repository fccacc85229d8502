import json
import subprocess
import sys

import pytest

import seqlab
from architecture.test_python_rooms import module_name
from architecture.tree import PACKAGE
from architecture.tree import files as sources

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


# What nobody needs who tags with a model from a file: beginnings of names, and everything that follows.
TAGGING_NEEDS_NO = (
    "seqlab.draw",
    "seqlab.evaluation",
    "seqlab.families.linear.explain",
    "seqlab.foreign",
    "seqlab.tuning",
    "seqlab.views",
    "seqlab.tags.",
    "seqlab.cli.tag_views",
    "seqlab.cli.train",
    "seqlab.corpus.bags",
    "seqlab.corpus.builtin",
    "seqlab.corpus.json",
    "seqlab.corpus.split",
    "seqlab.corpus.target",
    "seqlab.corpus.troubles",
    "seqlab.corpus.writing",
    "seqlab.features.crfpp",
    "seqlab.features.gazetteer",
    "seqlab.features.lexicon",
    "seqlab.features.parse",
    "seqlab.features.presets",
    "seqlab.features.scan",
    "seqlab.features.scripts",
    "seqlab.features.show",
    "seqlab.features.wapiti",
    "seqlab.inference.counting",
    "seqlab.inference.posteriors",
    "seqlab.inference.sampling",
    "seqlab.inference.streaming",
    "seqlab.families.hmm",
    "seqlab.learning.monitor",
    "seqlab.families.linear.pruned_model",
    "seqlab.families.linear.second_order",
    "seqlab.families.linear.shape",
    "seqlab.store.writing",
    "seqlab.tagging.door.labels",
    "seqlab.tagging.dev",
    "seqlab.families.linear.training",
    "seqlab.families.linear.prune",
    "seqlab.families.linear.training_set",
    "concurrent.futures",
    "difflib",
    "gzip",
    "logging",
    "pathlib",
)
# And these only to make tables of a model, which one sentence does not pay for when the file is large.
TABLES = (
    "seqlab.encode.encoder",
    "seqlab.encode.bag_rows",
    "seqlab.families.linear.model",
    "seqlab.families.linear.decoder",
)

COMMAND_LINE = """
from seqlab.families.linear import stored
stored.SMALL = {small}
import contextlib, io, seqlab.cli
with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
    assert seqlab.cli.main(["tag", {model!r}, {text!r}, *{options!r}]) == 0
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


def test_tagging_one_sentence_by_the_command_line_needs_neither_numpy_nor_a_tagger(files):
    model, text = files
    program = f"""
import sys
sys.argv = ["seqlab", "tag", {model!r}, {text!r}]
from seqlab import cli
assert cli.main() == 0
sys.stderr.write(" ".join(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    assert [line.split(" ")[0] for line in done.stdout.split("\n")] == ["The", "cat", "sat", "", ""]
    assert "seqlab.cli.tag_short" in loaded
    assert beginning_with(("numpy", "dataclasses", "inspect"), loaded) == []
    assert (
        beginning_with(
            (*TAGGING_NEEDS_NO, *TABLES, "seqlab.tagging.tagger", "seqlab.families.linear.tagger"), loaded
        )
        == []
    )


@pytest.mark.parametrize("small", [0, 1 << 20])
def test_tagging_by_the_command_line_loads_what_it_needs(files, small):
    model, text = files
    unusual = ["--comments"]  # an option that one sentence is not looked at for, see cli.tag_short
    loaded = newly_loaded(COMMAND_LINE.format(small=small, model=model, text=text, options=unusual))
    assert "seqlab.families.linear.tagger" in loaded
    assert beginning_with(TAGGING_NEEDS_NO, loaded) == []
    assert sorted(beginning_with(TABLES, loaded)) == (sorted(TABLES) if small else [])


def test_tagging_by_the_library_loads_what_it_needs(files):
    loaded = newly_loaded(f"import seqlab; seqlab.load({files[0]!r}).predict([['The', 'cat'], ['a']])")
    assert "seqlab.families.linear.tagger" in loaded
    assert beginning_with(TAGGING_NEEDS_NO, loaded) == []


def test_what_tagging_does_not_need_is_there_at_all():
    """A name that is misspelled, or that moved, would be missing from every list."""
    ours = [module_name(path) for path in sources(PACKAGE, ".py")]
    unknown = [name for name in (*TAGGING_NEEDS_NO, *TABLES) if not beginning_with(name, ours)]
    assert [name for name in unknown if name.partition(".")[0] not in sys.stdlib_module_names] == []
