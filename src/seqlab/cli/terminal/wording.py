"""Messages of the library, in the words of the shell: it says columns=..., a shell says --columns."""

from __future__ import annotations

import re

_FLAGS = (
    "columns",
    "format",
    "separator",
    "comments",
    "encoding",
    "constraints",
    "metric",
    "patience",
    "order",
    "keep",
    "dev",
    "decode",
    "beam",
    "scheme",
    "column",
    "folds",
    "resume",
    "how",
    "resource",
)
_NAMES = {"column": "label"}  # where the flag is called otherwise
_PHRASES = {"seqlab.tags.repair": "seqlab convert --scheme ... --repair conlleval"}
_PICKS = re.compile(r"columns=\{([^}]*)\}")
_FLAG = re.compile(rf"\b({'|'.join(_FLAGS)})=('[^']*'|\.\.\.|True\b|[-\w.]+)?(?!\w)")


def for_shell(message: str) -> str:
    """The message with flags in the place of Python's keyword arguments, on one line."""
    text = _PICKS.sub(_picked, _one_line(message))
    for said, meant in _PHRASES.items():
        text = text.replace(said, meant)
    return _FLAG.sub(_flag, text)


def _one_line(message: str) -> str:
    """The lines of a message, without a caret that points to a place in the line above."""
    lines = (line.strip() for line in message.splitlines())
    return ": ".join(line for line in lines if line.strip("^"))


def _picked(found: re.Match[str]) -> str:
    pairs = (pair.replace("'", "").replace(" ", "").replace(":", "=") for pair in found[1].split(","))
    return f"--columns {','.join(pairs)}"


def _flag(found: re.Match[str]) -> str:
    name, value = _NAMES.get(found[1], found[1]), found[2]
    if value is None or value in {"True", ""}:
        return f"--{name}"
    bare = value.strip("'")
    return f"--{name} {bare if bare.strip() and ' ' not in bare else value}"
