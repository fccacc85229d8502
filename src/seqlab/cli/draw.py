"""`seqlab draw`: pictures of sentences, models and their mistakes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from seqlab.cli import options as shared
from seqlab.cli.parsing import add, whole
from seqlab.errors import OptionError

if TYPE_CHECKING:
    from seqlab.draw import Picture

USAGE = "WHAT MODEL [FILE]"
DESCRIPTION = """\
Pictures, as SVG, PNG or PDF by the end of the file's name. matplotlib (pip install 'seqlab[plot]')
draws the charts: learning, confusion, reliability and tables; and it writes PNG and PDF.

trellis: the labels of a sentence, best paths and probabilities. moves: from label to label.
learning: how training went, of one model or several. confusion: which labels are taken for
which. reliability: how far probabilities can be trusted. graph: a kind of model as textbooks
draw it: markov-chain, naive-bayes, hmm, hmm-2, memm or crf."""

EXAMPLES = """\
seqlab draw trellis pos.model -s "The old man the boats ." -o boats.svg
seqlab draw moves chunks.model --as table
seqlab draw learning a.model b.model
seqlab draw confusion pos.model test.txt --most 10
seqlab draw reliability pos.model test.txt
seqlab draw graph hmm --plates -o hmm.svg"""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "what WHAT", ", ".join(DRAWN), choices=DRAWN)
    add(parser, "files MODEL [FILE]", "a model and sentences; for graph a kind of model", nargs="+")
    add(parser, "-o --output FILE", "the picture (default: WHAT.svg); - is standard output")
    shared.sentence(parser)
    shared.number(parser)
    add(parser, "--nbest N", "paths of a trellis (default: 1)", whole(1), default=1)
    add(parser, "--most N", "at most so many labels", whole(1))
    add(parser, "--as", "how moves are drawn", dest="form", choices=("graph", "table"))
    add(parser, "--plates", "a graph with frames and parameters")
    add(parser, "--label -l COLUMN", shared.GOLD)
    themes = ("auto", "light", "dark")
    add(
        parser,
        "--theme",
        "colours (default: what the reader's screen prefers)",
        choices=themes,
        default="auto",
    )
    shared.json(parser, "what was drawn, as JSON")
    shared.threads(parser)
    shared.reading(parser)


def run(arguments: argparse.Namespace) -> None:
    """Draw and write."""
    from seqlab.cli.terminal.printing import print_json

    picture = DRAWN[arguments.what](arguments)
    target = arguments.output or f"{arguments.what}.svg"
    if target == "-":
        sys.stdout.write(picture.svg(theme=arguments.theme))
        return
    picture.save(target, theme=arguments.theme)
    if arguments.json:
        print_json(
            {"picture": target, "title": picture.title, "width": picture.width, "height": picture.height}
        )
    else:
        print(f"wrote {target}: {picture.title}")


def _trellis(arguments: argparse.Namespace) -> Picture:
    from seqlab.cli.corpora import one_sentence
    from seqlab.cli.models import load_tagger
    from seqlab.draw import trellis_picture

    tagger = load_tagger(arguments.files[0], chain=True)
    arguments.file = _only(arguments, 2)
    sentence, words = one_sentence(arguments, tagger)
    return trellis_picture(
        tagger.trellis(sentence),
        words,
        nbest=arguments.nbest,
        posterior=tagger._probabilistic,
        max_labels=arguments.most or 12,
        max_positions=max(16, len(words)),
    )


def _moves(arguments: argparse.Namespace) -> Picture:
    from seqlab.draw import transition_picture
    from seqlab.families import load

    _only(arguments, 1)
    return transition_picture(load(arguments.files[0]), kind=arguments.form, most=arguments.most)


def _learning(arguments: argparse.Namespace) -> Picture:
    from seqlab.draw import learning_picture
    from seqlab.families import load

    if len(arguments.files) == 1:
        return learning_picture(load(arguments.files[0]))
    return learning_picture({name: load(name) for name in arguments.files})


def _confusion(arguments: argparse.Namespace) -> Picture:
    from seqlab.draw import confusion_picture

    tagger, corpus, label = _judged(arguments)
    report = tagger.evaluate(corpus, label, threads=arguments.threads)
    return confusion_picture(report, most=arguments.most or 12)


def _reliability(arguments: argparse.Namespace) -> Picture:
    from seqlab.draw import reliability_picture

    tagger, corpus, label = _judged(arguments, chain=True)
    found = tagger.predict_proba(corpus, threads=arguments.threads)
    return reliability_picture(found, corpus.column(label), tagger.labels_)


def _graph(arguments: argparse.Namespace) -> Picture:
    from seqlab.draw import graphical_model_picture

    _only(arguments, 1)
    return graphical_model_picture(arguments.files[0], plates=arguments.plates)


def _judged(arguments: argparse.Namespace, *, chain: bool = False) -> tuple[Any, Any, str]:
    """Load a model and read sentences, and find the column of their right labels."""
    from seqlab.cli.corpora import tried

    model, *files = arguments.files
    if not files:
        raise OptionError(f"{arguments.what} needs labelled sentences: name their file behind {model}")
    return tried(arguments, model, files, chain=chain)


def _only(arguments: argparse.Namespace, most: int) -> str | None:
    """Return the file behind the model, if there may be one and is."""
    if len(arguments.files) > most:
        raise OptionError(f"{arguments.what} does not take {' '.join(arguments.files[most:])}")
    return arguments.files[1] if len(arguments.files) > 1 else None


DRAWN: dict[str, Callable[[argparse.Namespace], Picture]] = {
    "trellis": _trellis,
    "moves": _moves,
    "learning": _learning,
    "confusion": _confusion,
    "reliability": _reliability,
    "graph": _graph,
}
