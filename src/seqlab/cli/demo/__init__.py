"""`seqlab demo`: three models learn, are compared, and read a sentence of yours."""

from __future__ import annotations

import argparse
import sys

from seqlab.cli import options as shared
from seqlab.cli.parsing import add

NARROWEST = 20
FOLDER = "demo-output"

USAGE = ""
DESCRIPTION = """\
A hidden Markov model, a maximum-entropy Markov model and a conditional random field learn
parts of speech from the corpus that comes with seqlab. They are compared, and label a
sentence that you type. A report, pictures and a model go to a folder.

With --garden-path: one sentence decoded step by step in a model small enough to check by hand."""

EXAMPLES = """\
seqlab demo
seqlab demo --sentence 'Time flies like an arrow.' --output tour
seqlab demo --garden-path"""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "--sentence -s TEXT", "what to label (default: you are asked, on a terminal)")
    add(parser, "--output -o FOLDER", f"for report and pictures (default: {FOLDER})", default=FOLDER)
    add(parser, "--garden-path", "decode 'the old man the boat' and draw its trellis")
    add(parser, "--width N", "screen columns of --garden-path (default: the terminal's)", _width)
    add(parser, "--no-color", "no colours (NO_COLOR=1 does the same)")
    add(parser, "--ascii", "--garden-path without characters beyond ASCII")
    shared.json(parser, "the same numbers for programs")


def run(arguments: argparse.Namespace) -> None:
    """Make the tour, or show the garden path."""
    if not arguments.garden_path:
        from seqlab.cli.demo.tour import tour

        tour(arguments.sentence, arguments.output, json=arguments.json)
        return
    from seqlab.cli.demo.garden_path import tell
    from seqlab.cli.demo.page import page
    from seqlab.cli.terminal import screen
    from seqlab.cli.terminal.printing import print_json

    story = tell()
    if arguments.json:
        print_json(story.facts())
        return
    width = arguments.width or max(screen.width(), NARROWEST)
    style = screen.style(sys.stdout, no_color=arguments.no_color, ascii_only=arguments.ascii)
    print(page(story, width, style, python=screen.python()))


def _width(text: str) -> int:
    if not text.isdecimal() or int(text) < NARROWEST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of columns, {NARROWEST} or more")
    return int(text)
