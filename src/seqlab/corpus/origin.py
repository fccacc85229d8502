"""Where sentences come from, for messages that name file and line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from seqlab.corpus.columns import locked
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
