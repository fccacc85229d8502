"""First words of docstrings and comments: a verb or a noun, not a question or a reference to a neighbour."""

import ast
import re

VAGUE = re.compile(
    r"(what|whatever|who|whoever|whom|whose|how|where|wherever|whether|which|whichever|(the )?same|as above|ditto)\b",
    re.IGNORECASE,
)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def vague_docstrings(source: str) -> list[str]:
    """First lines of docstrings that begin with a vague word."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, DOCUMENTED)]
    return [text.splitlines()[0] for node in nodes if (text := ast.get_docstring(node)) and VAGUE.match(text)]


def vague_comments(source: str) -> list[str]:
    """First lines of C++ comment blocks that begin with a vague word."""
    found, inside = [], False
    for line in source.splitlines():
        text = line.strip()
        comment = text.startswith(("//", "/*"))
        if comment and not inside and VAGUE.match(text.lstrip("/*! ")):
            found.append(text)
        inside = comment
    return found
