"""Which mutants a test passes: it need not be run against any other."""

from __future__ import annotations

import ast
import ctypes
import functools
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

import pytest
from cpp import ROOT
from mutant import Mutant

Passed = dict[str, tuple[float, set[int]]]  # test -> (seconds of CPU that it needs, numbers of mutants)


class Places(Protocol):
    """Mutants of one language."""

    def take(self) -> set[int]:
        """Return the numbers of those that were passed since the last call."""


class Switches:
    """Mutants of C++: the switches of mutants.hpp.

    site   folder of the package
    """

    def __init__(self, site: Path) -> None:
        (module,) = (site / "seqlab").glob("_core*.so")
        self.passed = (ctypes.c_ubyte * (1 << 14)).in_dll(ctypes.CDLL(str(module)), "seqlab_mutants_passed")

    def take(self) -> set[int]:
        """Read the switches, and forget them."""
        found = {number for number, on in enumerate(bytes(self.passed)) if on}
        ctypes.memset(self.passed, 0, len(self.passed))
        return found


class Functions:
    """Mutants of Python: the functions they stand in. Those outside of functions are passed by every test.

    sample   number -> mutant
    site     folder of the package
    """

    def __init__(self, sample: dict[int, Mutant], site: Path) -> None:
        self.inside: dict[tuple[str, int], set[int]] = {}
        self.outside: set[int] = set()
        for number, mutant in sample.items():
            line = _function(ROOT / mutant.path, mutant.line)
            if line:
                path = str(site / Path(mutant.path).relative_to("src"))
                self.inside.setdefault((path, line), set()).add(number)
            else:
                self.outside.add(number)
        self.files = {path for path, _ in self.inside}
        self.entered: set[tuple[str, int]] = set()
        sys.settrace(self._enter)
        threading.settrace(self._enter)

    def _enter(self, frame: FrameType, _event: str, _arg: Any) -> None:
        if frame.f_code.co_filename in self.files:
            self.entered.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

    def take(self) -> set[int]:
        """List the mutants in the functions that were called."""
        found = self.outside.union(*(self.inside[one] for one in self.entered & self.inside.keys()))
        self.entered.clear()
        return found


def _function(path: Path, line: int) -> int:
    """Return the first line of the innermost function around a line; 0 if there is none."""
    functions = [node for node in ast.walk(_tree(path)) if isinstance(node, ast.FunctionDef)]
    around = [node for node in functions if node.lineno <= line <= (node.end_lineno or 0)]
    return max((min([one.lineno, *(by.lineno for by in one.decorator_list)]) for one in around), default=0)


@functools.cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


class Recorder:
    """Plugin of pytest: note the time of each test, and what it passes."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.shared: set[int] = set()  # passed by imports and fixtures, which many tests share
        self.longest = 0.0  # seconds that fixtures took
        self.tests: Passed = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self) -> Iterator[None]:
        """Whatever is passed before a test counts for it and all that follow, and so does its time."""
        start = time.process_time()
        yield
        self.longest = max(self.longest, time.process_time() - start)
        self.shared |= self.places.take()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """What is passed by a test counts for it alone."""
        start = time.process_time()
        yield
        seconds = self.longest + time.process_time() - start
        self.tests[item.nodeid] = (seconds, self.shared | self.places.take())


class Chosen:
    """Plugin of pytest: run these tests only, in this order."""

    def __init__(self, tests: tuple[str, ...]) -> None:
        self.order = {test: at for at, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out all others."""
        chosen = [item for item in items if item.nodeid in self.order]
        items[:] = sorted(chosen, key=lambda item: self.order[item.nodeid])
