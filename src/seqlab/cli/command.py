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
