"""Which room of src/seqlab may import which: arrows point down only, never sideways."""

import ast
from collections.abc import Iterator

FRONT = "seqlab"  # src/seqlab/__init__.py, where the public names are listed
ALIASES = "compat"  # imports its own modules by the names that the originals have
LAZY = "lazy"  # loads submodules of the package that calls its when_used
COMPUTED, OF_CALLER = "<computed>", "<computed, of the caller>"

# From the ground up; a room may use the rooms of earlier rows only.
ROWS: tuple[tuple[str, ...], ...] = (
    ("errors", "lazy", "_core"),
    ("arrays", "files"),
    ("store", "views"),
    ("shown",),
    ("corpus", "tags"),
    ("trellis", "features"),
    ("inference", "encode"),
    ("learning", "evaluation", "draw"),
    ("text",),
    ("tagging", "scale"),
    ("families",),
    ("foreign",),
    ("tuning", "bulk"),
    (FRONT,),
    ("serve", "compat"),
    ("cli",),
    ("__main__",),
)
# Families that stand on others: candidates come from any tagger; a mixture is an HMM of sequences of length one; models
# that come with seqlab are of any family.
MAY_USE_OTHERS = ("rerank", "mixture", "builtin")
# Modules that stand higher than the folder they are in: bulk tagging opens models of every family.
OWN_ROOMS = {"seqlab.scale.bulk": "bulk"}
HEIGHT = {room: height for height, row in enumerate(ROWS) for room in row}


def room_of(module: str) -> str:
    """seqlab.inference.viterbi -> inference, seqlab -> seqlab."""
    if module in OWN_ROOMS:
        return OWN_ROOMS[module]
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else FRONT


def imported_modules(source: str, module: str, *, is_package: bool) -> Iterator[str]:
    """Full names of everything the source imports, at the top or inside a function.

    `from seqlab import x` counts as seqlab.x when x is a room and as seqlab itself otherwise.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, module, is_package=is_package)
            for alias in node.names:
                yield f"{FRONT}.{alias.name}" if base == FRONT and alias.name in HEIGHT else base
        elif isinstance(node, ast.Call):
            yield from _called_import(node)


def _base(node: ast.ImportFrom, module: str, *, is_package: bool) -> str:
    if node.level == 0:
        return node.module or ""
    parents = module.split(".")
    drop = node.level - 1 if is_package else node.level
    parents = parents[: len(parents) - drop]
    return ".".join([*parents, *([node.module] if node.module else [])])


def _called_import(node: ast.Call) -> Iterator[str]:
    """import_module("seqlab.x") and __import__("seqlab.x"); a computed name cannot be followed.

    when_used(__name__, ...) loads what is below the package that calls it, which every room may; for another package
    it would be a computed name.
    """
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in {"import_module", "__import__"} and node.args:
        argument = node.args[0]
        literal = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        yield argument.value if literal else OF_CALLER if _of_package(argument) else COMPUTED
    elif name == "when_used" and not (node.args and _is_name(node.args[0], "__name__")):
        yield COMPUTED


def _of_package(argument: ast.expr) -> bool:
    """f"{package}.and what follows": below the package, whatever it is."""
    if not (isinstance(argument, ast.JoinedStr) and len(argument.values) > 1):
        return False
    first, then = argument.values[:2]
    below = isinstance(then, ast.Constant) and str(then.value).startswith(".")
    return isinstance(first, ast.FormattedValue) and _is_name(first.value, "package") and below


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _another_family(module: str, name: str) -> bool:
    """Whether a module of one family imports one of another; the list of families itself belongs to none."""
    here, there = (one.split(".")[2:3] for one in (module, name))
    return bool(here and there) and here != there and here[0] not in MAY_USE_OTHERS


def violations(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """One sentence for each import that this module may not have."""
    here = room_of(module)
    if here not in HEIGHT:
        return [f"{module}: room {here!r} is not on the map in tests/architecture/python_rooms.py"]
    found = []
    for name in imported_modules(source, module, is_package=is_package):
        if (name == COMPUTED and here not in (FRONT, ALIASES)) or (
            name == OF_CALLER and here not in (FRONT, LAZY)
        ):
            found.append(f"{module}: imports a module by a computed name, which only seqlab/__init__.py may")
        if name != FRONT and not name.startswith(FRONT + "."):
            continue
        there = room_of(name)
        if name in OWN_ROOMS and name.rpartition(".")[0] == module:
            continue  # a package lists the names of its own modules
        if there == here == "families" and _another_family(module, name):
            found.append(f"{module}: a family may not import another ({name})")
        if there != here and HEIGHT.get(there, len(ROWS)) >= HEIGHT[here]:
            found.append(f"{module}: {here} may not import {there} ({name})")
    return found
