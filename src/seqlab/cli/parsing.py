"""Arguments that several commands share, and what checks them."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from seqlab.corpus.formats import NAMES

if TYPE_CHECKING:
    from seqlab.cli.command import Subparsers


# 80 columns whatever the terminal is: descriptions and examples are written for that.
COLUMNS = 80


class HelpFormat(argparse.RawDescriptionHelpFormatter):
    """Descriptions are filled, paragraph by paragraph; examples stay as they are."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=COLUMNS)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:"):
            return text
        fill = argparse.HelpFormatter._fill_text
        return "\n\n".join(fill(self, part, width, indent) for part in text.split("\n\n"))


class Parser(argparse.ArgumentParser):
    """Wrong use is said in one sentence; the whole usage is a page."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and leave with 2."""
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")

    def unknown(self, command: str, words: list[str]) -> NoReturn:
        """Say that a command knows nothing of these words."""
        near = self._near(command, words[0])
        hint = f"; did you mean {near}?" if near else ""
        prog = f"{self.prog} {command}".strip()
        self.exit(2, f"{prog}: unrecognized arguments: {' '.join(words)}{hint}; see {prog} --help\n")

    def _near(self, command: str, word: str) -> str | None:
        from difflib import get_close_matches

        if not word.startswith("--") or self._subparsers is None:
            return None
        known = self._subparsers._group_actions[0].choices
        parser = known.get(command, self) if isinstance(known, dict) else self
        return next(iter(get_close_matches(word.partition("=")[0], parser._option_string_actions, n=1)), None)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            from difflib import get_close_matches

            near = get_close_matches(str(value), [str(one) for one in action.choices], n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            known = ", ".join(map(str, action.choices))
            raise argparse.ArgumentError(action, f"{value!r} is none of {known}{hint}")


def add_command(
    subparsers: Subparsers, name: str, usage: str, description: str, examples: str
) -> argparse.ArgumentParser:
    """A parser with a description above and examples below the options; `usage` has the arguments without options."""
    lines = "\n".join(f"  {line}" for line in examples.strip().splitlines())
    return subparsers.add_parser(
        name,
        usage=f"%(prog)s {usage} [options]",
        description=description,
        epilog=f"examples:\n{lines}",
        formatter_class=HelpFormat,
        allow_abbrev=False,
    )


def add_json(parser: Any, what: str = "the same for programs, as JSON") -> None:
    """--json."""
    parser.add_argument("--json", action="store_true", help=what)


def add_threads(parser: Any) -> None:
    """--threads."""
    parser.add_argument(
        "--threads",
        "-t",
        type=whole(1),
        metavar="N",
        help="threads (default: every core this process may use)",
    )


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How corpus files are read; the same for every command that reads one."""
    group = parser.add_argument_group("how files are read")
    group.add_argument(
        "--format",
        "-f",
        choices=NAMES,
        metavar="NAME",
        help=f"{', '.join(NAMES)} (default: seen from name and content)",
    )
    group.add_argument(
        "--columns",
        "-c",
        type=columns,
        metavar="NAMES",
        help="names of the columns, as word,pos,chunk; or the cells to pick, as word=0,label=-1",
    )
    group.add_argument(
        "--separator", type=separator, metavar="CHAR", help="between cells: tab, space, or a character"
    )
    group.add_argument(
        "--comments",
        nargs="?",
        const=True,
        default=None,
        metavar="PREFIX",
        help="lines that begin with # (or PREFIX) are comments",
    )
    group.add_argument("--encoding", metavar="NAME", help="of the file (default: utf-8)")


def reading_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The arguments of seqlab.read that were given."""
    named = ("format", "columns", "separator", "comments", "encoding")
    given = {name: getattr(arguments, name, None) for name in named}
    return {name: value for name, value in given.items() if value is not None}


# ------------------------------------------------------------------------------------------------ types of arguments


def whole(least: int) -> Any:
    """A whole number from `least` up."""

    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"a whole number from {least} up is wanted, got {text!r}")
        return value

    return convert


def number(text: str) -> float:
    """A finite number from 0 up."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"a number from 0 up is wanted, got {text!r}")
    return value


def columns(text: str) -> Any:
    """word,pos,chunk as a tuple; word=0,label=-1 as a mapping."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise argparse.ArgumentTypeError(f"names with commas between them are wanted, got {text!r}")
    if not any("=" in name for name in names):
        return tuple(names)
    picks: dict[str, int] = {}
    for name in names:
        key, _, place = name.partition("=")
        if not key or not place.lstrip("-").isdecimal():
            raise argparse.ArgumentTypeError(
                f"{name!r} should be a name and the number of a cell, as label=-1"
            )
        picks[key] = int(place)
    return picks


def param(text: str) -> tuple[str, Any]:
    """NAME=VALUE."""
    name, sign, given = text.partition("=")
    if not name or not sign:
        raise argparse.ArgumentTypeError(f"NAME=VALUE is wanted, got {text!r}")
    return name, value(given)


def value(text: str) -> Any:
    """A number, true, false, none, or the text itself."""
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    with contextlib.suppress(ValueError):
        return int(text)
    with contextlib.suppress(ValueError):
        return float(text)
    return text


def separator(text: str) -> str:
    """One character, or its name."""
    return {"tab": "\t", "\\t": "\t", "space": " ", "blank": " ", "comma": ","}.get(text, text)


def fail(parser: str, message: str) -> NoReturn:
    """Wrong use that only shows when all arguments are there."""
    print(f"seqlab {parser}: {message}; see seqlab {parser} --help", file=sys.stderr)
    raise SystemExit(2)
