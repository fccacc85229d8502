"""`seqlab tag`: labels for sentences, file to file, a block at a time."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from seqlab.cli import options as shared
from seqlab.cli.parsing import add, whole
from seqlab.corpus.formats import LABELLED
from seqlab.errors import OptionError

USAGE = "MODEL [FILE ...]"
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


def options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "model MODEL", shared.MODEL_FILE)
    add(parser, "files FILE", "sentences (default: standard input)", nargs="*", default=[])
    add(parser, "-o --output FILE", "instead of standard output", default="-")
    shared.sentence(parser)
    views = parser.add_argument_group("what is written (instead of the best label of each token)")
    only = views.add_mutually_exclusive_group()
    add(only, "--labels-only", "labels without the input")
    add(only, "--nbest -n N", "the N best labellings of a sentence", whole(1))
    add(only, "--marginals", "label:probability")
    add(only, "--all-marginals", "the same for every label, best first")
    add(only, "--spans", "the spans that the labels describe, and their probability")
    add(views, "--to FORMAT", f"another format than the input's: {', '.join(LABELLED)}", choices=LABELLED)
    shared.json(views, "a JSON object a line for each sentence")
    way = parser.add_argument_group("how labels are found")
    decode = "viterbi (the best path, default), posterior (each token for itself), beam"
    add(way, "--decode HOW", decode, choices=("viterbi", "posterior", "beam"))
    add(way, "--beam N", "how many labels a beam follows", whole(1))
    shared.threads(way)
    add(way, "-q --quiet", "no progress bar")
    shared.reading(parser)


def run(arguments: argparse.Namespace) -> None:
    """Read, label, write."""
    # NumPy would start threads for linear algebra, which tagging has no use for: ten milliseconds.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from seqlab.cli.models import load_tagger
    from seqlab.cli.outputs import put_pieces
    from seqlab.cli.tag.blocks import tagged

    sources = _sources(arguments)
    if (arguments.beam is None) == (arguments.decode == "beam"):
        raise OptionError("--decode beam and --beam N belong together: pass both, or neither")
    tagger = load_tagger(
        arguments.model
    )  # before anything is written or waited for; the input is waited for last
    put_pieces(arguments.output, tagged(tagger, sources, arguments))


def _sources(arguments: argparse.Namespace) -> list[Any]:
    """Find out what is read: files, standard input, or what --sentence says."""
    if arguments.sentence is None:
        if not arguments.files and sys.stdin is not None and sys.stdin.isatty():
            print("seqlab: reading from the keyboard; Ctrl-D ends it", file=sys.stderr)
        return list(arguments.files) or ["-"]
    if arguments.files:
        raise OptionError("--sentence is the input already; leave the files out")
    from seqlab.cli.corpora import given_text

    text, reading = given_text(arguments.sentence, shared.reading_of(arguments))
    arguments.format = reading.get("format")
    return [text]
