"""`seqlab demo`: one sentence, decoded before your eyes."""

from __future__ import annotations

import argparse
import sys

from seqlab.cli.command import Command

NARROWEST = 20


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--width", type=_width, help="screen columns (default: those of the terminal)")
    parser.add_argument("--no-color", action="store_true", help="no colours (NO_COLOR=1 does the same)")
    parser.add_argument("--ascii", action="store_true", help="no characters beyond ASCII")
    parser.add_argument("--json", action="store_true", help="the same numbers for programs")


def run(arguments: argparse.Namespace) -> None:
    """Decode the sentence and show it."""
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


COMMAND = Command(
    help="decode 'the old man the boat' and draw its trellis",
    description="Decode 'the old man the boat', a garden path, and show what the library knows about it.",
    add_options=add_options,
    run=run,
)
