"""Which folder of cpp/ may include which, and that Python is known in cpp/bind alone."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

# From the ground up; a folder may include itself and the folders of earlier rows.
ROWS: tuple[tuple[str, ...], ...] = (
    ("base",),
    ("trellis", "kernels"),
    ("inference", "corpus", "encode", "ngrams", "optimise", "text"),
    ("linear", "hmm"),
    ("bind",),
)
HEIGHT = {room: height for height, row in enumerate(ROWS) for room in row}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
DISPATCH = "kernels/dispatch.cpp"
CHOICE_OF_INSTRUCTIONS = re.compile(
    r"__builtin_cpu_\w+|target_clones|\btarget\s*\(\s*\"|SEQLAB_HAVE_X86_KERNELS"
)
CASTERS = "bind/stl.hpp"  # nanobind's casters of containers, which may run out of memory there
PYTHON_HEADERS = re.compile(r"^(nanobind/|Python\.h$|pybind11/|numpy/)")


def includes(source: str) -> Iterator[tuple[bool, str]]:
    """(quoted, name) of every include line."""
    for bracket, name in INCLUDE.findall(source):
        yield bracket == '"', name


def violations(source: str, path: str, known: frozenset[str]) -> list[str]:
    """One sentence for each include that this file may not have.

    path and known are relative to cpp/; a quoted name is looked for beside the file first, then under cpp/.
    """
    here = PurePosixPath(path).parts[0]
    if here not in HEIGHT:
        return [f"{path}: folder {here!r} is not on the map in tests/architecture/cpp_rooms.py"]
    found = []
    for quoted, name in includes(source):
        if PYTHON_HEADERS.match(name):
            if here != "bind":
                found.append(f"{path}: only cpp/bind may include <{name}>")
            elif name.startswith("nanobind/stl/") and path != CASTERS:
                found.append(f'{path}: include "{CASTERS}" and not <{name}>')
        elif quoted:
            target = _resolve(path, name, known)
            if target is None:
                found.append(f'{path}: "{name}" is not in cpp/')
            elif (there := PurePosixPath(target).parts[0]) != here and HEIGHT.get(there, 99) >= HEIGHT[here]:
                found.append(f"{path}: {here} may not include {there} ({name})")
    return found


def choices_of_instructions(source: str, path: str) -> list[str]:
    """One sentence for each place outside kernels/dispatch.cpp that chooses an instruction set."""
    words = CHOICE_OF_INSTRUCTIONS.findall(source) if path != DISPATCH else []
    return [f"{path}: instruction sets are chosen in cpp/{DISPATCH} alone, not by {word}" for word in words]


def _resolve(path: str, name: str, known: frozenset[str]) -> str | None:
    parts: list[str] = []
    for part in (PurePosixPath(path).parent / name).parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    beside = "/".join(parts)
    return next((candidate for candidate in (beside, name) if candidate in known), None)
