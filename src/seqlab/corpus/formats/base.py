"""The interface of a corpus format, shared code (options, errors, writing), and the detection of the format."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import formats
from seqlab.corpus.columns import (
    MISSING,
    WORD_COLUMNS,
    Column,
    StringColumn,
    checked,
    token_place,
    usual,
)
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.lines import LineReader
from seqlab.corpus.origin import Extras, Layout, Origin
from seqlab.errors import CorpusError, Place

Columns = Sequence[str] | Mapping[str, Any] | None
Reader = _core.BlockReader | LineReader

COLUMN_LINE = 16 << 20  # bytes
SENTENCE_LINE = 64 << 20
PIECE = 50_000  # tokens per write
SHOWN = 60
ONE_LINE = "but one line holds one token or one sentence; is this the right file and format?"
LOOKED_AT = 1 << 13  # bytes, to detect the format
LINE_ENDS = "\n\r\0"
BLANKS = " \t"


class Options(NamedTuple):
    """Arguments of read or stream, and properties of the file found by the reader.

    name      of the file, for messages
    guessed   True if the format was detected
    bom       True if a byte-order mark was skipped
    """

    columns: Columns = None
    separator: str | None = None
    comments: bool | str = False
    docstart: bool = True
    missing: str | None = None
    sequence: str | None = None
    name: str = ""
    guessed: bool = False
    bom: bool = False

    def fixed_names(self, form: str, usual: tuple[str, ...]) -> tuple[str, ...]:
        """Name the columns of a format with a fixed number of columns."""
        if self.columns is None:
            return usual
        names = checked(self.columns)
        if isinstance(self.columns, Mapping) or len(names) != len(usual):
            raise CorpusError(
                f"format {form!r} has {len(usual)} columns ({', '.join(usual)}); "
                f"columns= must give {len(usual)} names, got {self.columns!r}"
            )
        return names

    def cells(self) -> tuple[tuple[str, ...] | None, list[int]]:
        """Return the names of the columns, if given, and the cells to pick (none: all)."""
        if self.columns is None:
            return None, []
        names = checked(self.columns)
        if not names:
            raise CorpusError("columns= must name at least one column, got none")
        if not isinstance(self.columns, Mapping):
            return names, []
        for name, pick in self.columns.items():
            if isinstance(pick, bool) or not isinstance(pick, int) or not -10_000 < pick < 10_000:
                raise CorpusError(
                    f"columns={{{name!r}: {pick!r}}}: the number of a cell is wanted, -1 for the last one"
                )
        return names, list(self.columns.values())


class Format:
    """A corpus format. The class can detect and write its files; an instance reads one file.

    name               its name in options
    title              its name in messages
    suffixes           file name suffixes; when writing, the first format of the registry with the suffix is used
    weight             priority in detection: of several matching formats, the one with the largest weight is chosen
    sign               text in the first lines of every such file; is_like() is called for those files only
    line_is_sentence   one sentence per line; otherwise one token per line, and a blank line after each sentence
    joins_blocks       True if the reader itself continues a sentence in the next block
    longest_line       in bytes
    separator          between cells
    nameless           True if files do not name their columns
    has_header         True if files begin with names of columns
    mark               default cell for a missing value; None if there is none
    marks_documents    True if files may have lines that begin a document
    holds_missing      True if files can express missing values without a mark
    """

    name: ClassVar[str]
    title: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]] = ()
    weight: ClassVar[int] = 0
    sign: ClassVar[re.Pattern[str]] = re.compile("")
    line_is_sentence: ClassVar[bool] = False
    joins_blocks: ClassVar[bool] = False
    longest_line: ClassVar[int] = COLUMN_LINE
    separator: ClassVar[str] = "\t"
    nameless: ClassVar[bool] = False
    has_header: ClassVar[bool] = False
    mark: ClassVar[str | None] = None
    holds_missing: ClassVar[bool] = False
    marks_documents: ClassVar[bool] = False

    @classmethod
    def is_like(cls, lines: Sequence[str], *, blank_lines: bool) -> bool:  # noqa: ARG003
        """Return True if the first lines of a file with the sign look like this format.

        lines         those that are not blank
        blank_lines   True if there are blank lines among them
        """
        return True

    # ------------------------------------------------------------------------------------------ reading

    def __init__(self, options: Options, reader: Reader, names: tuple[str, ...] | None = None) -> None:
        self.options = options
        self.reader = reader
        self.names = names  # of the columns; None until the first token shows how many there are
        self._document: int | None = None  # number of the last document so far; None before the first

    def feed(self, block: bytes, end: int) -> None:
        """Read block[:end], which holds whole lines."""
        try:
            found = self.reader.feed(block, 0, end)
        except CorpusError as error:
            raise error.at(path=self.options.name, line=self.reader.lines) from error.__cause__
        if found is not None:
            kind, line, begin, stop, number = found
            message = self.fault(kind, block[begin:stop], number)
            raise CorpusError(message, place=Place(path=self.options.name, line=line))

    def take(self) -> Corpus | None:
        """Return the sentences read since the last call; None when the columns are not known yet."""
        raw, offsets, lines, extras = self.reader.take()
        columns = self._columns(raw)
        if columns is None:
            return None
        others = Extras(*extras)
        documents = None
        if self.marks_documents:
            documents, self._document = others.documents(len(lines), self._document)
        token_lines = not self.line_is_sentence
        origin = Origin.file(self.options.name, lines, token_lines=token_lines, documents=documents)
        return Corpus(columns, offsets, extras=others, layout=self._layout(), origin=origin)

    def _columns(self, raw: Sequence[tuple[Any, _core.StringPool]]) -> dict[str, Column] | None:
        """Name the columns; a block without tokens has the columns of the blocks before it."""
        columns = [StringColumn(codes, pool) for codes, pool in raw]
        mark = self.options.missing
        if self.names is None and columns:
            self.names = usual(len(columns), [value for value in columns[-1].values if value != mark])
        if self.names is None:
            return None
        if not columns:
            columns = [StringColumn(np.zeros(0, dtype=np.int32), _core.StringPool()) for _ in self.names]
        named = dict(zip(self.names, columns, strict=True))
        return {n: c if n in WORD_COLUMNS else c.without(mark) for n, c in named.items()}

    def _layout(self) -> Layout:
        reader = self.reader
        ended = reader.lines - (not reader.ends_in_newline)
        return Layout(
            format=self.name,
            separator=self.separator,
            newline="\r\n" if reader.crlf_lines and reader.crlf_lines >= ended else "\n",
            bom=self.options.bom,
            final_newline=reader.ends_in_newline,
            missing=self.options.missing,
        )

    def fault(self, kind: str, text: bytes, number: int) -> str:
        """Describe an error in a line: what was found, what was expected, what to do.

        kind     of the error, as named by the reader
        number   of a byte, a cell or a token of the line, by kind
        """
        if kind == "nul":
            hint = "the file may be binary, cut off, or UTF-16 (pass encoding='utf-16')"
            return f"a NUL byte at byte {number + 1} of the line, but text is wanted; {hint}"
        if kind == "utf8":
            around = text[max(number - 20, 0) : number + 10].decode("utf-8", "backslashreplace")
            shown_around = repr(around).replace("\\\\x", "\\x")
            return (
                f"byte 0x{text[number]:02X} at byte {number + 1} of the line is not UTF-8 ({shown_around}); "
                f"pass encoding=, for example encoding='latin-1', if the file was saved in another encoding"
            )
        assert kind == "long_line", kind  # noqa: S101  # a kind of its own is the format's to tell
        return f"the line has {number >> 20} MB, {ONE_LINE}"

    # ------------------------------------------------------------------------------------------ writing

    @classmethod
    def render(cls, corpus: Corpus, layout: Layout) -> Iterator[bytes]:
        """Check the whole corpus, then yield the parts of the file."""
        raise NotImplementedError

    @classmethod
    def marked(cls, corpus: Corpus, mark: str | None) -> Corpus:
        """Replace missing values by the mark, for a format that cannot express them otherwise."""
        for name in corpus.columns:
            column = corpus.data(name)
            if not isinstance(column, StringColumn) or not column.missing:
                continue
            token = int(np.argmin(column.codes))
            if mark is None:
                what = f"{cls.title} cannot hold a missing value, as there is in column {name!r}"
                hint = (
                    "pass missing='_' or another mark to write there, or write another format such as 'jsonl'"
                )
            elif column.take(np.flatnonzero(column.codes != MISSING)).compact().pool.find(mark) >= 0:
                token = int(np.argmax(column.codes == column.pool.find(mark)))
                what = f"column {name!r} has the value {mark!r} here, which is the mark of missing values elsewhere"
                hint = "pass missing=... with a mark that is no value"
            else:
                corpus = corpus.with_column(name, column.filled(mark))
                continue
            place = Place(*token_place(corpus.offsets, token), item="token")
            raise CorpusError(f"{what}; {hint}", place=place)
        return corpus

    @classmethod
    def has_place(cls, label: str | None) -> bool:  # noqa: ARG003
        """Return True if a file can have one more column, for labels that were called `label` in training."""
        return False

    @classmethod
    def labelled(
        cls,
        corpus: Corpus,
        name: str,  # noqa: ARG003
        label: str | None,  # noqa: ARG003
        labels: Collection[str] = (),  # noqa: ARG003
    ) -> Corpus:
        """Choose the columns for a file with predicted labels.

        name     the column with the labels, which is the last one
        label    its name in training
        labels   all labels that it may hold
        """
        return corpus

    @classmethod
    def continued(cls, corpus: Corpus, first: int) -> Corpus:  # noqa: ARG003
        """Prepare a block of a longer file for writing; `first` is the number of its first sentence in the file."""
        return corpus

    @classmethod
    def fresh_layout(cls, newline: str) -> Layout:
        """Make the layout of a file for a corpus of another format."""
        return Layout(format=cls.name, newline=newline)

    @classmethod
    def sheet(cls, corpus: Corpus, columns: list[StringColumn], layout: Layout) -> _core.Sheet:
        """Prepare columns for the native writers, with the lines that are not tokens if they are of this format.

        A sentence without tokens is an error.
        """
        cls.refuse_empty_sentences(corpus)
        extras = corpus.extras
        if corpus.layout.format != cls.name:  # only lines that begin documents have a meaning here, too
            extras = extras.renamed(lambda name: cls.document_lines(name, len(columns)))
        pairs = [(column.codes, column.pool) for column in columns]
        return _core.Sheet(
            pairs, corpus.offsets, extras.sentence, extras.position, extras.codes, extras.pool, layout.newline
        )

    @classmethod
    def document_lines(cls, name: str, width: int) -> tuple[str, ...]:  # noqa: ARG003
        """Return the lines before the first sentence of a document; none where the format has no such lines.

        name    of the document, or ""
        width   the number of columns
        """
        return ()

    @classmethod
    def refuse_empty_sentences(cls, corpus: Corpus) -> None:
        """Raise an error for the first sentence without tokens."""
        empty = corpus.lengths == 0
        if empty.any():
            raise CorpusError(
                f" has no tokens, and {cls.title} cannot hold an empty sentence; leave it out with corpus.filter(len)",
                place=Place(int(np.argmax(empty))),
            )

    @classmethod
    def refuse_cells(
        cls, corpus: Corpus, name: str, forbidden: str, *, empty: bool = True, backslash: bool = False
    ) -> None:
        """Raise an error for the first cell of a column that the format cannot represent.

        forbidden   characters that it may not contain
        empty       True if an empty cell is an error
        backslash   True if a backslash at the end is an error
        """
        column = corpus.strings(name)
        token = _core.first_unwritable(column.codes, column.pool, forbidden, empty, backslash)
        if token < len(column):
            raise cls.unwritable(corpus, name, token, column.values[column.codes[token]])

    @classmethod
    def unwritable(cls, corpus: Corpus, name: str, token: int, value: str) -> CorpusError:
        """Make the error for a token that cannot be written."""
        return CorpusError(
            f"{cls.title} cannot hold {value!r:.80} in column {name!r}; change it, or write another format such as "
            f"'jsonl'",
            place=Place(*token_place(corpus.offsets, token), item="token"),
        )

    @classmethod
    def beside(cls, corpus: Corpus, layout: Layout) -> dict[str, bytes]:  # noqa: ARG003
        """Return files that belong beside the file, by name; none in most formats."""
        return {}

    # ------------------------------------------------------------------------------------------ other lines

    @classmethod
    def meta(cls, lines: Sequence[tuple[int, str]], layout: Layout) -> dict[str, Any]:  # noqa: ARG003
        """Read the metadata of a sentence from its (position, line)s: "# text = ..." in most formats."""
        comments = (line.lstrip("#").partition("=") for _, line in lines if line.startswith("#"))
        return {key.strip(): value.strip() for key, _, value in comments}

    @classmethod
    def weights(cls, extras: Extras, size: int) -> npt.NDArray[np.float64]:  # noqa: ARG003
        """Read the weights of `size` sentences."""
        return np.ones(size)


def strings_of(corpus: Corpus) -> list[str]:
    """Return the columns that hold strings, that of the words first."""
    strings = [name for name in corpus.columns if isinstance(corpus.data(name), StringColumn)]
    return sorted(strings, key=lambda name: ("word", "form").index(name) if name in ("word", "form") else 2)


def pieces(corpus: Corpus) -> Iterator[tuple[int, int]]:
    """Split a corpus into ranges of sentences of about PIECE tokens; at least one, for trailing lines."""
    begin = 0
    while True:
        goal = int(corpus.offsets[begin]) + PIECE
        end = min(max(int(np.searchsorted(corpus.offsets, goal)), begin + 1), len(corpus))
        yield begin, end
        begin = end
        if begin >= len(corpus):
            return


def shown(text: bytes) -> str:
    """Format a line for a message: as repr, shortened."""
    decoded = text[: 4 * SHOWN].decode("utf-8", "replace")
    whole = len(decoded) <= SHOWN and len(text) <= 4 * SHOWN
    return repr(decoded) if whole else repr(decoded[:SHOWN]) + "..."


def named(name: str) -> type[Format]:
    """Find the format with this name: FORMAT of its module."""
    if name not in formats.NAMES:
        raise CorpusError(f"unknown format {name!r}: known are {', '.join(map(repr, formats.NAMES))}")
    found: type[Format] = getattr(formats, name).FORMAT
    return found


def by_suffix(path: str) -> list[type[Format]]:
    """Find the formats of a file name suffix, without a final .gz."""
    stem, suffix = os.path.splitext(path.lower())  # noqa: PTH122  (names of streams are no paths)
    suffix = os.path.splitext(stem)[1] if suffix == ".gz" else suffix  # noqa: PTH122
    return [known for known in map(named, formats.NAMES) if suffix and suffix in known.suffixes]


def guessed(path: str, head: bytes) -> type[Format]:
    """Detect the format of a file by its name, and by its first lines if the name fits none, or several."""
    lines = head[:LOOKED_AT].decode("utf-8", "replace").split("\n")
    if len(lines) > 2 and len(head) > LOOKED_AT:
        lines.pop()  # possibly incomplete
    elif lines[-1] == "":
        lines.pop()  # text after the last line end
    filled = [line for line in lines if line.strip()]
    text, blank_lines = "\n".join(filled), len(filled) < len(lines)

    def likeness(known: type[Format]) -> int:
        alike = known.sign.search(text) and known.is_like(filled, blank_lines=blank_lines)
        return known.weight if alike else 0

    return max(by_suffix(path) or map(named, formats.NAMES), key=likeness)
