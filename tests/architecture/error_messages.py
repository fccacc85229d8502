"""Errors carry their place as data: nobody cuts a message into pieces, or pastes a place before it.

Inside `except SomeError as error`, the text of the error (str(error), f"{error}", error.args, error.message, and every
name that such text is given to) may be put into another message, but not be taken apart: no method of it, no index, no
search in it. And no error is made again from its own text, type(error)(...): error.at(...) moves it, with its data.
"""

import ast
from collections.abc import Iterator

from seqlab import errors

OURS = frozenset(
    name
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.SeqlabError)
)
BROAD = frozenset({"Exception", "ValueError", "BaseException"})  # which may be one of ours
COUNTED = ("sentence ", "sequence ", "line ")


def cuts(source: str) -> list[int]:
    """Lines that take the message of one of our errors apart, or make an error again from it."""
    handlers = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ExceptHandler))
    return sorted(
        {line for handler in handlers if handler.name and _catches(handler) for line in _cut_in(handler)}
    )


def pasted_places(source: str) -> list[int]:
    """Lines that make one of our errors with a message that begins with the number of a sentence or a line."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and _name(node.func) in OURS
        and node.args
        and _begins_with_place(node.args[0])
    ]


def _catches(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(_name(kind) in OURS | BROAD for kind in kinds)


def _name(node: ast.AST | None) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _begins_with_place(message: ast.expr) -> bool:
    while isinstance(message, ast.BinOp):
        message = message.left
    if not isinstance(message, ast.JoinedStr) or len(message.values) < 2:
        return False
    first = message.values[0]
    return isinstance(first, ast.Constant) and str(first.value) in COUNTED


def _cut_in(handler: ast.ExceptHandler) -> Iterator[int]:
    texts = _texts(handler)
    for statement in handler.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call):
                searched = isinstance(node.func, ast.Attribute) and any(
                    _is_text(a, handler.name, texts) for a in node.args
                )
                pattern = searched and node.func.attr in {
                    "match",
                    "search",
                    "sub",
                    "fullmatch",
                    "split",
                    "findall",
                }
                if pattern or _again(node, handler.name):
                    yield node.lineno
            inner = node.value if isinstance(node, (ast.Attribute, ast.Subscript)) else None
            if inner is not None and _is_text(inner, handler.name, texts):
                yield node.lineno
            if isinstance(node, ast.Compare) and any(
                _is_text(side, handler.name, texts) for side in node.comparators
            ):
                yield node.lineno


def _texts(handler: ast.ExceptHandler) -> frozenset[str]:
    """Names that stand for the text of the error."""
    texts: frozenset[str] = frozenset()
    for node in (node for statement in handler.body for node in ast.walk(statement)):
        if isinstance(node, ast.Assign) and _is_text(node.value, handler.name, texts):
            texts |= {_name(target) for target in node.targets}
    return texts


def _is_text(node: ast.AST, error: str | None, texts: frozenset[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in texts
    if isinstance(node, ast.Call):
        return _name(node.func) in {"str", "repr", "format"} and any(_name(one) == error for one in node.args)
    if isinstance(node, ast.JoinedStr):
        return any(
            isinstance(part, ast.FormattedValue)
            and (_name(part.value) == error or _is_text(part.value, error, texts))
            for part in node.values
        )
    if isinstance(node, ast.Attribute) and node.attr in {"args", "message"}:
        return _name(node.value) == error
    return isinstance(node, ast.Subscript) and _is_text(node.value, error, texts)


def _again(node: ast.Call, error: str | None) -> bool:
    """Whether the call is type(error)(...)."""
    made = node.func
    return (
        isinstance(made, ast.Call)
        and _name(made.func) == "type"
        and any(_name(one) == error for one in made.args)
    )
