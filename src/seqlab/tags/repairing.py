"""Convert spans to labels, and labels to labels: violations, repair, other schemes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, overload

import numpy as np

from seqlab.arrays import whole_number
from seqlab.errors import LabelError, SchemeError, ShapeError
from seqlab.shown import Brief
from seqlab.tags.coding import NO_TYPE, Coded, Codes, LabelTable, Places, Roles, coded, form, parse
from seqlab.tags.reading import BAD_END, BAD_START, FOREIGN, Labels, Reading, Repair, Span, read, read_labels
from seqlab.tags.schemes import Role, Scheme

# ---------------------------------------------------------------------------------------------- from spans


def write(
    start: Places,
    end: Places,
    types: Codes,
    sequences: Places,
    names: Sequence[str],
    length: int,
    scheme: Scheme,
) -> list[str]:
    """Write one label for each of `length` positions, all sequences end to end.

    start, end, types, sequences   (S,) of spans that are sorted and do not overlap
    """
    change = np.zeros(length + 1, dtype=np.int32)
    change[start] += 1  # no two spans begin, or end, at the same position
    change[end] -= 1
    roles: Roles = np.where(np.cumsum(change[:-1]) > 0, np.int8(Role.INSIDE), np.int8(Role.OUTSIDE))
    roles[start] = scheme.first
    roles[end - 1] = scheme.last
    roles[start[end - start == 1]] = scheme.single
    touching = (end[:-1] == start[1:]) & (types[:-1] == types[1:]) & (sequences[:-1] == sequences[1:])
    if scheme.touching_first is not None:
        roles[start[1:][touching]] = scheme.touching_first
    if scheme.touching_last is not None:
        roles[end[:-1][touching] - 1] = scheme.touching_last
    kinds = np.full(length, NO_TYPE, dtype=np.int64)
    kinds[roles != Role.OUTSIDE] = np.repeat(types, end - start)
    # Each distinct pair of role and type is written once.
    pairs, which = np.unique(kinds * len(Role) + roles, return_inverse=True)
    spelled = [
        scheme.spell(int(pair) % len(Role), names[int(pair) // len(Role)] if pair >= 0 else "")
        for pair in pairs
    ]
    return list(map(spelled.__getitem__, which.tolist()))


@overload
def labels_of(spans: Iterable[Any], length: int, scheme: Scheme | str) -> list[str]: ...
@overload
def labels_of(spans: Iterable[Any], length: Iterable[int], scheme: Scheme | str) -> list[list[str]]: ...
def labels_of(spans: Any, length: Any, scheme: Scheme | str) -> Any:
    """Write spans as labels, for one sequence or (a list of lists, a list of lengths) for many.

    spans    Span objects or (start, end, type), in any order, none overlapping another
    length   how many positions the sequence has; scheme: the one to write in

    IO cannot keep two touching spans of one type apart: they become one.
    """
    chosen = Scheme.of(scheme)
    one = isinstance(length, (int, np.integer))
    given, lengths = ([spans], [length]) if one else (spans, list(length))
    if len(given) != len(lengths):
        raise ShapeError(f"spans of {len(given)} sequences, but {len(lengths)} lengths")
    offsets = [0]
    ids: dict[str, int] = {}
    rows: list[tuple[int, int, int, int]] = []
    for i, (some, size) in enumerate(zip(given, lengths, strict=True)):
        first = offsets[-1]
        offsets.append(first + whole_number(size, "length", 0))
        rows += [
            (first + span.start, first + span.end, ids.setdefault(span.type, len(ids)), i)
            for span in _checked(some, int(size), "" if one else f"sequence {i}: ")
        ]
    start, end, types, sequences = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    labels = write(start, end, types.astype(np.int32), sequences, list(ids), offsets[-1], chosen)
    cut = [labels[a:b] for a, b in pairwise(offsets)]
    return cut[0] if one else cut


def _checked(spans: Any, length: int, where: str) -> list[Span]:
    """Sort spans, and check that they are within the sequence and do not overlap."""
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


# ---------------------------------------------------------------------------------------------- from labels


@dataclass(frozen=True, slots=True)
class Violation:
    """A label that breaks the scheme at its position, and the reason."""

    position: int
    label: str
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class Repaired(Brief):
    """Labels that follow the scheme, and the numbers of changes.

    labels              one list, or a list of lists, as given
    how                 "conlleval" or "strict"
    changed_labels      number of positions whose label changed
    repaired_spans      number of spans that were kept with a changed label
    dropped_spans       number of spans that were dropped (by "strict" only)
    changed_sequences   number of sequences with a changed label
    """

    labels: Any
    how: str
    changed_labels: int
    repaired_spans: int
    dropped_spans: int
    changed_sequences: int


def repair(labels: Labels, scheme: Scheme | str, how: str = "conlleval") -> Repaired:
    """Make labels follow the scheme, `how`; valid ones stay as they are.

    "conlleval": a label that cannot go on with a span begins one, so every span is kept and written as it should be.
    "strict": a span that begins or ends badly is dropped, and its positions are outside.
    """
    chosen = Scheme.of(scheme)
    found, reading = read_labels(labels, chosen, how, none=False)
    kept = reading.kept(how)
    written = _written(kept, found, chosen)
    old = map(found.values.__getitem__, found.codes.tolist())
    changed = np.cumsum([0, *(before != after for before, after in zip(old, written, strict=True))])
    return Repaired(
        found.shaped(written),
        how,
        changed_labels=int(changed[-1]),
        repaired_spans=int((changed[kept.end] > changed[kept.start]).sum()),
        dropped_spans=len(reading.start) - len(kept.start),
        changed_sequences=int((np.diff(changed[found.offsets]) > 0).sum()),
    )


def convert(labels: Labels, source: Scheme | str, target: Scheme | str, repair: Repair = None) -> Any:
    """Write the spans of labels, one sequence or many, in another scheme (target).

    Labels that break `source` raise SchemeError, unless `repair` says how to treat them. Every scheme but IO keeps
    every span; IO joins touching spans of one type.
    """
    read_as, write_as = Scheme.of(source), Scheme.of(target)
    found, reading = read_labels(labels, read_as, repair)
    return found.shaped(_written(reading.kept(repair), found, write_as))


def _written(reading: Reading, labels: Coded, scheme: Scheme) -> list[str]:
    spans = (reading.start, reading.end, reading.types, reading.sequences)
    return write(*spans, reading.type_names, len(labels.codes), scheme)


def violations(labels: Labels, scheme: Scheme | str) -> Any:
    """Find where labels break the scheme, and why; a list of such lists for a list of sequences."""
    chosen, found = Scheme.of(scheme), coded(labels)
    table = parse(found.values, chosen)
    reading = read(found, table, chosen)
    where = np.flatnonzero(reading.bad)
    broken = [_violation(int(position), found, table, reading, chosen) for position in where]
    return found.shaped(broken, np.searchsorted(where, found.offsets))


def _violation(
    position: int, labels: Coded, table: LabelTable, reading: Reading, scheme: Scheme
) -> Violation:
    sequence, t = labels.place(position)
    code, faults = int(labels.codes[position]), int(reading.faults[position])
    label = labels.values[code]
    if not table.readable[code]:
        return Violation(t, label, f"{label!r} is no tag: {form(scheme)} is wanted")
    if faults & FOREIGN and table.roles[code] == Role.OUTSIDE:
        reason = f"{label!r} has a type, but outside there is none; {scheme.outside!r} is wanted"
        return Violation(t, label, reason)
    if faults & FOREIGN:
        letters = ", ".join([*scheme.roles, scheme.outside])
        return Violation(t, label, f"{label!r} has a letter that {scheme} does not know; it has {letters}")

    def choice(*roles: Role) -> str:
        kind = table.type_names[table.types[code]]
        return " or ".join(repr(scheme.spell(role, kind)) for role in roles if role in scheme.roles.values())

    reasons = []
    if faults & BAD_START:
        here = f"follows {labels.values[labels.codes[position - 1]]!r}" if t else "begins the sequence"
        reasons.append(f"{label!r} must follow {choice(Role.BEGIN, Role.INSIDE)}, but {here}")
    if faults & BAD_END:
        last = position + 1 == labels.offsets[sequence + 1]
        here = "the sequence ends" if last else f"{labels.values[labels.codes[position + 1]]!r} comes next"
        reasons.append(f"{label!r} must be followed by {choice(Role.INSIDE, Role.END)}, but {here}")
    return Violation(t, label, "; ".join(reasons))
