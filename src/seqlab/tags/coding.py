"""Labels as numbers: distinct labels parsed into role and type; one code for each position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.errors import LabelError, SchemeError
from seqlab.shown import Brief
from seqlab.tags.schemes import ANY_LETTER, IOB2, Role, Scheme

Codes = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Roles = npt.NDArray[np.int8]
NO_TYPE = -1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Coded(Brief):
    """Sequences of labels laid end to end.

    values    the distinct labels
    codes     (positions of all sequences,): values[codes[i]] is the label there
    offsets   (N + 1,): sequence i is codes[offsets[i]:offsets[i + 1]]
    name      their name in messages
    one       True for a single sequence, not in a list
    """

    values: list[str]
    codes: Codes
    offsets: Places
    name: str = "labels"
    one: bool = False

    @property
    def sequence_of(self) -> Places:
        """The number of the sequence of every position."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def place(self, position: int) -> tuple[int, int]:
        """Find the sequence of a position, and the position in it."""
        sequence = int(np.searchsorted(self.offsets, position, side="right")) - 1
        return sequence, position - int(self.offsets[sequence])

    def told(self, position: int) -> str:
        """Describe place and value of a label: labels[2][7] is 'B-PER'."""
        sequence, t = self.place(position)
        where = f"{self.name}[{t}]" if self.one else f"{self.name}[{sequence}][{t}]"
        return f"{where} is {self.values[self.codes[position]]!r}"

    def shaped(self, items: list[Any], bounds: Places | None = None) -> list[Any]:
        """Split a list with one item per position into the shape of the input.

        bounds   where the items of each sequence begin, when there is not one per position
        """
        cut = [items[a:b] for a, b in pairwise((self.offsets if bounds is None else bounds).tolist())]
        return cut[0] if self.one else cut


def coded(labels: Any, name: str = "labels") -> Coded:
    """Encode one sequence of labels, or a list of sequences."""
    outer = _listed(labels, name, "a list of labels")
    one = not outer or isinstance(outer[0], str) or not isinstance(outer[0], Iterable)
    return encode([outer] if one else many(outer, name), name, one=one)


def many(sequences: Any, name: str) -> list[Sequence[str]]:
    """List sequences of labels; the labels themselves are checked later."""
    outer = _listed(sequences, name, "a list of lists of labels")
    if all(type(inner) is list for inner in outer):
        return outer
    return [_listed(inner, f"{name}[{i}]", "a list of labels") for i, inner in enumerate(outer)]


def _listed(value: Any, name: str, wanted: str) -> list[Any]:
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(listed, Iterable) and not isinstance(listed, (str, bytes, dict, set, frozenset)):
        return listed if isinstance(listed, list) else list(listed)
    came = f"the string {value!r}" if isinstance(value, str) else _shown(value)
    hint = "; one sequence goes into a list of its own: [labels]" if name.endswith("]") else ""
    raise LabelError(f"{name} is {came}, but {wanted} is wanted{hint}")


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"


def encode(
    sequences: Sequence[Sequence[str]],
    name: str,
    known: dict[str, int] | None = None,
    what: str = "label",
    *,
    one: bool = False,
    missing: bool = False,
) -> Coded:
    """Number the labels; `known` (label to code) is used and extended when several lists share one coding.

    missing   True to allow None for a missing label, with the code -1
    """
    index = {} if known is None else known
    found: dict[str | None, int] = {}
    try:
        distinct = dict.fromkeys(chain.from_iterable(sequences))
        if missing and None in distinct:
            del distinct[None]  # type: ignore[arg-type]
            found[None] = -1
        fine = all(isinstance(value, str) for value in distinct)
    except TypeError:  # not hashable
        distinct, fine = {}, False
    if not fine:
        labels = ((i, t, label) for i, inner in enumerate(sequences) for t, label in enumerate(inner))
        i, t, wrong = next(
            one for one in labels if not isinstance(one[2], str) and not (missing and one[2] is None)
        )
        where = f"{name}[{t}]" if one else f"{name}[{i}][{t}]"
        came = "None" if wrong is None else _shown(wrong)
        raise LabelError(f"{where} is {came}, but a {what} is a string")
    for value in distinct:
        index.setdefault(value, len(index))
    offsets = np.cumsum([0, *map(len, sequences)], dtype=np.int64)
    number: Any = {**index, **found} if found else index
    flat = map(number.__getitem__, chain.from_iterable(sequences))
    return Coded(list(index), np.fromiter(flat, np.int32, int(offsets[-1])), offsets, name, one)


# ---------------------------------------------------------------------------------------------- role and type


@dataclass(frozen=True, slots=True, eq=False)
class LabelTable:
    """Distinct labels, parsed.

    roles      (K,) the role of each label; OUTSIDE for labels that cannot be read
    types      (K,) a number in type_names, or -1 outside
    own        (K,) True if the letter belongs to the scheme, and outside labels have no type
    readable   (K,) True if the label is a tag
    """

    roles: Roles
    types: Codes
    own: Bools
    readable: Bools
    type_names: tuple[str, ...]


def split(label: str, spelling: Scheme) -> tuple[str, str] | None:
    """Split a label into letter and type; ("", "") for outside; None if it is not a tag."""
    if label == spelling.outside:
        return "", ""
    if spelling.suffix:
        kind, mark, letter = label.rpartition(spelling.delimiter)
    else:
        letter, mark, kind = label.partition(spelling.delimiter)
    if not mark:
        letter, kind = label, ""
    return (letter, kind) if letter else None  # "B-" has no type, like "B"


def parse(values: Sequence[str], scheme: Scheme | None, spelling: Scheme | None = None) -> LabelTable:
    """Parse every label. Without a scheme every letter of conlleval's rules is accepted."""
    spelling = spelling or scheme or IOB2
    own_letters = ANY_LETTER if scheme is None else scheme.roles
    size = len(values)
    roles = np.zeros(size, dtype=np.int8)
    types = np.full(size, NO_TYPE, dtype=np.int32)
    own, readable = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    type_ids: dict[str, int] = {}
    for i, label in enumerate(values):
        letter, kind = split(label, spelling) or (None, "")
        # O-X counts as outside: other scorers read it so, but no scheme writes it.
        outside = letter in {"", spelling.outside}
        role = Role.OUTSIDE if outside else own_letters.get(letter or "", ANY_LETTER.get(letter or ""))
        if role is None:
            continue
        readable[i] = True
        own[i] = letter == "" or letter in own_letters
        roles[i] = role
        if not outside:
            types[i] = type_ids.setdefault(kind, len(type_ids))
    return LabelTable(roles, types, own, readable, tuple(type_ids))


def refuse_unreadable(labels: Coded, table: LabelTable, spelling: Scheme) -> None:
    """Raise an error for the first label that is not a tag; unused known labels are ignored."""
    unreadable = ~table.readable[labels.codes]
    if unreadable.any():
        raise SchemeError(
            f"{labels.told(int(np.argmax(unreadable)))}, which is no tag: {form(spelling)} is wanted; "
            f"for another spelling pass Scheme.of(..., delimiter=..., suffix=..., outside=...)"
        )


def form(spelling: Scheme) -> str:
    """Describe the form of labels in this spelling."""
    letter, label = spelling.letters[1], spelling.spell(Role.INSIDE, "PER")
    return f"{spelling.outside!r}, a letter such as {letter!r}, or letter and type such as {label!r}"
