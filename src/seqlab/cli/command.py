"""A command: what its help says, its options, and what it does."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol


class Command(Protocol):
    """A module of this folder. What it needs beyond the standard library is imported in `run`.

    USAGE         the arguments without options
    DESCRIPTION   above the options of its help
    EXAMPLES      below them: lines of a shell
    """

    USAGE: str
    DESCRIPTION: str
    EXAMPLES: str

    def options(self, parser: argparse.ArgumentParser) -> None:
        """Add its arguments to a parser."""
        ...

    def run(self, arguments: argparse.Namespace) -> int | None:
        """Do it and return the exit code, None for 0."""
        ...


class Entry(NamedTuple):
    """One word after `seqlab`: a line for the help, and where the command is."""

    help: str
    load: Callable[[], Any]  # gives a Command
