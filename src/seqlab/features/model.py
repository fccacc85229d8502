"""What a feature is: plain frozen values that the parser makes, Python explains and C++ runs.

An attribute string is put together from fixed pieces and from values read off the sentence:

    pieces[0] + value(atoms[0]) + pieces[1] + value(atoms[1]) + ... + pieces[-1]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from seqlab.errors import TemplateError


class SentenceLike(Protocol):
    """What features need of a sentence: its length, its columns by name, and their names in order."""

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns, as they stand in the file."""

    def __len__(self) -> int: ...

    def __getitem__(self, column: str, /) -> Sequence[str]: ...


class Call(NamedTuple):
    """One function applied to a value; `functions.py` defines it."""

    name: str
    args: tuple[int | str, ...] = ()


class Atom(NamedTuple):
    """A value read at an offset, then passed through calls, innermost first.

    column     a corpus column; "#1" for the second one; or a computed one, which begins with "@" (`computed.py`)
    offset     counted from the token; with `absolute` from the sentence's start (0, 1, ...) or end (-1, -2, ...)
    """

    column: str
    offset: int = 0
    absolute: bool = False
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Feature:
    """One attribute a token, for its label (`on_node`), for the pair of labels up to it (`on_edge`), or both."""

    atoms: tuple[Atom, ...]
    pieces: tuple[str, ...]
    on_node: bool = True
    on_edge: bool = False
    min_count: int = 1

    def __post_init__(self) -> None:
        if len(self.pieces) != len(self.atoms) + 1:
            raise TemplateError(
                f"a feature with {len(self.atoms)} values needs {len(self.atoms) + 1} pieces of text "
                f"around them, got {self.pieces!r}"
            )
        if not (self.on_node or self.on_edge):
            raise TemplateError("a feature must be seen by labels (on_node) or by pairs of labels (on_edge)")
        if self.min_count < 1:
            raise TemplateError(f"min_count must be 1 or more, got {self.min_count!r}")


class Boundary(NamedTuple):
    """What is read outside the sentence: before[0] one place before its start, before[1] two, and so on.

    The last symbol stands for everything further out. Functions are applied to the symbols only with `calls`.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    calls: bool = False

    def symbol(self, place: int, length: int) -> str:
        """The value at `place` < 0 or `place` >= `length`."""
        if place < 0:
            return self.before[min(-place, len(self.before)) - 1]
        return self.after[min(place - length, len(self.after) - 1)]


SEQLAB = Boundary(("<s>",), ("</s>",))
CRFPP = Boundary(tuple(f"_B-{place}" for place in range(1, 9)), tuple(f"_B+{place}" for place in range(1, 9)))
WAPITI = Boundary(
    ("_x-1", "_x-2", "_x-3", "_x-4", "_x-#"), ("_x+1", "_x+2", "_x+3", "_x+4", "_x+#"), calls=True
)
BOUNDARIES = {"seqlab": SEQLAB, "crfpp": CRFPP, "wapiti": WAPITI}
