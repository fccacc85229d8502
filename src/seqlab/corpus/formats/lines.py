"""Reader for formats with one sentence per line; a function splits a line into cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus.columns import offsets_of

Cells = list[list[str | None]]  # a list per column, a cell per token; None for a missing value
Parsed = tuple[Cells, list[tuple[int, str]]]  # and (position, text) of the rest of the line

Fault = tuple[str, int, int, int, int]  # kind, line, begin and end of the line in its block, number


class LineReader:
    """Reads lines by a function of the format, with the interface of the native readers.

    parse   makes cells of a line that is not blank, or raises a CorpusError, to which the place is added
    """

    def __init__(self, parse: Callable[[str], Parsed]) -> None:
        self._parse = parse
        self.lines = 0
        self.first_crlf = 0
        self.crlf_lines = 0
        self.ends_in_newline = True
        self._clear()

    def _clear(self) -> None:
        self._cells: list[Cells] = []
        self._numbers: list[int] = []
        self._extras: list[tuple[int, int, str]] = []

    def feed(self, block: bytes, begin: int, end: int) -> Fault | None:
        """Read block[begin:end], which holds whole lines."""
        *lines, last = block[begin:end].split(b"\n")
        self.ends_in_newline = not last
        for line in [*lines, last] if last else lines:
            self.lines += 1
            text = line.removesuffix(b"\r")
            if len(text) < len(line):
                self.crlf_lines += 1
                self.first_crlf = self.first_crlf or self.lines
            try:
                self._line(text.decode("utf-8"))
            except UnicodeDecodeError as error:
                return "utf8", self.lines, begin, begin + len(text), error.start
            begin += len(line) + 1
        return None

    def _line(self, text: str) -> None:
        number = len(self._numbers)
        if not text.strip():
            self._extras.append((number, 0, text))
            return
        cells, rest = self._parse(text)
        self._extras += [(number, position, extra) for position, extra in rest]
        self._cells.append(cells)
        self._numbers.append(self.lines)

    def finish(self) -> None:
        """Do nothing: every line is complete by itself."""

    def take(self) -> tuple[Any, Any, Any, Any]:
        """Return the sentences read so far: (columns, offsets, lines, extras)."""
        columns = []
        for column in zip(*self._cells, strict=True):
            pool = _core.StringPool()
            columns.append((pool.intern_lists(list(column), missing=True)[0], pool))
        offsets = offsets_of([len(sentence[0]) for sentence in self._cells])
        numbers = np.array(self._numbers, dtype=np.int64)
        texts = _core.StringPool()
        codes = np.array([texts.intern(text) for _, _, text in self._extras], dtype=np.int32)
        sentence = np.array([s for s, _, _ in self._extras], dtype=np.int64)
        position = np.array([p for _, p, _ in self._extras], dtype=np.int64)
        self._clear()
        return columns, offsets, numbers, (sentence, position, codes, texts)
