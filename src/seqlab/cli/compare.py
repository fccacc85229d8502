"""`seqlab compare`: several models on the same sentences."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from seqlab.cli import kinds, parsing
from seqlab.errors import OptionError

if TYPE_CHECKING:
    from seqlab.cli.command import Subparsers
    from seqlab.cli.progress import Silent
    from seqlab.corpus import Corpus
    from seqlab.tuning import Comparison

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


def add_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """The arguments of the command."""
    parser = parsing.add_command(subparsers, "compare", "TRAIN TEST", DESCRIPTION, EXAMPLES)
    parser.add_argument("train", metavar="TRAIN", help="labelled sentences to learn from")
    parser.add_argument("test", metavar="TEST", help="labelled sentences to try the models on")
    parser.add_argument(
        "--models",
        "-m",
        type=_models,
        default=USUAL,
        metavar="NAMES",
        help=f"of {', '.join(kinds.KINDS)} (default: {USUAL})",
    )
    parser.add_argument("--label", "-l", metavar="COLUMN", help="the column to learn (default: the last one)")
    parser.add_argument("--features", metavar="WHAT", help="as for seqlab train")
    parser.add_argument(
        "--constraints", metavar="SCHEME", help="a tag scheme to obey; auto looks at the labels"
    )
    parser.add_argument("--iterations", "-i", type=parsing.whole(1), metavar="N", help="at most so many")
    parser.add_argument(
        "--metric",
        choices=("accuracy", "span_f1", "sentence_accuracy"),
        metavar="NAME",
        help="which is best: accuracy, span_f1 or sentence_accuracy",
    )
    parser.add_argument(
        "--bootstrap", type=parsing.whole(0), default=1000, metavar="N", help="for intervals (default: 1000)"
    )
    parser.add_argument("--seed", type=parsing.whole(0), default=0, metavar="N", help="for what chance draws")
    parser.add_argument("--html", metavar="FILE", help="the table as a page, too")
    parser.add_argument("-q", "--quiet", action="store_true", help="the table only, no progress")
    parsing.add_json(parser)
    parsing.add_threads(parser)
    parsing.add_reading(parser)
    return parser


def _models(text: str) -> list[str]:
    from difflib import get_close_matches

    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in kinds.KINDS:
            near = get_close_matches(name, list(kinds.KINDS), n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(kinds.KINDS)}{hint}")
    if not names:
        raise argparse.ArgumentTypeError("names with commas between them are wanted, as hmm,crf")
    return list(dict.fromkeys(names))


def run(arguments: argparse.Namespace) -> None:
    """Train, try, print."""
    from seqlab.cli.progress import training_progress

    with training_progress(quiet=arguments.quiet, json=arguments.json) as screen:
        found = _compared(arguments, screen)
    if arguments.html:
        found.html(arguments.html, title=f"Models on {arguments.test}")
    print(found.json() if arguments.json else found.text())


def _compared(arguments: argparse.Namespace, screen: Silent) -> Comparison:
    from seqlab import compare
    from seqlab.cli.inputs import dev_label, label_column, placed, read_corpora
    from seqlab.cli.train_report import corpus_facts, labels_line

    reading = parsing.reading_of(arguments)
    screen.step("reading")
    train = read_corpora([arguments.train], reading)
    label = label_column(train, arguments.label)
    test = read_corpora([arguments.test], reading)
    dev_label(test, label)
    models = {name: _model(arguments, name, train, label) for name in arguments.models}
    for what, corpus in (("train", train), ("test", test)):
        screen.line(f"{what:<10}{corpus.name}\n          {corpus_facts(corpus)['text']}")
    screen.line(f"labels    {labels_line(train, label)}\n")

    def announce(name: str, number: int, count: int) -> None:
        if number == 0:
            screen.step(f"training {name}", count)
        else:
            screen.advance(1, f"training {name}")

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
            on_model=announce,
        )


def _model(arguments: argparse.Namespace, name: str, train: Corpus, label: str) -> Any:
    """The model of that name; what means nothing to it is not said to it."""
    import seqlab

    kind = kinds.KINDS[name]
    known = getattr(seqlab, kind.tagger)._option_names()
    constraints = kinds.constraints_of(arguments.constraints, train, label)
    settings = argparse.Namespace(
        model=name,
        param=None,
        order=None,
        min_count=None,
        seed=arguments.seed if "seed" in known else None,
        threads=arguments.threads if "threads" in known else None,
        learner=None,
        l1=None,
        l2=None,
        iterations=arguments.iterations if kind.learners else None,
    )
    features: Any = ...
    if "features" in known:
        features, _ = kinds.features_of(arguments.features, train, label)
    if constraints is not None and "constraints" not in known:
        raise OptionError(f"--constraints means nothing to the model {name}; leave it out of --models")
    return kinds.tagger_of(settings, features, constraints)
