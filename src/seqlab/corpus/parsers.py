"""From blocks of bytes to corpora: one parser per format, fed with whole lines in the order of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from seqlab import _core
from seqlab.corpus.columns import Column, StringColumn
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.extras import Extras, Layout
from seqlab.corpus.names import CONLLU, checked, usual
from seqlab.corpus.origin import Origin
from seqlab.corpus.troubles import Expected, raise_found
from seqlab.errors import CorpusError

Columns = Sequence[str] | Mapping[str, int] | None

COLUMN_LINE = 16 << 20


@dataclass(frozen=True)
class Options:
    """What the caller of read or stream said, and what the file's first bytes told.

    name      of the file, for messages
    format    given or guessed
    bom       whether a byte-order mark was skipped
    """

    name: str
    format: str | None
    guessed: bool = False
    columns: Columns = None
    separator: str | None = None
    comments: bool | str = False
    docstart: bool = True
    bom: bool = False


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
            raise_found(found, block, self._options.name, self._expected())

    def finish(self) -> None:
        """There is no more: the last sentence is complete."""
        self._core.finish()

    def take(self) -> Corpus | None:
        """The sentences read since the last call."""
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

    def _columns(self, raw: Sequence[tuple[Any, _core.StringPool]]) -> dict[str, Column] | None:
        """Columns by name; a block without tokens has the columns of the blocks before it."""
        columns = [StringColumn(codes, pool) for codes, pool in raw]
        if self._names is None and columns:
            self._names = self._named(columns)
        if self._names is None:
            return None
        if not columns:
            columns = [StringColumn(np.zeros(0, dtype=np.int32), _core.StringPool()) for _ in self._names]
        return dict(zip(self._names, columns, strict=True))

    def _named(self, columns: Sequence[StringColumn]) -> tuple[str, ...]:
        raise NotImplementedError

    def _layout(self) -> Layout:
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
        return Expected(str(self._options.format), self._options.guessed)


class ColumnParser(NativeParser):
    """CoNLL columns."""

    def __init__(self, options: Options) -> None:
        names, picks = _wanted(options.columns)
        self._given = names
        self._picks = picks
        core = _core.ColumnReader(
            separator=_separator(options.separator),
            width=len(names) if names and not picks else 0,
            picks=picks,
            comment=_comment(comments=options.comments),
            docstart=options.docstart,
            numbered=False,
            longest_line=self.longest_line,
        )
        super().__init__(options, core)
        self._reader = core

    def _named(self, columns: Sequence[StringColumn]) -> tuple[str, ...]:
        return self._given or usual(len(columns), columns[-1].values)

    def _separator(self) -> str:
        return chr(self._reader.separator or 9)

    def _expected(self) -> Expected:
        least = 0
        if self._picks:
            least = max(0, *(pick + 1 for pick in self._picks)) + max(0, *(-pick for pick in self._picks))
        names = None if self._picks else self._given
        return Expected(str(self._options.format), self._options.guessed, names, self._reader.width, least)


class ConlluParser(NativeParser):
    """CoNLL-U: ten columns, numbered tokens; comments, ranges and empty nodes are kept beside them."""

    def __init__(self, options: Options) -> None:
        names, picks = _conllu_wanted(options.columns)
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

    def _named(self, columns: Sequence[StringColumn]) -> tuple[str, ...]:  # noqa: ARG002
        return self._picked

    def _separator(self) -> str:
        return "\t"

    def _expected(self) -> Expected:
        return Expected(str(self._options.format), self._options.guessed, CONLLU, len(CONLLU))


def _wanted(columns: Columns) -> tuple[tuple[str, ...] | None, list[int]]:
    """Names and the cells to pick (none: all)."""
    if columns is None:
        return None, []
    names = checked(columns)
    if not names:
        raise CorpusError("columns= must name at least one column, got none")
    if not isinstance(columns, Mapping):
        return names, []
    picks = list(columns.values())
    for name, pick in columns.items():
        if isinstance(pick, bool) or not isinstance(pick, int) or not -10_000 < pick < 10_000:
            raise CorpusError(
                f"columns={{{name!r}: {pick!r}}}: the number of a cell is wanted, -1 for the last one"
            )
    return names, picks


def _conllu_wanted(columns: Columns) -> tuple[tuple[str, ...], list[int]]:
    """The same for CoNLL-U, where names of its own columns also pick."""
    names, picks = _wanted(columns)
    if names is None:
        return CONLLU, []
    if picks:
        outside = [pick for pick in picks if not -len(CONLLU) <= pick < len(CONLLU)]
        if outside:
            raise CorpusError(
                f"columns= picks cell {outside[0]}, but CoNLL-U has cells 0 to {len(CONLLU) - 1}"
            )
        return names, picks
    places = {**{name: i for i, name in enumerate(CONLLU)}, "form": 1, "pos": 3}
    if all(name in places for name in names):
        return names, [places[name] for name in names]
    if len(names) == len(CONLLU):
        return names, []
    strange = next(name for name in names if name not in places)
    raise CorpusError(
        f"CoNLL-U has no column {strange!r}: its columns are {', '.join(CONLLU)}; "
        f"pass ten names, some of these, or a mapping like {{{strange!r}: 3}}"
    )


def _separator(separator: str | None) -> int:
    if separator is None:
        return 0
    if (
        not isinstance(separator, str)
        or len(separator) != 1
        or not 0 < ord(separator) < 128
        or separator in "\r\n"
    ):
        raise CorpusError(
            f"separator must be '\\t', ' ' for any number of blanks, or another ASCII character, got {separator!r}"
        )
    return ord(separator)


def _comment(*, comments: bool | str) -> str:
    if isinstance(comments, str) and "\n" not in comments and comments:
        return comments
    if isinstance(comments, bool):
        return "#" if comments else ""
    raise CorpusError(f"comments must be True, False, or what comment lines begin with, got {comments!r}")
