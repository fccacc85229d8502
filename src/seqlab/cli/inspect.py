"""`seqlab inspect`: what is inside a model file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from seqlab.cli import parsing

if TYPE_CHECKING:
    from seqlab.cli.command import Subparsers

DESCRIPTION = """\
What is inside a model file: its kind, labels and settings, how it was trained, the size of
its parts, the heaviest features of each label, likely and forbidden moves."""

EXAMPLES = """\
seqlab inspect chunks.model
seqlab inspect chunks.model --top 20 --label B-NP
seqlab inspect chunks.model --template --history
seqlab inspect chunks.model --json | jq .settings
seqlab inspect chunks.model --verify"""


def add_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """The arguments of the command."""
    parser = parsing.add_command(subparsers, "inspect", "MODEL", DESCRIPTION, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="a file that seqlab train wrote")
    parser.add_argument(
        "--top",
        type=parsing.whole(1),
        default=5,
        metavar="N",
        help="features of each label, and moves (default: 5)",
    )
    parser.add_argument(
        "--label", "-l", action="append", metavar="LABEL", help="only this label; may be repeated"
    )
    parser.add_argument("--template", action="store_true", help="the whole template")
    parser.add_argument("--history", action="store_true", help="every epoch of training")
    parser.add_argument("--verify", action="store_true", help="also compare the file with the checksum in it")
    parsing.add_json(parser)
    return parser


def run(arguments: argparse.Namespace) -> None:
    """Read the file and tell."""
    from seqlab.cli.inspected import facts_of, text_of
    from seqlab.cli.printing import print_json

    facts = facts_of(arguments)
    if arguments.json:
        print_json(facts)
    else:
        print(text_of(facts, arguments))
