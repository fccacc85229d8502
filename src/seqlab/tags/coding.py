"""Labels as numbers: every distinct label once, taken apart into role and type; one code for each position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from seqlab.errors import LabelError, SchemeError
from seqlab.tags.schemes import ANY_LETTER, IOB2, Role, Scheme

Codes = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Sequences of labels laid end to end.

    values    the distinct labels
    codes     (positions of all sequences,): values[codes[i]] is the label there
    offsets   (N + 1,): sequence i is codes[offsets[i]:offsets[i + 1]]
    """

    values: list[str]
    codes: Codes
    offsets: Places

    @property
    def sequence_of(self) -> Places:
        """The number of the sequence of every position."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def place(self, position: int) -> tuple[int, int]:
        """Sequence and position in it."""
        sequence = int(np.searchsorted(self.offsets, position, side="right")) - 1
        return sequence, position - int(self.offsets[sequence])


def one_or_many(labels: Any, name: str = "labels") -> tuple[list[Sequence[str]], bool]:
    """The sequences, and whether there was just one that was not in a list."""
    outer = _listed(labels, name, "a list of labels")
    if not outer or isinstance(outer[0], str) or not isinstance(outer[0], Iterable):
        return [outer], True
    return many(outer, name), False


def many(sequences: Any, name: str) -> list[Sequence[str]]:
    """A list of sequences of labels; labels themselves are looked at later."""
    outer = _listed(sequences, name, "a list of lists of labels")
    if all(type(inner) is list for inner in outer):
        return outer
    return [_listed(inner, f"{name}[{i}]", "a list of labels") for i, inner in enumerate(outer)]


def _listed(value: Any, name: str, wanted: str) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, np.ndarray):
        listed = value.tolist()
        if isinstance(listed, list):
            return listed
    elif isinstance(value, Iterable) and not isinstance(value, (str, bytes, dict, set, frozenset)):
        return list(value)
    came = f"the string {value!r}" if isinstance(value, str) else f"{_shown(value)} ({type(value).__name__})"
    raise LabelError(f"{name} is {came}, but {wanted} is wanted{_hint(name)}")


def _hint(name: str) -> str:
    return "; one sequence goes into a list of its own: [labels]" if name.endswith("]") else ""


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def encode(
    sequences: Sequence[Sequence[str]], name: str, known: dict[str, int] | None = None, what: str = "label"
) -> Coded:
    """Sequences as codes; `known` (label to code) is used and extended when several lists share one coding."""
    offsets = np.zeros(len(sequences) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, sequences), dtype=np.int64, count=len(sequences)), out=offsets[1:])
    index = {} if known is None else known
    try:
        distinct = dict.fromkeys(chain.from_iterable(sequences))
    except TypeError:
        raise _wrong_label(sequences, name, what) from None
    if not all(isinstance(value, str) for value in distinct):
        raise _wrong_label(sequences, name, what)
    for value in distinct:
        index.setdefault(value, len(index))
    flat = chain.from_iterable(sequences)
    codes = np.fromiter(map(index.__getitem__, flat), dtype=np.int32, count=int(offsets[-1]))
    return Coded(list(index), codes, offsets)


def _wrong_label(sequences: Sequence[Sequence[Any]], name: str, what: str) -> LabelError:
    one = len(sequences) == 1 and name == "labels"
    for i, labels in enumerate(sequences):
        for t, label in enumerate(labels):
            if not isinstance(label, str):
                where = f"{name}[{t}]" if one else f"{name}[{i}][{t}]"
                came = "None" if label is None else f"{_shown(label)} ({type(label).__name__})"
                return LabelError(f"{where} is {came}, but a {what} is a string")
    return LabelError(f"{name} holds a {what} that is not a string")


def cut(items: list[Item], offsets: Places) -> list[list[Item]]:
    """A flat list cut into sequences."""
    bounds = offsets.tolist()
    return [items[a:b] for a, b in pairwise(bounds)]


Roles = npt.NDArray[np.int8]
NO_TYPE = -1


@dataclass(frozen=True, slots=True, eq=False)
class LabelTable:
    """Distinct labels, taken apart.

    roles      (K,) the role of each label; OUTSIDE for labels that cannot be read
    types      (K,) a number in type_names, or -1 outside
    own        (K,) whether the letter belongs to the scheme, and outside there is no type
    readable   (K,) whether the label is a tag at all
    """

    values: Sequence[str]
    roles: Roles
    types: Codes
    own: Bools
    readable: Bools
    type_names: tuple[str, ...]


def split(label: str, spelling: Scheme) -> tuple[str, str] | None:
    """Letter and type; ("", "") for outside; None for what has not the form of a tag."""
    if label == spelling.outside:
        return "", ""
    if not label:
        return None
    if spelling.suffix:
        kind, mark, letter = label.rpartition(spelling.delimiter)
    else:
        letter, mark, kind = label.partition(spelling.delimiter)
    if not mark:
        return label, ""
    return (letter, kind) if letter else None  # "B-" has no type, like "B"


def parse(values: Sequence[str], scheme: Scheme | None, spelling: Scheme | None = None) -> LabelTable:
    """Every label taken apart. Without a scheme every letter that conlleval's rules know belongs."""
    spelling = spelling or scheme or IOB2
    own_letters = ANY_LETTER if scheme is None else scheme.roles
    size = len(values)
    roles = np.zeros(size, dtype=np.int8)
    types = np.full(size, NO_TYPE, dtype=np.int32)
    own, readable = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    type_ids: dict[str, int] = {}
    for i, label in enumerate(values):
        parts = split(label, spelling)
        if parts is None:
            continue
        letter, kind = parts
        known = own_letters.get(letter, ANY_LETTER.get(letter))
        # O-X stands outside: the other scorers read it so, but no scheme writes it.
        role = Role.OUTSIDE if letter in {"", spelling.outside} else known
        if role is None:
            continue
        readable[i] = True
        own[i] = letter == "" or letter in own_letters
        roles[i] = role
        if role != Role.OUTSIDE:
            types[i] = type_ids.setdefault(kind, len(type_ids))
    return LabelTable(values, roles, types, own, readable, tuple(type_ids))


def refuse_unreadable(coded: Coded, table: LabelTable, spelling: Scheme, name: str, *, one: bool) -> None:
    """Raise for the first label that is no tag at all."""
    if table.readable.all():
        return
    position = int(np.argmax(~table.readable[coded.codes]))
    if table.readable[coded.codes[position]]:  # known from elsewhere, but not used here
        return
    sequence, t = coded.place(position)
    where = f"{name}[{t}]" if one else f"{name}[{sequence}][{t}]"
    raise SchemeError(
        f"{where} is {coded.values[coded.codes[position]]!r}, which is no tag: {form(spelling)} is wanted; "
        f"for another spelling pass Scheme.of(..., delimiter=..., suffix=..., outside=...)"
    )


def form(spelling: Scheme) -> str:
    """How a label of this spelling looks, in words."""
    letter, label = spelling.letters[1], spelling.spell(Role.INSIDE, "PER")
    return f"{spelling.outside!r}, a letter such as {letter!r}, or letter and type such as {label!r}"
