"""JSON lines: one sentence a line."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus.columns import StringColumn
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.extras import Extras, Layout
from seqlab.corpus.guess import DOCUMENT_BEGINS
from seqlab.corpus.json_shapes import Shape, ShapeTroubleError, cells_of, shape_of
from seqlab.corpus.options import Options
from seqlab.corpus.origin import Origin
from seqlab.corpus.troubles import Expected, raise_found, shown
from seqlab.errors import CorpusError

LONGEST_LINE = 64 << 20
STYLE_LINES = 100  # how many lines are looked at for the blanks between values
STYLES = ((False, ", "), (False, ","), (True, ", "), (True, ","))  # ensure_ascii, separator


def dumped(value: Any, *, ascii_only: bool, separator: str) -> str:
    """JSON on one line."""
    colon = ": " if separator == ", " else ":"
    return json.dumps(value, ensure_ascii=ascii_only, separators=(separator, colon))


class JsonParser:
    """Reads JSON lines; the first one says which shape they have."""

    line_is_sentence = True
    longest_line = LONGEST_LINE

    def __init__(self, options: Options) -> None:
        self._options = options
        self._shape: Shape | None = None
        self._styles = list(STYLES)
        self._crlf = 0
        self._final_newline = True
        self.lines = 0
        self.first_crlf = 0
        self._clear()

    def _clear(self) -> None:
        self._cells: list[list[list[str]]] = []
        self._numbers: list[int] = []
        self._extras: list[tuple[int, int, str]] = []

    def feed(self, block: bytes, end: int) -> None:
        """Read block[:end], which holds whole lines."""
        begin = 0
        while begin < end:
            newline = block.find(b"\n", begin, end)
            self._final_newline = newline >= 0
            stop = newline if newline >= 0 else end
            self.lines += 1
            line = block[begin:stop]
            if line.endswith(b"\r"):
                line = line[:-1]
                self._crlf += 1
                self.first_crlf = self.first_crlf or self.lines
            self._line(line)
            begin = stop + 1

    def _line(self, line: bytes) -> None:
        text = self._decoded(line)
        if not text.strip():
            self._extras.append((len(self._numbers), 0, text))
            return
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            hint = ""
            if not self._numbers and text.strip() in DOCUMENT_BEGINS:
                hint = "; one document on many lines becomes one sentence a line with `jq -c '.[]'`"
            raise self._error(
                f"not JSON: {error.msg} at column {error.colno} of {shown(line)}{hint}"
            ) from None
        except (ValueError, RecursionError) as error:
            raise self._error(f"not JSON that can be read: {error}") from None
        try:
            if self._shape is None:
                self._shape = shape_of(value, self._options.columns)
            self._settle(value, text)
            self._sentence(value)
        except ShapeTroubleError as trouble:
            raise self._error(str(trouble)) from None

    def _settle(self, value: Any, text: str) -> None:
        """Keep the styles that would write the line as it is. Only some lines can tell one from another."""
        spacing = len({separator for _, separator in self._styles}) > 1 and self.lines <= STYLE_LINES
        escapes = not text.isascii() or "\\u" in text
        if len(self._styles) > 1 and (spacing or escapes):
            same = [(a, s) for a, s in self._styles if dumped(value, ascii_only=a, separator=s) == text]
            self._styles = same or self._styles

    def _sentence(self, value: Any) -> None:
        if self._shape is None:
            return
        cells, rest = cells_of(value, self._shape)
        for column in cells:
            for token, cell in enumerate(column):
                if not cell.isascii() and not _writable(cell):
                    raise ShapeTroubleError(f"token {token} is {cell!r:.60}, which UTF-8 cannot write")
        for position, field in rest:
            self._extras.append((len(self._numbers), position, json.dumps(field)))
        self._cells.append(cells)
        self._numbers.append(self.lines)

    def _decoded(self, line: bytes) -> str:
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError as error:
            expected = Expected("jsonl", self._options.guessed)
            raise_found(("utf8", self.lines, 0, len(line), error.start), line, self._options.name, expected)
            raise

    def _error(self, message: str) -> CorpusError:
        hint = "every line must be one sentence: an object of lists, or a list of strings, pairs or objects"
        name = self._options.name
        return CorpusError(f"{name}:{self.lines}: {message}; {hint}", path=name, line=self.lines)

    def finish(self) -> None:
        """Every line is complete by itself."""

    def take(self) -> Corpus | None:
        """The sentences read since the last call."""
        if self._shape is None:
            return None
        columns = {
            name: _column([sentence[c] for sentence in self._cells])
            for c, name in enumerate(self._shape.names)
        }
        offsets = np.zeros(len(self._cells) + 1, dtype=np.int64)
        np.cumsum([len(sentence[0]) for sentence in self._cells], out=offsets[1:])
        origin = Origin.file(self._options.name, np.array(self._numbers, dtype=np.int64), token_lines=False)
        corpus = Corpus(columns, offsets, extras=_extras(self._extras), layout=self._layout(), origin=origin)
        self._clear()
        return corpus

    def _layout(self) -> Layout:
        ascii_only, separator = self._styles[0]
        shape = self._shape or Shape("columns", ())
        return Layout(
            format="jsonl",
            separator=separator,
            newline="\r\n" if self._crlf and self._crlf >= self.lines - (not self._final_newline) else "\n",
            bom=self._options.bom,
            final_newline=self._final_newline,
            escaped=ascii_only,
            shape=shape.kind,
            keys=shape.keys,
        )


def _writable(cell: str) -> bool:
    """No lone surrogates, which JSON can spell but UTF-8 cannot write."""
    return not any("\ud800" <= c <= "\udfff" for c in cell)


def _column(sentences: list[list[str]]) -> StringColumn:
    pool = _core.StringPool()
    codes, _, _, _ = pool.intern_lists(sentences)
    return StringColumn(codes, pool)


def _extras(lines: list[tuple[int, int, str]]) -> Extras:
    pool = _core.StringPool()
    codes = np.array([pool.intern(text) for _, _, text in lines], dtype=np.int32)
    sentence = np.array([s for s, _, _ in lines], dtype=np.int64)
    return Extras(sentence, np.array([p for _, p, _ in lines], dtype=np.int64), codes, pool)
