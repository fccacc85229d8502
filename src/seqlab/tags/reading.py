"""From labels to spans, for all sequences at once.

conlleval's rules need no scheme. Between two neighbours there is a border when the left one ends a span (E, S), the
right one begins one (B, S), either is outside, or their types differ. A span runs from border to border. A scheme adds
which roles may stand at a border; the rest is invalid, and `repair` says what becomes of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from seqlab.errors import LabelError, OptionError, SchemeError
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
from seqlab.tags.schemes import IOB2, Role, Scheme

Labels = Any  # a list of labels, or a list of such lists
Repair = str | None
REPAIRS = ("conlleval", "strict")
BAD_START, BAD_END, FOREIGN = np.int8(1), np.int8(2), np.int8(4)

_ENDS_ANYWAY = np.isin(np.arange(5), [Role.OUTSIDE, Role.END, Role.SINGLE])
_STARTS_ANYWAY = np.isin(np.arange(5), [Role.OUTSIDE, Role.BEGIN, Role.SINGLE])


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Positions start, ..., end - 1 belong together and have a type ("" when labels have none)."""

    start: int
    end: int
    type: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Neighbours: role and type on the left, role and type on the right; arrays that broadcast."""

    left_role: Roles
    left_type: Codes
    right_role: Roles
    right_type: Codes

    def border(self) -> Bools:
        """Whether no span runs from left to right."""
        border: Bools = (
            _ENDS_ANYWAY[self.left_role]
            | _STARTS_ANYWAY[self.right_role]
            | (self.left_type != self.right_type)
        )
        return border

    def _touching(self) -> Bools:
        touching: Bools = (self.left_role != Role.OUTSIDE) & (self.left_type == self.right_type)
        return touching

    def bad_start(self, scheme: Scheme, border: Bools) -> Bools:
        """Whether a span begins on the right with a role that may not begin it."""
        bad: Bools = border & (self.right_role != Role.OUTSIDE) & ~_flags(scheme.may_start)[self.right_role]
        if scheme.touching_first is not None:
            bad &= ~((self.right_role == scheme.touching_first) & self._touching())
        return bad

    def bad_end(self, scheme: Scheme, border: Bools) -> Bools:
        """Whether a span ends on the left with a role that may not end it."""
        bad: Bools = border & (self.left_role != Role.OUTSIDE) & ~_flags(scheme.may_end)[self.left_role]
        if scheme.touching_last is not None:
            bad &= ~((self.left_role == scheme.touching_last) & self._touching())
        return bad


def _flags(roles: frozenset[Role]) -> Bools:
    return np.isin(np.arange(5), sorted(roles))


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """All spans of all sequences, with positions counted through from the first sequence to the last.

    start, end   (S,) positions; end is not included
    types        (S,) numbers in type_names
    sequences    (S,) the sequence of each span
    faults       (positions,) how a label breaks the scheme: a sum of BAD_START, BAD_END, FOREIGN; 0 when it does not
    bad_spans    (S,) spans with such a label
    """

    start: Places
    end: Places
    types: Codes
    sequences: Places
    faults: npt.NDArray[np.int8]
    bad_spans: Bools
    type_names: tuple[str, ...]

    @property
    def bad(self) -> Bools:
        """(positions,) labels that break the scheme."""
        bad: Bools = self.faults != 0
        return bad

    def kept(self, repair: Repair) -> Reading:
        """Every span, or for "strict" those without a bad label."""
        if repair != "strict" or not self.bad_spans.any():
            return self
        good = ~self.bad_spans
        return replace(
            self,
            start=self.start[good],
            end=self.end[good],
            types=self.types[good],
            sequences=self.sequences[good],
            bad_spans=self.bad_spans[good],
        )


def read(coded: Coded, table: LabelTable, scheme: Scheme | None) -> Reading:
    """The spans of coded sequences, by conlleval's rules, and what breaks the scheme."""
    count, sequence_of = len(coded.codes), coded.sequence_of
    # One slot outside all spans before every sequence and after the last: no span runs through it.
    slots = np.arange(count) + sequence_of + 1
    roles = np.zeros(count + len(coded.offsets), dtype=np.int8)
    types = np.full(len(roles), NO_TYPE, dtype=np.int32)
    roles[slots], types[slots] = table.roles[coded.codes], table.types[coded.codes]
    pairs = Pairs(roles[:-1], types[:-1], roles[1:], types[1:])
    border = pairs.border()
    tagged = roles[slots] != Role.OUTSIDE
    start = np.flatnonzero(tagged & border[slots - 1])
    end = np.flatnonzero(tagged & border[slots]) + 1
    faults = np.zeros(count, dtype=np.int8)
    if scheme is not None:
        faults += BAD_START * pairs.bad_start(scheme, border)[slots - 1]
        faults += BAD_END * pairs.bad_end(scheme, border)[slots]
        faults += FOREIGN * ~table.own[coded.codes]
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(faults != 0)])
    bad_spans = before[end] > before[start]
    return Reading(start, end, types[slots][start], sequence_of[start], faults, bad_spans, table.type_names)


def check_repair(repair: Repair, scheme: Scheme | None, *, none: bool) -> None:
    """Refuse what is not a way to treat invalid labels."""
    if repair is None and none:
        return
    if repair not in REPAIRS:
        also = ", or None to refuse them" if none else ""
        raise OptionError(
            f"repair must be 'conlleval' (a span that begins badly is kept) or 'strict' (it is dropped){also}; "
            f"got {repair!r}"
        )
    if repair == "strict" and scheme is None:
        raise OptionError(
            "repair='strict' drops what breaks the scheme, so it needs one: pass scheme='IOB2' or another"
        )


@overload
def spans(
    labels: list[str] | tuple[str, ...] | npt.NDArray[np.str_],
    scheme: Scheme | str | None = None,
    repair: Repair = "conlleval",
) -> list[Span]: ...
@overload
def spans(labels: Any, scheme: Scheme | str | None = None, repair: Repair = "conlleval") -> Any: ...
def spans(labels: Labels, scheme: Scheme | str | None = None, repair: Repair = "conlleval") -> Any:
    """The spans of one sequence of labels, or a list of them for a list of sequences.

    Without a scheme every letter (B I M E L S U) is read as conlleval's rules have it. With one, `repair` says what
    becomes of labels that break it: "conlleval" keeps their spans, "strict" drops them, None raises SchemeError.
    """
    chosen = None if scheme is None else Scheme.of(scheme)
    check_repair(repair, chosen, none=True)
    sequences, one = one_or_many(labels)
    coded = encode(sequences, "labels")
    table = parse(coded.values, chosen)
    refuse_unreadable(coded, table, chosen or IOB2, "labels", one=one)
    reading = read(coded, table, chosen)
    if repair is None and chosen is not None:
        refuse_bad(coded, reading, chosen, one=one)
    found = listed(reading.kept(repair), coded.offsets)
    return found[0] if one else found


def refuse_bad(coded: Coded, reading: Reading, scheme: Scheme, *, one: bool) -> None:
    """Raise for the first label that breaks the scheme."""
    if not reading.bad.any():
        return
    position = int(np.argmax(reading.bad))
    sequence, t = coded.place(position)
    where = f"labels[{t}]" if one else f"labels[{sequence}][{t}]"
    raise SchemeError(
        f"{where} is {coded.values[coded.codes[position]]!r}, which breaks {scheme} there "
        f"({int(reading.bad.sum())} such labels in all); violations() gives the reasons, "
        f"repair='conlleval' or 'strict' goes on without them"
    )


def listed(reading: Reading, offsets: Places) -> list[list[Span]]:
    """Spans as objects, with positions counted in their own sequence."""
    first = offsets[reading.sequences]
    columns = zip(
        (reading.start - first).tolist(), (reading.end - first).tolist(), reading.types.tolist(), strict=True
    )
    names = reading.type_names
    flat = [Span(start, end, names[kind]) for start, end, kind in columns]
    return cut(flat, np.searchsorted(reading.sequences, np.arange(len(offsets))))


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """What a scheme forbids; True means forbidden.

    moves    (L, L) from label, to label
    starts   (L,) labels that cannot be first
    ends     (L,) labels that cannot be last
    """

    scheme: Scheme
    labels: tuple[str, ...]
    moves: Bools
    starts: Bools
    ends: Bools

    def as_constraints(self) -> dict[str, Bools]:
        """The arguments of seqlab.Constraints: `Constraints(**rules.as_constraints())`."""
        return {
            "forbidden_moves": self.moves,
            "forbidden_starts": self.starts,
            "forbidden_ends": self.ends,
        }

    def __repr__(self) -> str:
        return f"Rules({self.scheme}, {len(self.labels)} labels, {int(self.moves.sum())} forbidden moves)"


def rules(scheme: Scheme | str, labels: Iterable[str]) -> Rules:
    """What the scheme forbids among these labels, in the order given."""
    chosen, names = Scheme.of(scheme), _checked(labels)
    table = parse(names, chosen)
    if not table.own.all():
        strangers = [name for name, own in zip(names, table.own.tolist(), strict=True) if not own]
        shown = ", ".join(map(repr, strangers[:8])) + (", ..." if len(strangers) > 8 else "")
        raise SchemeError(
            f"{len(strangers)} of {len(names)} labels are not of the scheme {chosen}: {shown}; "
            f"{form(chosen)} is wanted, with one of the letters {', '.join(chosen.roles)}"
        )
    role, kind = table.roles, table.types
    nothing, no_type = np.zeros(1, dtype=np.int8), np.full(1, NO_TYPE, dtype=np.int32)
    return Rules(
        chosen,
        names,
        _forbidden(Pairs(role[:, None], kind[:, None], role[None, :], kind[None, :]), chosen),
        _forbidden(Pairs(nothing, no_type, role, kind), chosen),
        _forbidden(Pairs(role, kind, nothing, no_type), chosen),
    )


def _forbidden(pairs: Pairs, scheme: Scheme) -> Bools:
    border = pairs.border()
    forbidden: Bools = pairs.bad_start(scheme, border) | pairs.bad_end(scheme, border)
    forbidden.flags.writeable = False
    return forbidden


def _checked(labels: Iterable[str]) -> tuple[str, ...]:
    if isinstance(labels, str):
        raise LabelError(f"labels must be a list of names, got the single string {labels!r}")
    names = tuple(labels)
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise LabelError(f"labels[{i}] is {name!r}, but a label is a string")
    if len(set(names)) != len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise LabelError(f"the label {twice!r} stands twice; labels must differ")
    return names
