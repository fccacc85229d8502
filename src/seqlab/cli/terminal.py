"""Output of commands: text, JSON and bytes, progress on a terminal, and Ctrl-C during a command."""

from __future__ import annotations

import contextlib
import math
import os
import re
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self, TextIO

import seqlab

COLUMNS = 80
GRACE = 1.0  # seconds for the program to end cleanly
INTERRUPTED = 128 + signal.SIGINT
SHOW_CURSOR = "\x1b[?25h\n"  # the progress bar hides it


def as_json(value: Any, indent: int | None = None) -> str:
    """Format as JSON; NumPy's arrays become lists, NaN and infinity null, and objects of other types strings."""
    import json  # imported here: the help does not need it

    def plain(one: Any) -> Any:
        return one.tolist() if hasattr(one, "tolist") else str(one)

    def finite(one: Any) -> Any:
        if isinstance(one, dict):
            return {key: finite(inner) for key, inner in one.items()}
        if isinstance(one, (list, tuple)):
            return [finite(inner) for inner in one]
        return None if isinstance(one, float) and not math.isfinite(one) else one

    options: dict[str, Any] = {"ensure_ascii": False, "indent": indent, "allow_nan": False, "default": plain}
    try:
        return json.dumps(value, **options)
    except ValueError:  # JSON has no such numbers
        return json.dumps(finite(json.loads(json.dumps(value, **{**options, "allow_nan": True}))), **options)


def print_json(value: Any) -> None:
    """Print one JSON document."""
    print(as_json(value, indent=2))


def put_pieces(target: str, pieces: Iterable[bytes]) -> None:
    """Write bytes as they come, to standard output for -, or atomically to a file."""
    if target == "-":
        for piece in pieces:
            put_bytes(piece)
        sys.stdout.buffer.flush()
        return
    from seqlab.corpus.io.writer import opened_target

    with orderly(), opened_target(target) as put:
        for piece in pieces:
            put(piece)


def put_bytes(data: bytes) -> None:
    """Write all bytes to standard output: with PYTHONUNBUFFERED a pipe may take only some at a time."""
    out, rest = sys.stdout.buffer, memoryview(data)
    while rest:
        rest = rest[out.write(rest) or 0 :]


def section(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """Lay out a title, and rows of name and value below it."""
    pairs = list(rows)
    width = max((len(name) for name, _ in pairs), default=0)
    return "\n".join([title, *(f"  {name:<{width}}  {value}".rstrip() for name, value in pairs)])


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, indent: int = 2) -> str:
    """Lay out columns of text; the first `left` of them left-aligned, numbers right-aligned."""
    from seqlab.views.text import laid_out

    lines = laid_out([head, *rows], "l" * left + "r" * (len(head) - left))
    return textwrap.indent("\n".join(lines), " " * indent)


def settings_text(tagger: Any) -> str:
    """Format the Python call that makes the same tagger."""
    shown = repr(tagger)
    if "Template(" in shown:  # pages long, and shown separately
        shown = shown.partition("features=Template(")[0] + "features=<template>, ..."
    return hanging("model", shown)


def hanging(name: str, text: str) -> str:
    """Lay out a name and a text, wrapped with a hanging indent."""
    wrapper = textwrap.TextWrapper(
        COLUMNS, f"{name:<10}", " " * 10, break_long_words=False, break_on_hyphens=False
    )
    return wrapper.fill(text)


def size(count: float) -> str:
    """Format a number of bytes."""
    for unit, large in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= large:
            return f"{count / large:.1f} {unit}"
    return f"{count:.0f} bytes"


def duration(seconds: float) -> str:
    """Format a number of seconds."""
    if seconds >= 90:
        return f"{int(seconds // 60)} min {seconds % 60:.0f} s"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def counted(number: int, noun: str) -> str:
    """Format a count: 1 token, 2,000 tokens."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


_FLAGS = (
    "columns|format|separator|comments|missing|sequence|encoding|constraints|metric|patience|order|keep|dev|decode|beam|"
    "scheme|column|folds|resume|checkpoint|how|resource"
)
_OF_MODELS = "smoothing|allowed|init|restarts|seed|threads|n_states|max_iterations"
_RENAMED = {"column": "label", "n_states": "states", "max_iterations": "iterations"}


def for_shell(message: str) -> str:
    """Replace Python's keyword arguments by flags in a message, on one line.

    columns=... becomes --columns. A caret that points to a position in the line above is removed.
    """
    lines = (line.strip() for line in message.splitlines())
    text = ": ".join(line for line in lines if line.strip("^"))
    text = re.sub(r"columns=\{([^}]*)\}", _picked, text).replace("learner__", "")
    for name in ("select", "rename"):
        text = text.replace(f"corpus.{name}(...)", f"--{name}")
    text = text.replace("seqlab.tags.repair", "seqlab convert --scheme ... --repair conlleval")
    return re.sub(rf"\b({_FLAGS}|{_OF_MODELS})=('[^']*'|\.\.\.|True\b|[-\w.]+)?(?!\w)", _flag, text)


def _picked(found: re.Match[str]) -> str:
    pairs = (pair.replace("'", "").replace(" ", "").replace(":", "=") for pair in found[1].split(","))
    return f"--columns {','.join(pairs)}"


def _flag(found: re.Match[str]) -> str:
    name, value = _RENAMED.get(found[1], found[1]), found[2]
    if value is None or value in {"True", ""}:
        return f"--{name}"
    bare = "none" if value == "None" else value.strip("'")
    return f"--{name} {bare if bare.strip() and ' ' not in bare else value}"


# ------------------------------------------------------------------------------------------------ the terminal


def python() -> str:
    """Return the command that starts this interpreter."""
    import shutil  # slow to import

    return "python" if shutil.which("python") == sys.executable else _nearby(Path(sys.executable))


def program(name: str) -> str | None:
    """Return the command that starts a program installed with this interpreter, if it is."""
    import shutil

    beside = Path(sys.executable).parent / name
    return name if shutil.which(name) else _nearby(beside) if beside.is_file() else None


def _nearby(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def style(stream: TextIO, *, no_color: bool, ascii_only: bool) -> seqlab.draw.Style:
    """Choose colours for a terminal unless the user disabled them, and Unicode if the encoding allows it."""
    from seqlab.draw import ASCII, UNICODE, Style, probability

    characters = UNICODE.box + UNICODE.shades + UNICODE.arrow + UNICODE.dead + UNICODE.ellipsis
    plain = ascii_only or os.environ.get("LC_ALL") in {
        "C",
        "POSIX",
    }  # with these, Python would still write UTF-8
    try:
        characters.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        plain = True
    color = not no_color and wants_color(stream)
    return Style(glyphs=ASCII if plain else UNICODE, color=color, number=probability)


def wants_color(stream: TextIO) -> bool:
    """Return True if the stream is a terminal and the user did not disable colours."""
    return looks(stream) and not os.environ.get("NO_COLOR")


def looks(stream: TextIO) -> bool:
    """Return True if the stream is a terminal that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class Screen:
    """Permanent lines, and a progress bar below them.

    out        the stream of the lines, if any
    stream     the terminal of the bar; None without one: nothing is drawn
    patience   seconds before the bar is drawn: short work needs none
    """

    def __init__(self, out: TextIO | None, stream: TextIO | None = None, *, patience: float = 0.0) -> None:
        self.out, self.stream = out, stream
        self._due = time.monotonic() + patience
        self._drawn: Any = None
        self._task: Any = None
        self._now: tuple[str, float | None] = ("", None)
        self._done = 0.0
        self._first: tuple[float, float] | None = None  # when the first parts were done, and how many

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn is not None:
            self._drawn.stop()

    def step(self, what: str, total: float | None = None) -> None:
        """Begin another task with this many parts; None if unknown."""
        self._now, self._done, self._first = (what, total), 0.0, None
        if self._draw():
            self._drawn.reset(self._task, total=total, description=what, left="")

    def advance(self, amount: float = 1, what: str | None = None, total: float | None = None) -> None:
        """Show that more parts are done, and the current task; total: how many there are, if that is known better."""
        self._done += amount
        self._now = (self._now[0], total or self._now[1])
        self._first = self._first or (time.monotonic(), self._done)
        if self._draw():
            now, left = what or self._now[0], self._left()
            self._drawn.update(
                self._task, completed=self._done, total=self._now[1], description=now, left=left
            )

    def _left(self) -> str:
        """Estimate the time left of a task whose parts are known; the first may have taken much longer than others."""
        total = self._now[1]
        began, before = self._first or (0.0, self._done)
        if not total or not before < self._done <= total:
            return ""
        seconds = (time.monotonic() - began) * (total - self._done) / (self._done - before)
        return f"{100 * self._done / total:.0f} %, about {duration(seconds)} left"

    def announcer(self, what: str) -> Callable[[str, int, int], None]:
        """Make a callback for work on several models: `what` with the name of each is the current task."""

        def announce(name: str, number: int, count: int) -> None:
            if number == 0:
                self.step(what.format(name), count)
            else:
                self.advance(1, what.format(name))

        return announce

    def line(self, text: str) -> None:
        """Print a permanent line above the bar; lines to another stream do not disturb it."""
        if self._drawn is not None and self.out is self.stream:
            self._drawn.console.print(text, markup=False, highlight=False, soft_wrap=True)
        elif self.out is not None:
            print(text, file=self.out, flush=True)

    def _draw(self) -> bool:
        if self._drawn is None and self.stream is not None and time.monotonic() >= self._due:
            from rich.console import Console  # imported only for a terminal
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            columns = [TextColumn("{task.description}"), BarColumn(bar_width=24), TimeElapsedColumn()]
            columns.append(TextColumn("{task.fields[left]}"))
            console = Console(file=self.stream)
            self._drawn = Progress(
                *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
            )
            self._task = self._drawn.add_task(self._now[0], total=self._now[1], left=self._left())
            self._drawn.start()
        return self._drawn is not None


def training_progress(*, quiet: bool, json: bool) -> Screen:
    """Show the progress of training: lines on standard output, the bar on a terminal if there is one."""
    if quiet:
        return Screen(None)
    out = None if json else sys.stdout
    if out is not None and looks(out):
        return Screen(out, out)
    return Screen(out, sys.stderr if looks(sys.stderr) else None)


def file_progress(*, quiet: bool) -> Screen:
    """Show the progress in a long file: on standard error, and only when standard output is redirected."""
    shown = not quiet and looks(sys.stderr) and not sys.stdout.isatty()
    return Screen(None, sys.stderr if shown else None, patience=1.0)


@contextlib.contextmanager
def impatient() -> Iterator[None]:
    """End the program at the second SIGINT or SIGTERM while this is open.

    Python runs its handlers between bytecodes, so that two signals during one call of the core count as one.
    Here a thread is notified of every signal at once, and ends the program if the second signal has not ended it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    over = threading.Event()
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reader, over), daemon=True).start()
    try:
        yield
    finally:
        over.set()
        signal.set_wakeup_fd(before)
        os.close(writer)


def _watch(reader: int, over: threading.Event) -> None:
    """Count signals until the file descriptor is closed; end the program some time after the second."""
    count = 0
    while data := os.read(reader, 64):
        count += sum(number in (signal.SIGINT, signal.SIGTERM) for number in data)
        if count >= 2 and not over.wait(GRACE):
            for stream in (sys.stdout, sys.stderr):
                if stream.isatty():
                    stream.write(SHOW_CURSOR)
                    stream.flush()
                    break
            os._exit(INTERRUPTED)
    os.close(reader)


@contextlib.contextmanager
def orderly() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into exceptions while this is open, so that no half-written file is left."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, _frame: Any) -> None:
        raise SystemExit(128 + number)

    known = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    asked = [number for number in known if signal.getsignal(number) == signal.SIG_DFL]
    for number in asked:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in asked:
            signal.signal(number, signal.SIG_DFL)
