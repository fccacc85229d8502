"""Where a corpus comes from: file and line of each sentence, the layout of the file, its lines that are no tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus.columns import Codes, Offsets, locked, ragged
from seqlab.errors import Place


@dataclass(frozen=True, eq=False)
class Origin:
    """Files and lines of N sentences.

    names       the files; "" stands for lists in memory
    which       (N,)   the file of each sentence
    lines       (N,)   the line of each sentence's first token, counted from 1; 0 when there is none
    token_lines        (files,)   whether every token has a line of its own
    """

    names: tuple[str, ...]
    which: npt.NDArray[np.int32]
    lines: npt.NDArray[np.int64]
    token_lines: tuple[bool, ...]

    def __post_init__(self) -> None:
        locked(self.which)
        locked(self.lines)

    @staticmethod
    def memory(size: int) -> Origin:
        """Lists, arrays or tables: no file, no lines."""
        return Origin(("",), np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int64), (False,))

    @staticmethod
    def file(name: str, lines: npt.NDArray[np.int64], *, token_lines: bool) -> Origin:
        """One file."""
        return Origin((name,), np.zeros(len(lines), dtype=np.int32), lines, (token_lines,))

    @property
    def name(self) -> str:
        """The files' names, as a person would say them; "" for lists in memory."""
        named = [name for name in self.names if name]
        return named[0] if len(named) == 1 else f"{named[0]} and {len(named) - 1} more" if named else ""

    def take(self, rows: npt.NDArray[np.int64]) -> Origin:
        """Those of the chosen sentences."""
        return Origin(self.names, self.which[rows], self.lines[rows], self.token_lines)

    def line(self, sentence: int, token: int, between: int) -> int | None:
        """The line of a token; `between` lines that are no tokens stand before it in its sentence."""
        first = int(self.lines[sentence])
        if first == 0:
            return None
        own = self.token_lines[int(self.which[sentence])]
        return first + token + between if own else first

    def place(self, sentence: int, token: int | None, between: int) -> Place:
        """Name file and line; or sentence and token, counted from 0 as in corpus[i][t]."""
        line = self.line(sentence, token or 0, between)
        name = self.names[int(self.which[sentence])]
        if line is None or not name:
            return Place(sentence, token, item="token")
        own = self.token_lines[int(self.which[sentence])]
        return Place(sentence, token, name, line, item="" if own else "token")

    @staticmethod
    def join(parts: Sequence[Origin]) -> Origin:
        """Those of several corpora put one after another."""
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
        return Origin(tuple(names), np.concatenate(which).astype(np.int32), lines, tuple(token_lines))


ABSENT = -1


@dataclass(frozen=True)
class Layout:
    """How a file was laid out.

    format          "conll", "conllu", ...; None when the corpus did not come from a file
    separator       between cells
    newline         at the end of lines
    bom             whether the file began with a byte-order mark
    final_newline   whether the last line had an end
    escaped         whether slashes in words were escaped (word/TAG text), or all but ASCII (JSON)
    shape, keys     of the sentences in JSON
    """

    format: str | None = None
    separator: str = "\t"
    newline: str = "\n"
    bom: bool = False
    final_newline: bool = True
    escaped: bool = False
    shape: str = ""
    keys: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Extras:
    """Lines that are no tokens, in the order of the file.

    sentence   the sentence before or in which the line stands; N behind the last one
    position   the token before which it stands; T behind the last token. T + 1 is the line that ended the sentence when
               that was not an empty one
    text       the lines; ABSENT where a sentence was ended by nothing (the end of the file)
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
        """No such lines."""
        empty = np.zeros(0, dtype=np.int64)
        return Extras(empty, empty, np.zeros(0, dtype=np.int32))

    def of(self, sentence: int) -> list[tuple[int, str | None]]:
        """(position, text) of the lines of one sentence."""
        begin, end = np.searchsorted(self.sentence, [sentence, sentence + 1]).tolist()
        positions, codes = self.position[begin:end].tolist(), self.codes[begin:end].tolist()
        return [
            (p, None if c == ABSENT else self.pool.string(c)) for p, c in zip(positions, codes, strict=True)
        ]

    def within(self, sentence: int, token: int) -> int:
        """How many lines stand between the first token of a sentence and this one."""
        if not len(self):
            return 0
        begin, end = np.searchsorted(self.sentence, [sentence, sentence + 1]).tolist()
        positions = self.position[begin:end]
        return int(np.count_nonzero((positions > 0) & (positions <= token)))

    def take(self, rows: npt.NDArray[np.int64], size: int, *, tail: bool) -> Extras:
        """Those of the chosen sentences of a corpus of `size`; with `tail` also those behind the last one."""
        if not len(self):
            return self
        bounds: Offsets = np.searchsorted(self.sentence, np.arange(size + 2)).astype(np.int64)
        chosen = np.append(rows, size) if tail else rows
        offsets, places = ragged(bounds, chosen)
        sentence = np.repeat(np.arange(len(chosen), dtype=np.int64), np.diff(offsets))
        return Extras(sentence, self.position[places], self.codes[places], self.pool)

    @staticmethod
    def join(parts: Sequence[Extras], sizes: Sequence[int]) -> Extras:
        """Those of several corpora put one after another."""
        if not any(map(len, parts)):
            return Extras.none()
        shifts = np.cumsum([0, *sizes[:-1]])
        sentence = np.concatenate([part.sentence + shift for part, shift in zip(parts, shifts, strict=True)])
        position = np.concatenate([part.position for part in parts])
        pool, translations = _core.join_pools([part.pool for part in parts])
        codes = [_translated(part.codes, new) for part, new in zip(parts, translations, strict=True)]
        return Extras(sentence, position, np.concatenate(codes), pool)


def _translated(codes: Codes, new: Codes) -> Codes:
    return np.append(new, np.int32(ABSENT))[codes].astype(
        np.int32
    )  # the last entry is what ABSENT = -1 finds
