"""`seqlab inspect`: what is inside a model file."""

from __future__ import annotations

import argparse

from seqlab.cli import options as shared
from seqlab.cli.parsing import add, whole

USAGE = "MODEL"
DESCRIPTION = """\
What is inside a model file: its kind, labels and settings, how it was trained, the size of
its parts, the heaviest features of each label, likely and forbidden moves."""

EXAMPLES = """\
seqlab inspect chunks.model
seqlab inspect chunks.model --top 20 --label B-NP
seqlab inspect chunks.model --template --history
seqlab inspect chunks.model --json | jq .settings
seqlab inspect chunks.model --verify"""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "model MODEL", shared.MODEL_FILE)
    add(parser, "--top N", "features of each label, and moves (default: 5)", whole(1), default=5)
    add(parser, "--label -l LABEL", "only this label; may be repeated", action="append")
    add(parser, "--template", "the whole template")
    add(parser, "--history", "every epoch of training")
    add(parser, "--verify", "also compare the file with the checksum in it")
    shared.json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Read the file and tell."""
    from seqlab.cli.inspect.facts import facts_of
    from seqlab.cli.inspect.text import text_of
    from seqlab.cli.terminal.printing import print_json

    facts = facts_of(arguments)
    if arguments.json:
        print_json(facts)
    else:
        print(text_of(facts, arguments))
