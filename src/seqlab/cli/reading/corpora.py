"""Corpora and models for commands: files joined, labels found, columns named as in training."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import seqlab
from seqlab.cli.parsing import reading_of
from seqlab.cli.reading import documents
from seqlab.cli.reading.numbers import BETWEEN, for_model, vectors_of
from seqlab.cli.terminal import COLUMNS, counted
from seqlab.errors import CorpusError, LabelError, OptionError, Place, SeqlabError, TemplateError


def read_corpora(paths: Sequence[Any], reading: dict[str, Any]) -> seqlab.Corpus:
    """Read all files as one corpus; `reading` has the options of seqlab.read."""
    from seqlab.corpus import Corpus, read

    parts: list[seqlab.Corpus] = []
    for path in paths:
        if documents.form_of(path, reading.get("format")) is not None:
            part = documents.read_as_corpus(path, reading)
        else:
            source, options = file_of(path, reading)
            part = read(source, **options)
        if parts and set(part.columns) != set(parts[0].columns):
            raise CorpusError(
                f"{path}:1: the columns are {' '.join(part.columns)}, but those of {paths[0]} are "
                f"{' '.join(parts[0].columns)}; files that are read as one need the same: name them with --columns, "
                f"or write others with seqlab convert --select"
            )
        parts.append(part)
    return parts[0] if len(parts) == 1 else Corpus.join(parts)


def streamed(
    paths: Sequence[str], reading: dict[str, Any]
) -> tuple[seqlab.corpus.CorpusStream, seqlab.Corpus]:
    """Stream files that may be larger than memory; return the stream, and the sentences it begins with."""
    from seqlab.corpus import stream_corpus

    if "-" in paths:
        raise OptionError(
            "standard input is read once, but --max-memory reads what it learns from twice; name files"
        )
    found = [file_of(path, reading) for path in paths]
    options = found[0][1]
    if any(other != options for _, other in found):
        raise OptionError("demo:train is not read together with other files here; write it to a file first")
    made = stream_corpus([source for source, _ in found], **options)
    return made, next(made.blocks())


def file_of(path: Any, reading: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Find the file of a name, and the options to read it: demo:train and demo:test come with seqlab."""
    if "align" in reading:
        raise OptionError(f"--align is for texts with places, and {path} has tokens; leave it out")
    reading = {name: value for name, value in reading.items() if name != "tokeniser"}
    if path not in ("demo:train", "demo:test"):
        return path, reading
    from importlib.resources import files

    from seqlab.corpus.io.demo import DEMO_COLUMNS

    file = files("seqlab.corpus") / "demo" / f"{path.partition(':')[2]}.txt"
    return str(file), {
        "format": "conll",
        "separator": "\t",
        "docstart": False,
        "columns": DEMO_COLUMNS,
        **reading,
    }


def given_text(text: str, reading: dict[str, Any]) -> tuple[io.BytesIO, dict[str, Any]]:
    """Make a file of --sentence, read as plain text unless the user chose a format."""
    file = io.BytesIO(text.encode("utf-8", "surrogateescape") + b"\n")
    file.name = "--sentence"
    own = {name: value for name, value in reading.items() if name != "encoding"}  # it is text already
    return file, own if "columns" in own else {"format": "text", **own}


def one_sentence(arguments: argparse.Namespace, tagger: seqlab.Tagger) -> tuple[Any, list[str]]:
    """Read the sentence of --sentence, or sentence --number of a file, with the columns of training, and its words."""
    if (arguments.sentence is None) == (arguments.file is None):
        raise OptionError("one sentence is wanted: pass --sentence 'The old man', or a file (and --number)")
    source, reading = arguments.file, reading_of(arguments)
    if source is None:
        source, reading = given_text(arguments.sentence, reading)
    corpus = named_for(read_corpora([source], reading), tagger, arguments.columns)
    if arguments.sentence is not None and arguments.number is not None:
        raise OptionError(
            "--number picks a sentence of a file, but --sentence is one already; leave one of them out"
        )
    number = arguments.number or 0
    if number >= len(corpus):
        raise OptionError(f"--number {number}: {corpus.name} has the sentences 0 to {len(corpus) - 1}")
    words = words_of(corpus, number, map(str, range(len(corpus[number]))))
    return for_model(corpus, tagger)[number], words


def words_of(corpus: seqlab.Corpus, number: int, otherwise: Iterable[str]) -> list[str]:
    """Return the words of a sentence, or a substitute where a corpus has none."""
    from seqlab.tagging.door.sentences import word_column

    name = word_column(corpus)
    return list(map(str, corpus[number][name] if name else otherwise))


Target = Callable[[argparse.Namespace, "seqlab.Corpus"], str | None]


def read_training(
    arguments: argparse.Namespace,
    files: Sequence[str],
    held_out: str,
    say: Callable[[str], object],
    target: Target | None = None,
    first: seqlab.Corpus | None = None,
) -> tuple[seqlab.Corpus, seqlab.Corpus | None, Any]:
    """Read the training and the held-out corpus, and find the label column.

    first      the beginning of a training corpus that is not read as a whole; None to read all of it
    held_out   name of the option with the files of the held-out corpus
    say        prints a line about a corpus
    target     a function that finds the column to learn, None if nothing is labelled; by default the label column
    """
    reading = reading_of(arguments)
    train = read_corpora(files, reading) if first is None else first
    label = label_column(train, arguments.label) if target is None else target(arguments, train)
    if first is None:
        say(f"train     {train.name}\n          {corpus_facts(train)['text']}")
    else:
        say(f"train     {counted(len(files), 'file')}, streamed\n          columns {' '.join(train.columns)}")
    other = None
    if getattr(arguments, held_out):
        other = read_corpora(getattr(arguments, held_out), reading)
        if label is not None and label not in other.columns:  # checked before training, not after it
            raise CorpusError(
                f"{other.name}:1: there is no column {label!r} as in training: the columns are "
                f"{', '.join(map(repr, other.columns))}; name them alike with --columns"
            )
        say(f"{held_out:<10}{other.name}\n          {corpus_facts(other)['text']}")
    if label is None:
        return train, other, None
    names = sorted(values_in(train, label))
    text = f"{len(names)} in column {label}: {' '.join(names)}"
    what = "symbols" if getattr(arguments, "model", None) == "markov" else "labels"
    say(f"{what:<10}{textwrap.shorten(text, COLUMNS - 10, placeholder=' ...')}")
    return train, other, label


def sizes(corpus: seqlab.Corpus) -> str:
    """Format the size of a corpus."""
    return f"{counted(len(corpus), 'sentence')}, {counted(corpus.token_count, 'token')}"


def corpus_facts(corpus: seqlab.Corpus) -> dict[str, Any]:
    """Return the sizes of the corpora as data and as text."""
    shown = corpus.columns if len(corpus.columns) <= 10 else (*corpus.columns[:9], "...")
    return {
        "file": corpus.name,
        "sentences": len(corpus),
        "tokens": corpus.token_count,
        "columns": list(corpus.columns),
        "format": corpus.layout.format,
        "text": f"{sizes(corpus)}, columns {' '.join(shown)}",
    }


def string_columns(corpus: seqlab.Corpus) -> list[str]:
    """Return the columns that may hold labels."""
    from seqlab.corpus import StringColumn

    return [name for name in corpus.columns if isinstance(corpus.data(name), StringColumn)]


def values_in(corpus: seqlab.Corpus, column: str) -> set[str]:
    """Collect the strings that occur in a column."""
    return set(corpus.strings(column, missing=True).compact().values)


def label_column(corpus: seqlab.Corpus, given: str | None) -> str:
    """Find the column of the labels: the named one, otherwise the last; in CoNLL-U the parts of speech."""
    from seqlab.corpus.columns import resolve

    if given is not None:
        name = resolve(given, corpus.columns)
        corpus.strings(name, missing=True)
        return name
    if corpus.layout.format == "conllu" and "upos" in corpus.columns:
        return "upos"
    strings = string_columns(corpus)
    if not strings or (len(strings) == 1 and len(corpus.columns) == 1):
        raise CorpusError(
            f"{corpus.name}:1: there is no column of labels: the columns are {', '.join(map(repr, corpus.columns))}; "
            f"the last one of two or more holds the labels, or the one that --label names"
        )
    return strings[-1]


def load_tagger(path: str, *, chain: bool = False) -> Any:
    """Load the tagger in a model file; some models are not taggers.

    chain   True if it must have scores of labels and transitions, unlike a re-ranker
    """
    model = load_model(path)
    check_tagger(path, model, chain=chain)
    return model


def check_tagger(path: str, model: Any, *, chain: bool = False) -> None:
    """Reject a model that labels no sentences of tokens; path and chain as for load_tagger."""
    if hasattr(model, "tokeniser"):
        raise OptionError(f"{path} holds a pipeline for raw text, and this command reads tokens")
    if not hasattr(model, "annotate"):
        raise OptionError(f"{path} holds a {type(model).__name__}, which labels no sentences")
    if chain and not hasattr(model, "trellis"):
        raise OptionError(
            f"{path} holds a {type(model).__name__}, which has no scores of single labels; "
            f"save its generator_ and ask that"
        )


def load_model(path: str) -> Any:
    """Load a model of any kind, also the chain of an ARPA file."""
    from seqlab.families import load

    refuse_stream(path)
    return seqlab.MarkovChain.from_arpa(path) if is_arpa(path) else load(path)


def is_arpa(path: str) -> bool:
    """Return True if a file is an n-gram model in ARPA format, by its first lines or its name."""
    if path.removesuffix(".gz").endswith(".arpa"):
        return True
    if not os.path.isfile(path):  # noqa: PTH113  (reading a pipe would block)
        return False
    return b"\\data\\" in first_bytes(path, 200).splitlines()


def refuse_stream(path: str) -> None:
    """Reject standard input: models are memory-mapped, which requires a file."""
    if path == "-":
        raise OptionError("a model is read from a file, not from standard input: save it, and name the file")


def refuse_swapped(command: str, model: str, files: Sequence[str]) -> None:
    """Reject arguments in the wrong order, the corpus before the model."""
    second = next((path for path in files if is_model(path)), None)
    if second is not None and not is_model(model):
        raise OptionError(
            f"{second} is a model and {model} is none: the model comes first, seqlab {command} {second} {model}"
        )


def is_builtin(name: str) -> bool:
    """Return True for the name of a model that comes with seqlab, if no file has it."""
    from seqlab.families import DEMO

    return name == DEMO and not os.path.exists(name)  # noqa: PTH110


def is_model(path: str) -> bool:
    """Return True if a file begins like a model file, the length of a header, then JSON; or for a model of seqlab."""
    if is_builtin(path):
        return True
    head = first_bytes(path, 9) or first_bytes(os.path.join(path, "model.safetensors"), 9)  # noqa: PTH118
    return len(head) == 9 and head[8:] == b"{" and int.from_bytes(head[:8], "little") < 1 << 32


def first_bytes(path: str, count: int) -> bytes:
    """Read the beginning of a file; nothing if it cannot be read, an error left to its reader."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(count)
    except OSError:
        return b""


def tried(
    arguments: argparse.Namespace, model: str, files: Sequence[str], *, chain: bool = False
) -> tuple[Any, seqlab.Corpus, str]:
    """Load a model and read test sentences, and find the column of their gold labels."""
    tagger = load_tagger(model, chain=chain)
    corpus = named_for(read_corpora(files, reading_of(arguments)), tagger, arguments.columns)
    corpus = for_model(corpus, tagger)
    column, given = tagger.column_, arguments.label
    if given is None and column is not None and column in corpus.columns:
        return tagger, corpus, column
    missing = len(corpus.columns) < 2 or column is not None or set(tagger.columns_) - set(corpus.columns)
    if given is None and missing:
        wanted = " ".join([*tagger.columns_, column or "label"])
        raise CorpusError(
            f"{corpus.name}:1: the columns are {' '.join(corpus.columns)}, but the model was trained on {wanted}; "
            f"name them with --columns, and the right labels with --label"
        )
    return tagger, corpus, label_column(corpus, given)


def named_for(corpus: seqlab.Corpus, tagger: seqlab.Tagger, given: Any = None) -> seqlab.Corpus:
    """Rename the columns as in training.

    A file of columns does not name them, and the default names depend on their number: the
    columns of training decide, with the label behind them when there is one cell more.

    given   names that the user gave; then they stay
    """
    from seqlab.corpus.formats import named

    read_as = corpus.layout.format
    if given is not None or read_as is None or not named(read_as).nameless or "attributes" in tagger.columns_:
        return corpus
    vectors = vectors_of(tagger)
    known = tuple(tagger.columns_) if vectors is None else tuple(vectors.split(BETWEEN))
    names = _names_of_training(corpus.columns, known, tagger.column_ or "label")
    return corpus._with(dict(zip(names, (corpus.data(name) for name in corpus.columns), strict=True)))


def _names_of_training(there: tuple[str, ...], known: tuple[str, ...], label: str) -> list[str]:
    """Name the columns of a file without column names as in training."""
    if known[:1] == ("id",):  # CoNLL-U: other files share only the word
        known = ("word",)
    if set(known) <= set(there):
        others = [name for name in there if name not in known]
        unnamed = others[0] if len(others) == 1 and label not in there else None
        return [label if name == unnamed else name for name in there]
    names = [*known, label][: len(there)]
    return names + [f"column{i}" for i in range(len(names), len(there))]


def doubts(corpus: seqlab.Corpus, tagger: seqlab.Tagger) -> Iterator[str]:
    """Warn of guesses about the beginning of a file that may be wrong."""
    place = str(corpus.located(0))
    if corpus.layout.format == "conll" and corpus.token_count == 1 and len(corpus.columns) > 2:
        yield (
            f"{place}: one line of {len(corpus.columns)} cells was read as one token and its columns; "
            f"if it is a sentence, pass --format text"
        )
    here, known = corpus.columns, tagger.columns_
    if "pos" in known and "upos" in here and "pos" not in here:
        template = getattr(getattr(tagger, "encoder_", None), "features", "")  # expanded on first use
        if re.search(r"\bpos\[", str(template)):
            yield (
                f"{place}: the model reads a column 'pos', and 'upos' was taken for it; if it was trained on other "
                f"tags, pick their cell, as --columns word=1,pos=4 for xpos"
            )
    renamed = named_for(corpus, tagger)
    last = renamed.columns[-1]
    taken = len(here) > 1 and last != here[-1] and last in known
    if taken and values_in(renamed, last) <= set(tagger.labels_):
        yield (
            f"{place}: the model reads {' '.join(known)}, and the last column was taken for {last!r}, but "
            f"it holds labels of the model; name the columns with --columns if they are others"
        )


@contextlib.contextmanager
def placed(corpus: seqlab.Corpus, *, whole: bool = True) -> Iterator[None]:
    """Convert errors that count sentences of this corpus to errors that name file and line.

    whole   True if the corpus is a whole file; in a block, an error without a sentence refers to its beginning
    """
    try:
        yield
    except SeqlabError as error:
        told, sentence = error.place, error.place.sentence
        if sentence is None and not whole and isinstance(error, (CorpusError, TemplateError)):
            sentence = 0
        elsewhere = told.path is not None or error.option is not None
        if sentence is None or elsewhere or sentence >= len(corpus):
            raise
        place = corpus.located(sentence, told.position if told.item else None)
        raise CorpusError(error.message, place=place._replace(within=told.within)) from error


UNKNOWN = (None, "", "_")  # cells of --known without a label


def forced(
    tagger: Any, part: seqlab.Corpus, known: str | None, way: dict[str, Any], threads: int
) -> tuple[list[Any] | None, list[list[str]]]:
    """Find the best labels given the known labels of a column; also return the trellises.

    known   name of the column; None for none, and then None instead of trellises
    """
    from seqlab.tagging.decoding import best, constrained

    if known is None:
        return None, tagger.predict(part, **way, threads=threads)
    decode, beam = tagger._way(way.get("decode"), way.get("beam"))
    rows = _known(tagger, part, known)
    made = tagger._trellises(part, threads)
    trellises = [constrained(one, row, None) for one, row in zip(made, rows, strict=True)]
    paths = [best(one, decode, beam).ids.tolist() for one in trellises]
    return trellises, [[tagger.labels_[i] for i in path] for path in paths]


def _known(tagger: Any, part: seqlab.Corpus, given: str) -> list[dict[int, str]]:
    """Read the known labels of each sentence, by position."""
    from seqlab.corpus.columns import resolve

    names, place = part.columns, given.lstrip("-")
    if given not in names and place.isdecimal() and int(place) < len(names) + (given != place):
        given = names[int(given)]
    labels, found = set(tagger.labels_), []
    for i, row in enumerate(part.column(resolve(given, names))):
        known = {t: y for t, y in enumerate(row) if y in labels or y not in UNKNOWN}
        wrong = [t for t, y in known.items() if y not in labels]
        if wrong:
            raise LabelError(
                f"the label {known[wrong[0]]!r:.60} of column {given!r} is none of the model's, which are "
                f"{' '.join(tagger.labels_)!s:.80}; write _ where no label is known",
                place=Place(i, wrong[0], item="token"),
            )
        found.append(known)
    return found
