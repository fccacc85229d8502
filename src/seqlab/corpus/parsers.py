"""From blocks of bytes to corpora: one parser per format, fed with whole lines in the order of the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from seqlab import _core
from seqlab.corpus.names import CONLLU, usual
from seqlab.corpus.options import (
    Options,
    attribute_names,
    comment_prefix,
    conllu_cells,
    line_names,
    separator_byte,
    wanted_cells,
)

if (
    TYPE_CHECKING
):  # a file without faults needs no words for them, and few sentences no corpus, which needs NumPy
    from seqlab.corpus.columns import Column
    from seqlab.corpus.corpus import Corpus
    from seqlab.corpus.extras import Layout
    from seqlab.corpus.troubles import Expected

COLUMN_LINE = 16 << 20
SENTENCE_LINE = 64 << 20


class FewSentences(NamedTuple):
    """Some sentences as lists of strings, for whoever has no use for a corpus.

    columns         by name, the cells of all tokens
    offsets         sentence s has the tokens offsets[s] .. offsets[s + 1]
    extras          (sentence, position, text) of lines that are no tokens, as corpus.Extras has them
    separator       between cells
    final_newline   whether the last line had an end
    """

    columns: dict[str, list[str]]
    offsets: list[int]
    extras: list[tuple[int, int, str | None]]
    separator: str
    final_newline: bool


class Parser(Protocol):
    """What read and stream know of a format.

    line_is_sentence   a block may be cut after any line; else after a blank one
    longest_line       in bytes
    """

    line_is_sentence: bool
    longest_line: int

    @property
    def lines(self) -> int:
        """Lines seen so far."""

    @property
    def first_crlf(self) -> int:
        """The first line that ends in CRLF, or 0."""

    def feed(self, block: bytes, end: int) -> None:
        """Read block[:end], which holds whole lines."""

    def finish(self) -> None:
        """There is no more."""

    def take(self) -> Corpus | None:
        """The sentences read since the last call; None when there were none and the columns are not known."""


class NativeParser:
    """A reader of the core with its options: what the formats have in common."""

    line_is_sentence = False
    token_lines = True
    longest_line = COLUMN_LINE

    def __init__(self, options: Options, core: _core.BlockReader) -> None:
        self._options = options
        self._core = core
        self._names: tuple[str, ...] | None = None

    @property
    def lines(self) -> int:
        """Lines seen so far."""
        return self._core.lines

    @property
    def first_crlf(self) -> int:
        """The first line that ends in CRLF, or 0."""
        return self._core.first_crlf

    def feed(self, block: bytes, end: int) -> None:
        """Read block[:end], which holds whole lines."""
        found = self._core.feed(block, 0, end)
        if found is not None:
            from seqlab.corpus.troubles import raise_found

            raise_found(found, block, self._options.name, self._expected())

    def finish(self) -> None:
        """There is no more: the last sentence is complete."""
        self._core.finish()

    def take(self) -> Corpus | None:
        """The sentences read since the last call."""
        from seqlab.corpus.corpus import Corpus
        from seqlab.corpus.extras import Extras
        from seqlab.corpus.origin import Origin

        raw, offsets, lines, extras = self._core.take()
        columns = self._columns(raw)
        if columns is None:
            return None
        return Corpus(
            columns,
            offsets,
            extras=Extras(*extras),
            layout=self._layout(),
            origin=Origin.file(self._options.name, lines, token_lines=self.token_lines),
        )

    def take_few(self) -> FewSentences | None:
        """The same as lists; None when there are no sentences. Bags of attributes have no such form."""
        columns, offsets, extras = self._core.take_strings()
        if not columns or len(offsets) < 2:
            return None
        if self._names is None:
            self._names = self._named(len(columns), columns[-1])
        named = dict(zip(self._names, columns, strict=True))
        return FewSentences(named, offsets, extras, self._separator(), self._core.ends_in_newline)

    def _columns(self, raw: Sequence[tuple[Any, _core.StringPool]]) -> dict[str, Column] | None:
        """Columns by name; a block without tokens has the columns of the blocks before it."""
        import numpy as np

        from seqlab.corpus.columns import StringColumn

        columns = [StringColumn(codes, pool) for codes, pool in raw]
        if self._names is None and columns:
            self._names = self._named(len(columns), columns[-1].values)
        if self._names is None:
            return None
        if not columns:
            columns = [StringColumn(np.zeros(0, dtype=np.int32), _core.StringPool()) for _ in self._names]
        return dict(zip(self._names, columns, strict=True))

    def _named(self, width: int, last_values: Iterable[str]) -> tuple[str, ...]:
        raise NotImplementedError

    def _layout(self) -> Layout:
        from seqlab.corpus.extras import Layout

        core = self._core
        ended = core.lines - (not core.ends_in_newline)
        return Layout(
            format=self._options.format,
            separator=self._separator(),
            newline="\r\n" if core.crlf_lines and core.crlf_lines >= ended else "\n",
            bom=self._options.bom,
            final_newline=core.ends_in_newline,
        )

    def _separator(self) -> str:
        return " "

    def _expected(self) -> Expected:
        from seqlab.corpus.troubles import Expected

        return Expected(str(self._options.format), self._options.guessed)


class ColumnParser(NativeParser):
    """CoNLL columns."""

    def __init__(self, options: Options) -> None:
        names, picks = wanted_cells(options.columns)
        self._given = names
        self._picks = picks
        core = _core.ColumnReader(
            separator=separator_byte(options.separator),
            width=len(names) if names and not picks else 0,
            picks=picks,
            comment=comment_prefix(comments=options.comments),
            docstart=options.docstart,
            numbered=False,
            longest_line=self.longest_line,
        )
        super().__init__(options, core)
        self._reader = core
        self._hash = False

    def feed(self, block: bytes, end: int) -> None:
        """Read block[:end], which holds whole lines."""
        if not self.lines and not self._options.comments:
            self._hash = block[:1000].lstrip().startswith(b"#")
        super().feed(block, end)

    def _named(self, width: int, last_values: Iterable[str]) -> tuple[str, ...]:
        return self._given or usual(width, last_values)

    def _separator(self) -> str:
        return chr(self._reader.separator or 9)

    def _expected(self) -> Expected:
        from seqlab.corpus.troubles import Expected

        least = 0
        if self._picks:
            least = max(0, *(pick + 1 for pick in self._picks)) + max(0, *(-pick for pick in self._picks))
        names = None if self._picks else self._given
        return Expected(
            str(self._options.format), self._options.guessed, names, self._reader.width, least, self._hash
        )


class ConlluParser(NativeParser):
    """CoNLL-U: ten columns, numbered tokens; comments, ranges and empty nodes are kept beside them."""

    def __init__(self, options: Options) -> None:
        names, picks = conllu_cells(options.columns)
        self._picked = names
        core = _core.ColumnReader(
            separator=9,
            width=len(CONLLU),
            picks=picks,
            comment="#",
            docstart=False,
            numbered=True,
            longest_line=self.longest_line,
        )
        super().__init__(options, core)

    def _named(self, width: int, last_values: Iterable[str]) -> tuple[str, ...]:  # noqa: ARG002
        return self._picked

    def _separator(self) -> str:
        return "\t"

    def _expected(self) -> Expected:
        from seqlab.corpus.troubles import Expected

        return Expected(str(self._options.format), self._options.guessed, CONLLU, len(CONLLU))


class LineParser(NativeParser):
    """One sentence a line: plain text, or word/TAG."""

    line_is_sentence = True
    token_lines = False
    longest_line = SENTENCE_LINE

    def __init__(self, options: Options) -> None:
        self._tagged = options.format == "slash"
        self._given = line_names(options)
        core = _core.LineReader(tagged=self._tagged, longest_line=self.longest_line)
        super().__init__(options, core)
        self._reader = core

    def finish(self) -> None:
        """Every line is complete by itself."""

    def _named(self, width: int, last_values: Iterable[str]) -> tuple[str, ...]:  # noqa: ARG002
        return self._given

    def _layout(self) -> Layout:
        from dataclasses import replace  # slow to import

        return replace(super()._layout(), escaped=self._reader.escaped)


class AttributeParser(NativeParser):
    """CRFsuite's files: a column of labels and one of bags."""

    longest_line = SENTENCE_LINE

    def __init__(self, options: Options) -> None:
        self._given = attribute_names(options)
        core = _core.AttributeReader(longest_line=self.longest_line)
        super().__init__(options, core)
        self._reader = core

    def _columns(self, raw: Sequence[tuple[Any, _core.StringPool]]) -> dict[str, Column] | None:
        from seqlab.corpus.columns import BagColumn

        bag = BagColumn(*self._reader.take_bag())
        labels = super()._columns(raw)
        return None if labels is None else {**labels, self._given[1]: bag}

    def _named(self, width: int, last_values: Iterable[str]) -> tuple[str, ...]:  # noqa: ARG002
        return self._given[:1]

    def _separator(self) -> str:
        return "\t"
