"""typing.get_type_hints works on every name of the package: nothing is imported for type checkers alone."""

import importlib
import inspect
import pkgutil
import typing

import pytest

import seqlab
from architecture.public import function_of, members, names
from architecture.tree import PACKAGE, files, text

MODULES = [
    module.name
    for module in pkgutil.walk_packages(seqlab.__path__, "seqlab.")
    if not module.name.endswith(("__main__", "_core"))
]


def test_hints_of_every_public_name():
    for name, thing in names():
        if inspect.isclass(thing):
            assert typing.get_type_hints(thing) is not None, name
            if inspect.isfunction(thing.__init__):
                assert typing.get_type_hints(thing.__init__) is not None, name
            for member, _, function in members(thing):
                assert "return" in typing.get_type_hints(function), f"{name}.{member}"
        elif inspect.isfunction(thing):
            assert "return" in typing.get_type_hints(thing), name


@pytest.mark.parametrize("module", MODULES)
def test_hints_of_every_function_and_class(module):
    for name, thing in vars(importlib.import_module(module)).items():
        if getattr(thing, "__module__", None) != module:
            continue
        if inspect.isfunction(thing):
            assert isinstance(typing.get_type_hints(thing), dict), name
        elif inspect.isclass(thing):
            assert isinstance(typing.get_type_hints(thing), dict), name
            for key, member in vars(thing).items():
                function = function_of(member)
                generated = key == "__init__" and hasattr(thing, "__dataclass_fields__")
                if (
                    function is not None and not generated
                ):  # that of a subclass has its parent's hints as strings
                    assert isinstance(typing.get_type_hints(function), dict), f"{name}.{key}"


def test_only_packages_that_load_names_when_used_import_for_type_checkers():
    users = [path for path in files(PACKAGE, ".py") if "if TYPE_CHECKING" in text(path)]
    assert [str(path) for path in users if "when_used(" not in text(path)] == []
