"""Parsers of the command line, and the types of its arguments."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from seqlab.cli.command import Command

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
        prog = f"{self.prog} {command}".strip()
        hint = self._hint(command, words[0])
        self.exit(2, f"{prog}: unrecognized arguments: {' '.join(words)}{hint}; see {prog} --help\n")

    def _hint(self, command: str, word: str) -> str:
        if not word.startswith("--") or self._subparsers is None:
            return ""
        known = self._subparsers._group_actions[0].choices
        parser = known.get(command, self) if isinstance(known, dict) else self
        return did_you_mean(word.partition("=")[0], parser._option_string_actions)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, none_of(value, action.choices))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Name the nearest of the known words, if one is near."""
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def none_of(value: Any, known: Iterable[Any]) -> str:
    """Say that a value is none of the known ones, and which may have been meant."""
    words = [str(one) for one in known]
    return f"{value!r} is none of {', '.join(words)}{did_you_mean(str(value), words)}"


def add_command(subparsers: Any, name: str, command: Command) -> None:
    """Add the parser of a command: a description above its options and examples below them."""
    lines = "\n".join(f"  {line}" for line in command.EXAMPLES.strip().splitlines())
    parser = subparsers.add_parser(
        name,
        usage=f"%(prog)s {command.USAGE} [options]",
        description=command.DESCRIPTION,
        epilog=f"examples:\n{lines}",
        formatter_class=HelpFormat,
        allow_abbrev=False,
    )
    command.options(parser)


def add(group: Any, spelled: str, help: str, type: Any = None, **more: Any) -> None:  # noqa: A002
    """Add one argument to a parser or a group of it.

    spelled   as the help shows it: "--nbest -n N" takes a value, "--quiet -q" is a switch, "files FILE" is no option
              but an argument with that name
    type      what makes a value of the text
    """
    words = spelled.split()
    names = [word for word in words if word.startswith("-")] or words[:1]
    shown = " ".join(words[len(names) :])
    if shown:
        more["metavar"] = shown
    if type is not None:
        more["type"] = type
    elif not shown and "choices" not in more:
        more.setdefault("action", "store_true")
    group.add_argument(*names, help=help, **more)


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
    return name, value_of(given)


def value_of(text: str) -> Any:
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


def fail(command: str, message: str) -> NoReturn:
    """Leave with 2 for wrong use that only shows when all arguments are there."""
    print(f"seqlab {command}: {message}; see seqlab {command} --help", file=sys.stderr)
    raise SystemExit(2)
