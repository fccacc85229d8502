"""A corpus: sentences whose tokens have named columns."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import IO, Any, overload

import numpy as np
import numpy.typing as npt

from seqlab.corpus import lists
from seqlab.corpus.columns import (
    BagColumn,
    Column,
    Offsets,
    StringColumn,
    VectorColumn,
    checked,
    checked_indptr,
    counted,
    joined_offsets,
    ragged,
    resolve,
    token_place,
    unknown,
)
from seqlab.corpus.origin import Extras, Layout, Origin
from seqlab.corpus.sentence import Sentence, index_in
from seqlab.errors import CorpusError, OptionError, Place
from seqlab.shown import Shown

SHOWN = 5  # sentences in a notebook


class Corpus(Shown, Sequence[Sentence]):
    """N sentences, list-like, immutable.

    A string column keeps each distinct string once and a number per token, so slices, splits and shuffles copy numbers
    and share the strings. Make one with seqlab.read, Corpus.from_lists, from_pandas or from_arrow.

    columns   name -> StringColumn, BagColumn or VectorColumn, one entry per token
    offsets   (N + 1,)   sentence i has tokens offsets[i] .. offsets[i + 1]
    extras, layout, origin   lines that are no tokens, how the file was written, and where its lines are; None without
    """

    __slots__ = ("_columns", "_extras", "_layout", "_offsets", "_origin")

    def __init__(
        self,
        columns: Mapping[str, Column],
        offsets: Offsets,
        *,
        extras: Extras | None = None,
        layout: Layout | None = None,
        origin: Origin | None = None,
    ) -> None:
        checked(columns)
        self._columns = dict(columns)
        self._offsets = checked_indptr(offsets, int(offsets[-1]) if len(offsets) else 0)
        # Sentences in memory have no origin and layout: these are made on first use.
        self._extras = extras
        self._layout = Layout() if layout is None else layout
        self._origin = origin
        for name, column in self._columns.items():
            if len(column) != self.token_count:
                raise CorpusError(
                    f"column {name!r} has {len(column)} entries, but the sentences have {self.token_count} tokens"
                )

    # ------------------------------------------------------------------------------------------ what it holds

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in the order of the file."""
        return tuple(self._columns)

    @property
    def offsets(self) -> Offsets:
        """(N + 1,)   sentence i has tokens offsets[i] .. offsets[i + 1]."""
        return self._offsets

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """(N,)   tokens of each sentence."""
        return np.diff(self._offsets)

    @property
    def token_count(self) -> int:
        """Tokens of all sentences."""
        return int(self._offsets[-1])

    @property
    def name(self) -> str:
        """The file it was read from; "" for lists in memory."""
        return "" if self._origin is None else self._origin.name

    @property
    def extras(self) -> Extras:
        """Lines of the file that are not tokens."""
        if self._extras is None:
            self._extras = Extras.none()
        return self._extras

    @property
    def layout(self) -> Layout:
        """Layout of the file."""
        return self._layout

    @property
    def origin(self) -> Origin:
        """File and line of each sentence."""
        if self._origin is None:
            self._origin = Origin.memory(len(self))
        return self._origin

    def data(self, name: str) -> Column:
        """Return the column `name` as stored: StringColumn, BagColumn or VectorColumn."""
        column = self._columns.get(name)
        if column is None and name.startswith("document") and self.origin.documents is not None:
            from seqlab.corpus.parts import COMPUTED, document_column

            if name in COMPUTED:
                return document_column(name, self.documents, self.lengths)
        return self._columns[resolve(name, self.columns)] if column is None else column

    def strings(self, name: str, *, missing: bool = False) -> StringColumn:
        """Return the column `name` of strings as stored: a number per token, and the distinct strings.

        missing   True to allow missing values; otherwise they are an error
        """
        column = self.data(name)
        if not isinstance(column, StringColumn):
            raise CorpusError(f"column {name!r} holds {_kind(column)}, but strings are wanted")
        if column.missing and not missing:
            raise CorpusError(
                f"column {name!r} has no value here, but one is wanted for every token; "
                f"{counted(column.missing, 'value')} of {len(column)} missing: leave these sentences out, or fill them",
                place=self.located(*token_place(self._offsets, int(np.argmin(column.codes)))),
            )
        return column

    def column(self, name: str) -> list[Any]:
        """Return the column `name`, a list per sentence: strings or None, dicts of attributes; an array for vectors."""
        return list(self.data(name).nested(self._offsets))

    def place(self, sentence: int, token: int = 0) -> str:
        """Return the place of a token: "file:line", or "sentence 3, token 5" for lists."""
        return str(self.located(sentence, token))

    def located(self, sentence: int, token: int | None = None) -> Place:
        """Find the file and the line of a sentence or of one token of it."""
        index = self._index(sentence)
        return self.origin.place(index, token, self.extras.within(index, token or 0))

    @property
    def documents(self) -> npt.NDArray[np.int64]:
        """(N,)   number of each sentence's document, 0 without marks; -DOCSTART- and "# newdoc" begin a document."""
        found = self.origin.documents
        return np.zeros(len(self), dtype=np.int64) if found is None else found

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """(N,)   weights of the sentences: @weight lines of a CRFsuite file, else 1."""
        from seqlab.corpus.formats.base import named

        if self._layout.format is None:
            return np.ones(len(self))
        return named(self._layout.format).weights(self.extras, len(self))

    # ------------------------------------------------------------------------------------------ list-like

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, key: int) -> Sentence: ...
    @overload
    def __getitem__(self, key: slice) -> Corpus: ...
    def __getitem__(self, key: int | slice) -> Sentence | Corpus:
        if isinstance(key, slice):
            rows = np.arange(len(self), dtype=np.int64)[key]
            return self._rows(rows, tail=bool(len(rows)) and int(rows[-1]) == len(self) - 1)
        if isinstance(key, str):
            raise TypeError(f"corpus[{key!r}]: a corpus is indexed by sentence; write corpus.column({key!r})")
        return Sentence(self, self._index(key))

    def _index(self, key: int) -> int:
        return index_in(key, len(self), "corpus", "sentence", "a whole number or a slice")

    def __iter__(self) -> Iterator[Sentence]:
        return (Sentence(self, i) for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Corpus):
            return NotImplemented
        return (
            self.columns == other.columns
            and bool(np.array_equal(self._offsets, other._offsets))
            and all(column.same(other._columns[name]) for name, column in self._columns.items())
        )

    __hash__ = None  # type: ignore[assignment]  # compares by value, like a list

    def __add__(self, other: Corpus) -> Corpus:
        if not isinstance(other, Corpus):
            return NotImplemented
        return Corpus.join([self, other])

    def __repr__(self) -> str:
        shown = self.columns if len(self.columns) <= 12 else (*self.columns[:11], "...")
        from pathlib import PurePath  # slow to import

        origin = f", from {PurePath(self.name).name}" if self.name else ""
        counts = f"{counted(len(self), 'sentence')}, {counted(self.token_count, 'token')}"
        return f"Corpus({counts}, columns {' '.join(shown)}{origin})"

    def _views(self) -> Iterator[Any]:
        yield repr(self)
        for sentence in self[:SHOWN]:
            yield from list(sentence._views())[1:]
        if len(self) > SHOWN:
            yield f"… {len(self) - SHOWN:,} more sentences"

    def __reduce__(self) -> tuple[object, ...]:
        rest: dict[str, Any] = {"extras": self._extras, "layout": self._layout, "origin": self._origin}
        return partial(Corpus, self._columns, self._offsets, **rest), ()

    # ------------------------------------------------------------------------------------------ parts

    def take(self, sentences: Iterable[int] | npt.NDArray[np.integer[Any]]) -> Corpus:
        """Return the sentences with these numbers, in this order."""
        rows = np.asarray(sentences if isinstance(sentences, np.ndarray) else list(sentences))
        if rows.size and rows.dtype.kind not in "iu":
            raise CorpusError(f"take wants numbers of sentences, got an array of {rows.dtype}")
        rows = rows.astype(np.int64).reshape(-1)
        outside = (rows < -len(self)) | (rows >= len(self))
        if outside.any():
            raise CorpusError(
                f"take: there is no sentence {int(rows[outside][0])}, the corpus has {len(self)}"
            )
        return self._rows(np.where(rows < 0, rows + len(self), rows))

    def _rows(self, rows: npt.NDArray[np.int64], *, tail: bool = False) -> Corpus:
        offsets, tokens = ragged(self._offsets, rows)
        return Corpus(
            {name: column.take(tokens) for name, column in self._columns.items()},
            offsets,
            extras=None if self._extras is None else self._extras.take(rows, len(self), tail=tail),
            layout=self._layout,
            origin=None if self._origin is None else self._origin.take(rows),
        )

    def filter(self, keep: Callable[[Sentence], bool]) -> Corpus:
        """Keep the sentences for which keep(sentence) is true."""
        return self._rows(np.array([s.index for s in self if keep(s)], dtype=np.int64))

    def split(self, *parts: float, by: str | None = None) -> tuple[Corpus, ...]:
        """Split into consecutive parts, by share of the sentences (0.9; or 0.8, 0.1, 0.1) or by count (1000).

        When shares do not add up to 1, or counts to the number of sentences, one more part holds the rest. Nothing is
        shuffled: write corpus.shuffle(seed).split(0.9) for a random split.

        by   "document" keeps documents whole: each part ends at the nearest end of a document
        """
        from seqlab.corpus.parts import bounds, rounded, whole_documents

        ends = bounds(parts, len(self))
        if by is not None:
            ends = rounded(ends, whole_documents(self.documents, by))
        return tuple(self[begin:end] for begin, end in itertools.pairwise(ends))

    def shuffle(self, seed: int, *, by: str | None = None) -> Corpus:
        """Shuffle the sentences, or whole documents (by="document"); the order depends on the seed alone."""
        from seqlab.corpus.parts import order, shuffled, whole_documents

        if by is None:
            return self._rows(order(len(self), seed))
        return self._rows(shuffled(whole_documents(self.documents, by), seed))

    def sample(self, n: int, seed: int) -> Corpus:
        """Draw n sentences without replacement, in the order of the corpus; the same seed draws the same ones."""
        from seqlab.corpus.parts import WHOLE, order

        size = len(self)
        if isinstance(n, bool) or not isinstance(n, WHOLE) or not 0 <= n <= size:
            raise OptionError(f"sample wants a whole number from 0 to {size} (all sentences), got {n!r}")
        return self._rows(np.sort(order(size, seed)[: int(n)]))

    # ------------------------------------------------------------------------------------------ columns

    def with_column(self, name: str, values: Any) -> Corpus:
        """Copy the corpus with a column `name` added or replaced.

        values   one list of strings per sentence; or a StringColumn, BagColumn or VectorColumn; or an array (tokens, D)
        """
        column = lists.as_column(name, values, self)
        return self._with({**self._columns, name: column})

    def select(self, *names: str) -> Corpus:
        """Copy the corpus with the columns of these names only, in this order."""
        wanted = names[0] if len(names) == 1 and not isinstance(names[0], str) else names
        return self._with({name: self.data(name) for name in checked(wanted)})

    def rename(self, **names: str) -> Corpus:
        """Copy the corpus with other names: corpus.rename(label="pos") calls the column "label" "pos" from now on."""
        for old in names:
            if old not in self._columns:
                raise CorpusError(unknown(old, self.columns))
        new = checked(names.get(name, name) for name in self.columns)
        return self._with(dict(zip(new, self._columns.values(), strict=True)))

    def _with(self, columns: Mapping[str, Column]) -> Corpus:
        return Corpus(columns, self._offsets, extras=self._extras, layout=self._layout, origin=self._origin)

    @staticmethod
    def join(parts: Iterable[Corpus]) -> Corpus:
        """Concatenate corpora with equal columns, the parts."""
        whole = list(parts)
        if not whole:
            raise CorpusError("join wants at least one corpus")
        first = whole[0]
        for part in whole[1:]:
            if set(part.columns) != set(first.columns):
                raise CorpusError(
                    f"corpora with different columns cannot be joined: {' '.join(first.columns)} and "
                    f"{' '.join(part.columns)}; use select() or rename() first"
                )
        # Extra lines of one format cannot be written in another.
        kept = [p.extras if p._layout.format == first._layout.format else Extras.none() for p in whole]
        return Corpus(
            {name: _joined(name, [part._columns[name] for part in whole]) for name in first.columns},
            joined_offsets([part._offsets for part in whole]),
            extras=Extras.join(kept, [*map(len, whole)]),
            layout=first._layout,
            origin=Origin.join([part.origin for part in whole]),
        )

    # ------------------------------------------------------------------------------------------ in and out

    @staticmethod
    def from_lists(*data: Any, columns: Iterable[str] | None = None, **named: Any) -> Corpus:
        """Make a corpus from data (see seqlab.corpus.lists), or from named lists; columns: names for tuples."""
        if len(data) == 1 and not named and lists.are_sentences(data[0]):
            joined = Corpus.join(_spans(data[0]))
            return joined if columns is None else joined.select(*columns)
        found, offsets = lists.columns_of(data, columns, named)
        return Corpus(found, offsets)

    def to_lists(self) -> dict[str, list[Any]]:
        """Return {column name: one list per sentence}."""
        return {name: self.column(name) for name in self.columns}

    @staticmethod
    def from_pandas(
        frame: Any, sentence: str | None = "sentence", columns: Iterable[str] | None = None
    ) -> Corpus:
        """Make a corpus from a frame with one row per token, its column `sentence` the sentence; columns: to keep."""
        from seqlab.corpus.frames import from_pandas

        return from_pandas(frame, sentence, columns)

    def to_pandas(self) -> Any:
        """Make a DataFrame with one row per token; strings become categories."""
        from seqlab.corpus.frames import to_pandas

        return to_pandas(self)

    to_frame = to_pandas

    @staticmethod
    def from_arrow(
        table: Any, columns: Iterable[str] | None = None, names: Mapping[str, Sequence[str]] | None = None
    ) -> Corpus:
        """Make a corpus from a table: of Arrow, Polars or DuckDB, or a dataset of Hugging Face.

        table     one row per sentence, and columns of lists; or one row per token, and a column "sentence". Any object
                  with __arrow_c_stream__ will do
        columns   which columns to take; None: all that hold lists
        names     label names for columns of label numbers, {"ner_tags": ["O", "B-PER", ...]}; a dataset has its own
        """
        from seqlab.corpus.frames import from_arrow

        return from_arrow(table, columns, names)

    def to_arrow(self) -> Any:
        """Make an Arrow table with one row per sentence; strings are dictionary-encoded."""
        from seqlab.corpus.frames import to_arrow

        return to_arrow(self)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Give the table of to_arrow() to other libraries: pyarrow.table(corpus); requested_schema as they ask."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def write(
        self,
        target: str | os.PathLike[str] | IO[bytes] | IO[str],
        format: str | None = None,  # noqa: A002
        columns: Iterable[str] | None = None,
        *,
        separator: str | None = None,
        missing: str | None = None,
        encoding: str = "utf-8",
    ) -> None:
        """Write the corpus to a file or stream.

        target, format, columns, separator, missing, encoding   as for seqlab.write
        """
        from seqlab.corpus.io.writer import write

        write(self, target, format, columns, separator=separator, missing=missing, encoding=encoding)


def _spans(sentences: Iterable[Sentence]) -> Iterator[Corpus]:
    """Split a list of sentences into corpora: runs of consecutive sentences of one corpus."""
    for _, same in itertools.groupby(sentences, key=lambda sentence: id(sentence.corpus)):
        together = list(same)
        yield together[0].corpus.take([sentence.index for sentence in together])


def _joined(name: str, parts: Sequence[Any]) -> Column:
    first = parts[0]
    other = next((part for part in parts if type(part) is not type(first)), None)
    if other is not None:
        raise CorpusError(f"column {name!r} holds {_kind(first)} in one corpus and {_kind(other)} in another")
    joined: Column = type(first).join(parts)
    return joined


def _kind(column: Column) -> str:
    return {StringColumn: "strings", BagColumn: "bags of attributes", VectorColumn: "vectors"}[type(column)]
