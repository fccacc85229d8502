"""`seqlab eval`: how good a model is, or the labels in a file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from seqlab.cli import options as shared
from seqlab.cli.parsing import add, whole
from seqlab.errors import CorpusError, OptionError

if TYPE_CHECKING:
    from seqlab.corpus import Corpus
    from seqlab.evaluation import Report

USAGE = "[MODEL] FILE ..."
DESCRIPTION = """\
How good labels are: by token, by sentence, and by span where labels are tags such as B-NP.

With a model: it labels the files, and the column that it was trained on has the right
labels. Without one: the last two columns hold the right and the predicted labels, as
`seqlab tag` writes them and conlleval reads them."""

EXAMPLES = """\
seqlab eval chunks.model test.txt
seqlab eval chunks.model test.txt --bootstrap 1000 --html report.html
seqlab tag chunks.model test.txt | seqlab eval -
seqlab eval tagged.txt --train train.txt
seqlab eval a.model test.txt --against b.model"""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "files [MODEL] FILE", "a model and labelled sentences, or these alone", nargs="+")
    add(parser, "--label -l COLUMN", shared.GOLD)
    add(parser, "--predicted COLUMN", "the predicted ones, without a model (default: the last)")
    add(parser, "--train FILE", "without a model: what it was trained on, for unseen words")
    add(parser, "--against MODEL", "another model: is the difference more than luck?")
    shared.metric(parser, "of --against")
    add(parser, "--scheme NAME", shared.SCHEME)
    add(parser, "--strict", "spans with invalid labels are dropped, not kept as by conlleval")
    bootstrap = "confidence intervals by drawing the sentences anew N times"
    add(parser, "--bootstrap N", bootstrap, whole(0), default=0)
    shared.seed(parser, "for what is drawn by chance")
    add(parser, "--html FILE", "also a page with tables and the worst sentences")
    shared.json(parser)
    shared.threads(parser)
    shared.reading(parser)


def run(arguments: argparse.Namespace) -> None:
    """Compare and print."""
    from seqlab.cli.models import is_model
    from seqlab.cli.terminal.printing import print_json

    if is_model(arguments.files[0]):
        report, more = _of_model(arguments)
    else:
        for flag in ("against", "metric"):
            if getattr(arguments, flag):
                raise OptionError(
                    f"--{flag} needs a model before the file, found the file {arguments.files[0]!r}"
                )
        report, more = _of_columns(arguments), None
    if arguments.html:
        report.html(arguments.html, title=f"Evaluation of {' '.join(arguments.files)}")
    if arguments.json:
        print_json({**report.to_dict(), **({} if more is None else {"significance": more[1]})})
        return
    print(report.text())
    if more is not None:
        print(f"\n{more[0]}")


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    options: dict[str, Any] = {"bootstrap": arguments.bootstrap, "seed": arguments.seed}
    options["repair"] = "strict" if arguments.strict else "conlleval"
    if arguments.scheme is not None:
        options["scheme"] = None if arguments.scheme == "none" else arguments.scheme
    return options


def _of_model(arguments: argparse.Namespace) -> tuple[Report, Any]:
    from seqlab.cli.corpora import tried

    model, *files = arguments.files
    if not files:
        raise OptionError(
            f"{model} is a model; name the file of labelled sentences behind it, or - for standard input"
        )
    for flag in ("predicted", "train"):
        if getattr(arguments, flag):
            raise OptionError(f"--{flag} is for files without a model, but {model} is one")
    tagger, corpus, label = tried(arguments, model, files)
    right = set(corpus.strings(label).compact().values)
    if label != tagger.column_ and corpus.token_count and right.isdisjoint(tagger.labels_):
        raise CorpusError(
            f"{corpus.name}:1: the column {label!r} has no label in common with the model, which gives "
            f"{' '.join(tagger.labels_)!s:.80}; name the column of the right ones with --label"
        )
    report = tagger.evaluate(corpus, label, threads=arguments.threads, **_options(arguments))
    return report, _compared(arguments, corpus, label, tagger) if arguments.against else None


def _compared(arguments: argparse.Namespace, corpus: Corpus, label: str, tagger: Any) -> tuple[str, Any]:
    """Compare two models on the same sentences."""
    from dataclasses import asdict

    from seqlab import significance
    from seqlab.cli.models import load_tagger

    other = load_tagger(arguments.against)
    outputs = [one.predict(corpus, threads=arguments.threads) for one in (tagger, other)]
    metric = arguments.metric or ("span_f1" if any("-" in y for y in tagger.labels_) else "accuracy")
    found = significance(corpus, outputs[0], outputs[1], metric, column=label, seed=arguments.seed)
    return f"a is {arguments.files[0]}, b is {arguments.against}\n{found}", asdict(found)


def _of_columns(arguments: argparse.Namespace) -> Report:
    from seqlab import evaluate
    from seqlab.cli.corpora import read_corpora
    from seqlab.corpus import StringColumn

    corpus = read_corpora(arguments.files, shared.reading_of(arguments))
    strings = [name for name in corpus.columns if isinstance(corpus.data(name), StringColumn)]
    predicted = arguments.predicted or (strings[-1] if strings else None)
    others = [name for name in strings if name != predicted]
    label = arguments.label or (others[-1] if others else None)
    if predicted is None or label is None or len(strings) < 2:
        raise CorpusError(
            f"{corpus.name}:1: a column of right and one of predicted labels are wanted, found the columns "
            f"{' '.join(corpus.columns)}; or name a model before the file"
        )
    if arguments.label is None and arguments.predicted is None:
        _check_alike(corpus, label, predicted)
    known = read_corpora([arguments.train], {}) if arguments.train else None
    words = corpus.column(strings[0]) if strings[0] not in (label, predicted) else None
    if words is None and known is not None:
        raise OptionError("--train needs a column of words beside the two of labels")
    gold, found = corpus.column(label), corpus.column(predicted)
    return evaluate(gold, found, words=words, known=known, **_options(arguments))


def _check_alike(corpus: Corpus, label: str, predicted: str) -> None:
    """Refuse columns without a label in common: hardly the right and the predicted ones of the same task."""
    found = [set(corpus.strings(name).compact().values) for name in (label, predicted)]
    if corpus.token_count and found[0].isdisjoint(found[1]):
        raise CorpusError(
            f"{corpus.name}:1: the last two columns should be the right and the predicted labels, but {label} and "
            f"{predicted} have no label in common; name them with --label and --predicted, or a model before the file"
        )
