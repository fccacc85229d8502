"""What each distinct label says: role and type. Every label is taken apart once, however often it occurs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from seqlab.errors import SchemeError
from seqlab.tags.coding import Bools, Coded, Codes
from seqlab.tags.schemes import ANY_LETTER, IOB2, Role, Scheme

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
