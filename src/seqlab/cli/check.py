"""`seqlab check`: what is odd about a corpus, before a model learns it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from seqlab.cli import parsing

if TYPE_CHECKING:
    from seqlab.cli.command import Subparsers

DESCRIPTION = """\
Look a corpus over before training: empty sentences and labels, labels that are rare or look
misspelled, tags that break their scheme, sentences that train and dev share. Every finding
has its file and line. Leaves with 1 when there is an error (with --strict, also for warnings)."""

EXAMPLES = """\
seqlab check train.txt
seqlab check train.txt --dev dev.txt --label chunk
seqlab check train.txt --strict && seqlab train train.txt -o m.model"""


def add_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """The arguments of the command."""
    parser = parsing.add_command(subparsers, "check", "FILE ...", DESCRIPTION, EXAMPLES)
    parser.add_argument("files", nargs="+", metavar="FILE", help="labelled sentences; - is standard input")
    parser.add_argument(
        "--label",
        "-l",
        action="append",
        metavar="COLUMN",
        help="look at this column; may be given several times (default: all that may hold labels)",
    )
    parser.add_argument(
        "--dev", metavar="FILE", help="further data that train should not share sentences with"
    )
    parser.add_argument(
        "--scheme",
        metavar="NAME",
        help="the tag scheme (default: seen from the labels); none for plain labels",
    )
    parser.add_argument("--strict", action="store_true", help="leave with 1 for warnings too")
    parsing.add_json(parser)
    parsing.add_reading(parser)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Look and tell."""
    from seqlab import check
    from seqlab.cli.inputs import read_corpora

    reading = parsing.reading_of(arguments)
    corpus = read_corpora(arguments.files, reading)
    dev = read_corpora([arguments.dev], reading) if arguments.dev else None
    scheme = {None: "auto", "none": None}.get(arguments.scheme, arguments.scheme)
    found = check(corpus, arguments.label, dev=dev, scheme=scheme)
    print(found.json() if arguments.json else found)
    wrong = [one for one in found if one.severity == "error"]
    return 1 if wrong or (arguments.strict and not found.ok) else 0
