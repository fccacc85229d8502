"""Sentences of symbols as users give them to a Markov chain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus import Corpus, Sentence
from seqlab.encode.encoder import listed
from seqlab.errors import CorpusError, OptionError, Place
from seqlab.families.chain.ngrams import Tokens
from seqlab.tagging.door.sentences import word_column
from seqlab.tagging.transitions import END, START


def read_symbols(X: Any, column: Any, *, usual: str | None = None) -> tuple[Tokens, str | None]:
    """Sentences, and the column that they came from.

    X        a Corpus, sentences of one, or lists of strings
    column   its name, if X has columns; None for the usual one
    usual    the column of training; None for the words
    """
    if column is not None and not isinstance(column, str):
        raise OptionError(
            f"y is the name of the column that holds the symbols, or None, got {column!r:.80}; a chain has no labels"
        )
    if isinstance(X, (str, bytes, Mapping, Sentence)) or not isinstance(X, Iterable):
        raise CorpusError(f"X must be a Corpus or a list of sentences, each a list of strings, got {X!r:.60}")
    if isinstance(X, Corpus):
        return _of_corpus(X, usual if column is None else column)
    sentences = listed(X)
    if sentences and all(isinstance(one, Sentence) for one in sentences):
        return _of_corpus(Corpus.from_lists(sentences), usual if column is None else column)
    if column is not None:
        raise OptionError(f"{column!r} names a column, but X is a list without columns; pass a Corpus")
    return _of_lists(sentences), None


def _of_corpus(corpus: Corpus, column: str | None) -> tuple[Tokens, str | None]:
    name = word_column(corpus, column)
    if name is None:
        raise CorpusError(
            f"there are no symbols: the columns {', '.join(map(repr, corpus.columns))} hold no strings"
        )
    strings = corpus.strings(name).compact()
    return Tokens(strings.codes, corpus.offsets, strings.pool), name


def _of_lists(sentences: list[Any]) -> Tokens:
    pool = _core.StringPool()
    codes, lengths, s, t = pool.intern_lists(sentences)
    if codes is None and t < 0:
        raise CorpusError(
            f" is {sentences[s]!r:.60}, but a list of strings is wanted; X is a list of sentences: "
            f"for one sentence write [tokens], for the characters of a string list(...)",
            place=Place(s, of="X"),
        )
    if codes is None:
        raise CorpusError(
            f"{sentences[s][t]!r:.60} is no string of sound Unicode; "
            f"symbols are strings, numbers become some with str(...)",
            place=Place(s, t, of="X"),
        )
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return Tokens(codes, offsets, pool)


def check_no_edges(tokens: Tokens) -> None:
    """Text to count must not have the names of start and end among its symbols."""
    for name in (START, END):
        number = tokens.pool.find(name)
        if number >= 0:
            s, t = tokens.place(int(np.argmax(tokens.codes == number)))
            raise CorpusError(
                f" is {name!r}, which is the chain's own name for the "
                f"{'start' if name == START else 'end'} of a sentence and is added by itself; leave it out",
                place=Place(s, t),
            )
