"""`seqlab compare`: several models on the same sentences."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from seqlab.cli import kinds
from seqlab.cli import options as shared
from seqlab.cli.parsing import add, none_of, whole
from seqlab.errors import OptionError

if TYPE_CHECKING:
    from seqlab.cli.terminal.progress import Silent
    from seqlab.corpus import Corpus
    from seqlab.tuning import Comparison

USAGE = "TRAIN TEST"
DESCRIPTION = """\
Train several models on TRAIN, try them on TEST, and print the table that every textbook has:
accuracy, accuracy on words that training has not seen, F1 of spans where labels are tags,
with 95 % confidence intervals; training time, speed, and size of the model file.

Stars mark models that are worse than the best one by more than luck (approximate
randomisation over sentences)."""

EXAMPLES = """\
seqlab compare train.txt dev.txt --models baseline,hmm,memm,perceptron,crf
seqlab compare demo:train demo:test -l pos --models hmm,crf --html table.html
seqlab compare train.txt dev.txt --features mine.txt --constraints IOB2 --json"""

USUAL = "baseline,hmm,memm,perceptron,crf"


def options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "train TRAIN", "labelled sentences to learn from")
    add(parser, "test TEST", "labelled sentences to try the models on")
    add(
        parser, "--models -m NAMES", f"of {', '.join(kinds.KINDS)} (default: {USUAL})", _models, default=USUAL
    )
    shared.learned_label(parser)
    shared.features(parser)
    shared.iterations(parser)
    shared.metric(parser, "which is best")
    add(parser, "--bootstrap N", "for intervals (default: 1000)", whole(0), default=1000)
    shared.seed(parser)
    add(parser, "--html FILE", "the table as a page, too")
    add(parser, "-q --quiet", "the table only, no progress")
    shared.json(parser)
    shared.threads(parser)
    shared.reading(parser)


def _models(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in kinds.KINDS:
            raise argparse.ArgumentTypeError(none_of(name, kinds.KINDS))
    if not names:
        raise argparse.ArgumentTypeError("names with commas between them are wanted, as hmm,crf")
    return list(dict.fromkeys(names))


def run(arguments: argparse.Namespace) -> None:
    """Train, try, print."""
    from seqlab.cli.terminal.progress import training_progress

    with training_progress(quiet=arguments.quiet, json=arguments.json) as screen:
        found = _compared(arguments, screen)
    if arguments.html:
        found.html(arguments.html, title=f"Models on {arguments.test}")
    print(found.json() if arguments.json else found.text())


def _compared(arguments: argparse.Namespace, screen: Silent) -> Comparison:
    from seqlab import compare
    from seqlab.cli.corpora import placed, read_training

    screen.step("reading")
    said: list[str] = []  # when the models are there
    train, test, label = read_training(arguments, [arguments.train], "test", [arguments.test], said.append)
    models = {name: _model(arguments, name, train, label) for name in arguments.models}
    for line in said:
        screen.line(line)
    screen.line("")
    with placed(train):
        return compare(
            train,
            test,
            models,
            label,
            metric=arguments.metric,
            bootstrap=arguments.bootstrap,
            seed=arguments.seed,
            threads=arguments.threads,
            on_model=screen.announcer("training {}"),
        )


def _model(arguments: argparse.Namespace, name: str, train: Corpus, label: str) -> Any:
    """Make the model of that name; what means nothing to it is not said to it."""
    kind = kinds.KINDS[name]
    if "constraints" not in kind.options and kinds.constraints_of(arguments.constraints, train, label):
        raise OptionError(f"--constraints means nothing to the model {name}; leave it out of --models")
    known = {*kind.options, *(["iterations"] if kind.learners else [])}
    wanted = ("features", "constraints", "seed", "threads", "iterations")
    said = {option: getattr(arguments, option) if option in known else None for option in wanted}
    return kinds.tagger_of(argparse.Namespace(model=name, **said), train, label)[0]
