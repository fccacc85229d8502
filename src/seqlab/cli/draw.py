"""`seqlab draw`: pictures of sentences, models and their errors."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import seqlab
from seqlab.cli import outputs, parsing
from seqlab.cli.parsing import option, whole
from seqlab.cli.reading import raw
from seqlab.cli.reading.corpora import (
    label_column,
    one_sentence,
    read_corpora,
    string_columns,
    tried,
)
from seqlab.cli.terminal import print_json
from seqlab.errors import CorpusError, OptionError, SeqlabError

USAGE = "WHAT MODEL [FILE]"
DESCRIPTION = """\
Pictures, as SVG, PNG or PDF by the end of the file's name. matplotlib (pip install 'seqlab[plot]')
draws the charts: learning, confusion, reliability, boundary, mixture and tables of moves; and it
writes PNG and PDF.

trellis: the labels of a sentence, best paths and probabilities. tables: the numbers of the
forward, backward and Viterbi algorithms for a sentence. moves: from label to label.
states: a hidden Markov model with its start, moves and emissions.
learning: how training went, of one model or several. confusion: which labels are taken for
which. reliability: how far probabilities can be trusted. boundary: which class a linear
classifier chooses where, learned from a table of two numbers and a class. mixture: Gaussians
of a mixture or of hidden states, over points. graph: a kind of model as textbooks draw it:
markov-chain, naive-bayes, generative, discriminative, mrf (Markov random field), hmm, hmm-2,
memm, memm-whole (sees the whole input), crf, or factorisations."""

EXAMPLES = """\
seqlab draw trellis pos.model -s "The old man the boats ." -o boats.svg
seqlab draw tables pos.model -s "The old man the boats ." --table viterbi
seqlab draw moves chunks.model --as table
seqlab draw learning a.model b.model
seqlab draw confusion pos.model test.txt --most 10
seqlab draw reliability pos.model test.txt
seqlab draw states hmm.model --top 12
seqlab draw boundary points.csv --classifier LinearSVC --classifier Perceptron
seqlab draw mixture gauss.model points.csv
seqlab draw graph hmm --plates -o hmm.svg
seqlab draw graph mrf --length 3"""


MOST_FILES = {"trellis": 2, "tables": 2, "moves": 1, "states": 1, "boundary": 1, "mixture": 2, "graph": 1}
USED = {  # options of each picture, besides those of all pictures
    "trellis": ("sentence", "number", "raw", "layer", "nbest", "most", *parsing.READ),
    "tables": ("sentence", "number", "raw", "layer", "most", "table", "logs", *parsing.READ),
    "moves": ("most", "top", "form"),
    "learning": (),
    "confusion": ("most", "label", "threads", *parsing.READ),
    "reliability": ("label", "threads", *parsing.READ),
    "states": ("most", "top"),
    "boundary": ("classifiers", "label", *parsing.READ),
    "mixture": ("numbers", *parsing.READ),
    "graph": ("plates", "length"),
}
DRAWN = tuple(USED)


def _numbers(text: str) -> list[int]:
    """Parse column numbers, as in 0,1."""
    parts = text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(
            f"one or two whole numbers from 0 are wanted, as 0,1; got {text!r:.40}"
        )
    return [int(part) for part in parts]


_THEME = "colours (default: what the reader's screen prefers)"
OPTIONS = (
    option("what WHAT", ", ".join(DRAWN), choices=DRAWN),
    option(
        "files MODEL [FILE]",
        "a model and sentences or points; for boundary points alone, for graph a kind of model",
        nargs="+",
        reads=True,
    ),
    option("-o --output FILE", "the picture (default: WHAT.svg); - is standard output", writes="picture"),
    parsing.SENTENCE,
    parsing.NUMBER,
    raw.RAW,
    raw.LAYER,
    option("--nbest N", "paths of a trellis (default: 1)", whole(1)),
    option("--most N", "largest number of labels or states", whole(1)),
    option("--table", "one table alone", choices=("forward", "backward", "viterbi")),
    option("--logs", "tables of logs"),
    option("--top N", "of moves, only the N with the largest numbers", whole(1)),
    option("--as", "how moves are drawn", dest="form", choices=("graph", "table")),
    option("--plates", "a graph with frames and parameters"),
    option("--length N", "tokens of a graph, 2 to 8 (default: 4)", whole(2)),
    option(
        "--classifier NAME",
        "of boundary: scikit-learn's, by name (default: LinearSVC); several are compared",
        action="append",
        dest="classifiers",
    ),
    option("--numbers I,J", "of a mixture: one or two numbers of its vectors, from 0", _numbers),
    parsing.GOLD,
    option("--theme", _THEME, choices=("auto", "light", "dark"), default="auto"),
    option("--json", "what was drawn, as JSON"),
    parsing.THREADS,
    parsing.READING,
)


def run(arguments: argparse.Namespace) -> None:
    """Draw a picture and write it."""
    if arguments.output is None:
        arguments.output = f"{arguments.what}.svg"
        outputs.check(arguments)
    picture, target = _picture(arguments), arguments.output
    if target == "-":
        if arguments.json:
            raise OptionError(
                "-o - and --json would both write to standard output; name a file for the picture"
            )
        sys.stdout.write(picture.svg(theme=arguments.theme))
        return
    picture.save(target, theme=arguments.theme)
    if arguments.json:
        facts = {name: getattr(picture, name) for name in ("title", "width", "height")}
        print_json({"picture": target, **facts})
    else:
        print(f"wrote {target}: {picture.title}")


def _picture(arguments: argparse.Namespace) -> seqlab.draw.Picture:
    """Draw the picture of the chosen kind from its files."""
    what, (model, *files) = arguments.what, arguments.files
    unused = {name for names in USED.values() for name in names} - {*USED[what]}
    parsing.refuse(arguments, sorted(unused), f"means nothing to a picture of {what}")
    unwanted = arguments.files[MOST_FILES.get(what, len(arguments.files)) :]
    if unwanted:
        raise OptionError(f"{what} does not take {' '.join(unwanted)}")
    return _DRAW[what](arguments, model, files)


def _graph(arguments: argparse.Namespace, model: str, files: list[str]) -> seqlab.draw.Picture:  # noqa: ARG001
    return seqlab.draw.graphical_model_picture(model, plates=arguments.plates, length=arguments.length or 4)


def _moves(arguments: argparse.Namespace, model: str, files: list[str]) -> seqlab.draw.Picture:  # noqa: ARG001
    limits = {"most": arguments.most, "top": arguments.top}
    return seqlab.draw.transition_picture(seqlab.load(model), kind=arguments.form, **limits)


def _states(arguments: argparse.Namespace, model: str, files: list[str]) -> seqlab.draw.Picture:  # noqa: ARG001
    return seqlab.draw.state_diagram(seqlab.load(model), most=arguments.most or 9, top=arguments.top)


def _learning(arguments: argparse.Namespace, model: str, files: list[str]) -> seqlab.draw.Picture:
    return seqlab.draw.learning_picture(
        {name: seqlab.load(name) for name in arguments.files} if files else seqlab.load(model)
    )


def _trellis(arguments: argparse.Namespace, model: str, files: list[str]) -> seqlab.draw.Picture:
    """Draw the trellis of a sentence, or the tables of the algorithms."""
    tagger, pipe = raw.loaded(model, arguments, chain=True)
    arguments.file = files[0] if files else None
    sentence, words = raw.one_raw_sentence(arguments, pipe) if pipe else one_sentence(arguments, tagger)
    positions = max(16, len(words))
    if arguments.what == "tables":
        return seqlab.draw.tables_picture(
            tagger.trellis(sentence),
            words,
            tables=arguments.table or ("forward", "backward", "viterbi"),
            logs=arguments.logs or None,
            max_states=arguments.most or 12,
            max_positions=positions,
        )
    return seqlab.draw.trellis_picture(
        tagger.trellis(sentence),
        words,
        nbest=arguments.nbest or 1,
        posterior=tagger._probabilistic,
        max_labels=arguments.most,
        max_positions=positions,
    )


def _judged(arguments: argparse.Namespace, model: str, files: list[str]) -> seqlab.draw.Picture:
    """Draw the confusion matrix of a model, or the calibration of its probabilities."""
    what = arguments.what
    if not files:
        raise OptionError(f"{what} needs labelled sentences: name their file behind {model}")
    tagger, corpus, label = tried(arguments, model, files, chain=what == "reliability")
    if what == "confusion":
        report = tagger.evaluate(corpus, label, threads=arguments.threads)
        return seqlab.draw.confusion_picture(report, most=arguments.most or 12)
    found = tagger.predict_proba(corpus, threads=arguments.threads)
    return seqlab.draw.reliability_picture(found, corpus.column(label), tagger.labels_)


def _boundary(arguments: argparse.Namespace, file: str, files: list[str]) -> seqlab.draw.Picture:  # noqa: ARG001
    """Train classifiers on the points of a file, and draw their decision boundaries."""
    import itertools

    from seqlab.cli.kinds.parts import classifier_of

    names = arguments.classifiers or ["LinearSVC"]
    corpus = read_corpora([file], parsing.reading_of(arguments))
    points = _points(corpus)
    if string_columns(corpus) or arguments.label is not None:
        label = label_column(corpus, arguments.label)
        classes = list(itertools.chain(*corpus.column(label)))
    elif points.shape[1] == 3 and (points[:, 2] == points[:, 2].round()).all():
        points, classes = points[:, :2], [str(int(one)) for one in points[:, 2]]
    else:
        raise CorpusError(f"{corpus.name}:1: a table of two numbers and a class in every row is wanted")
    if None in classes:
        raise CorpusError(f"{corpus.name}: {classes.count(None)} points have no class")
    if points.shape[1] != 2 or len(set(classes)) < 2:
        raise CorpusError(
            f"{corpus.name}: two numbers a row and two classes at least are wanted, found {points.shape[1]} numbers "
            f"and {len(set(classes))} classes"
        )
    try:
        fitted = {name: classifier_of(name).fit(points, classes) for name in names}
    except ValueError as error:  # raised by scikit-learn, for missing numbers among others
        if isinstance(error, SeqlabError):
            raise
        raise OptionError(f"{', '.join(names)} cannot learn from {corpus.name}: {error}") from error
    return seqlab.draw.boundary_picture(fitted, points, classes)


def _mixture(arguments: argparse.Namespace, model: str, files: list[str]) -> seqlab.draw.Picture:
    """Draw the Gaussians of a model, over the points of a file."""
    corpus = read_corpora(files, parsing.reading_of(arguments)) if files else None
    sequences = None if corpus is None else _sequences(corpus)
    return seqlab.draw.mixture_picture(seqlab.load(model), sequences, columns=arguments.numbers)


def _points(corpus: seqlab.Corpus) -> Any:
    import numpy as np

    return np.concatenate(_sequences(corpus))


def _sequences(corpus: seqlab.Corpus) -> list[Any]:
    """Return the vectors of each sentence, as arrays."""
    from seqlab.corpus.columns import VectorColumn

    found = [name for name in corpus.columns if isinstance(corpus.data(name), VectorColumn)]
    if not found or not corpus.token_count:
        raise CorpusError(
            f"{corpus.name}:1: numbers are wanted, in a table (.csv, .tsv) or an array (.npy, .npz); "
            f"the columns are {', '.join(corpus.columns)}"
        )
    return [vectors for vectors in corpus.column(found[0]) if len(vectors)]


_DRAW: dict[str, Callable[[argparse.Namespace, str, list[str]], seqlab.draw.Picture]] = {
    "trellis": _trellis,
    "tables": _trellis,
    "moves": _moves,
    "states": _states,
    "learning": _learning,
    "confusion": _judged,
    "reliability": _judged,
    "boundary": _boundary,
    "mixture": _mixture,
    "graph": _graph,
}
