"""`seqlab demo`: three models learn, are compared, and read a sentence of yours."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from seqlab.cli import parsing

if TYPE_CHECKING:
    from seqlab.cli.command import Subparsers

NARROWEST = 20
FOLDER = "demo-output"

DESCRIPTION = """\
A hidden Markov model, a maximum-entropy Markov model and a conditional random field learn
parts of speech from the corpus that comes with seqlab. They are compared, and label a
sentence that you type. A report, pictures and a model go to a folder.

With --garden-path: one sentence decoded step by step in a model small enough to check by hand."""

EXAMPLES = """\
seqlab demo
seqlab demo --sentence 'Time flies like an arrow.' --output tour
seqlab demo --garden-path"""


def add_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """The arguments of the command."""
    parser = parsing.add_command(subparsers, "demo", "", DESCRIPTION, EXAMPLES)
    parser.add_argument(
        "--sentence", "-s", metavar="TEXT", help="what to label (default: you are asked, on a terminal)"
    )
    parser.add_argument(
        "--output",
        "-o",
        default=FOLDER,
        metavar="FOLDER",
        help=f"for report and pictures (default: {FOLDER})",
    )
    parser.add_argument(
        "--garden-path", action="store_true", help="decode 'the old man the boat' and draw its trellis"
    )
    parser.add_argument(
        "--width", type=_width, metavar="N", help="screen columns of --garden-path (default: the terminal's)"
    )
    parser.add_argument("--no-color", action="store_true", help="no colours (NO_COLOR=1 does the same)")
    parser.add_argument("--ascii", action="store_true", help="--garden-path without characters beyond ASCII")
    parsing.add_json(parser, "the same numbers for programs")
    return parser


def run(arguments: argparse.Namespace) -> None:
    """The tour, or the garden path."""
    if arguments.garden_path:
        _garden_path(arguments)
        return
    from seqlab.cli.demo_tour import tour

    tour(arguments.sentence, arguments.output, json=arguments.json)


def _garden_path(arguments: argparse.Namespace) -> None:
    from seqlab.cli import screen
    from seqlab.cli.demo_page import page
    from seqlab.cli.demo_story import tell

    story = tell()
    if arguments.json:
        print(story.as_json())
        return
    width = arguments.width or max(screen.width(), NARROWEST)
    style = screen.style(sys.stdout, no_color=arguments.no_color, ascii_only=arguments.ascii)
    print(page(story, width, style, python=screen.python()))


def _width(text: str) -> int:
    if not text.isdecimal() or int(text) < NARROWEST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of columns, {NARROWEST} or more")
    return int(text)
