"""`seqlab eval`: evaluate a model, or the labels in a file."""

from __future__ import annotations

import argparse
from typing import Any

import seqlab
from seqlab.cli import parsing
from seqlab.cli.parsing import option, whole
from seqlab.cli.reading import documents, raw
from seqlab.cli.reading.corpora import (
    is_model,
    load_model,
    load_tagger,
    read_corpora,
    refuse_swapped,
    string_columns,
    tried,
    values_in,
)
from seqlab.cli.terminal import print_json
from seqlab.errors import CorpusError, OptionError

USAGE = "[MODEL] FILE ..."
DESCRIPTION = """\
How good labels are: by token, by sentence, and by span where labels are tags such as B-NP.

With a model: it labels the files, and the column that it was trained on has the right
labels. Without one: the last two columns hold the right and the predicted labels, as
`seqlab tag` writes them and conlleval reads them.

With --raw, or with a model that has a tokeniser, the whole way from raw text: tokens, words,
sentences and labels at their right places, as in the CoNLL 2018 shared task. The text is that
of CoNLL-U; words of other files are written as people do, without blanks before commas.

Files of annotation tools (doccano, prodigy, labelstudio, brat, webanno) have texts: a model
labels them, or a second file has the predicted spans. Spans are compared by their places in the four
ways of SemEval 2013: strict, exact (begin and end), partial, type."""

EXAMPLES = """\
seqlab eval chunks.model test.txt
seqlab eval chunks.model test.txt --bootstrap 1000 --html report.html
seqlab tag chunks.model test.txt | seqlab eval -
seqlab eval tagged.txt --train train.txt
seqlab eval a.model test.txt --against b.model
seqlab eval english.model test.conllu --raw
seqlab eval names.model letters.jsonl
seqlab eval gold.jsonl predicted.jsonl --format doccano"""


OPTIONS = (
    option("files [MODEL] FILE", "a model and labelled sentences, or these alone", nargs="+", reads=True),
    raw.RAW,
    parsing.GOLD,
    option("--predicted COLUMN", "the predicted ones, without a model (default: the last)"),
    option("--train FILE", "without a model: what it was trained on, for unseen words", reads=True),
    option("--against MODEL", "another model: is the difference significant?", reads=True),
    parsing.metric("of --against"),
    parsing.SCHEME,
    option("--strict", "spans with invalid labels are dropped, not kept as by conlleval"),
    option(
        "--bootstrap N", "confidence intervals by drawing the sentences anew N times", whole(0), default=0
    ),
    option("--seed N", "of random numbers", whole(0), default=0),
    option("--html FILE", "also a page with tables and the worst sentences", writes="page"),
    *parsing.ENDING,
)


def run(arguments: argparse.Namespace) -> None:
    """Evaluate and print."""
    from dataclasses import asdict  # slow to import

    options: dict[str, Any] = {"bootstrap": arguments.bootstrap, "seed": arguments.seed}
    options["repair"] = "strict" if arguments.strict else "conlleval"
    if arguments.scheme is not None:
        options["scheme"] = None if arguments.scheme == "none" else arguments.scheme
    refuse_swapped("eval", arguments.files[0], arguments.files[1:])
    judge = _of_model if is_model(arguments.files[0]) else _of_columns
    found = _of_text(arguments) if judge is _of_model or arguments.raw else _of_texts(arguments)
    if found:
        told = {key: value for one in found for key, value in one.to_dict().items()}
        print_json(told) if arguments.json else print("\n\n".join(one.text() for one in found))
        return
    report, more = judge(arguments, options)
    if arguments.html:
        report.html(arguments.html, title=f"Evaluation of {' '.join(arguments.files)}")
    if arguments.json:
        print_json(report.to_dict() | ({} if more is None else {"significance": asdict(more)}))
        return
    print(report.text())
    if more is not None:
        print(f"\na is {arguments.files[0]}, b is {arguments.against}\n{more}")


UNUSED = ("label", "predicted", "train", "against", "metric", "scheme", "strict", "bootstrap", "html")


def _of_texts(arguments: argparse.Namespace) -> list[Any]:
    """Compare the spans of two files of texts with places; nothing for other files."""
    if not documents.are_documents(arguments.files, arguments.format):
        return []
    if len(arguments.files) != 2:
        raise OptionError(
            f"two files of texts are compared, the right one first, or a model and files; got {len(arguments.files)}"
        )
    _refuse_unused(arguments)
    return [documents.compared(arguments, None)]


def _refuse_unused(arguments: argparse.Namespace) -> None:
    given = [flag for flag in UNUSED if getattr(arguments, flag)]
    parsing.refuse(arguments, given, "has no meaning for raw text")


def _of_text(arguments: argparse.Namespace) -> list[Any]:
    """Evaluate tokens, sentences, labels and spans of raw text; nothing for a tagger of sentences of tokens."""
    from seqlab.cli.kinds.tokeniser import documents_of
    from seqlab.evaluation import score_segmentation

    name, *files = arguments.files
    model = load_model(name)
    placed = documents.are_documents(files, arguments.format)
    pipe = raw.pipeline_in(model, raw=arguments.raw or placed)
    if pipe is None:
        return []
    if not files:
        raise OptionError(f"{name} is a model; name a file of texts whose tokens are known behind it")
    _refuse_unused(arguments)
    if placed:
        return [documents.compared(arguments, pipe)]
    gold = documents_of(arguments, files, labels=pipe.names)
    return [score_segmentation(gold, pipe.many([one.text for one in gold], threads=arguments.threads))]


def _of_model(arguments: argparse.Namespace, options: dict[str, Any]) -> tuple[seqlab.Report, Any]:
    """Evaluate a model on labelled files, and test its difference from another one."""
    from seqlab import significance

    model, *files = arguments.files
    if not files:
        raise OptionError(
            f"{model} is a model; name the file of labelled sentences behind it, or - for standard input"
        )
    parsing.refuse(arguments, ("predicted", "train"), f"is for files without a model, but {model} is one")
    if not arguments.against:
        parsing.refuse(arguments, ["metric"], "is for --against, which was not given")
    tagger, corpus, label = tried(arguments, model, files)
    strange = values_in(corpus, label).isdisjoint(tagger.labels_)
    if label != tagger.column_ and corpus.token_count and strange:
        raise CorpusError(
            f"{corpus.name}:1: the column {label!r} has no label in common with the model, which gives "
            f"{' '.join(tagger.labels_)!s:.80}; name the column of the right ones with --label"
        )
    report = tagger.evaluate(corpus, label, threads=arguments.threads, **options)
    if not arguments.against:
        return report, None
    one, other = (
        m.predict(corpus, threads=arguments.threads) for m in (tagger, load_tagger(arguments.against))
    )
    metric = arguments.metric or ("span_f1" if any("-" in y for y in tagger.labels_) else "accuracy")
    return report, significance(corpus, one, other, metric, column=label, seed=arguments.seed)


def _of_columns(arguments: argparse.Namespace, options: dict[str, Any]) -> tuple[seqlab.Report, None]:
    """Evaluate the labels in one column against those in another."""
    from seqlab import evaluate

    why = f"needs a model before the file, found the file {arguments.files[0]!r}"
    parsing.refuse(arguments, ("against", "metric"), why)
    corpus = read_corpora(arguments.files, parsing.reading_of(arguments))
    strings = string_columns(corpus)
    predicted = arguments.predicted or (strings[-1] if strings else None)
    others = [name for name in strings if name != predicted]
    label = arguments.label or (others[-1] if others else None)
    if predicted is None or label is None or len(strings) < 2:
        raise CorpusError(
            f"{corpus.name}:1: a column of right and one of predicted labels are wanted, found the columns "
            f"{' '.join(corpus.columns)}; or name a model before the file"
        )
    if arguments.label is None and arguments.predicted is None:
        strange = values_in(corpus, label).isdisjoint(values_in(corpus, predicted))
        if corpus.token_count and strange:  # probably labels of different tasks
            raise CorpusError(
                f"{corpus.name}:1: the last two columns should be the right and the predicted labels, but {label} and "
                f"{predicted} have no label in common; name them with --label and --predicted, or a model before the "
                f"file"
            )
    known = read_corpora([arguments.train], {}) if arguments.train else None
    words = corpus.column(strings[0]) if strings[0] not in (label, predicted) else None
    if words is None and known is not None:
        raise OptionError("--train needs a column of words beside the two of labels")
    gold, found = corpus.column(label), corpus.column(predicted)
    return evaluate(gold, found, words=words, known=known, **options), None
