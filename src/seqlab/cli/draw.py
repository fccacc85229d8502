"""`seqlab draw`: pictures of sentences, models and their mistakes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from seqlab.cli import parsing
from seqlab.cli.corpora import load_tagger, one_sentence, tried
from seqlab.cli.parsing import option, whole
from seqlab.cli.printing import print_json
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


def run(arguments: argparse.Namespace) -> None:
    """Draw and write."""
    picture = DRAWN[arguments.what](arguments)
    target = arguments.output or f"{arguments.what}.svg"
    if target == "-":
        sys.stdout.write(picture.svg(theme=arguments.theme))
        return
    picture.save(target, theme=arguments.theme)
    if arguments.json:
        facts = {name: getattr(picture, name) for name in ("title", "width", "height")}
        print_json({"picture": target, **facts})
    else:
        print(f"wrote {target}: {picture.title}")


def _trellis(arguments: argparse.Namespace) -> Picture:
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

    found = {name: load(name) for name in arguments.files}
    return learning_picture(found if len(arguments.files) > 1 else found[arguments.files[0]])


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
_THEME = "colours (default: what the reader's screen prefers)"
OPTIONS = (
    option("what WHAT", ", ".join(DRAWN), choices=DRAWN),
    option("files MODEL [FILE]", "a model and sentences; for graph a kind of model", nargs="+"),
    option("-o --output FILE", "the picture (default: WHAT.svg); - is standard output"),
    parsing.SENTENCE,
    parsing.NUMBER,
    option("--nbest N", "paths of a trellis (default: 1)", whole(1), default=1),
    option("--most N", "at most so many labels", whole(1)),
    option("--as", "how moves are drawn", dest="form", choices=("graph", "table")),
    option("--plates", "a graph with frames and parameters"),
    parsing.GOLD,
    option("--theme", _THEME, choices=("auto", "light", "dark"), default="auto"),
    option("--json", "what was drawn, as JSON"),
    parsing.THREADS,
    parsing.READING,
)
