"""The columns a template reads, taken from a corpus or computed, as the core wants them: codes and strings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import Corpus, StringColumn, VectorColumn
from seqlab.encode.plan import Source
from seqlab.errors import CorpusError, TemplateError
from seqlab.features.computed import gazetteer_of, plain_column
from seqlab.features.model import Call, TemplateLike
from seqlab.features.values import missing_column, passed_through

Codes = npt.NDArray[np.int32]
NO_VALUE = -1


@dataclass(frozen=True, slots=True)
class Given:
    """A column as the core reads it: unlike a column of a corpus it may have tokens without a value.

    codes   (tokens,)   numbers in the pool, NO_VALUE where there is none
    """

    codes: Codes
    pool: _core.StringPool


class ColumnReader:
    """Reads the columns that one template asks for off one corpus, each of them once."""

    def __init__(self, template: TemplateLike, corpus: Corpus) -> None:
        self.template = template
        self.corpus = corpus
        self._columns: dict[str, Given] = {}

    def read(self, sources: Iterable[Source]) -> list[tuple[Codes, _core.StringPool]]:
        """(codes, pool) of every source; code -1 where there is no value."""
        return [(column.codes, column.pool) for column in map(self._source, sources)]

    def _source(self, source: Source) -> Given:
        column = self.column(source.column)
        return self._passed_through(column, source.calls) if source.calls else column

    def column(self, name: str) -> Given:
        """A column of the corpus, by name or by number ("#1"), or a computed one ("@position")."""
        if name not in self._columns:
            self._columns[name] = self._computed(name) if name.startswith("@") else self._read(name)
        return self._columns[name]

    def _read(self, name: str) -> Given:
        column = self._strings(name)
        return Given(column.codes, column.pool)

    def _strings(self, name: str) -> StringColumn:
        columns = self.corpus.columns
        if name.startswith("#"):
            number = int(name[1:])
            if number >= len(columns):
                raise missing_column(name, columns)
            name = columns[number]
        if name in columns and not isinstance(self.corpus.data(name), StringColumn):
            held = "vectors" if isinstance(self.corpus.data(name), VectorColumn) else "ready-made attributes"
            raise TemplateError(
                f"the template reads column {name!r} as text, but it holds {held}; features=None takes them as they are"
            )
        try:
            return self.corpus.strings(name)
        except CorpusError as error:
            raise missing_column(name, columns) from error

    def _computed(self, name: str) -> Given:
        gazetteer = gazetteer_of(name)
        if gazetteer is None:
            return _by_length(name, self.corpus.lengths)
        tokens = self._strings(gazetteer.column).nested(self.corpus.offsets)
        return _column_of(
            value for sentence in tokens for value in gazetteer.values(sentence, self.template.lexicons)
        )

    def _passed_through(self, column: Given, calls: tuple[Call, ...]) -> Given:
        """The column after functions that only Python knows: once per distinct string."""
        used = np.unique(column.codes)
        used = used[used != NO_VALUE]
        texts = column.pool.strings()
        results = _column_of(
            passed_through(calls, texts[code], self.template.lexicons) for code in used.tolist()
        )
        of_code = np.full(len(column.pool) + 1, NO_VALUE, dtype=np.int32)  # the last entry serves code -1
        of_code[used] = results.codes
        return Given(of_code[column.codes], results.pool)


def _column_of(values: Iterable[str | None]) -> Given:
    pool = _core.StringPool()
    codes = [NO_VALUE if value is None else pool.intern(value) for value in values]
    return Given(np.array(codes, dtype=np.int32), pool)


def _by_length(name: str, lengths: npt.NDArray[np.int64]) -> Given:
    """A column that depends on nothing but the sentence's length, made once for each length that occurs."""
    different, which = np.unique(lengths, return_inverse=True)
    flat = _column_of(value for length in different.tolist() for value in plain_column(name, length))
    begins = np.concatenate([[0], np.cumsum(different)])[:-1]
    return Given(flat.codes[_stretches(begins[which], lengths)], flat.pool)


def _stretches(
    begins: npt.NDArray[np.int64], lengths: Sequence[int] | npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """begins[0], begins[0] + 1, ... for lengths[0] numbers, then begins[1], ..."""
    lengths = np.asarray(lengths, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    shifts: npt.NDArray[np.int64] = np.repeat(begins - starts[:-1], lengths)
    return np.arange(int(starts[-1]), dtype=np.int64) + shifts
