"""An inline function compiled for AVX-512 must not become the copy that everybody runs.

The linker keeps one of several weak definitions of a name. If a file built with -mavx512f defines
std::max<double> and so does a plain file, the kept copy may use instructions that this machine lacks.
"""

from collections.abc import Mapping

WEAK = frozenset("WVu")


def definitions(nm_output: str) -> dict[str, str]:
    """Symbol -> type letter from the output of `nm --defined-only -P`."""
    lines = (line.split() for line in nm_output.splitlines())
    return {parts[0]: parts[1] for parts in lines if len(parts) >= 2 and len(parts[1]) == 1}


def shared_weak_symbols(objects: Mapping[str, Mapping[str, str]], special: str) -> list[str]:
    """Weak symbols of the object `special` that another object defines as well."""
    weak = {name for name, letter in objects[special].items() if letter in WEAK}
    others = {name for path, symbols in objects.items() if path != special for name in symbols}
    return sorted(weak & others)
