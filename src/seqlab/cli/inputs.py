"""Corpora as commands read them: files joined, the label column found, and columns named as a model knows them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from seqlab.errors import CorpusError, OptionError, SeqlabError

if TYPE_CHECKING:
    from seqlab.corpus import Corpus
    from seqlab.tagging.tagger import Tagger

_COUNTED = r"sentence (\d+)(?:, (?:position|token) (\d+))?: "


def load_tagger(path: str, *, chain: bool = False) -> Any:
    """The tagger in a model file; there are models that label nothing.

    chain   whether it must have scores of labels and moves: a re-ranker looks at whole labellings
    """
    from seqlab.families.loading import load

    refuse_stream(path)
    model = load(path)
    if not hasattr(model, "annotate"):
        raise OptionError(f"{path} holds a {type(model).__name__}, which labels no sentences")
    if chain and not hasattr(model, "trellis"):
        raise OptionError(
            f"{path} holds a {type(model).__name__}, which has no scores of single labels; "
            f"save its generator_ and ask that"
        )
    return model


def refuse_stream(path: str) -> None:
    """Models are mapped, which only files can be."""
    if path == "-":
        raise OptionError("a model is read from a file, not from standard input: save it, and name the file")


def read_corpora(paths: Sequence[str], reading: dict[str, Any]) -> Corpus:
    """All files as one corpus; `reading` has the options of seqlab.read."""
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
    """The file behind a name, and how to read it: demo:train and demo:test are the corpus that comes with seqlab."""
    if path not in ("demo:train", "demo:test"):
        return path, reading
    from importlib.resources import files

    from seqlab.corpus.builtin import COLUMNS

    file = files("seqlab.corpus") / "demo" / f"{path.partition(':')[2]}.txt"
    return str(file), {"format": "conll", "separator": "\t", "docstart": False, "columns": COLUMNS, **reading}


def label_column(corpus: Corpus, given: str | None) -> str:
    """The column with the labels: the one that was named, else the last one; in CoNLL-U the parts of speech."""
    from seqlab.corpus import StringColumn
    from seqlab.corpus.names import resolve

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


def dev_label(dev: Corpus, label: str) -> None:
    """A development set without the label is refused before training, not after it."""
    if label not in dev.columns:
        shown = ", ".join(map(repr, dev.columns))
        raise CorpusError(
            f"{dev.name}:1: there is no column {label!r} as in training: the columns are {shown}; "
            f"name them alike with --columns"
        )


def named_for(corpus: Corpus, tagger: Tagger, *, given: bool) -> Corpus:
    """The corpus with the column names of training.

    A file of columns says nothing about their names, and what they usually are depends on how many there are: the
    columns of training decide, with the label behind them when there is one cell more.

    given   whether the user named the columns; then they stay
    """
    if given or corpus.layout.format not in {"conll", "slash", "text"} or "attributes" in tagger.columns_:
        return corpus
    names = names_of_training(corpus.columns, tuple(tagger.columns_), tagger.column_ or "label")
    return corpus._with(dict(zip(names, (corpus.data(name) for name in corpus.columns), strict=True)))


def names_of_training(there: tuple[str, ...], known: tuple[str, ...], label: str) -> list[str]:
    """Names for the columns of a file that says nothing about them."""
    if known[:1] == ("id",):  # of CoNLL-U, which other files have nothing of but the word
        known = ("word",)
    if set(known) <= set(there):
        others = [name for name in there if name not in known]
        unnamed = others[0] if len(others) == 1 and label not in there else None
        return [label if name == unnamed else name for name in there]
    names = [*known, label][: len(there)]
    return names + [f"column{i}" for i in range(len(names), len(there))]


def doubts(corpus: Corpus, tagger: Tagger) -> Iterator[str]:
    """What was guessed about the beginning of a file, and may be wrong."""
    place = corpus.place(0).partition(" ")[0]
    if one_line_of_cells(corpus.layout.format, corpus.token_count, len(corpus.columns)):
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
    """What the last column is called where a file has labels but lacks a column that the model reads."""
    named = named_for(corpus, tagger, given=False)
    last = newly_named(corpus.columns, named.columns, tagger.columns_)
    if last is None or not set(named.strings(last).compact().values) <= set(tagger.labels_):
        return None
    return last


def one_line_of_cells(form: str | None, tokens: int, width: int) -> bool:
    """Whether a file of columns is one line, and may have been meant as a sentence."""
    return form == "conll" and tokens == 1 and width > 2


def newly_named(there: Sequence[str], names: Sequence[str], known: Sequence[str]) -> str | None:
    """What the last column is called, where that is not its name in the file and the model reads it."""
    return names[-1] if len(there) > 1 and names[-1] != there[-1] and names[-1] in known else None


def _reads_pos(tagger: Tagger) -> bool:
    if "pos" not in tagger.columns_:  # asked first: an encoder is unfolded when it is used
        return False
    template = getattr(getattr(tagger, "encoder_", None), "features", "")
    return re.search(r"\bpos\[", str(template)) is not None


def gold_column(corpus: Corpus, tagger: Tagger, given: str | None) -> str:
    """Where the right labels stand in a file that a model is tried on."""
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
    """Errors that count sentences of this corpus name file and line instead."""
    try:
        yield
    except SeqlabError as error:
        found = re.match(_COUNTED, str(error))
        if found is None or int(found[1]) >= len(corpus):
            raise
        place = corpus.place(int(found[1]), int(found[2] or 0))
        raise CorpusError(f"{place}: {str(error)[found.end() :]}") from error


def is_model(path: str) -> bool:
    """Whether a file begins as a model file does: the length of a header, then JSON."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123  (pathlib is slow to import)
            head = file.read(9)
    except OSError:
        return False
    return len(head) == 9 and head[8:] == b"{" and int.from_bytes(head[:8], "little") < 1 << 32
