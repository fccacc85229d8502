"""Lazy loading of a package's names on first use, so that tagging does not import the training code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

# Functions of higher layers that lower layers call, by name: drawing a trellis is one.
hooks: dict[str, Callable[..., Any]] = {}

Finder = Callable[[str], Any]
Lister = Callable[[], list[str]]


def when_used(package: str, homes: Mapping[str, Iterable[str]]) -> tuple[Finder, Lister]:
    """`__getattr__` and `__dir__` of a package, which calls this with its own `__name__`.

    homes   {submodule: the names that the package takes from it}; no name may equal a submodule's, because importing
            that submodule would replace the name

    Submodules are found by their own names, too, as if the package had imported them.
    """
    home = {name: submodule for submodule, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name in home:
            found = getattr(import_module(f"{package}.{home[name]}"), name)
            setattr(sys.modules[package], name, found)  # stored, so that __getattr__ is called once per name
            return found
        if name.isidentifier() and not name.startswith("_"):
            try:
                return import_module(f"{package}.{name}")
            except ModuleNotFoundError as error:
                if error.name != f"{package}.{name}":
                    raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return find, names
