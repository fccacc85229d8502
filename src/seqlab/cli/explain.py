"""`seqlab explain`: explain the label of a word."""

from __future__ import annotations

import argparse
from typing import Any

from seqlab.cli import parsing
from seqlab.cli.parsing import option, whole
from seqlab.cli.reading import raw
from seqlab.cli.reading.corpora import one_sentence
from seqlab.cli.terminal import print_json, table
from seqlab.errors import AbsentError, OptionError, QuestionError

USAGE = "MODEL [FILE]"
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


OPTIONS = (
    parsing.MODEL,
    option("file FILE", "sentences; - is standard input", nargs="?", reads=True),
    parsing.SENTENCE,
    parsing.NUMBER,
    raw.RAW,
    raw.LAYER,
    option("--at WHERE", "the word to explain, or its number from 0"),
    option("--label -l LABEL", "the label to explain (default: the best)"),
    option("--rival LABEL", "what to compare it with (default: the next best)"),
    option("--rows N", "rows of each table (default: 15)", whole(1)),
    parsing.JSON,
    parsing.READING,
)


def run(arguments: argparse.Namespace) -> None:
    """Find the sentence and explain a label."""
    tagger, pipe = raw.loaded(arguments.model, arguments, chain=True)
    sentence, words = raw.one_raw_sentence(arguments, pipe) if pipe else one_sentence(arguments, tagger)
    if arguments.at is None:
        parsing.refuse(arguments, ("label", "rival", "rows"), "is for one word; name it with --at")
        rows = _overview(tagger, sentence, words)
        print_json(rows) if arguments.json else print(_overview_text(rows, words))
        return
    at = arguments.at.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # in any locale
    t = _position(at, words)
    try:
        explain = tagger.explain
    except AbsentError as error:  # its message says why there is none
        raise QuestionError(error.message) from None
    found = explain(sentence, t, label=arguments.label, rival=arguments.rival)
    print(found.json() if arguments.json else found.text(rows=arguments.rows or 15))


def _position(where: str, words: list[str]) -> int:
    """Find a position by its number, or by a word that occurs once."""
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
    """List words and labels, with the probabilities of the label and of its rival, if there are any."""
    rows: list[dict[str, Any]] = [
        {"position": t, "word": word, "label": label}
        for t, (word, label) in enumerate(zip(words, tagger.tag(sentence), strict=True))
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
    head = ["", "word", "label", "P", "rival", "P"] if "probability" in rows[0] else ["", "word", "label"]
    keys = ("position", "word", "label", "probability", "rival", "rival_probability")[: len(head)]
    found = ((row.get(key, "") for key in keys) for row in rows)
    cells = [[f"{one:.4f}" if isinstance(one, float) else str(one) for one in row] for row in found]
    at = min(rows, key=lambda row: row.get("probability", 1.0))["position"]
    return f"{table(head, cells, left=3)}\n\nwhy? pass --at, for example --at {at} ({words[at]})"
