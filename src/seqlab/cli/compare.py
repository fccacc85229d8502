"""`seqlab compare`: train and score several models on the same sentences."""

from __future__ import annotations

import argparse
from typing import Any

import seqlab
from seqlab.cli import kinds, parsing
from seqlab.cli.parsing import none_of, option, whole
from seqlab.cli.reading.corpora import placed, read_training
from seqlab.cli.terminal import training_progress
from seqlab.errors import OptionError

USAGE = "TRAIN TEST"
DESCRIPTION = """\
Train several models on TRAIN, try them on TEST, and print the table that every textbook has:
accuracy, accuracy on words that training has not seen, F1 of spans where labels are tags,
with 95 % confidence intervals; training time, speed, and size of the model file.

Stars mark models that are significantly worse than the best one (approximate
randomisation over sentences)."""

EXAMPLES = """\
seqlab compare train.txt dev.txt --models baseline,hmm,memm,perceptron,crf
seqlab compare demo:train demo:test -l pos --models hmm,crf --html table.html
seqlab compare train.txt dev.txt --features mine.txt --constraints IOB2 --json"""

USUAL = "baseline,hmm,memm,perceptron,crf"


def _models(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name in kinds.KINDS and name not in kinds.TAGGERS:
            raise argparse.ArgumentTypeError(f"{name} labels no sentences; seqlab score compares such models")
        if name not in kinds.TAGGERS:
            raise argparse.ArgumentTypeError(none_of(name, kinds.TAGGERS))
    if not names:
        raise argparse.ArgumentTypeError("names with commas between them are wanted, as hmm,crf")
    return list(dict.fromkeys(names))


OPTIONS = (
    option("train TRAIN", "labelled sentences to learn from", nargs=1, reads=True),
    option("test TEST", "labelled sentences to try the models on", nargs=1, reads=True),
    option("--models -m NAMES", f"of {', '.join(kinds.TAGGERS)} (default: {USUAL})", _models, default=USUAL),
    parsing.LEARNED,
    *parsing.FEATURES,
    parsing.CLASSIFIER,
    parsing.GENERATOR,
    parsing.ITERATIONS,
    parsing.metric("which is best"),
    option("--bootstrap N", "for intervals (default: 1000)", whole(0), default=1000),
    parsing.SEED,
    option("--html FILE", "the table as a page, too", writes="page"),
    option("-q --quiet", "the table only: no progress, no warnings"),
    *parsing.ENDING,
)


def run(arguments: argparse.Namespace) -> None:
    """Train, score, print."""
    from seqlab import compare

    with training_progress(quiet=arguments.quiet, json=arguments.json) as screen:
        screen.step("reading")
        said: list[str] = []  # printed once the models are made
        train, test, label = read_training(arguments, arguments.train, "test", said.append)
        models = {name: _model(arguments, name, train, label) for name in arguments.models}
        screen.line("\n".join([*said, ""]))
        chosen = {name: getattr(arguments, name) for name in ("metric", "bootstrap", "seed", "threads")}
        with placed(train):
            announce = screen.announcer("training {}")
            found = compare(train, test, models, label, **chosen, on_model=announce)
    if arguments.html:
        found.html(arguments.html, title=f"Models on {arguments.test[0]}")
    print(found.json() if arguments.json else found.text())


def _model(arguments: argparse.Namespace, name: str, train: seqlab.Corpus, label: str) -> Any:
    """Make the model of that name, without the options that it does not have."""
    kind = kinds.KINDS[name]
    if "constraints" not in kind.options and kinds.constraints_of(arguments.constraints, train, label):
        raise OptionError(f"--constraints means nothing to the model {name}; leave it out of --models")
    known = {*kind.options, *(["iterations"] if kind.learners else [])}
    known -= {"features"} if name == "rerank" else set()
    wanted = ("features", "constraints", "seed", "threads", "iterations")
    said = {option: getattr(arguments, option) if option in known else None for option in wanted}
    said |= {
        flag: getattr(arguments, flag) if flag in kind.own else None for flag in ("classifier", "generator")
    }
    return kinds.tagger_of(argparse.Namespace(model=name, **said), train, label)[0]
