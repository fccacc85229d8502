"""A sentence and its tokens: views of a corpus, made on access."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, overload

import numpy as np

from seqlab import corpus as corpora
from seqlab.corpus.columns import MISSING, StringColumn, counted, resolve, unknown
from seqlab.errors import CorpusError
from seqlab.shown import Shown, framed

WIDEST_REPR = 72


def index_in(key: Any, size: int, whole: str, part: str, by: str) -> int:
    """Check an index, which may count from the end; the strings are used in messages."""
    try:
        index = operator.index(key)
    except TypeError:
        several = whole == "corpus" and isinstance(key, (list, tuple, np.ndarray))
        hint = "; write corpus.take(...) for several" if several else ""
        raise TypeError(f"a {whole} is indexed by {by}, got {key!r:.80}{hint}") from None
    index += size if index < 0 else 0
    if not 0 <= index < size:
        raise IndexError(f"{part} {key} of a {whole} with {size} {part}s")
    return index


class Sentence(Shown):
    """Sentence number `index` of a corpus.

    sentence["pos"] is a list with one string per token, sentence[3] the fourth token.
    """

    __slots__ = ("_begin", "_corpus", "_end", "index")

    def __init__(self, corpus: corpora.Corpus, index: int) -> None:
        self._corpus = corpus
        self.index = index
        self._begin = int(corpus.offsets[index])
        self._end = int(corpus.offsets[index + 1])

    def __len__(self) -> int:
        return self._end - self._begin

    @property
    def corpus(self) -> corpora.Corpus:
        """The corpus it belongs to."""
        return self._corpus

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self._corpus.columns

    @property
    def tokens(self) -> list[str]:
        """The words."""
        words: list[str] = self["word"]
        return words

    @overload
    def __getitem__(self, key: str) -> Any: ...
    @overload
    def __getitem__(self, key: int) -> Token: ...
    @overload
    def __getitem__(self, key: slice) -> list[Token]: ...
    def __getitem__(self, key: str | int | slice) -> Any:
        if isinstance(key, str):
            return self._corpus.data(key).span(self._begin, self._end)  # an array for vectors
        if isinstance(key, slice):
            return [Token(self, t) for t in range(*key.indices(len(self)))]
        by = "a column's name, a whole number or a slice"
        return Token(self, index_in(key, len(self), "sentence", "token", by))

    def __iter__(self) -> Iterator[Token]:
        return (Token(self, t) for t in range(len(self)))

    def __contains__(self, name: object) -> bool:
        raise TypeError(
            "`in` could mean a column or a word: write name in sentence.columns or word in sentence.tokens"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sentence):
            return NotImplemented
        return self._alone() == other._alone()

    def _alone(self) -> corpora.Corpus:
        return self._corpus[self.index : self.index + 1]

    __hash__ = None  # type: ignore[assignment]  # compares by value, like a list

    def __repr__(self) -> str:
        name = next((c for c in ("word", "form", *self.columns) if c in self.columns), None)
        text = " ".join(map(str, self[name][:WIDEST_REPR])) if name else ""
        if len(text) > WIDEST_REPR:
            text = text[: WIDEST_REPR - 3] + "..."
        return f"Sentence({text!r}, {counted(len(self), 'token')}, columns {' '.join(self.columns)})"

    def _views(self) -> Iterator[Any]:
        from seqlab.views.notebook import tokens

        yield f"{self.place()}: {counted(len(self), 'token')}"
        yield tokens({name: self._corpus.data(name) for name in self.columns}, self._begin, self._end)

    def to_frame(self) -> Any:
        """Make a pandas DataFrame with one row per token, and a column for every column."""
        return framed({name: [*self[name]] for name in self.columns})

    def __reduce__(self) -> tuple[object, ...]:
        return operator.getitem, (self._alone(), 0)

    def place(self, token: int = 0) -> str:
        """Return the place of a token: "file:line", or "sentence 3, token 5" for lists."""
        return self._corpus.place(self.index, token)

    @property
    def comments(self) -> tuple[str, ...]:
        """Comment lines before and in the sentence, with their #."""
        lines = (text for _, text in self._corpus.extras.of(self.index))
        return tuple(line for line in lines if line is not None and line.startswith("#"))

    @property
    def meta(self) -> Mapping[str, Any]:
        """Fields of the comments, "# text = ..." as meta["text"], "# newpar" alone as ""; for JSON the other fields."""
        from seqlab.corpus.formats.base import named

        layout = self._corpus.layout
        lines = [(t, text) for t, text in self._corpus.extras.of(self.index) if text is not None]
        return MappingProxyType(named(layout.format or "conll").meta(lines, layout))


class Token:
    """Token number `position` of a sentence: token.word, token["pos"]."""

    __slots__ = ("position", "sentence")

    def __init__(self, sentence: Sentence, position: int) -> None:
        self.sentence = sentence
        self.position = position

    def __getitem__(self, name: str) -> Any:
        at = self.sentence._begin + self.position
        column = self.sentence._corpus.data(name)
        if isinstance(column, StringColumn):
            code = int(column.codes[at])
            return None if code == MISSING else column.values[code]
        return column.span(at, at + 1)[0]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except CorpusError:
            raise AttributeError(unknown(name, self.columns)) from None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.sentence.columns

    @property
    def place(self) -> str:
        """Its place: "file:line", or "sentence 3, token 5" for lists."""
        return self.sentence.place(self.position)

    def as_dict(self) -> dict[str, Any]:
        """Column name -> value."""
        return {name: self[name] for name in self.columns}

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and bool(resolve(name, self.columns))
        except CorpusError:
            return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Token):
            return NotImplemented
        return self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]  # compares by value

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.columns]

    def __repr__(self) -> str:
        cells = ", ".join(f"{name}={self[name]!r}" for name in self.columns)
        return f"Token({cells})"

    def __reduce__(self) -> tuple[object, ...]:
        return Token, (self.sentence, self.position)
