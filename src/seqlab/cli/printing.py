"""Text for people, JSON for programs, bytes for files: everything that commands put out."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from seqlab.errors import OptionError

COLUMNS = 80


def as_json(value: Any, indent: int | None = None) -> str:
    """Write JSON, with NumPy's numbers and arrays unfolded; what else has no JSON is spelled."""
    import json  # which a help has no use for

    def plain(one: Any) -> Any:
        return one.tolist() if hasattr(one, "tolist") else str(one)

    return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False, default=plain)


def print_json(value: Any) -> None:
    """Print one JSON document."""
    print(as_json(value, indent=2))


def check_target(path: str, what: str) -> None:
    """Refuse a name that cannot be a file's before anything is read; `what` will be in it."""
    from pathlib import Path

    target = Path(path)
    if target.is_dir():
        raise OptionError(f"{path}: this is a directory, but {what} needs the name of a file")
    if not target.parent.is_dir():
        raise OptionError(f"{path}: there is no folder {str(target.parent)!r}; make it first")


def put_pieces(target: str, pieces: Iterable[bytes]) -> None:
    """Write bytes as they come, to standard output for -, or to a file that is there whole or not at all."""
    if target == "-":
        for piece in pieces:
            put_bytes(piece)
        sys.stdout.buffer.flush()
        return
    from seqlab.cli.terminal import orderly
    from seqlab.corpus.io.writer import opened_target

    with orderly(), opened_target(target) as put:
        for piece in pieces:
            put(piece)


def put_bytes(data: bytes) -> None:
    """Write bytes to standard output, all of them: with PYTHONUNBUFFERED a pipe takes some at a time."""
    out, rest = sys.stdout.buffer, memoryview(data)
    while rest:
        rest = rest[out.write(rest) or 0 :]


def section(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """Lay out a title, and rows of name and value below it."""
    pairs = list(rows)
    width = max((len(name) for name, _ in pairs), default=0)
    return "\n".join([title, *(f"  {name:<{width}}  {value}".rstrip() for name, value in pairs)])


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, indent: int = 2) -> str:
    """Lay out columns of text; the first `left` of them to the left, numbers to the right."""
    from seqlab.views.text import laid_out

    lines = laid_out([head, *rows], "l" * left + "r" * (len(head) - left))
    return textwrap.indent("\n".join(lines), " " * indent)


def settings_text(tagger: Any) -> str:
    """Show the call in Python that makes the same tagger, over as many lines as it takes."""
    shown = repr(tagger)
    if "Template(" in shown:  # pages long, and it has a line of its own
        shown = shown.partition("features=Template(")[0] + "features=<template>, ..."
    wrapper = textwrap.TextWrapper(
        COLUMNS, "model     ", " " * 10, break_long_words=False, break_on_hyphens=False
    )
    return wrapper.fill(shown)


def size(count: float) -> str:
    """Say how many bytes, for people."""
    for unit, large in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= large:
            return f"{count / large:.1f} {unit}"
    return f"{count:.0f} bytes"


def duration(seconds: float) -> str:
    """Say how many seconds, for people."""
    if seconds >= 90:
        return f"{int(seconds // 60)} min {seconds % 60:.0f} s"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def counted(number: int, noun: str) -> str:
    """Say 1 token, 2,000 tokens."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


_FLAGS = (
    "columns|format|separator|comments|encoding|constraints|metric|patience|order|keep|dev|decode|beam|scheme|"
    "column|folds|resume|how|resource"
)


def for_shell(message: str) -> str:
    """Put flags in the place of Python's keyword arguments, and all on one line.

    The library says columns=..., a shell says --columns. A caret that points to a place in the line above goes.
    """
    lines = (line.strip() for line in message.splitlines())
    text = ": ".join(line for line in lines if line.strip("^"))
    text = re.sub(r"columns=\{([^}]*)\}", _picked, text)
    text = text.replace("seqlab.tags.repair", "seqlab convert --scheme ... --repair conlleval")
    return re.sub(rf"\b({_FLAGS})=('[^']*'|\.\.\.|True\b|[-\w.]+)?(?!\w)", _flag, text)


def _picked(found: re.Match[str]) -> str:
    pairs = (pair.replace("'", "").replace(" ", "").replace(":", "=") for pair in found[1].split(","))
    return f"--columns {','.join(pairs)}"


def _flag(found: re.Match[str]) -> str:
    name, value = "label" if found[1] == "column" else found[1], found[2]
    if value is None or value in {"True", ""}:
        return f"--{name}"
    bare = value.strip("'")
    return f"--{name} {bare if bare.strip() and ' ' not in bare else value}"
