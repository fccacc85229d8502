"""`seqlab check`: check a corpus before training."""

from __future__ import annotations

import argparse

from seqlab.cli import parsing
from seqlab.cli.parsing import option
from seqlab.cli.reading.corpora import read_corpora

USAGE = "FILE ..."
DESCRIPTION = """\
Look a corpus over before training: empty sentences and labels, labels that are rare or look
misspelled, tags that break their scheme, sentences that train and dev share. Every finding
has its file and line. Exits with 1 when there is an error (with --strict, also for warnings)."""

EXAMPLES = """\
seqlab check train.txt
seqlab check train.txt --dev dev.txt --label chunk
seqlab check train.txt --strict && seqlab train train.txt -o m.model"""


_LABEL = "look at this column; may be given several times (default: all that may hold labels)"
OPTIONS = (
    option("files FILE", parsing.LABELLED, nargs="+", reads=True),
    option("--label -l COLUMN", _LABEL, action="append"),
    option("--dev FILE", "further data that train should not share sentences with", reads=True),
    parsing.SCHEME,
    option("--strict", "exit with 1 for warnings too"),
    parsing.JSON,
    parsing.READING,
)


def run(arguments: argparse.Namespace) -> int:
    """Check the corpus and print the findings."""
    from seqlab import check

    reading = parsing.reading_of(arguments)
    corpus = read_corpora(arguments.files, reading)
    dev = read_corpora([arguments.dev], reading) if arguments.dev else None
    scheme = {None: "auto", "none": None}.get(arguments.scheme, arguments.scheme)
    found = check(corpus, arguments.label, dev=dev, scheme=scheme)
    print(found.json() if arguments.json else found)
    wrong = [one for one in found if one.severity == "error"]
    return 1 if wrong or (arguments.strict and not found.ok) else 0
