"""Sentences as users give them, as a corpus: what every tagger does before it looks at anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from seqlab import _core
from seqlab.corpus import Corpus, Sentence, StringColumn
from seqlab.corpus.columns import resolve
from seqlab.corpus.lists import only_lists
from seqlab.encode.encoder import as_corpus, listed
from seqlab.errors import CorpusError, Place

# What the cells of a token usually are when its label comes apart from it, in y.
USUAL = ("word", "pos", "chunk", "entity")
WORD_COLUMNS = ("word", "form")


def read_sentences(
    X: Any,
    *,
    words: bool,
    columns: Sequence[str] | None = None,
    labelled: bool = False,
    known: _core.StringPool | None = None,
) -> Corpus:
    """X as a corpus: a Corpus as it is, sentences of one, or lists of words, tuples, dicts or attributes.

    words      whether strings are words to make features of; without, tokens are ready-made attributes
    columns    what the cells of tuples are called, known from training; None before
    labelled   whether the label is among the cells, as when y is the name of a column
    known      the only ready-made attributes that anybody will look at, if that is so
    """
    if isinstance(X, Corpus):
        return X
    if isinstance(X, (str, bytes, Mapping, Sentence)) or not isinstance(X, Iterable):
        raise CorpusError(
            f"X must be a Corpus or a list of sentences, got {_shown(X)}; for one sentence there is tag(tokens)"
        )
    if hasattr(X, "iloc") and hasattr(X, "columns"):  # of pandas, without an import
        raise CorpusError(
            "X is a DataFrame, but a Corpus or a list of sentences is wanted; where it has a row for each token and a "
            "column that says which sentence it belongs to, Corpus.from_pandas(X) makes a corpus of it"
        )
    sentences: list[Any] = X if isinstance(X, list) and only_lists(X) else listed(X)
    plain = sentences is X or only_lists(sentences)
    if not plain:
        _refuse_strings(sentences)
    if sentences and not plain and all(isinstance(sentence, Sentence) for sentence in sentences):
        return Corpus.from_lists(sentences)
    width = _width(sentences) if words else 0
    if width:
        return Corpus.from_lists(sentences, columns=_cell_names(width, columns, labelled=labelled))
    if words and plain:
        return Corpus.from_lists(sentences)
    return as_corpus(sentences, words=words, known=known)


def read_sentence(tokens: Any, *, words: bool, columns: Sequence[str] | None = None) -> Corpus:
    """One sentence as a corpus of one."""
    if isinstance(tokens, Corpus):
        raise CorpusError(
            f"one sentence is wanted, got a corpus of {len(tokens)}; predict(corpus) takes all of them"
        )
    if isinstance(tokens, (str, bytes)):
        raise CorpusError(
            f"one sentence is a list of tokens, got {_shown(tokens)}; split it first, for example with .split()"
        )
    if not isinstance(tokens, (Sentence, Iterable)):
        raise CorpusError(f"one sentence is a list of tokens, got {_shown(tokens)}")
    return read_sentences([tokens], words=words, columns=columns)


def word_column(corpus: Corpus, name: str | None = None) -> str | None:
    """The column of this name; without a name "word", "form", or the first that holds strings; None if none does."""
    if name is not None:
        return resolve(name, corpus.columns)
    strings = [column for column in corpus.columns if isinstance(corpus.data(column), StringColumn)]
    return next((column for column in (*WORD_COLUMNS, *strings) if column in strings), None)


def vocabulary(corpus: Corpus) -> frozenset[str] | None:
    """The distinct words of a corpus; None when it has no column of words."""
    name = next((name for name in WORD_COLUMNS if name in corpus.columns), None)
    if name is None or not isinstance(corpus.data(name), StringColumn):
        return None
    return frozenset(corpus.strings(name).compact().values)


def _refuse_strings(sentences: Sequence[Any]) -> None:
    for s, sentence in enumerate(sentences):
        if isinstance(sentence, (str, bytes)):
            raise CorpusError(
                f" is {_shown(sentence)}, but a list of tokens is wanted; X is a list of sentences, "
                f"and for one sentence there is tag(tokens)",
                place=Place(s, of="X"),
            )


def _width(sentences: Sequence[Any]) -> int:
    """How many cells a token has when tokens are tuples of strings, else 0."""
    first = next((s for s in sentences if isinstance(s, (list, tuple)) and s), None)
    token = None if first is None else first[0]
    cells = isinstance(token, (list, tuple)) and all(isinstance(cell, str) for cell in token)
    return len(token) if cells and token else 0


def _cell_names(width: int, columns: Sequence[str] | None, *, labelled: bool) -> tuple[str, ...] | None:
    if labelled:
        return None  # as in a file: the last cell is the label
    if columns is None:
        return USUAL[:width] if width <= len(USUAL) else ("word", *(f"column{i}" for i in range(1, width)))
    if width > len(columns):
        raise CorpusError(
            f"tokens have {width} cells, but in training they had {len(columns)}: {', '.join(map(repr, columns))}; "
            f"give as many, or name them with Corpus.from_lists(..., columns=...)"
        )
    return tuple(columns[:width])


def _shown(value: Any) -> str:
    text = repr(value)
    kind = "the string " if isinstance(value, (str, bytes)) else ""
    return kind + (text if len(text) <= 60 else f"{text[:57]}...")
