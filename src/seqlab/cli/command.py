"""What the command line must know of a command."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]


class CommandModule(Protocol):
    """A file of this folder: one command. What it needs beyond the standard library is imported in `run`."""

    def add_parser(self, subparsers: Subparsers) -> argparse.ArgumentParser:
        """Describe the command's arguments."""
        ...

    def run(self, arguments: argparse.Namespace) -> int | None:
        """Do it; the exit code, None for 0."""
        ...


class Entry(NamedTuple):
    """One word after `seqlab`: a line for the help, and where the command is."""

    help: str
    load: Callable[[], Any]  # gives a CommandModule


class Command(NamedTuple):
    """A command as one value; it can stand where a CommandModule is wanted."""

    help: str
    description: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int | None]

    def named(self, name: str) -> CommandModule:
        """The same under a name."""
        return _Named(name, self)


class _Named:
    def __init__(self, name: str, command: Command) -> None:
        self._name, self._command = name, command

    def add_parser(self, subparsers: Subparsers) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = subparsers.add_parser(
            self._name, description=self._command.description
        )
        self._command.add_options(parser)
        return parser

    def run(self, arguments: argparse.Namespace) -> int | None:
        return self._command.run(arguments)
