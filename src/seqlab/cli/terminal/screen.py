"""What the terminal can show, and what can be typed there."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TextIO

from seqlab.draw import ASCII, UNICODE, Glyphs, Style, probability


def width() -> int:
    """Columns of the terminal; 80 when there is none."""
    return shutil.get_terminal_size().columns


def python() -> str:
    """Say what to type to start this interpreter."""
    return "python" if shutil.which("python") == sys.executable else _nearby(Path(sys.executable))


def program(name: str) -> str | None:
    """Say what to type to start a program that was installed with this interpreter, if it was."""
    beside = Path(sys.executable).parent / name
    return name if shutil.which(name) else _nearby(beside) if beside.is_file() else None


def _nearby(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def style(stream: TextIO, *, no_color: bool, ascii_only: bool) -> Style:
    """Colours if a person is looking and did not object; Unicode if the stream can carry it."""
    glyphs = UNICODE if not ascii_only and _carries(stream, UNICODE) else ASCII
    return Style(glyphs=glyphs, color=not no_color and wants_color(stream), number=probability)


def wants_color(stream: TextIO) -> bool:
    """Whether a person looks at this stream and did not object to colours."""
    refused = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not refused


def _carries(stream: TextIO, glyphs: Glyphs) -> bool:
    if os.environ.get("LC_ALL") in {"C", "POSIX"}:  # Python would still write UTF-8
        return False
    characters = glyphs.box + glyphs.shades + glyphs.arrow + glyphs.dead + glyphs.ellipsis
    try:
        characters.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
