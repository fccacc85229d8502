"""Tokenisers of `seqlab train`: trained on their own, and put before a tagger."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import seqlab
from seqlab.cli import terminal
from seqlab.cli.parsing import none_of, reading_of, refuse
from seqlab.cli.reading import documents as texts
from seqlab.cli.reading.corpora import load_model, read_corpora
from seqlab.errors import OptionError

NAME = "tokeniser"
HELP = "tokens and sentences of raw text"
RULES, SAME = "rules", "train"
# Flags that training a tokeniser has a use for.
USED = {
    "files",
    "output",
    "config",
    "model",
    "l2",
    "iterations",
    "min_count",
    "prune",
    "seed",
    "threads",
    "dev",
}
USED |= {"param", "text", "quiet", "json", "parser", "command", "force", "encoding", "format", "columns"}
USED |= {"separator", "comments", "missing", "sequence"}
FLAGS = {"iterations": "epochs", "l2": "l2", "min_count": "min_count", "prune": "prune", "seed": "seed"}


def train(settings: argparse.Namespace, say: Callable[[str], object]) -> dict[str, Any]:
    """Train a tokeniser, save it, and return the results as data."""
    from seqlab.store import write
    from seqlab.store.codec import state_of

    refuse(settings, sorted(set(vars(settings)) - USED), f"means nothing to --model {NAME}")
    began, options = time.perf_counter(), _options(settings)
    documents = documents_of(settings, settings.files, settings.text)
    facts: dict[str, Any] = {"train": _told("train", settings.files, documents, say)}
    held_out = documents_of(settings, settings.dev) if settings.dev else None
    if held_out is not None:
        facts["dev"] = _told("dev", settings.dev, held_out, say)
    made = seqlab.TrainedTokeniser.train(documents, **options)
    say(f"learned   {len(made.keys):,} features")
    state = state_of(made)
    if settings.output == "-":
        from seqlab.store import as_bytes

        terminal.put_bytes(as_bytes(state))
        return facts
    write(settings.output, state)
    facts |= {"model": settings.output, "bytes": Path(settings.output).stat().st_size}
    facts["seconds"] = time.perf_counter() - began
    say(f"saved     {settings.output}\n          {terminal.size(facts['bytes'])}")
    if held_out is not None:
        report = made.evaluate(held_out)
        facts["report"] = report.to_dict()
        say(f"\non {' '.join(settings.dev)}\n\n{report.text()}")
    return facts


def _options(settings: argparse.Namespace) -> dict[str, Any]:
    """Collect the options of TrainedTokeniser.train from the flags."""
    given = {FLAGS[flag]: getattr(settings, flag) for flag in FLAGS if getattr(settings, flag) is not None}
    for name, value in settings.param or []:
        if name not in FLAGS.values():
            raise OptionError(f"-p {none_of(name, FLAGS.values())}")
        given[name] = value
    return {"threads": settings.threads, **given}


def before(settings: argparse.Namespace) -> Any:
    """Return the tokeniser of --tokeniser: by rules, trained on the same files, or from a file."""
    if settings.tokeniser == RULES:
        return seqlab.RuleTokeniser()
    if settings.tokeniser == SAME:
        documents = documents_of(settings, settings.files)
        return seqlab.TrainedTokeniser.train(documents, threads=settings.threads)
    found = load_model(settings.tokeniser)
    found = getattr(found, "tokeniser", found)
    if not callable(found):
        raise OptionError(
            f"--tokeniser is {RULES}, {SAME} (on the same files) or a file of a tokeniser; {settings.tokeniser} has a "
            f"{type(found).__name__}"
        )
    return found


def documents_of(
    settings: argparse.Namespace,
    files: Sequence[str],
    text: str | None = None,
    labels: Sequence[str] = (),
) -> list[seqlab.Document]:
    """Read texts whose tokens are known: CoNLL-U, tokens beside their --text, or words written as people do."""
    from seqlab.text import align, detokenise, read_conllu, read_text

    encoding = settings.encoding or "utf-8"
    if text is not None:
        if len(files) != 1:
            raise OptionError(f"--text is the text of one file of tokens, got {len(files)} files")
        corpus = read_corpora(files, reading_of(settings))
        return [align(read_text(text, encoding=encoding), corpus.column(corpus.columns[0]), name=files[0])]
    from seqlab.text.conllu import LABELS

    documents: list[seqlab.Document] = []
    for file in files:
        if texts.form_of(file, settings.format) is not None:
            documents += texts.read_texts(file, reading_of(settings), align="expand" if labels else None)
        elif settings.format == "conllu" or (settings.format is None and ".conllu" in str(file)):
            known = [label for label in labels if label in LABELS]
            documents += read_conllu(file, labels=known, encoding=encoding)
        else:
            documents.append(_written(read_corpora([file], reading_of(settings)), labels, detokenise))
    return documents


def _written(corpus: seqlab.Corpus, labels: Sequence[str], detokenise: Any) -> seqlab.Document:
    from seqlab.tagging.door.sentences import word_column
    from seqlab.text.spans import with_spans

    made: seqlab.Document = detokenise(corpus.column(word_column(corpus) or corpus.columns[0]))
    for label in labels:
        if label in corpus.columns:
            made = with_spans(made, label, [y for sentence in corpus.column(label) for y in sentence])
    return made


def _told(name: str, files: Sequence[str], documents: list[seqlab.Document], say: Any) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "files": [str(file) for file in files],
        "documents": len(documents),
        "sentences": sum(len(one.sentences) for one in documents),
        "tokens": sum(map(len, documents)),
    }
    sizes = ", ".join(
        terminal.counted(facts[what], what[:-1]) for what in ("documents", "sentences", "tokens")
    )
    say(f"{name:<10}{' '.join(facts['files'])}\n          {sizes}")
    return facts
