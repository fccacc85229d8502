"""Features as plain frozen values, made by the parser and compiled by the encoder; and their text.

An attribute string is put together from fixed pieces and from values read off the sentence:

    pieces[0] + value(atoms[0]) + pieces[1] + value(atoms[1]) + ... + pieces[-1]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, Self

from seqlab.errors import TemplateError
from seqlab.features.lexicon import NAME, gazetteer_of
from seqlab.shown import cut


class SentenceLike(Protocol):
    """The parts of a sentence that features read: its length, its columns by name, and their names in order."""

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns, in the order of the file."""

    def __len__(self) -> int: ...

    def __getitem__(self, column: str, /) -> Sequence[str]: ...


class _Call(NamedTuple):
    name: str
    args: tuple[int | str, ...] = ()


class Call(_Call):
    """One function applied to a value; `functions.py` defines it."""

    __slots__ = ()
    json_list = True  # stored as a list: ["prefix", 3]


class Atom(NamedTuple):
    """A value read at an offset, then passed through calls, innermost first.

    column     a corpus column; "#1" for the second one; or a computed one, which begins with "@" (`lexicon.py`)
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


FURTHEST = 10_000  # largest offset: the core keeps a row per token of distance
TOO_FAR = f"a feature reads at most {FURTHEST:,} tokens away"


class Feature(_Feature):
    """A feature of tokens, for the label (`on_node`), for the label pair up to the token (`on_edge`), or for both."""

    __slots__ = ()

    def __new__(
        cls,
        atoms: tuple[Atom, ...],
        pieces: tuple[str, ...],
        on_node: bool = True,  # noqa: FBT001, FBT002
        on_edge: bool = False,  # noqa: FBT001, FBT002
        min_count: int = 1,
    ) -> Self:
        """Make a feature; missing pieces are added around its values."""
        if len(pieces) != len(atoms) + 1:
            raise TemplateError(
                f"a feature with {len(atoms)} values needs {len(atoms) + 1} pieces of text around them, got {pieces!r}"
            )
        if not (on_node or on_edge):
            raise TemplateError("a feature must be seen by labels (on_node) or by pairs of labels (on_edge)")
        if min_count < 1:
            raise TemplateError(f"min_count must be 1 or more, got {min_count!r}")
        for atom in atoms:
            if not -FURTHEST <= atom.offset <= FURTHEST:
                raise TemplateError(f"{TOO_FAR}, got {atom.column!r:.60} at the offset {atom.offset}")
        return super().__new__(cls, atoms, pieces, on_node, on_edge, min_count)

    def __repr__(self) -> str:
        return cut(f"Feature({feature_text(self)!r})")


class Boundary(NamedTuple):
    """Symbols read outside the sentence: before[0] one position before its start, before[1] two, and so on.

    The last symbol stands for everything further out. Functions are applied to the symbols only with `calls`.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    calls: bool = False

    def symbol(self, place: int, length: int) -> str:
        """Return the value at `place` < 0 or `place` >= `length`."""
        if place < 0:
            return self.before[min(-place, len(self.before)) - 1]
        return self.after[min(place - length, len(self.after) - 1)]


SEQLAB = Boundary(("<s>",), ("</s>",))
CRFPP = Boundary(tuple(f"_B-{place}" for place in range(1, 9)), tuple(f"_B+{place}" for place in range(1, 9)))
WAPITI = Boundary(
    ("_x-1", "_x-2", "_x-3", "_x-4", "_x-#"), ("_x+1", "_x+2", "_x+3", "_x+4", "_x+#"), calls=True
)
BOUNDARIES = {"seqlab": SEQLAB, "crfpp": CRFPP, "wapiti": WAPITI}


Parts = list[str | int]  # numbers are positions where a range may stand


def canonical(
    atoms: Sequence[Atom], *, on_node: bool = True, on_edge: bool = False, min_count: int = 1
) -> Feature:
    """Make a feature named after its text in the language: `word[-1]&word[0]=the|old`.

    A feature without values is the bias. No two different features give the same string.
    """
    name = "&".join("".join(map(str, _atom(atom, ","))) for atom in atoms) or "bias"
    first = _kind(on_node, on_edge, "") + name + ("=" if atoms else "")
    pieces = (first, *["|"] * (len(atoms) - 1), *([""] if atoms else []))
    return Feature(tuple(atoms), pieces, on_node=on_node, on_edge=on_edge, min_count=min_count)


def is_canonical(feature: Feature) -> bool:
    """Return True if the feature is named after its text; CRF++ and Wapiti files give names of their own."""
    named = canonical(feature.atoms, on_node=feature.on_node, on_edge=feature.on_edge)
    return feature.pieces == named.pieces


def feature_text(feature: Feature) -> str:
    """Write one feature as a line of the language."""
    return "".join(map(str, _line(feature)))


def lines(features: Sequence[Feature]) -> Iterator[str]:
    """Write features compactly: neighbours that differ in one number, which counts up, become a range."""
    start = 0
    while start < len(features):
        parts = _line(features[start])
        slot, end = None, start + 1
        while end < len(features):
            step = _counted_up(_line(features[end - 1]), _line(features[end]))
            if step is None or slot not in {None, step}:
                break
            slot, end = step, end + 1
        if slot is not None:
            parts[slot] = f"{parts[slot]}..{_line(features[end - 1])[slot]}"
        yield "".join(map(str, parts))
        start = end


def quoted_string(text: str) -> str:
    r"""Put text in double quotes; a quote inside is written \" and a backslash \\."""
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def _counted_up(one: Parts, two: Parts) -> int | None:
    """Find the only position where two lines differ, if it holds a number that is one larger in the second."""
    differing = [i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b]
    if len(one) != len(two) or len(differing) != 1:
        return None
    a, b = one[differing[0]], two[differing[0]]
    return differing[0] if isinstance(a, int) and isinstance(b, int) and b == a + 1 else None


def _line(feature: Feature) -> Parts:
    items, between = [_atom(atom, ", ") for atom in feature.atoms] or [["bias"]], " & "
    if not is_canonical(feature):
        items, between = list(_literal(feature.pieces, items[: len(feature.atoms)])), " + "
    parts: Parts = [_kind(feature.on_node, feature.on_edge, " ")]
    for i, item in enumerate(items):
        parts += [between, *item] if i else item
    if feature.min_count > 1:
        parts.append(f" min={feature.min_count}")
    return parts


def _literal(pieces: Sequence[str], values: Sequence[Parts]) -> Iterator[Parts]:
    """Put quoted pieces between the values; empty ones are left out, but one item beside a value stays."""
    lonely = len(values) <= 1 and not any(pieces)
    for i, piece in enumerate(pieces):
        if piece or (lonely and i == 0):
            yield [quoted_string(piece)]
        if i < len(values):
            yield values[i]


def _kind(on_node: bool, on_edge: bool, blank: str) -> str:  # noqa: FBT001 -- the two flags of a feature
    if not on_edge:
        return ""
    return ("both:" if on_node else "edge:") + blank


def _atom(atom: Atom, comma: str) -> Parts:
    gazetteer = gazetteer_of(atom.column)
    if gazetteer is not None:
        inner = Atom(
            gazetteer.column, atom.offset, atom.absolute, (Call(gazetteer.fold),) if gazetteer.fold else ()
        )
        parts: Parts = ["gazetteer(", *_atom(inner, comma), f"{comma}{gazetteer.lexicon})"]
    elif atom.column.startswith("@"):
        parts = [atom.column.removeprefix("@")]
    else:
        plain = NAME.fullmatch(atom.column) or re.fullmatch(r"#\d+", atom.column)
        name = atom.column if plain else f"`{atom.column}`"
        parts = [f"{name}[@" if atom.absolute else f"{name}[", atom.offset, "]"]
    for call in atom.calls:
        parts = [f"{call.name}(", *parts]
        for arg in call.args:
            parts += [comma, arg if isinstance(arg, int) or call.name == "in" else quoted_string(arg)]
        parts.append(")")
    return parts
