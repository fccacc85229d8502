"""The command line: `seqlab COMMAND`.

Exit codes: 0 done, 1 failed, 2 wrong use or bad data. Only what a command needs is imported, when it runs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from seqlab import __version__
from seqlab.cli import demo
from seqlab.cli.command import Command
from seqlab.errors import SeqlabError

COMMANDS: dict[str, Command] = {
    "demo": demo.COMMAND,
}

DONE, FAILED, WRONG_USE = 0, 1, 2
INTERRUPTED, PIPE_CLOSED = 128 + 2, 128 + 13  # what a shell reports for SIGINT and SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return WRONG_USE
    try:
        COMMANDS[arguments.command].run(arguments)
        sys.stdout.flush()
    except SeqlabError as error:
        print(f"seqlab: {error}", file=sys.stderr)
        return WRONG_USE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes standard output once more at exit, and would complain there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except OSError as error:
        print(f"seqlab: {error}", file=sys.stderr)
        return FAILED
    return DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="seqlab", description="Sequence labelling, exact and fast.")
    parser.add_argument("--version", action="version", version=f"seqlab {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, command in COMMANDS.items():
        sub = commands.add_parser(name, help=command.help, description=command.description)
        command.add_options(sub)
    return parser
