"""Reader of tables; delimiter, quotes and header are detected in the first lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from itertools import accumulate, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus.columns import (
    MISSING,
    WORD_COLUMNS,
    Column,
    StringColumn,
    VectorColumn,
    checked,
    counted,
    offsets_of,
    token_place,
    unknown,
    usual,
)
from seqlab.corpus.formats.base import SENTENCE_LINE, Options
from seqlab.corpus.formats.lines import Fault
from seqlab.corpus.io.header import (
    CALLED,
    OURS,
    SAMPLE,
    SEQUENCE,
    Head,
    bare,
    delimiter_of,
    has_bare_quotes,
    is_header,
    number_of,
    quoting_of,
    split,
)
from seqlab.errors import CorpusError, Place

ROWS = 1 << 12  # rows read at a time: garbage collection slows down with more
SURE = 0.9  # a column with at least this share of numbers is one of numbers; other cells are errors
FIRST, EVERY, BLANK = (
    "first",
    "every",
    "blank",
)  # Layout.shape: the sentence is named in its first or every row, or ends at a blank line


class TableReader:
    """Reader of rows, with the interface of the native readers; sentences and quoted cells may cross blocks."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._head: Head | None = None
        self._header_due = False  # True if the next row is the header
        self._sequence: int | None = None  # number of the cell that names the sentence
        self._picked: list[tuple[str, int]] = []  # (name, number of the cell) of each column
        self._numeric: set[str] | None = None  # columns of numbers; None before the first take()
        self.keys: tuple[tuple[str, str], ...] = ()
        self.shape = BLANK
        self._rest = ""  # text that may end within a quoted cell
        self._id: str | None = None  # name of the current sentence
        self._begins = True  # True if the next row begins a sentence
        self.lines = self.first_crlf = self.crlf_lines = 0
        self.ends_in_newline = True
        self._clear([[] for _ in self._picked], [], [], [])

    def _clear(self, cells: list[list[str]], begins: list[int], lines: list[int], ids: list[str]) -> None:
        self._pools = [_core.StringPool() for _ in cells]
        self._codes: list[list[Any]] = [
            [pool.intern_lists([c])[0]] for pool, c in zip(self._pools, cells, strict=True)
        ]
        self._count = len(cells[0]) if cells else 0
        self._begin, self._line, self._ids = begins, lines, ids

    @property
    def delimiter(self) -> str:
        """The character between cells."""
        return "," if self._head is None else self._head.delimiter

    @property
    def quoted(self) -> bool:
        """True if cells may be quoted."""
        return self._head is None or self._head.quoted

    # ------------------------------------------------------------------------------------------ rows

    def feed(self, block: bytes, begin: int, end: int) -> Fault | None:
        """Read block[begin:end], which holds whole lines."""
        data = block[begin:end]
        for kind, at in (("nul", data.find(b"\0")), ("utf8", _bad_utf8(data))):
            if at >= 0:
                start = data.rfind(b"\n", 0, at) + 1
                stop = data.find(b"\n", at)
                self.lines += self._rest.count("\n") + data.count(b"\n", 0, at) + 1
                return kind, self.lines, begin + start, begin + (len(data) if stop < 0 else stop), at - start
        text = data.decode("utf-8")
        self.ends_in_newline = data.endswith(b"\n")
        crlf = data.count(b"\r\n")
        if crlf and not self.first_crlf:
            self.first_crlf = (
                self.lines + self._rest.count("\n") + data.count(b"\n", 0, data.find(b"\r\n")) + 1
            )
        self.crlf_lines += crlf
        if self._head is None:
            self._look(text)
        if self._head is None:  # blank lines only
            self.lines += data.count(b"\n") + (not self.ends_in_newline)
            return None
        self._rest += text
        if not self.quoted or self._rest.count('"') % 2 == 0:
            self._read(self._rest)
            self._rest = ""
        elif len(self._rest) > SENTENCE_LINE:
            self._unclosed()
        return None

    def finish(self) -> None:
        """Read the text that is left at the end of the file."""
        if self._rest:
            self._unclosed()
        self._begins = True

    def _unclosed(self) -> None:
        """Raise an error for a quoted cell without an end, with its line; read the text if there is none."""
        rows = csv.reader(io.StringIO(self._rest, newline=""), delimiter=self.delimiter, strict=True)
        last = 0
        try:
            for _ in rows:
                last = rows.line_num
        except csv.Error:
            pass
        else:  # an odd number of quotes, but every quoted cell ends
            self._read(self._rest)
            return
        raise self._error(
            "a quoted cell begins here and never ends; write a quote inside of quotes twice, as in RFC 4180",
            self.lines + last + 1,
        )

    def _error(self, message: str, line: int) -> CorpusError:
        self.lines = line
        return CorpusError(message, place=Place(path=self._options.name, line=line))

    def _read(self, text: str) -> None:
        lines = [line + "\n" for line in text.removesuffix("\n").split("\n")]
        reader = csv.reader(lines, delimiter=self.delimiter, quoting=quoting_of(quoted=self.quoted))
        before = self.lines
        while True:
            try:
                rows = list(islice(reader, ROWS))
            except csv.Error as error:
                line = before + reader.line_num
                raise self._error(f"the row cannot be read ({error}); is it a table?", line) from None
            if not rows:
                return
            first, last = self.lines + 1, before + reader.line_num
            numbers: Sequence[int] = range(first, last + 1)
            if len(numbers) != len(rows):  # quoted cells may have several lines
                sizes = [1 + sum(cell.count("\n") for cell in row) for row in rows]
                numbers = [first + size for size in accumulate([0, *sizes[:-1]])]
            if self._header_due:  # blank lines may come first
                past = next((i + 1 for i, row in enumerate(rows) if row), len(rows))
                self._header_due = not any(rows[:past])
                rows, numbers = rows[past:], numbers[past:]
            self._add(rows, numbers)
            self.lines = last

    def _add(self, rows: list[list[str]], numbers: Sequence[int]) -> None:
        """Add rows to the columns, and note where sentences begin."""
        word = next((cell for name, cell in self._picked if name in WORD_COLUMNS), None)
        kept = self._sound(rows, numbers, word)
        cells = list(zip(*kept, strict=True))
        for pool, codes, (_, cell) in zip(self._pools, self._codes, self._picked, strict=True):
            codes.append(pool.intern_lists([cells[cell]] if kept else [])[0])
        self._count += len(kept)

    def _sound(self, rows: list[list[str]], numbers: Sequence[int], word: int | None) -> list[list[str]]:
        """Check rows, note where sentences begin, and return the rows that are not blank."""
        head = self._head
        assert head is not None  # noqa: S101  (feed looked)
        if {head.width}.issuperset(map(len, rows)) and (word is None or all(row[word] for row in rows)):
            names = [""] * len(rows) if self._sequence is None else [row[self._sequence] for row in rows]
            for t in (t for t, name in enumerate(names) if name or self._begins):  # skips rows without a name
                self._name(names[t], self._count + t, numbers[t])
            return rows
        kept: list[list[str]] = []
        for row, line in zip(rows, numbers, strict=True):
            if not row or (word is not None and not any(row)):
                self._begins, self._id = True, None
                continue
            if len(row) != head.width:
                raise self._error(self._other_width(row), line)
            if word is not None and not row[word]:
                raise self._error(
                    f"the word is empty in {row!r:.60}; put a word there, or leave the row out", line
                )
            self._name("" if self._sequence is None else row[self._sequence], self._count + len(kept), line)
            kept.append(row)
        return kept

    def _name(self, name: str, token: int, line: int) -> None:
        """Begin a sentence if the row has a new sentence name or follows a blank line."""
        if name and name != self._id:
            self._begins, self._id = True, name
        elif name and not self._begins:
            self.shape = EVERY
        if self._begins:
            self._begin.append(token)
            self._line.append(line)
            self._ids.append(self._id or "")
            self._begins = False

    def _other_width(self, row: list[str]) -> str:
        head = self._head
        assert head is not None  # noqa: S101  (feed looked)
        names = "" if head.names is None else f" ({', '.join(head.names)})"
        cells = self.delimiter.join(row)
        return (
            f"{counted(head.width, 'cell')} expected{names}, found {len(row)} in {cells!r:.60}; mend the row, put a "
            f"cell that holds {self.delimiter!r} into quotes, or pass separator=... if another sign separates cells"
        )

    # ------------------------------------------------------------------------------------------ the header

    def _look(self, text: str) -> None:
        """Detect delimiter, quotes, header and columns in the first lines."""
        lines = [line for line in text[:SAMPLE].splitlines() if line.strip()][:100]
        if not lines:
            return
        delimiter = self._options.separator or delimiter_of(lines)
        if len(delimiter) != 1 or delimiter in '\r\n\0"':
            raise self._error(f"separator must be one character, got {delimiter!r}", 1)
        bare_quotes = has_bare_quotes(text[:SAMPLE], delimiter, whole=len(text) <= SAMPLE)
        quoted = delimiter != "\t" or not bare_quotes
        rows = [split(line, delimiter, quoted=quoted) for line in lines]
        header = is_header(rows)
        self._head = Head(delimiter, quoted, tuple(rows[0]) if header else None, len(rows[0]))
        self._header_due = header
        self._choose(self._head, rows[0])
        self._clear([[] for _ in self._picked], [], [], [])

    def _choose(self, head: Head, first: list[str]) -> None:
        """Choose the cells that become columns, and the cell that names the sentence."""
        given = self._options.columns
        there = list(head.names) if head.names is not None else [f"column{i}" for i in range(head.width)]
        self._sequence = self._find_sequence(there)
        cells = [i for i in range(head.width) if i != self._sequence]
        names = [there[i] for i in cells]
        if head.names is None:
            numbers = any(number_of(cell) is not None for cell in first)
            names = names if numbers else list(usual(len(cells), ()))
        else:
            ours = [OURS.get(bare(name), name) for name in names]
            names = [one if ours.count(one) == 1 else name for one, name in zip(ours, names, strict=True)]
        found = dict(zip(names, cells, strict=True))
        if len(found) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise self._error(f"the header has the name {twice!r} twice; every column needs its own", 1)
        if isinstance(given, Mapping):
            found = {name: self._cell(cell, there) for name, cell in given.items()}
        elif given is not None:
            wanted = checked(given)
            known = {**{name: i for i, name in enumerate(there)}, **found}
            if all(name in known for name in wanted):
                found = {name: known[name] for name in wanted}
            elif len(wanted) == len(cells):
                found = dict(zip(wanted, cells, strict=True))
            else:
                strange = next(name for name in wanted if name not in known)
                raise self._error(
                    f"{unknown(strange, [*found])}; columns= takes some, or {len(cells)} new names", 1
                )
        if not found:
            raise self._error("the table has no column besides the one that names the sentence", 1)
        self._picked = list(found.items())
        self.keys = tuple(
            (name, there[cell] if head.names is not None else name) for name, cell in self._picked
        )
        if self._sequence is not None:
            self.shape, self.keys = FIRST, (("", there[self._sequence]), *self.keys)

    def _find_sequence(self, there: list[str]) -> int | None:
        asked = self._options.sequence
        if asked is None:
            return next((i for i, name in enumerate(there) if bare(name) in SEQUENCE), None)
        if asked in there:
            return there.index(asked)
        raise self._error(f"sequence={asked!r}: {unknown(asked, there)}", 1)

    def _cell(self, pick: Any, there: list[str]) -> int:
        """Find a cell by its number, or by its name in the header."""
        if isinstance(pick, str) and pick in there:
            return there.index(pick)
        if isinstance(pick, int) and not isinstance(pick, bool) and -len(there) <= pick < len(there):
            return pick % len(there)
        names = ", ".join(map(repr, there))
        raise self._error(f"columns= picks {pick!r}, but the table has the columns {names}", 1)

    # ------------------------------------------------------------------------------------------ columns

    def take(self) -> tuple[Any, Any, Any, Any]:
        """Return the sentences that are complete: (columns, offsets, lines, extras)."""
        codes = [np.concatenate([np.zeros(0, dtype=np.int32), *some]) for some in self._codes]
        begins, lines, ids = self._begin, self._line, self._ids
        open_ = bool(begins) and not self._begins
        end = begins[-1] if open_ else self._count
        pools = self._pools
        left = [
            [pool.string(int(c)) for c in column[end:]] for column, pool in zip(codes, pools, strict=True)
        ]
        cut = len(begins) - open_
        self._clear(left, [0] * open_, lines[cut:], ids[cut:])
        raw = [(np.ascontiguousarray(column[:end]), pool) for column, pool in zip(codes, pools, strict=True)]
        texts = _core.StringPool()
        named = [(i, text) for i, text in enumerate(ids[:cut])] if self._sequence is not None else []
        extras = (
            np.array([i for i, _ in named], dtype=np.int64),
            np.zeros(len(named), dtype=np.int64),
            np.array([texts.intern(text) for _, text in named], dtype=np.int32),
            texts,
        )
        offsets = np.array([*begins[:cut], end], dtype=np.int64) if cut else offsets_of([])
        self._taken = offsets, lines[:cut]
        return raw, offsets, np.array(lines[:cut], dtype=np.int64), extras

    def columns(self, raw: Sequence[tuple[Any, _core.StringPool]]) -> dict[str, Column] | None:
        """Make the columns: strings, or vectors for numbers in a table without words."""
        if self._head is None or (self._numeric is None and not any(len(codes) for codes, _ in raw)):
            return None  # nothing but the header so far
        names, found = [name for name, _ in self._picked], {}
        for name, (codes, pool) in zip(names, raw, strict=True):
            column = StringColumn(codes, pool)
            if name not in WORD_COLUMNS:
                column = column.without("").without(self._options.missing)
            found[name] = column
        if self._numeric is None:
            tokens = not set(WORD_COLUMNS).isdisjoint(names)
            numeric = {n for n in names if n not in CALLED and not tokens and self._are_numbers(found[n])}
            self._numeric = numeric
            if len(self._numeric) > 1:
                self.keys = tuple(("vector" if n in self._numeric else n, key) for n, key in self.keys)
        numbers = {name: self._numbers(name, found[name]) for name in names if name in self._numeric}
        made: dict[str, Column] = {}
        for name in names:
            if name not in numbers:
                made[name] = found[name]
            elif len(numbers) == 1:
                made[name] = VectorColumn(numbers[name][:, None])
            elif "vector" not in made:
                made["vector"] = VectorColumn(np.stack([*numbers.values()], axis=1))
        return made

    @staticmethod
    def _are_numbers(column: StringColumn) -> bool:
        """Return True if nearly all values are numbers; any other value is then an error."""
        codes = column.codes[column.codes != MISSING]
        return bool(len(codes)) and float(_numbers(column)[1][codes].mean()) < 1 - SURE

    def _numbers(self, name: str, column: StringColumn) -> npt.NDArray[np.float64]:
        values, odd = _numbers(column)
        wrong = odd[column.codes]
        if wrong.any():
            token = int(np.argmax(wrong))
            offsets, lines = self._taken
            sentence, t = token_place(offsets, token)
            text = column.values[column.codes[token]]
            raise self._error(
                f"column {name!r} holds numbers, but {text!r:.60} is none; mend it, or pass missing={text!r:.60} if it "
                f"stands for a missing number",
                lines[sentence] + t,
            )
        found: npt.NDArray[np.float64] = values[column.codes]
        return found


def _bad_utf8(data: bytes) -> int:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return -1


def _numbers(column: StringColumn) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Parse the distinct values: (values + 1,) numbers, the last NaN for missing cells; and which are no numbers."""
    texts = column.values
    odd = np.zeros(len(texts) + 1, dtype=bool)
    try:
        return np.array([*map(float if "_" not in "".join(texts) else number_of, texts), np.nan]), odd
    except (ValueError, TypeError):
        values = [number_of(text) for text in texts]
        odd[:-1] = [value is None for value in values]
        return np.array([*(np.nan if value is None else value for value in values), np.nan]), odd
