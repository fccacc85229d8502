"""What breaks a scheme, what becomes of it, and the way from one scheme to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab.tags.coding import Coded, cut, encode, one_or_many
from seqlab.tags.parsing import LabelTable, form, parse, refuse_unreadable
from seqlab.tags.reading import (
    BAD_END,
    BAD_START,
    FOREIGN,
    Labels,
    Reading,
    Repair,
    check_repair,
    read,
    refuse_bad,
)
from seqlab.tags.schemes import Role, Scheme
from seqlab.tags.writing import write


@dataclass(frozen=True, slots=True)
class Violation:
    """A label that breaks the scheme where it stands, and why."""

    position: int
    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class Repaired:
    """Labels that follow the scheme, and how much had to be done.

    labels              in the shape they came in: one list, or a list of lists
    how                 "conlleval" or "strict"
    changed_labels      positions whose label is another one now
    repaired_spans      spans that stayed, but with another label somewhere
    dropped_spans       spans that are gone ("strict" alone drops)
    changed_sequences   sequences with a changed label
    """

    labels: Any
    how: str
    changed_labels: int
    repaired_spans: int
    dropped_spans: int
    changed_sequences: int


def repair(labels: Labels, scheme: Scheme | str, how: str = "conlleval") -> Repaired:
    """Labels that follow the scheme; valid ones stay as they are.

    "conlleval": a label that cannot go on with a span begins one, so every span is kept and written as it should be.
    "strict": a span that begins or ends badly is dropped, and its positions are outside.
    """
    chosen = Scheme.of(scheme)
    check_repair(how, chosen, none=False)
    sequences, one = one_or_many(labels)
    coded, _, reading = _read(sequences, chosen, one=one)
    kept = reading.kept(how)
    written = _written(kept, coded, chosen)
    changed = np.fromiter(
        (coded.values[c] != label for c, label in zip(coded.codes.tolist(), written, strict=True)),
        dtype=bool,
        count=len(written),
    )
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(changed)])
    result = cut(written, coded.offsets)
    return Repaired(
        result[0] if one else result,
        how,
        changed_labels=int(changed.sum()),
        repaired_spans=int((before[kept.end] > before[kept.start]).sum()),
        dropped_spans=len(reading.start) - len(kept.start),
        changed_sequences=int((before[coded.offsets[1:]] > before[coded.offsets[:-1]]).sum()),
    )


def convert(labels: Labels, source: Scheme | str, target: Scheme | str, repair: Repair = None) -> Any:
    """The same spans written in another scheme, for one sequence or many.

    Labels that break `source` raise SchemeError, unless `repair` says how to treat them. Every scheme but IO keeps
    every span; IO joins touching spans of one type.
    """
    read_as, write_as = Scheme.of(source), Scheme.of(target)
    check_repair(repair, read_as, none=True)
    sequences, one = one_or_many(labels)
    coded, _, reading = _read(sequences, read_as, one=one)
    if repair is None:
        refuse_bad(coded, reading, read_as, one=one)
    result = cut(_written(reading.kept(repair), coded, write_as), coded.offsets)
    return result[0] if one else result


def _read(sequences: Any, scheme: Scheme, *, one: bool) -> tuple[Coded, LabelTable, Reading]:
    coded = encode(sequences, "labels")
    table = parse(coded.values, scheme)
    refuse_unreadable(coded, table, scheme, "labels", one=one)
    return coded, table, read(coded, table, scheme)


def _written(reading: Reading, coded: Coded, scheme: Scheme) -> list[str]:
    length = len(coded.codes)
    return write(
        reading.start, reading.end, reading.types, reading.sequences, length, scheme, reading.type_names
    )


def violations(labels: Labels, scheme: Scheme | str) -> Any:
    """Where a sequence breaks the scheme, and why; a list of such lists for a list of sequences."""
    chosen = Scheme.of(scheme)
    sequences, one = one_or_many(labels)
    coded = encode(sequences, "labels")
    table = parse(coded.values, chosen)
    reading = read(coded, table, chosen)
    where = np.flatnonzero(reading.bad)
    found = [_violation(int(position), coded, table, reading, chosen) for position in where]
    result = cut(found, np.searchsorted(where, coded.offsets))
    return result[0] if one else result


def _violation(position: int, coded: Coded, table: LabelTable, reading: Reading, scheme: Scheme) -> Violation:
    sequence, t = coded.place(position)
    code, faults = int(coded.codes[position]), int(reading.faults[position])
    label = coded.values[code]
    if not table.readable[code]:
        return Violation(t, label, f"{label!r} is no tag: {form(scheme)} is wanted")
    if faults & FOREIGN:
        return Violation(t, label, _foreign(label, scheme, outside=table.roles[code] == Role.OUTSIDE))
    kind = table.type_names[table.types[code]]
    reasons = []
    if faults & BAD_START:
        before = _choice(scheme, (Role.BEGIN, Role.INSIDE), kind)
        here = f"follows {_label(coded, position - 1)!r}" if t else "begins the sequence"
        reasons.append(f"{label!r} must follow {before}, but {here}")
    if faults & BAD_END:
        after = _choice(scheme, (Role.INSIDE, Role.END), kind)
        last = position + 1 == coded.offsets[sequence + 1]
        here = "the sequence ends" if last else f"{_label(coded, position + 1)!r} comes next"
        reasons.append(f"{label!r} must be followed by {after}, but {here}")
    return Violation(t, label, "; ".join(reasons))


def _foreign(label: str, scheme: Scheme, *, outside: bool) -> str:
    if outside:
        return f"{label!r} has a type, but outside there is none; {scheme.outside!r} is wanted"
    letters = ", ".join([*scheme.roles, scheme.outside])
    return f"{label!r} has a letter that {scheme} does not know; it has {letters}"


def _label(coded: Coded, position: int) -> str:
    return coded.values[int(coded.codes[position])]


def _choice(scheme: Scheme, roles: tuple[Role, ...], kind: str) -> str:
    return " or ".join(repr(scheme.spell(role, kind)) for role in roles if role in scheme.roles.values())
