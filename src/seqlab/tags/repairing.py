"""From spans to labels, and from labels to labels: what breaks a scheme, what becomes of it, other schemes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from seqlab.arrays import whole_number
from seqlab.errors import LabelError, SchemeError, ShapeError
from seqlab.tags.coding import (
    NO_TYPE,
    Bools,
    Coded,
    Codes,
    LabelTable,
    Places,
    Roles,
    cut,
    encode,
    form,
    one_or_many,
    parse,
    refuse_unreadable,
)
from seqlab.tags.reading import (
    BAD_END,
    BAD_START,
    FOREIGN,
    Labels,
    Reading,
    Repair,
    Span,
    check_repair,
    read,
    refuse_bad,
)
from seqlab.tags.schemes import Role, Scheme


def write_roles(start: Places, end: Places, touching: Bools, length: int, scheme: Scheme) -> Roles:
    """The role of every position. Spans are sorted; touching[i]: spans i and i + 1 touch and have one type."""
    change = np.zeros(length + 1, dtype=np.int32)
    change[start] += 1  # no two spans begin, or end, in one place
    change[end] -= 1
    roles: Roles = np.where(np.cumsum(change[:-1]) > 0, np.int8(Role.INSIDE), np.int8(Role.OUTSIDE))
    roles[start] = scheme.first
    roles[end - 1] = scheme.last
    roles[start[end - start == 1]] = scheme.single
    if scheme.touching_first is not None:
        roles[start[1:][touching]] = scheme.touching_first
    if scheme.touching_last is not None:
        roles[end[:-1][touching] - 1] = scheme.touching_last
    return roles


def write(
    start: Places,
    end: Places,
    types: Codes,
    sequences: Places,
    length: int,
    scheme: Scheme,
    names: Sequence[str],
) -> list[str]:
    """One label for each of `length` positions, all sequences end to end; spans are sorted and do not overlap."""
    touching = (end[:-1] == start[1:]) & (types[:-1] == types[1:]) & (sequences[:-1] == sequences[1:])
    roles = write_roles(start, end, touching, length, scheme)
    kinds = np.full(length, NO_TYPE, dtype=np.int64)
    kinds[roles != Role.OUTSIDE] = np.repeat(types, end - start)
    # Distinct pairs of role and type are spelled once.
    pairs, which = np.unique(kinds * len(Role) + roles, return_inverse=True)
    spelled = [
        scheme.spell(int(pair) % len(Role), names[int(pair) // len(Role)] if pair >= 0 else "")
        for pair in pairs
    ]
    return list(map(spelled.__getitem__, which.tolist()))


def labels_of(spans: Any, length: Any, scheme: Scheme | str) -> Any:
    """The labels that write these spans, for one sequence or (a list of lists, a list of lengths) for many.

    spans    Span objects or (start, end, type), in any order, none overlapping another
    length   how many positions the sequence has

    IO cannot keep two touching spans of one type apart: they become one.
    """
    chosen = Scheme.of(scheme)
    if isinstance(length, (int, np.integer)):
        return _many([spans], [length], chosen, one=True)[0]
    lengths = list(length)
    if len(spans) != len(lengths):
        raise ShapeError(f"spans of {len(spans)} sequences, but {len(lengths)} lengths")
    return _many(spans, lengths, chosen, one=False)


def _many(spans: Sequence[Any], lengths: Sequence[Any], scheme: Scheme, *, one: bool) -> list[list[str]]:
    offsets = [0]
    ids: dict[str, int] = {}
    rows: list[tuple[int, int, int, int]] = []
    for i, (some, length) in enumerate(zip(spans, lengths, strict=True)):
        where = "" if one else f"sequence {i}: "
        size = whole_number(length, "length", 0)
        first = offsets[-1]
        for span in _checked(some, size, where):
            kind = ids.setdefault(span.type, len(ids))
            rows.append((first + span.start, first + span.end, kind, i))
        offsets.append(first + size)
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    labels = write(
        columns[0], columns[1], columns[2].astype(np.int32), columns[3], offsets[-1], scheme, list(ids)
    )
    return cut(labels, np.array(offsets))


def _checked(spans: Any, length: int, where: str) -> list[Span]:
    """Spans in order, within the sequence, none over another."""
    ordered = sorted((_span(value, where) for value in spans), key=lambda span: (span.start, span.end))
    for span in ordered:
        if not 0 <= span.start < span.end <= length:
            raise LabelError(
                f"{where}{span} does not fit: start < end is wanted, both from 0 to {length}, and end is not included"
            )
    for left, right in pairwise(ordered):
        if left.end > right.start:
            raise SchemeError(f"{where}{left} and {right} overlap, which no tag scheme can write")
    return ordered


def _span(value: Any, where: str) -> Span:
    if isinstance(value, Span):
        start, end, kind = value.start, value.end, value.type
    else:
        try:
            start, end, kind = value
        except (TypeError, ValueError):
            raise LabelError(f"{where}a span is a Span or (start, end, type), got {value!r}") from None
    whole = all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in (start, end))
    if not whole or not isinstance(kind, str):
        raise LabelError(
            f"{where}a span has whole numbers for start and end and a string for its type, got {value!r}"
        )
    return Span(int(start), int(end), kind)


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
