"""Origin of a corpus: file and line of each sentence, the layout of the file, its lines that are not tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus.columns import Codes, Offsets, locked, ragged
from seqlab.errors import Place
from seqlab.shown import Brief


@dataclass(frozen=True, eq=False, repr=False)
class Origin(Brief):
    """Files and lines of N sentences.

    names       the files; "" for lists in memory
    which       (N,)   the file of each sentence
    lines       (N,)   the line of each sentence's first token, counted from 1; 0 when there is none
    token_lines        (files,)   True if every token has its own line
    documents   (N,)   the number of each sentence's document; None if no line begins one
    """

    names: tuple[str, ...]
    which: npt.NDArray[np.int32]
    lines: npt.NDArray[np.int64]
    token_lines: tuple[bool, ...]
    documents: npt.NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        locked(self.which)
        locked(self.lines)
        if self.documents is not None:
            locked(self.documents)

    @staticmethod
    def memory(size: int) -> Origin:
        """Make the origin of lists, arrays or tables: no file, no lines."""
        return Origin(("",), np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int64), (False,))

    @staticmethod
    def file(
        name: str,
        lines: npt.NDArray[np.int64],
        *,
        token_lines: bool,
        documents: npt.NDArray[np.int64] | None = None,
    ) -> Origin:
        """Make the origin of one file."""
        return Origin((name,), np.zeros(len(lines), dtype=np.int32), lines, (token_lines,), documents)

    @property
    def name(self) -> str:
        """The names of the files, joined for messages; "" for lists in memory."""
        named = [name for name in self.names if name]
        return named[0] if len(named) == 1 else f"{named[0]} and {len(named) - 1} more" if named else ""

    def take(self, rows: npt.NDArray[np.int64]) -> Origin:
        """Return the origin of the chosen sentences."""
        documents = None if self.documents is None else self.documents[rows]
        return Origin(self.names, self.which[rows], self.lines[rows], self.token_lines, documents)

    def place(self, sentence: int, token: int | None, between: int) -> Place:
        """Format file and line; or sentence and token, counted from 0 as in corpus[i][t].

        between   number of lines in the sentence before the token that are not tokens
        """
        file, line = int(self.which[sentence]), int(self.lines[sentence])
        name, own = self.names[file], self.token_lines[file]
        if not line or not name:
            return Place(sentence, token, item="token")
        line += (token or 0) + between if own else 0
        return Place(sentence, token, name, line, item="" if own else "token")

    @staticmethod
    def join(parts: Sequence[Origin]) -> Origin:
        """Concatenate the origins of several corpora."""
        names: list[str] = []
        token_lines: list[bool] = []
        which = []
        for part in parts:
            if tuple(names[-len(part.names) :]) == part.names:
                shift = len(names) - len(part.names)
            else:
                shift = len(names)
                names += part.names
                token_lines += part.token_lines
            which.append(part.which + np.int32(shift))
        lines = np.concatenate([part.lines for part in parts])
        numbers = np.concatenate(which).astype(np.int32)
        return Origin(tuple(names), numbers, lines, tuple(token_lines), Origin._joined_documents(parts))

    @staticmethod
    def _joined_documents(parts: Sequence[Origin]) -> npt.NDArray[np.int64] | None:
        """Number the documents of all parts consecutively; parts of the same file keep their numbers."""
        if all(part.documents is None for part in parts):
            return None
        found: list[npt.NDArray[np.int64]] = []
        before: tuple[tuple[str, ...] | None, int] = None, 0  # files of the last part, and its last document
        shift = 0
        for part in parts:
            own = np.zeros(len(part.lines), dtype=np.int64) if part.documents is None else part.documents
            if not len(own):
                continue
            goes_on = part.documents is not None and part.names == before[0] and int(own.min()) >= before[1]
            if not goes_on:
                shift = max((int(one.max()) + 1 for one in found), default=0)
            before = (None if part.documents is None else part.names), int(own.max())
            found.append(own + shift)
        return np.concatenate([np.zeros(0, dtype=np.int64), *found])


ABSENT = -1
DOCUMENT_LINE = re.compile(r"-DOCSTART-|#\s*newdoc\b")
DOCUMENT_NAME = re.compile(r"-DOCSTART-\s+\((.*)\)\s*$|#\s*newdoc\s+id\s*=\s*(.*)$")


def document_name(line: str) -> str | None:
    """Return the name of the document that a line begins; "" if it has none, None for another line."""
    if not DOCUMENT_LINE.match(line):
        return None
    found = DOCUMENT_NAME.match(line)
    return (found[1] or found[2] or "").strip() if found else ""


@dataclass(frozen=True, repr=False)
class Layout(Brief):
    """Layout of a file.

    format          "conll", "conllu", ...; None when the corpus did not come from a file
    separator       between cells
    newline         at the end of lines
    bom             True if the file began with a byte-order mark
    final_newline   True if the last line ended with a newline
    escaped         True if slashes in words were escaped (word/TAG text), or all characters but ASCII (JSON)
    shape, keys     form of the sentences in JSON and tables, and (column, key) pairs
    missing         the cell for a missing value; None without one
    """

    format: str | None = None
    separator: str = "\t"
    newline: str = "\n"
    bom: bool = False
    final_newline: bool = True
    escaped: bool = False
    shape: str = ""
    keys: tuple[tuple[str, str], ...] = ()
    missing: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Extras(Brief):
    """Lines that are not tokens, in the order of the file.

    sentence   the sentence before or in which the line occurs; N after the last one
    position   the token before which it occurs; T after the last token. T + 1 is the line that ended the sentence when
               that was not an empty one
    codes, pool   their strings, in `text`; ABSENT where a sentence was ended by nothing (the end of the file); n
                  newlines stand for n + 1 empty lines
    """

    sentence: npt.NDArray[np.int64]
    position: npt.NDArray[np.int64]
    codes: Codes
    pool: _core.StringPool = field(default_factory=_core.StringPool)

    def __post_init__(self) -> None:
        for array in (self.sentence, self.position, self.codes):
            locked(array)

    def __len__(self) -> int:
        return len(self.codes)

    def __reduce__(self) -> tuple[object, ...]:
        codes, pool = _core.compact_pool(self.codes, self.pool)
        return Extras, (self.sentence, self.position, codes, pool)

    @staticmethod
    def none() -> Extras:
        """Make an instance without lines."""
        empty = np.zeros(0, dtype=np.int64)
        return Extras(empty, empty, np.zeros(0, dtype=np.int32))

    def _lines_of(self, sentence: int) -> slice:
        return slice(*np.searchsorted(self.sentence, [sentence, sentence + 1]).tolist())

    def of(self, sentence: int) -> list[tuple[int, str | None]]:
        """List (position, text) of the lines of one sentence."""
        lines = self._lines_of(sentence)
        pairs = zip(self.position[lines].tolist(), self.codes[lines].tolist(), strict=True)
        return [(p, None if c == ABSENT else self.pool.string(c)) for p, c in pairs]

    def within(self, sentence: int, token: int) -> int:
        """Count the lines between the first token of a sentence and this one."""
        positions = self.position[self._lines_of(sentence)]
        return int(np.count_nonzero((positions > 0) & (positions <= token)))

    def documents(self, size: int, last: int | None) -> tuple[npt.NDArray[np.int64] | None, int | None]:
        """Return the document number of each sentence, and the last one; -DOCSTART- or "# newdoc" begins a document.

        size   the number of sentences
        last   the last number in the block before; None if no line has begun a document yet
        """
        texts = self.pool.strings() if len(self) else []
        marks = np.array([*(bool(DOCUMENT_LINE.match(text)) for text in texts), False])  # last: ABSENT
        begins = np.unique(self.sentence[marks[self.codes]])
        if last is None and not len(begins):
            return None, None
        # A document begins with the file, even without a line that marks it.
        first = (0 if last is None else last) - (last is None and not begins[0])
        return np.searchsorted(begins, np.arange(size), side="right").astype(np.int64) + first, first + len(
            begins
        )

    def renamed(self, lines: Callable[[str], Sequence[str]]) -> Extras:
        """Return the lines that begin documents, as another format writes them: lines(name)."""
        pool, sentence, codes = _core.StringPool(), list[int](), list[int]()
        for at, code in zip(self.sentence.tolist(), self.codes.tolist(), strict=True):
            name = None if code == ABSENT else document_name(self.pool.string(code))
            for line in () if name is None else lines(name):
                sentence.append(at)
                codes.append(pool.intern(line))
        places = np.array(sentence, dtype=np.int64)
        return Extras(places, np.zeros(len(places), dtype=np.int64), np.array(codes, dtype=np.int32), pool)

    def take(self, rows: npt.NDArray[np.int64], size: int, *, tail: bool) -> Extras:
        """Return the lines of the sentences `rows` of a corpus of `size`; with `tail` also those after the last one."""
        if not len(self):
            return self
        bounds: Offsets = np.searchsorted(self.sentence, np.arange(size + 2)).astype(np.int64)
        chosen = np.append(rows, size) if tail else rows
        offsets, places = ragged(bounds, chosen)
        sentence = np.repeat(np.arange(len(chosen), dtype=np.int64), np.diff(offsets))
        return Extras(sentence, self.position[places], self.codes[places], self.pool)

    @staticmethod
    def join(parts: Sequence[Extras], sizes: Sequence[int]) -> Extras:
        """Concatenate the lines of several corpora: the parts, and sizes of the corpora."""
        if not any(map(len, parts)):
            return Extras.none()
        shifts = np.cumsum([0, *sizes[:-1]])
        sentence = np.concatenate([part.sentence + shift for part, shift in zip(parts, shifts, strict=True)])
        position = np.concatenate([part.position for part in parts])
        pool, translations = _core.join_pools([part.pool for part in parts])
        # The last entry is the one for ABSENT = -1.
        pairs = zip(parts, translations, strict=True)
        codes = [np.append(new, np.int32(ABSENT))[part.codes] for part, new in pairs]
        return Extras(sentence, position, np.concatenate(codes).astype(np.int32), pool)
