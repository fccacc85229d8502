"""What a file holds besides tokens, kept so that writing gives back what was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus.columns import Codes, Offsets, locked, ragged

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
