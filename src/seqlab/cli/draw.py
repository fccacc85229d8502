"""`seqlab draw`: pictures of sentences, models and their mistakes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from seqlab.cli import parsing
from seqlab.cli.one_sentence import add_sentence, sentence_of
from seqlab.errors import OptionError

if TYPE_CHECKING:
    from seqlab.cli.command import Subparsers
    from seqlab.draw import Picture

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

THEMES = ("auto", "light", "dark")


def add_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """The arguments of the command."""
    parser = parsing.add_command(subparsers, "draw", "WHAT MODEL [FILE]", DESCRIPTION, EXAMPLES)
    parser.add_argument("what", choices=DRAWN, metavar="WHAT", help=", ".join(DRAWN))
    parser.add_argument(
        "files", nargs="+", metavar="MODEL [FILE]", help="a model and sentences; for graph a kind of model"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the picture (default: WHAT.svg); - is standard output"
    )
    add_sentence(parser)
    parser.add_argument(
        "--nbest", type=parsing.whole(1), default=1, metavar="N", help="paths of a trellis (default: 1)"
    )
    parser.add_argument("--most", type=parsing.whole(1), metavar="N", help="at most so many labels")
    parser.add_argument("--as", dest="form", choices=("graph", "table"), help="how moves are drawn")
    parser.add_argument("--plates", action="store_true", help="a graph with frames and parameters")
    parser.add_argument("--label", "-l", metavar="COLUMN", help="the right labels (default: as in training)")
    parser.add_argument(
        "--theme", choices=THEMES, default="auto", help="colours (default: what the reader's screen prefers)"
    )
    parsing.add_json(parser, "what was drawn, as JSON")
    parsing.add_threads(parser)
    parsing.add_reading(parser)
    return parser


def run(arguments: argparse.Namespace) -> None:
    """Draw and write."""
    from seqlab.cli.printing import print_json

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
    from seqlab.cli.inputs import load_tagger
    from seqlab.draw import trellis_picture

    tagger = load_tagger(arguments.files[0], chain=True)
    arguments.file = _only(arguments, 2)
    sentence, words = sentence_of(arguments, tagger)
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
    from seqlab.families.loading import load

    _only(arguments, 1)
    return transition_picture(load(arguments.files[0]), kind=arguments.form, most=arguments.most)


def _learning(arguments: argparse.Namespace) -> Picture:
    from seqlab.draw import learning_picture
    from seqlab.families.loading import load

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
    """A model, sentences, and the column of their right labels."""
    from seqlab.cli.inputs import gold_column, load_tagger, named_for, read_corpora

    model, *files = arguments.files
    if not files:
        raise OptionError(f"{arguments.what} needs labelled sentences: name their file behind {model}")
    tagger = load_tagger(model, chain=chain)
    read = read_corpora(files, parsing.reading_of(arguments))
    corpus = named_for(read, tagger, given=arguments.columns is not None)
    return tagger, corpus, gold_column(corpus, tagger, arguments.label)


def _only(arguments: argparse.Namespace, most: int) -> str | None:
    """The file behind the model, if there may be one and is."""
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
