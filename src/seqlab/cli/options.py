"""Options that several commands have, each with one spelling and one meaning."""

from __future__ import annotations

import argparse
from typing import Any

from seqlab.cli.parsing import add, columns, separator, whole
from seqlab.corpus.formats import NAMES

METRICS = ("accuracy", "span_f1", "sentence_accuracy")
MODEL_FILE = "a file that seqlab train wrote"
LABELLED = "labelled sentences; - is standard input"
GOLD = "the right labels (default: as in training)"
SCHEME = "the tag scheme (default: seen from the labels); none for plain labels"


def json(group: Any, what: str = "the same for programs, as JSON", **more: Any) -> None:
    """--json."""
    add(group, "--json", what, **more)


def threads(group: Any) -> None:
    """--threads."""
    add(group, "--threads -t N", "threads (default: every core this process may use)", whole(1))


def learned_label(group: Any) -> None:
    """--label of what learns."""
    add(group, "--label -l COLUMN", "the column to learn (default: the last one)")


def iterations(group: Any) -> None:
    """--iterations."""
    add(group, "--iterations -i N", "at most so many", whole(1))


def seed(group: Any, help: str = "for what chance draws") -> None:  # noqa: A002
    """--seed, 0 where none is given."""
    add(group, "--seed N", help, whole(0), default=0)


def metric(group: Any, what: str) -> None:
    """--metric of what compares models."""
    add(group, "--metric NAME", f"{what}: accuracy, span_f1 or sentence_accuracy", choices=METRICS)


def features(group: Any) -> None:
    """--features and --constraints, in a word."""
    add(group, "--features WHAT", "as for seqlab train")
    add(group, "--constraints SCHEME", "a tag scheme to obey; auto looks at the labels")


def sentence(group: Any) -> None:
    """--sentence."""
    add(group, "-s --sentence TEXT", "one sentence, its words between blanks")


def number(group: Any) -> None:
    """--number of the sentence that is looked at."""
    add(group, "--number N", "which sentence of the file (default: 0)", whole(0), default=0)


def reading(parser: argparse.ArgumentParser) -> None:
    """How corpus files are read; the same for every command that reads one."""
    group = parser.add_argument_group("how files are read")
    listed = ", ".join(NAMES)
    add(group, "--format -f NAME", f"{listed} (default: seen from name and content)", choices=NAMES)
    add(
        group,
        "--columns -c NAMES",
        "names of the columns, as word,pos,chunk; or the cells to pick, as word=0,label=-1",
        columns,
    )
    add(group, "--separator CHAR", "between cells: tab, space, or a character", separator)
    comments = "lines that begin with # (or PREFIX) are comments"
    add(group, "--comments PREFIX", comments, nargs="?", const=True, default=None)
    add(group, "--encoding NAME", "of the file (default: utf-8)")


def reading_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of seqlab.read that were given."""
    named = ("format", "columns", "separator", "comments", "encoding")
    given = {name: getattr(arguments, name, None) for name in named}
    return {name: value for name, value in given.items() if value is not None}
