"""What a feature is: plain frozen values that the parser makes, Python explains and C++ runs.

An attribute string is put together from fixed pieces and from values read off the sentence:

    pieces[0] + value(atoms[0]) + pieces[1] + value(atoms[1]) + ... + pieces[-1]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from seqlab.errors import TemplateError

if TYPE_CHECKING:
    from seqlab.features.lexicon import Lexicon


class SentenceLike(Protocol):
    """What features need of a sentence: its length, its columns by name, and their names in order."""

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns, as they stand in the file."""

    def __len__(self) -> int: ...

    def __getitem__(self, column: str, /) -> Sequence[str]: ...


class _Call(NamedTuple):
    name: str
    args: tuple[int | str, ...] = ()


class Call(_Call):
    """One function applied to a value; `functions.py` defines it."""

    __slots__ = ()
    json_list = True  # ["prefix", 3] in a model file


class Atom(NamedTuple):
    """A value read at an offset, then passed through calls, innermost first.

    column     a corpus column; "#1" for the second one; or a computed one, which begins with "@" (`computed.py`)
    offset     counted from the token; with `absolute` from the sentence's start (0, 1, ...) or end (-1, -2, ...)
    """

    column: str
    offset: int = 0
    absolute: bool = False
    calls: tuple[Call, ...] = ()


class _Feature(NamedTuple):
    atoms: tuple[Atom, ...]
    pieces: tuple[str, ...]
    on_node: bool
    on_edge: bool
    min_count: int


class Feature(_Feature):
    """One attribute a token, for its label (`on_node`), for the pair of labels up to it (`on_edge`), or both."""

    __slots__ = ()

    def __new__(
        cls,
        atoms: tuple[Atom, ...],
        pieces: tuple[str, ...],
        on_node: bool = True,  # noqa: FBT001, FBT002
        on_edge: bool = False,  # noqa: FBT001, FBT002
        min_count: int = 1,
    ) -> Self:
        """A feature with as many pieces as its values need around them."""
        if len(pieces) != len(atoms) + 1:
            raise TemplateError(
                f"a feature with {len(atoms)} values needs {len(atoms) + 1} pieces of text around them, got {pieces!r}"
            )
        if not (on_node or on_edge):
            raise TemplateError("a feature must be seen by labels (on_node) or by pairs of labels (on_edge)")
        if min_count < 1:
            raise TemplateError(f"min_count must be 1 or more, got {min_count!r}")
        return super().__new__(cls, atoms, pieces, on_node, on_edge, min_count)


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


class TemplateLike(Protocol):
    """A Template, as far as features are read off a sentence."""

    @property
    def features(self) -> tuple[Feature, ...]:
        """In order."""

    @property
    def boundary(self) -> Boundary:
        """What is read outside the sentence."""

    @property
    def lexicons(self) -> Mapping[str, Lexicon]:
        """By name."""
