"""Mutants of Python: the syntax tree of one module is changed before it is imported."""

from __future__ import annotations

import ast
import importlib.abc
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from mutant import Mutant

ROOT = Path(__file__).resolve().parents[2]
FILES = ("tags/*.py", "evaluation/*.py")
Change = Callable[[], None]
SWAPPED: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def find() -> list[Mutant]:
    """List every place of the rooms that could be otherwise."""
    found: list[Mutant] = []
    for pattern in FILES:
        for path in sorted((ROOT / "src" / "seqlab").glob(pattern)):
            source = path.read_text(encoding="utf-8")
            name, lines = str(path.relative_to(ROOT)), source.splitlines()
            for node, kind, _ in changes(ast.parse(source)):
                found.append(Mutant(name, node.lineno, node.col_offset, kind, lines[node.lineno - 1].strip()))
    return found


def changes(tree: ast.Module) -> Iterator[tuple[Any, str, Change]]:
    """Yield (node, kind, function that makes the change); at most one change of a kind has one place."""
    parents: list[Any] = [tree]
    while parents:
        parent = parents.pop()
        for field, value in ast.iter_fields(parent):
            if field in {"annotation", "returns", "decorator_list", "type_params"}:
                continue
            for i, node in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(node, ast.AST) and not _is_type(parent):
                    parents.append(node)
                    yield from _of(parent, field, i if isinstance(value, list) else None, node)


def _of(  # noqa: C901  one case for each kind of change
    parent: Any, field: str, i: int | None, node: Any
) -> Iterator[tuple[Any, str, Change]]:
    def put(new: Any) -> Change:
        def change() -> None:
            if i is None:
                setattr(parent, field, new)
            else:
                getattr(parent, field)[i] = new

        return change

    match node:
        case ast.Compare() if type(node.ops[0]) in SWAPPED:
            yield node, "comparison", lambda: node.ops.__setitem__(0, SWAPPED[type(node.ops[0])]())
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign() if type(node.op) in SWAPPED:
            yield node, "operator", lambda: setattr(node, "op", SWAPPED[type(node.op)]())
        case ast.Constant(value=bool(value)):
            yield node, "constant", put(ast.Constant(not value))
        case ast.Constant(value=int(value) | float(value)):
            yield node, "constant", put(ast.Constant(value + 1))
        case ast.UnaryOp(op=ast.Not()):
            yield node, "not", put(node.operand)
        case ast.If() | ast.IfExp() | ast.While() if not isinstance(node.test, ast.Compare):
            yield node, "condition", lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))
        case ast.Continue() | ast.Break() | ast.Raise() | ast.Expr(value=ast.Call()):
            yield node, "dropped", put(ast.Pass())


def _is_type(node: Any) -> bool:
    """Tell whether this is a type such as `int | None`, or the test of TYPE_CHECKING."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr)


class Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Import one module with its change.

    mutant   which change
    """

    def __init__(self, mutant: Mutant) -> None:
        self.path = ROOT / mutant.path
        parts = list(Path(mutant.path).with_suffix("").parts[1:])
        self.name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        wanted = (mutant.line, mutant.column, mutant.kind)
        next(
            change for node, kind, change in changes(tree) if (node.lineno, node.col_offset, kind) == wanted
        )()
        self.code = compile(ast.fix_missing_locations(tree), str(self.path), "exec")

    def find_spec(self, fullname: str, _path: Any, _target: Any = None) -> Any:
        """Answer for this module only."""
        if fullname != self.name:
            return None
        package = self.path.name == "__init__.py"
        return importlib.util.spec_from_file_location(
            fullname,
            self.path,
            loader=self,
            submodule_search_locations=[str(self.path.parent)] if package else None,
        )

    def create_module(self, spec: Any) -> None:
        """Leave that to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed code."""
        exec(self.code, module.__dict__)

    def install(self) -> None:
        """Answer before all other finders."""
        sys.meta_path.insert(0, self)
