"""`seqlab draw`: pictures of sentences, models and their errors."""

from __future__ import annotations

import argparse
import sys

import seqlab
from seqlab.cli import outputs, parsing
from seqlab.cli.corpora import load_tagger, one_sentence, tried
from seqlab.cli.parsing import option, whole
from seqlab.cli.terminal import print_json
from seqlab.errors import OptionError

USAGE = "WHAT MODEL [FILE]"
DESCRIPTION = """\
Pictures, as SVG, PNG or PDF by the end of the file's name. matplotlib (pip install 'seqlab[plot]')
draws the charts: learning, confusion, reliability and tables; and it writes PNG and PDF.

trellis: the labels of a sentence, best paths and probabilities. tables: the numbers of the
forward, backward and Viterbi algorithms for a sentence. moves: from label to label.
learning: how training went, of one model or several. confusion: which labels are taken for
which. reliability: how far probabilities can be trusted. graph: a kind of model as textbooks
draw it: markov-chain, naive-bayes, hmm, hmm-2, memm or crf."""

EXAMPLES = """\
seqlab draw trellis pos.model -s "The old man the boats ." -o boats.svg
seqlab draw tables pos.model -s "The old man the boats ." --table viterbi
seqlab draw moves chunks.model --as table
seqlab draw learning a.model b.model
seqlab draw confusion pos.model test.txt --most 10
seqlab draw reliability pos.model test.txt
seqlab draw graph hmm --plates -o hmm.svg"""


DRAWN = ("trellis", "tables", "moves", "learning", "confusion", "reliability", "graph")
MOST_FILES = {"trellis": 2, "tables": 2, "moves": 1, "graph": 1}  # a model, and a corpus for some
USED = {  # options beside those that every picture has
    "trellis": ("sentence", "number", "nbest", "most", *parsing.READ),
    "tables": ("sentence", "number", "most", "table", "logs", *parsing.READ),
    "moves": ("most", "top", "form"),
    "learning": (),
    "confusion": ("most", "label", "threads", *parsing.READ),
    "reliability": ("label", "threads", *parsing.READ),
    "graph": ("plates",),
}
_THEME = "colours (default: what the reader's screen prefers)"
OPTIONS = (
    option("what WHAT", ", ".join(DRAWN), choices=DRAWN),
    option("files MODEL [FILE]", "a model and sentences; for graph a kind of model", nargs="+", reads=True),
    option("-o --output FILE", "the picture (default: WHAT.svg); - is standard output", writes="picture"),
    parsing.SENTENCE,
    parsing.NUMBER,
    option("--nbest N", "paths of a trellis (default: 1)", whole(1)),
    option("--most N", "at most so many labels", whole(1)),
    option("--table", "one table alone", choices=("forward", "backward", "viterbi")),
    option("--logs", "tables of logs"),
    option("--top N", "of moves, only the N with the largest numbers", whole(1)),
    option("--as", "how moves are drawn", dest="form", choices=("graph", "table")),
    option("--plates", "a graph with frames and parameters"),
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
    from seqlab import draw
    from seqlab.families import load

    what, (model, *files) = arguments.what, arguments.files
    unused = {name for names in USED.values() for name in names} - {*USED[what]}
    parsing.refuse(arguments, sorted(unused), f"means nothing to a picture of {what}")
    unwanted = arguments.files[MOST_FILES.get(what, len(arguments.files)) :]
    if unwanted:
        raise OptionError(f"{what} does not take {' '.join(unwanted)}")
    if what == "graph":
        return draw.graphical_model_picture(model, plates=arguments.plates)
    if what == "moves":
        limits = {"most": arguments.most, "top": arguments.top}
        return draw.transition_picture(load(model), kind=arguments.form, **limits)
    if what == "learning":
        return draw.learning_picture({name: load(name) for name in arguments.files} if files else load(model))
    if what in {"trellis", "tables"}:
        tagger = load_tagger(model, chain=True)
        arguments.file = files[0] if files else None
        sentence, words = one_sentence(arguments, tagger)
        if what == "tables":
            return draw.tables_picture(
                tagger.trellis(sentence),
                words,
                tables=arguments.table or ("forward", "backward", "viterbi"),
                logs=arguments.logs or None,
                max_states=arguments.most or 12,
                max_positions=max(16, len(words)),
            )
        return draw.trellis_picture(
            tagger.trellis(sentence),
            words,
            nbest=arguments.nbest or 1,
            posterior=tagger._probabilistic,
            max_labels=arguments.most,
            max_positions=max(16, len(words)),
        )
    if not files:
        raise OptionError(f"{what} needs labelled sentences: name their file behind {model}")
    tagger, corpus, label = tried(arguments, model, files, chain=what == "reliability")
    if what == "confusion":
        report = tagger.evaluate(corpus, label, threads=arguments.threads)
        return draw.confusion_picture(report, most=arguments.most or 12)
    found = tagger.predict_proba(corpus, threads=arguments.threads)
    return draw.reliability_picture(found, corpus.column(label), tagger.labels_)
