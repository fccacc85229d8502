"""`seqlab tag`: labels for sentences, file to file, a block at a time."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from seqlab.cli import parsing
from seqlab.errors import OptionError

if TYPE_CHECKING:
    from seqlab.cli.command import Subparsers

LABELLED = ("conll", "conllu", "slash", "jsonl")  # formats with a place for labels

DESCRIPTION = """\
Label sentences with a model. What comes out is what went in with one more column, so that
it can be piped into conlleval; CoNLL-U gets the labels in their own column, JSON lines get
a key "predicted". Plain text (one sentence a line) becomes columns of words and labels.
Files of any size are read and written a block at a time.

--nbest writes a line "# rank probability" before each labelling. --spans writes a line a
span: sentence, begin, end (not included), type, probability, words; all counted from 0."""

EXAMPLES = """\
seqlab tag chunks.model new.txt > tagged.txt
seqlab tag chunks.model test.txt | conlleval -d '\\t'
seqlab tag pos.model --sentence "The old man the boats ."
cat *.txt.gz | seqlab tag pos.model - -o tagged.txt.gz --threads 2
seqlab tag ner.model tweets.txt --spans
seqlab tag ner.model tweets.txt --marginals --json"""


def add_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """The arguments of the command."""
    parser = parsing.add_command(subparsers, "tag", "MODEL [FILE ...]", DESCRIPTION, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="a file that seqlab train wrote")
    parser.add_argument(
        "files", nargs="*", default=[], metavar="FILE", help="sentences (default: standard input)"
    )
    parser.add_argument("-o", "--output", default="-", metavar="FILE", help="instead of standard output")
    parser.add_argument("-s", "--sentence", metavar="TEXT", help="one sentence, its words between blanks")
    views = parser.add_argument_group("what is written (instead of the best label of each token)")
    only = views.add_mutually_exclusive_group()
    only.add_argument("--labels-only", action="store_true", help="labels without the input")
    only.add_argument(
        "--nbest", "-n", type=parsing.whole(1), metavar="N", help="the N best labellings of a sentence"
    )
    only.add_argument("--marginals", action="store_true", help="label:probability")
    only.add_argument("--all-marginals", action="store_true", help="the same for every label, best first")
    only.add_argument(
        "--spans", action="store_true", help="the spans that the labels describe, and their probability"
    )
    views.add_argument(
        "--to",
        choices=LABELLED,
        metavar="FORMAT",
        help=f"another format than the input's: {', '.join(LABELLED)}",
    )
    parsing.add_json(views, "a JSON object a line for each sentence")
    way = parser.add_argument_group("how labels are found")
    way.add_argument(
        "--decode",
        choices=("viterbi", "posterior", "beam"),
        metavar="HOW",
        help="viterbi (the best path, default), posterior (each token for itself), beam",
    )
    way.add_argument("--beam", type=parsing.whole(1), metavar="N", help="how many labels a beam follows")
    parsing.add_threads(way)
    way.add_argument("-q", "--quiet", action="store_true", help="no progress bar")
    parsing.add_reading(parser)
    return parser


def run(arguments: argparse.Namespace) -> None:
    """Read, label, write."""
    # NumPy would start threads for linear algebra, which tagging has no use for: ten milliseconds.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sources = _sources(arguments)
    if (arguments.beam is None) == (arguments.decode == "beam"):
        raise OptionError("--decode beam and --beam N belong together: pass both, or neither")
    pieces = _pieces(arguments, sources)
    next(pieces)  # the model is looked at before anything is written or waited for
    if arguments.output == "-":
        from seqlab.cli.printing import put_bytes

        for piece in pieces:
            put_bytes(piece)
        sys.stdout.buffer.flush()
    else:
        from seqlab.cli.signals import orderly
        from seqlab.corpus.target import opened_target

        with orderly(), opened_target(arguments.output) as put:
            for piece in pieces:
                put(piece)


def _pieces(arguments: argparse.Namespace, sources: list[Any]) -> Iterator[bytes]:
    """The output, behind an empty piece that says that there is a model."""
    from seqlab.cli.inputs import load_tagger
    from seqlab.cli.tag_blocks import tagged

    tagger = load_tagger(arguments.model)
    yield b""
    yield from tagged(tagger, sources, arguments)


def _sources(arguments: argparse.Namespace) -> list[Any]:
    if arguments.sentence is None:
        if not arguments.files and sys.stdin is not None and sys.stdin.isatty():
            print("seqlab: reading from the keyboard; Ctrl-D ends it", file=sys.stderr)
        return list(arguments.files) or ["-"]
    if arguments.files:
        raise OptionError("--sentence is the input already; leave the files out")
    import io

    if arguments.format is None and arguments.columns is None:
        arguments.format = "text"
    text = io.BytesIO(arguments.sentence.encode("utf-8", "surrogateescape") + b"\n")
    text.name = "--sentence"
    return [text]
