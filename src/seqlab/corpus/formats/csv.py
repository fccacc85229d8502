"""Tables: comma-separated values (RFC 4180), one row per token.

Sentence #,Word,POS,Tag          a column that names the sentence, in every row or in the first row of each
Sentence: 1,The,DT,O             sentence; a blank line ends a sentence as well
,dog,NN,O

x,y                              a table of numbers, without words: one vector per row
0.5,1.25
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus.columns import MISSING, WORD_COLUMNS, Column, StringColumn, VectorColumn
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import SENTENCE_LINE, Format, Options, pieces
from seqlab.corpus.io.header import HEADER, OURS, SEQUENCE, bare, delimiter_of, split
from seqlab.corpus.io.table import EVERY, TableReader
from seqlab.corpus.origin import Extras, Layout
from seqlab.errors import CorpusError


class Csv(Format):
    """Table with one row per token."""

    name = "csv"
    title = "a CSV table"
    suffixes = (".csv", ".tsv")
    weight = 25
    sign = HEADER
    longest_line = SENTENCE_LINE
    separator = ","
    mark = ""
    joins_blocks = True
    has_header = True

    @classmethod
    def is_like(cls, lines: Sequence[str], *, blank_lines: bool) -> bool:  # noqa: ARG003
        """Return True if the first line is a header in which at least two names are common for tables of tokens."""
        cells = [bare(cell) for cell in split(lines[0], delimiter_of(lines))]
        known = {OURS.get(cell) or ("" if cell in SEQUENCE else None) for cell in cells} - {None}
        return len(known) >= 2 and len(set(cells)) == len(cells)

    def __init__(self, options: Options) -> None:
        self._table = TableReader(options)
        super().__init__(options, self._table)  # type: ignore[arg-type]

    def _columns(self, raw: Sequence[tuple[Any, _core.StringPool]]) -> dict[str, Column] | None:
        return self._table.columns(raw)

    def _layout(self) -> Layout:
        table = self._table
        return replace(
            super()._layout(),
            separator=table.delimiter,
            escaped=not table.quoted,
            shape=table.shape,
            keys=table.keys,
        )

    @classmethod
    def meta(cls, lines: Sequence[tuple[int, str]], layout: Layout) -> dict[str, Any]:  # noqa: ARG003
        """Return the name of the sentence as its id."""
        return {} if not lines else {"id": lines[0][1]}

    @classmethod
    def has_place(cls, label: str | None) -> bool:  # noqa: ARG003
        """Return True: any column can be added."""
        return True

    @classmethod
    def fresh_layout(cls, newline: str) -> Layout:
        """Make the layout of a file for a corpus of another format."""
        return Layout(format=cls.name, newline=newline, separator=",", shape=EVERY, keys=(("", "sentence"),))

    @classmethod
    def continued(cls, corpus: Corpus, first: int) -> Corpus:
        """Name the sentences of a block by their numbers in the file, unless they were read from a table."""
        if corpus.layout.format == cls.name:
            return corpus
        pool, size = _core.StringPool(), len(corpus)
        codes = np.array([pool.intern(str(first + s)) for s in range(size)], dtype=np.int32)
        extras = Extras(np.arange(size, dtype=np.int64), np.zeros(size, dtype=np.int64), codes, pool)
        columns = {name: corpus.data(name) for name in corpus.columns}
        return Corpus(columns, corpus.offsets, extras=extras, layout=cls.fresh_layout(corpus.layout.newline))

    @classmethod
    def render(cls, corpus: Corpus, layout: Layout) -> Iterator[bytes]:
        """Write a header, and one row per token."""
        cls.refuse_empty_sentences(corpus)
        forbidden = "\0" if not layout.escaped else f"\0\r\n{layout.separator}"
        for name in corpus.columns:
            column = corpus.data(name)
            if isinstance(column, StringColumn):
                cls.refuse_cells(corpus, name, forbidden, empty=False)
                nothing = column.pool.find("") if name in WORD_COLUMNS else MISSING
                if nothing != MISSING and (column.codes == nothing).any():
                    raise cls.unwritable(corpus, name, int(np.argmax(column.codes == nothing)), "")
            elif not isinstance(column, VectorColumn):
                raise CorpusError(
                    f"a CSV table holds strings and numbers, but column {name!r} has bags of attributes; "
                    f"pass columns=... without it, or write 'crfsuite' or 'jsonl'"
                )
        return _rows(corpus, layout)


FORMAT = Csv

# ---------------------------------------------------------------------------------------------- writing


def _rows(corpus: Corpus, layout: Layout) -> Iterator[bytes]:
    sequence = next((key for name, key in layout.keys if not name), None)
    header = [] if sequence is None else [sequence]
    for name in corpus.columns:
        column = corpus.data(name)
        width = column.vectors.shape[1] if isinstance(column, VectorColumn) else 1
        known = [key for own, key in layout.keys if own == name]
        fresh = [name] if width == 1 else [f"{name}{i}" for i in range(width)]
        header += known if len(known) == width else fresh
    own = corpus.layout.format == Csv.name
    yield _written([header], layout)
    before = None
    for begin, end in pieces(corpus):
        rows: list[list[str]] = []
        for s in range(begin, end):
            name = ""
            cells = list(chain.from_iterable(_cells(corpus[s][name]) for name in corpus.columns))
            mine = [list(row) for row in zip(*cells, strict=True)]
            if sequence is not None:
                name = next((text or "" for _, text in corpus.extras.of(s)), "") if own else str(s)
                mine = [[name if t == 0 or layout.shape == EVERY else "", *row] for t, row in enumerate(mine)]
            # Names tell sentences apart, unless two of them are equal; then a blank line does.
            if s and (sequence is None or name in {"", before}):
                rows.append([])
            before = name
            rows += mine
        yield _written(rows, layout)


def _cells(values: Any) -> list[list[str]]:
    if not isinstance(values, np.ndarray):
        return [values]
    return [[_text(number) for number in column] for column in values.T.tolist()]


def _text(number: float) -> str:
    """Format a number without loss; empty for a missing one."""
    if math.isnan(number):
        return ""
    return repr(int(number)) if number.is_integer() else repr(number)


def _written(rows: list[list[str]], layout: Layout) -> bytes:
    out = io.StringIO(newline="")
    options: Any = {"quoting": csv.QUOTE_NONE, "quotechar": None} if layout.escaped else {}
    csv.writer(out, delimiter=layout.separator, lineterminator=layout.newline, **options).writerows(rows)
    return out.getvalue().encode("utf-8")
