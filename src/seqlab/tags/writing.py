"""From spans to labels, for all sequences at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from seqlab.arrays import whole_number
from seqlab.errors import LabelError, SchemeError, ShapeError
from seqlab.tags.coding import Bools, Codes, Places, cut
from seqlab.tags.parsing import NO_TYPE, Roles
from seqlab.tags.reading import Span
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
