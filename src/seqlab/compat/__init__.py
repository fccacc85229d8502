"""Names of other programs over seqlab's models: change one import line, and keep the rest.

    import seqlab.compat.pycrfsuite as pycrfsuite
    import seqlab.compat.sklearn_crfsuite as sklearn_crfsuite
    from seqlab.compat.hmmlearn import hmm

install() lets programs and pickles that import the originals find these instead. Where a program puts one of our
packages into sys.modules under the name of the original by itself, its modules are found by that name, too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

PACKAGES = ("pycrfsuite", "sklearn_crfsuite", "hmmlearn")


def install(*, replace: bool = False) -> list[str]:
    """Import our modules in place of pycrfsuite, sklearn_crfsuite and hmmlearn, if the originals are not installed.

    replace   also replace installed originals; modules that were imported before do not change

    Then `import pycrfsuite` imports seqlab.compat.pycrfsuite, with all its submodules, so that programs run and old
    pickles load unchanged. Returns the names that it replaces; calling it again changes nothing.
    """
    known = [name for name in PACKAGES if _ours(name) is not None]
    finder = _finder()
    names = [name for name in known if name in finder.names or replace or not _present(name)]
    finder.names |= set(names)
    return names


def _present(name: str) -> bool:
    """Return True if another package of this name is installed."""
    if name in sys.modules:
        return True
    finders = (one for one in sys.meta_path if not isinstance(one, _Finder))
    return any(one.find_spec(name, None) is not None for one in finders if hasattr(one, "find_spec"))


class _Finder:
    """Import finder that maps module names of the originals to our modules.

    names   packages that install() has replaced; those that are ours in sys.modules are mapped without it
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._own: dict[str, ModuleSpec | None] = {}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - the protocol of finders
        target: ModuleType | None = None,  # noqa: ARG002 - the protocol of finders, too
    ) -> ModuleSpec | None:
        """Return the spec of our module for the name of an original; None for any other name."""
        package = fullname.partition(".")[0]
        if package not in PACKAGES:
            return None
        aliased = fullname != package and sys.modules.get(package) is sys.modules.get(
            f"{__name__}.{package}", self
        )
        if not (aliased or package in self.names) or _ours(fullname) is None:
            return None
        loader: Any = self  # create_module and exec_module are enough of one
        return ModuleSpec(fullname, loader)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Import our module, which then has both names."""
        name = _ours(spec.name)
        if name is None:
            return None
        module = import_module(name)
        self._own[name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the spec of the module, which was imported under its own name."""
        module.__spec__ = self._own.get(module.__name__, module.__spec__)


def _finder() -> _Finder:
    """Return the finder of this process, which asks first."""
    finder = next((one for one in sys.meta_path if isinstance(one, _Finder)), None)
    if finder is None:
        finder = _Finder()
        sys.meta_path.insert(0, finder)
    return finder


def _ours(fullname: str) -> str | None:
    from importlib.util import find_spec

    name = f"{__name__}.{fullname}"
    try:
        return None if find_spec(name) is None else name
    except ModuleNotFoundError:
        return None


_finder()  # otherwise a package that was aliased would import copies of its modules
