"""Corpora as commands read them: files joined, the label column found, and columns named as a model knows them."""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from seqlab.cli.models import load_tagger
from seqlab.cli.options import reading_of
from seqlab.cli.terminal.printing import counted
from seqlab.errors import CorpusError, OptionError, SeqlabError

if TYPE_CHECKING:
    from seqlab.corpus import Corpus
    from seqlab.tagging.tagger import Tagger

COLUMNS = 80


def read_corpora(paths: Sequence[str], reading: dict[str, Any]) -> Corpus:
    """Read all files as one corpus; `reading` has the options of seqlab.read."""
    from seqlab.corpus import Corpus, read

    parts: list[Corpus] = []
    for path in paths:
        source, options = found(path, reading)
        part = read(source, **options)
        if parts and set(part.columns) != set(parts[0].columns):
            raise CorpusError(
                f"{path}:1: the columns are {' '.join(part.columns)}, but those of {paths[0]} are "
                f"{' '.join(parts[0].columns)}; files that are read as one need the same: name them with --columns, "
                f"or write others with seqlab convert --select"
            )
        parts.append(part)
    return parts[0] if len(parts) == 1 else Corpus.join(parts)


def found(path: Any, reading: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Find the file behind a name, and how to read it: demo:train and demo:test come with seqlab."""
    if path not in ("demo:train", "demo:test"):
        return path, reading
    from importlib.resources import files

    from seqlab.corpus.builtin import COLUMNS

    file = files("seqlab.corpus") / "demo" / f"{path.partition(':')[2]}.txt"
    return str(file), {"format": "conll", "separator": "\t", "docstart": False, "columns": COLUMNS, **reading}


def given_text(text: str, reading: dict[str, Any]) -> tuple[io.BytesIO, dict[str, Any]]:
    """Make a file of --sentence, and say how to read it: as plain text, if the user did not say anything else."""
    file = io.BytesIO(text.encode("utf-8", "surrogateescape") + b"\n")
    file.name = "--sentence"
    return file, reading if "columns" in reading else {"format": "text", **reading}


def one_sentence(arguments: argparse.Namespace, tagger: Tagger) -> tuple[Any, list[str]]:
    """Read the sentence of --sentence, or of a file by its --number, with the columns of training, and its words."""
    from seqlab.corpus import read

    if (arguments.sentence is None) == (arguments.file is None):
        raise OptionError("one sentence is wanted: pass --sentence 'The old man', or a file (and --number)")
    reading = reading_of(arguments)
    if arguments.sentence is None:
        corpus = read_corpora([arguments.file], reading)
    else:
        text, reading = given_text(arguments.sentence, reading)
        corpus = read(text, **reading)
    corpus = named_for(corpus, tagger, given=arguments.columns is not None)
    number = arguments.number
    if number >= len(corpus):
        raise OptionError(f"--number {number}: {corpus.name} has the sentences 0 to {len(corpus) - 1}")
    return corpus[number], words_of(corpus, number, map(str, range(len(corpus[number]))))


def words_of(corpus: Corpus, number: int, otherwise: Iterable[str]) -> list[str]:
    """Return the words of a sentence; what stands in for them where a corpus has none."""
    from seqlab.tagging.door.sentences import word_column

    name = word_column(corpus)
    return list(map(str, corpus[number][name] if name else otherwise))


# ------------------------------------------------------------------------------------------------ to learn from


def read_training(
    arguments: argparse.Namespace,
    files: Sequence[str],
    held_out: str,
    others: Sequence[str] | None,
    say: Callable[[str], object],
) -> tuple[Corpus, Corpus | None, str]:
    """Read what a model learns from and what it is tried on, and find the column of the labels.

    held_out, others   a name for the second corpus, and its files if there is one
    say                takes lines that tell what was read
    """
    reading = reading_of(arguments)
    train = read_corpora(files, reading)
    label = label_column(train, arguments.label)
    say(_read_line("train", train))
    other = None
    if others:
        other = read_corpora(others, reading)
        _check_label(other, label)
        say(_read_line(held_out, other))
    names = sorted(set(train.strings(label).compact().values))
    text = f"{len(names)} in column {label}: {' '.join(names)}"
    say(f"labels    {textwrap.shorten(text, COLUMNS - 10, placeholder=' ...')}")
    return train, other, label


def corpus_facts(corpus: Corpus) -> dict[str, Any]:
    """Say how much was read, as data and as text."""
    sentences, tokens = counted(len(corpus), "sentence"), counted(corpus.token_count, "token")
    shown = corpus.columns if len(corpus.columns) <= 10 else (*corpus.columns[:9], "...")
    return {
        "file": corpus.name,
        "sentences": len(corpus),
        "tokens": corpus.token_count,
        "columns": list(corpus.columns),
        "format": corpus.layout.format,
        "text": f"{sentences}, {tokens}, columns {' '.join(shown)}",
    }


def _read_line(what: str, corpus: Corpus) -> str:
    return f"{what:<10}{corpus.name}\n{'':<10}{corpus_facts(corpus)['text']}"


def label_column(corpus: Corpus, given: str | None) -> str:
    """Find the column with the labels: the one that was named, else the last one; in CoNLL-U the parts of speech."""
    from seqlab.corpus import StringColumn
    from seqlab.corpus.columns import resolve

    if given is not None:
        name = resolve(given, corpus.columns)
        corpus.strings(name)
        return name
    if corpus.layout.format == "conllu" and "upos" in corpus.columns:
        return "upos"
    strings = [name for name in corpus.columns if isinstance(corpus.data(name), StringColumn)]
    if not strings or (len(strings) == 1 and len(corpus.columns) == 1):
        shown = ", ".join(map(repr, corpus.columns))
        raise CorpusError(
            f"{corpus.name}:1: there is no column of labels: the columns are {shown}; the last one of two or more "
            f"holds the labels, or the one that --label names"
        )
    return strings[-1]


def _check_label(dev: Corpus, label: str) -> None:
    """Refuse a development set without the label before training, not after it."""
    if label not in dev.columns:
        shown = ", ".join(map(repr, dev.columns))
        raise CorpusError(
            f"{dev.name}:1: there is no column {label!r} as in training: the columns are {shown}; "
            f"name them alike with --columns"
        )


# ------------------------------------------------------------------------------------------------ for a model


def tried(
    arguments: argparse.Namespace, model: str, files: Sequence[str], *, chain: bool = False
) -> tuple[Any, Corpus, str]:
    """Load a model and read sentences that it is tried on, and find the column of their right labels."""
    tagger = load_tagger(model, chain=chain)
    read = read_corpora(files, reading_of(arguments))
    corpus = named_for(read, tagger, given=arguments.columns is not None)
    return tagger, corpus, gold_column(corpus, tagger, arguments.label)


def named_for(corpus: Corpus, tagger: Tagger, *, given: bool) -> Corpus:
    """Give the columns the names that they had in training.

    A file of columns says nothing about their names, and what they usually are depends on how many there are: the
    columns of training decide, with the label behind them when there is one cell more.

    given   whether the user named the columns; then they stay
    """
    from seqlab.corpus.formats import named

    read_as = corpus.layout.format
    if given or read_as is None or not named(read_as).nameless or "attributes" in tagger.columns_:
        return corpus
    names = _names_of_training(corpus.columns, tuple(tagger.columns_), tagger.column_ or "label")
    return corpus._with(dict(zip(names, (corpus.data(name) for name in corpus.columns), strict=True)))


def _names_of_training(there: tuple[str, ...], known: tuple[str, ...], label: str) -> list[str]:
    """Name the columns of a file that says nothing about them."""
    if known[:1] == ("id",):  # of CoNLL-U, which other files have nothing of but the word
        known = ("word",)
    if set(known) <= set(there):
        others = [name for name in there if name not in known]
        unnamed = others[0] if len(others) == 1 and label not in there else None
        return [label if name == unnamed else name for name in there]
    names = [*known, label][: len(there)]
    return names + [f"column{i}" for i in range(len(names), len(there))]


def doubts(corpus: Corpus, tagger: Tagger) -> Iterator[str]:
    """Say what was guessed about the beginning of a file, and may be wrong."""
    place = str(corpus.located(0))
    if corpus.layout.format == "conll" and corpus.token_count == 1 and len(corpus.columns) > 2:
        yield (
            f"{place}: one line of {len(corpus.columns)} cells was read as one token and its columns; "
            f"if it is a sentence, pass --format text"
        )
    if "upos" in corpus.columns and "pos" not in corpus.columns and _reads_pos(tagger):
        yield (
            f"{place}: the model reads a column 'pos', and 'upos' was taken for it; if it was trained on other "
            f"tags, pick their cell, as --columns word=1,pos=4 for xpos"
        )
    taken = _labels_taken_for(corpus, tagger)
    if taken is not None:
        yield (
            f"{place}: the model reads {' '.join(tagger.columns_)}, and the last column was taken for {taken!r}, but "
            f"it holds labels of the model; name the columns with --columns if they are others"
        )


def _labels_taken_for(corpus: Corpus, tagger: Tagger) -> str | None:
    """Name the last column where a file has labels there but lacks a column that the model reads."""
    named = named_for(corpus, tagger, given=False)
    last = named.columns[-1]
    if len(corpus.columns) < 2 or last == corpus.columns[-1] or last not in tagger.columns_:
        return None
    return last if set(named.strings(last).compact().values) <= set(tagger.labels_) else None


def _reads_pos(tagger: Tagger) -> bool:
    if "pos" not in tagger.columns_:  # asked first: an encoder is unfolded when it is used
        return False
    template = getattr(getattr(tagger, "encoder_", None), "features", "")
    return re.search(r"\bpos\[", str(template)) is not None


def gold_column(corpus: Corpus, tagger: Tagger, given: str | None) -> str:
    """Find the column of the right labels in a file that a model is tried on."""
    if given is not None:
        return label_column(corpus, given)
    if tagger.column_ is not None and tagger.column_ in corpus.columns:
        return tagger.column_
    missing = set(tagger.columns_) - set(corpus.columns)
    if len(corpus.columns) < 2 or missing or tagger.column_ is not None:
        wanted = " ".join([*tagger.columns_, tagger.column_ or "label"])
        raise CorpusError(
            f"{corpus.name}:1: the columns are {' '.join(corpus.columns)}, but the model was trained on {wanted}; "
            f"name them with --columns, and the right labels with --label"
        )
    return label_column(corpus, None)


@contextlib.contextmanager
def placed(corpus: Corpus) -> Iterator[None]:
    """Turn errors that count sentences of this corpus into errors that name file and line."""
    try:
        yield
    except SeqlabError as error:
        sentence = error.place.sentence
        if sentence is None or error.option is not None or sentence >= len(corpus):
            raise
        raise in_file(error, corpus, sentence) from error


def in_file(error: SeqlabError, corpus: Corpus, sentence: int) -> CorpusError:
    """Name file and line where an error counts sentences."""
    told = error.place
    place = corpus.located(sentence, told.position if told.item else None)
    return CorpusError(error.message, place=place._replace(within=told.within))
