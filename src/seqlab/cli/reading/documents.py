"""Texts with places for commands: files of annotation tools, read as a corpus, labelled, compared and converted."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import seqlab
from seqlab.cli import parsing
from seqlab.cli.terminal import counted, orderly
from seqlab.corpus.formats import NAMES as TOKENS
from seqlab.errors import OptionError
from seqlab.text.formats import NAMES

ALIGN = "expand"  # unless the user says otherwise
TOKENS_ONLY = ("columns", "separator", "comments", "missing", "sequence")  # options of reading
FOLDER = "brat"
FOLDERS = {
    FOLDER: ("*.txt", "*.ann"),
    "webanno": ("*.tsv",),
}  # formats with a file for each text, and its files


def form_of(path: Any, given: str | None) -> str | None:
    """Return the format of a file of texts with places; None for any other file."""
    if given is not None:
        return given if given in NAMES else None
    if not isinstance(path, str) or path == "-":
        return None
    if not os.path.isdir(path) and not path.lower().removesuffix(".gz").endswith(  # noqa: PTH112
        (".json", ".jsonl", ".ndjson", ".ann", ".txt", ".tsv")
    ):
        return None
    from seqlab.text.formats import guessed  # slow to import

    return guessed(path)


def are_documents(paths: Sequence[Any], given: str | None) -> bool:
    """Return True if the files are texts with places; a mixture of these and others is an error."""
    found = [form_of(path, given) is not None for path in paths]
    if any(found) and not all(found):
        texts, others = (paths[found.index(kind)] for kind in (True, False))
        raise OptionError(f"{texts} has texts with places, {others} has tokens; convert one of them first")
    return any(found)


def read_texts(path: Any, reading: dict[str, Any], *, align: str | None = None) -> list[seqlab.Document]:
    """Read the texts of a file; reading as for seqlab.read, and align, tokeniser as for read_documents."""
    from seqlab.text import read_documents

    _refuse_columns(reading)
    return read_documents(
        path,
        form_of(path, reading.get("format")),
        tokeniser=reading.get("tokeniser"),
        align=reading.get("align", align),
        encoding=reading.get("encoding", "utf-8"),
    )


def read_as_corpus(path: Any, reading: dict[str, Any]) -> seqlab.Corpus:
    """Read the texts of a file as sentences of tokens, with labels for their spans."""
    from seqlab.text.annotated import read_corpus

    _refuse_columns(reading)
    return read_corpus(
        path,
        form_of(path, reading.get("format")),
        tokeniser=reading.get("tokeniser"),
        align=reading.get("align", ALIGN),
        encoding=reading.get("encoding", "utf-8"),
    )


def _refuse_columns(reading: dict[str, Any]) -> None:
    flag = next((name for name in TOKENS_ONLY if name in reading), None)
    if flag is not None:
        raise OptionError(f"--{flag} describes files of tokens, and this one has texts with places")


# ------------------------------------------------------------------------------------------------ convert


def goal_of(arguments: argparse.Namespace) -> str | None:
    """Return the format of texts that `seqlab convert` writes; None for one of tokens."""
    if arguments.to is not None:
        return arguments.to if arguments.to in NAMES else None
    output, source = arguments.output, form_of(arguments.input, arguments.format)
    suffix = os.path.splitext(output.lower().removesuffix(".gz"))[1]  # noqa: PTH122
    if suffix == ".ann" or os.path.isdir(output):  # noqa: PTH112
        return FOLDER
    if source is None:
        return None
    if source in FOLDERS:
        return source if not suffix or (source, suffix) == ("webanno", ".tsv") else None
    return source if suffix in ("", ".json", ".jsonl", ".ndjson") else None


def converted(arguments: argparse.Namespace, corpus: seqlab.Corpus | None, goal: str) -> dict[str, Any]:
    """Write texts with places: those of a file of texts, or of a corpus; return what was done."""
    from seqlab.text import documents_of, read_conllu, write_documents

    if corpus is None:
        documents = read_texts(arguments.input, parsing.reading_of(arguments))
    elif corpus.layout.format == "conllu" and arguments.input != "-":
        known = [name for name in ("lemma", "xpos", "upos") if name in corpus.columns]
        documents = read_conllu(arguments.input, labels=known, encoding=arguments.encoding or "utf-8")
    else:
        documents = documents_of(corpus)
    _refuse_full(arguments, goal)
    with orderly():
        write_documents(documents, arguments.output, goal)
    spans = sum(len(one.spans) for one in documents)
    return {
        "input": arguments.input,
        "output": arguments.output,
        "documents": len(documents),
        "spans": spans,
        "format": goal,
        "notes": [],
        "text": f"{counted(len(documents), 'text')}, {counted(spans, 'span')} written to {arguments.output} as {goal}",
    }


def _refuse_full(arguments: argparse.Namespace, goal: str) -> None:
    """Reject a folder that has texts already, unless --force is given."""
    folder = Path(arguments.output)
    if goal in FOLDERS and folder.is_dir() and not arguments.force:
        there = next((one for kind in FOLDERS[goal] for one in folder.rglob(kind)), None)
        if there is not None:
            raise OptionError(
                f"{folder}: the folder has texts already, as {there.name}; name another, or pass --force"
            )


# ------------------------------------------------------------------------------------------------ tag


def labelled(
    pipe: seqlab.Pipeline, sources: Sequence[Any], arguments: argparse.Namespace
) -> Iterator[seqlab.Document]:
    """Label the texts of files; their own tokens are kept, where a file has them."""
    reading = parsing.reading_of(arguments)
    for source in sources:
        texts = read_texts(source, {"tokeniser": pipe.tokeniser, **reading})
        yield from pipe.many(texts, threads=getattr(arguments, "threads", None))


def put(documents: Iterator[seqlab.Document], arguments: argparse.Namespace, form: str, layer: str) -> None:
    """Write labelled texts in a format of texts, or of tokens."""
    from seqlab.corpus.formats import named
    from seqlab.text import corpus_of, write_conllu, write_documents

    with orderly():
        if form == "conllu":
            write_conllu(documents, arguments.output)
            return
        if form in TOKENS:
            corpus = corpus_of(list(documents))
            if layer in corpus.columns:
                labels = set(corpus.strings(layer).values)
                corpus = named(form).labelled(corpus, layer, layer, labels)
            corpus.write(arguments.output, form)
            return
        _refuse_full(arguments, form)
        write_documents(documents, arguments.output, form, layer=layer)


# ------------------------------------------------------------------------------------------------ eval


def compared(arguments: argparse.Namespace, pipe: seqlab.Pipeline | None) -> Any:
    """Evaluate spans by their places: those of a pipeline, or of a second file."""
    from seqlab import evaluate

    reading = parsing.reading_of(arguments)
    if pipe is None:
        gold, predicted = (read_texts(path, reading) for path in arguments.files)
        return evaluate(gold, predicted)
    gold = [one for path in arguments.files[1:] for one in read_texts(path, reading)]
    return evaluate(gold, list(pipe.many([one.text for one in gold], threads=arguments.threads)))
