"""`seqlab explain`: why a word got its label."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from seqlab.cli import parsing
from seqlab.cli.one_sentence import add_sentence, sentence_of
from seqlab.errors import AbsentError, OptionError, QuestionError

if TYPE_CHECKING:
    from seqlab.cli.command import Subparsers

DESCRIPTION = """\
Why a word got its label and not another: the features and the moves between labels, with
what each adds; they add up to the log-odds of the two labels.

Without --at, the labels of the sentence with their probabilities and rivals are shown."""

EXAMPLES = """\
seqlab explain pos.model --sentence "The old man the boats ."
seqlab explain pos.model --sentence "The old man the boats ." --at man
seqlab explain pos.model --sentence "The old man" --at 2 --rival VERB
seqlab explain chunks.model -f slash -s "The/DET old/NOUN man/VERB" --at 1
seqlab explain chunks.model test.txt --number 12 --at 3"""


def add_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """The arguments of the command."""
    parser = parsing.add_command(subparsers, "explain", "MODEL [FILE]", DESCRIPTION, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="a file that seqlab train wrote")
    parser.add_argument("file", nargs="?", metavar="FILE", help="sentences; - is standard input")
    add_sentence(parser)
    parser.add_argument("--at", metavar="WHERE", help="the word to explain, or its number from 0")
    parser.add_argument("--label", "-l", metavar="LABEL", help="the label to explain (default: the best)")
    parser.add_argument("--rival", metavar="LABEL", help="what to compare it with (default: the next best)")
    parser.add_argument(
        "--rows", type=parsing.whole(1), default=15, metavar="N", help="rows of each table (default: 15)"
    )
    parsing.add_json(parser)
    parsing.add_reading(parser)
    return parser


def run(arguments: argparse.Namespace) -> None:
    """Find the sentence, ask the model."""
    from seqlab.cli.inputs import load_tagger
    from seqlab.cli.printing import print_json

    tagger: Any = load_tagger(arguments.model, chain=True)
    sentence, words = sentence_of(arguments, tagger)
    if arguments.at is None:
        rows = _overview(tagger, sentence, words)
        print_json(rows) if arguments.json else print(_overview_text(rows, words))
        return
    at = arguments.at.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # in any locale
    t = _position(at, words)
    try:
        explain = tagger.explain
    except AbsentError as error:  # which says why there is none
        raise QuestionError(error.message) from None
    found = explain(sentence, t, label=arguments.label, rival=arguments.rival)
    print(found.json() if arguments.json else found.text(rows=arguments.rows))


def _position(where: str, words: list[str]) -> int:
    """A number, or a word that occurs once."""
    if where.isdecimal() and where not in words:
        if int(where) >= len(words):
            raise OptionError(f"--at {where}: the sentence has the words 0 to {len(words) - 1}")
        return int(where)
    places = [t for t, word in enumerate(words) if word == where]
    if len(places) == 1:
        return places[0]
    if not places:
        raise OptionError(f"--at {where}: there is no such word in: {' '.join(words)}")
    raise OptionError(
        f"--at {where}: the word stands at {', '.join(map(str, places))}; pass one of these numbers"
    )


def _overview(tagger: Any, sentence: Any, words: list[str]) -> list[dict[str, Any]]:
    """Word, label, and where there are probabilities those of the label and of its rival."""
    labels = tagger.tag(sentence)
    rows: list[dict[str, Any]] = [
        {"position": t, "word": word, "label": label}
        for t, (word, label) in enumerate(zip(words, labels, strict=True))
    ]
    if not tagger._probabilistic:
        return rows
    for row, chances in zip(rows, tagger.posterior(sentence).node.tolist(), strict=True):
        by_label = dict(zip(tagger.labels_, chances, strict=True))
        row["probability"] = by_label.pop(row["label"])
        if by_label:
            row["rival"] = max(by_label, key=lambda label: by_label[label])
            row["rival_probability"] = by_label[row["rival"]]
    return rows


def _overview_text(rows: list[dict[str, Any]], words: list[str]) -> str:
    from seqlab.cli.printing import table

    head = ["", "word", "label"]
    cells = [[str(row["position"]), row["word"], row["label"]] for row in rows]
    if "probability" in rows[0]:
        head += ["P", "rival", "P"]
        for cell, row in zip(cells, rows, strict=True):
            rival = row.get("rival_probability")
            cell += [
                f"{row['probability']:.4f}",
                row.get("rival", ""),
                "" if rival is None else f"{rival:.4f}",
            ]
    least = min(rows, key=lambda row: row.get("probability", 1.0))
    at = least["position"]
    return f"{table(head, cells, left=3)}\n\nwhy? pass --at, for example --at {at} ({words[at]})"
