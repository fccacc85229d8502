import pickle
import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules

import pytest

import seqlab

PACKAGES = sorted(
    f"seqlab.{room.name}"
    for room in iter_modules(seqlab.__path__)
    if room.ispkg and "__getattr__" in vars(import_module(f"seqlab.{room.name}"))
)


def run(program):
    """What a program prints in an interpreter that has loaded nothing yet."""
    return subprocess.check_output([sys.executable, "-c", program], text=True).split()


def test_packages_are_found():
    assert {"seqlab.corpus", "seqlab.learning", "seqlab.families"} <= set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_of_a_package_is_there(package):
    module = import_module(package)
    assert dir(module) == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is module.__dict__[name]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_name_of_a_package_is_a_submodule(package):
    module = import_module(package)
    assert {one.name for one in iter_modules(module.__path__)} & set(module.__all__) == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_star_gives_every_name(package):
    found = {}
    exec(f"from {package} import *", found)
    assert set(import_module(package).__all__) <= set(found)


def test_what_nobody_has_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'seqlab\.corpus' has no attribute 'unheard_of'"):
        seqlab.corpus.unheard_of  # noqa: B018  (the question is the test)
    with pytest.raises(ImportError, match="cannot import name 'unheard_of'"):
        exec("from seqlab.corpus import unheard_of")
    assert not hasattr(seqlab.corpus, "__path_of_nowhere__")


def test_names_are_loaded_when_used_and_then_stay():
    program = (
        "import sys, seqlab.corpus as c; print('seqlab.corpus.io.writer' in sys.modules, 'write' in vars(c)); "
        "c.write; print('seqlab.corpus.io.writer' in sys.modules, 'write' in vars(c))"
    )
    assert run(program) == ["False", "False", "True", "True"]


def test_submodules_are_attributes_without_an_import_of_their_own():
    assert run("import seqlab; print(seqlab.corpus.sentence.__name__)") == ["seqlab.corpus.sentence"]
    assert run("from seqlab.features import presets; print(presets.__name__)") == ["seqlab.features.presets"]


def test_a_submodule_that_needs_what_is_missing_says_so(tmp_path, monkeypatch):
    package = tmp_path / "cellar"
    package.mkdir()
    text = "from seqlab.lazy import when_used\n__getattr__, __dir__ = when_used(__name__, {})\n"
    (package / "__init__.py").write_text(text)
    (package / "wine.py").write_text("import nothing_of_this_name\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name"):
        import_module("cellar").wine  # noqa: B018  (the question is the test)


def test_classes_of_a_package_can_be_pickled():
    assert pickle.loads(pickle.dumps(seqlab.tags.Scheme)) is seqlab.tags.Scheme
    assert pickle.loads(pickle.dumps(seqlab.LBFGS(l2=2.0))) == seqlab.LBFGS(l2=2.0)


@pytest.mark.parametrize("name", ["a.b", ".", "", "two words", "nul\0"])
def test_what_cannot_be_a_name_is_not_there(name):
    assert not hasattr(seqlab.corpus, name)
