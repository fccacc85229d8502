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
    coded,
    form,
    parse,
    refuse_unreadable,
)
from seqlab.tags.schemes import IOB2, Role, Scheme

Labels = Any  # a list of labels, or a list of such lists
Repair = str | None
REPAIRS = ("conlleval", "strict")
BAD_START, BAD_END, FOREIGN = np.int8(1), np.int8(2), np.int8(4)


def _flags(*roles: Role | None) -> Bools:
    return np.isin(np.arange(len(Role)), [role for role in roles if role is not None])


_ENDS_ANYWAY = _flags(Role.OUTSIDE, Role.END, Role.SINGLE)
_STARTS_ANYWAY = _flags(Role.OUTSIDE, Role.BEGIN, Role.SINGLE)


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
        """Return True where no span continues from left to right."""
        types_differ: Bools = self.left_type != self.right_type
        return types_differ | _ENDS_ANYWAY[self.left_role] | _STARTS_ANYWAY[self.right_role]

    def faults(self, scheme: Scheme) -> tuple[Bools, Bools]:
        """Return where a span begins on the right, and where one ends on the left, with an invalid role."""
        border, left, right = self.border(), self.left_role, self.right_role
        touching = (left != Role.OUTSIDE) & (self.left_type == self.right_type)
        bad_start: Bools = border & ~_flags(Role.OUTSIDE, *scheme.may_start)[right]
        bad_end: Bools = border & ~_flags(Role.OUTSIDE, *scheme.may_end)[left]
        if scheme.touching_first is not None:
            bad_start &= ~((right == scheme.touching_first) & touching)
        if scheme.touching_last is not None:
            bad_end &= ~((left == scheme.touching_last) & touching)
        return bad_start, bad_end


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """All spans of all sequences, with positions counted over all sequences.

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
        """(positions,) True for labels that break the scheme."""
        bad: Bools = self.faults != 0
        return bad

    def kept(self, repair: Repair) -> Reading:
        """Keep every span, or for "strict" those without a bad label."""
        if repair != "strict" or not self.bad_spans.any():
            return self
        of_spans = ("start", "end", "types", "sequences", "bad_spans")
        return replace(self, **{name: getattr(self, name)[~self.bad_spans] for name in of_spans})


def read(labels: Coded, table: LabelTable, scheme: Scheme | None) -> Reading:
    """Find the spans of coded sequences, by conlleval's rules, and violations of the scheme."""
    count, sequence_of = len(labels.codes), labels.sequence_of
    # One extra position outside all spans before every sequence and after the last: no span crosses it.
    slots = np.arange(count) + sequence_of + 1
    roles = np.zeros(count + len(labels.offsets), dtype=np.int8)
    types = np.full(len(roles), NO_TYPE, dtype=np.int32)
    roles[slots], types[slots] = table.roles[labels.codes], table.types[labels.codes]
    pairs = Pairs(roles[:-1], types[:-1], roles[1:], types[1:])
    border = pairs.border()
    tagged = roles[slots] != Role.OUTSIDE
    start = np.flatnonzero(tagged & border[slots - 1])
    end = np.flatnonzero(tagged & border[slots]) + 1
    faults = np.zeros(count, dtype=np.int8)
    if scheme is not None:
        bad_start, bad_end = pairs.faults(scheme)
        faults += BAD_START * bad_start[slots - 1] + BAD_END * bad_end[slots]
        faults += FOREIGN * ~table.own[labels.codes]
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(faults != 0)])
    bad_spans = before[end] > before[start]
    return Reading(start, end, types[slots][start], sequence_of[start], faults, bad_spans, table.type_names)


def check_repair(repair: Repair, scheme: Scheme | None, *, none: bool) -> None:
    """Reject an unknown treatment of invalid labels."""
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
    """Find the spans of one sequence of labels, or a list of them for a list of sequences.

    Without a scheme every letter (B I M E L S U) is read as conlleval's rules have it. With one, `repair` says what
    becomes of labels that break it: "conlleval" keeps their spans, "strict" drops them, None raises SchemeError.
    """
    chosen = None if scheme is None else Scheme.of(scheme)
    found, reading = read_labels(labels, chosen, repair)
    reading = reading.kept(repair)
    first, names = found.offsets[reading.sequences], reading.type_names
    columns = ((reading.start - first).tolist(), (reading.end - first).tolist(), reading.types.tolist())
    flat = [Span(start, end, names[kind]) for start, end, kind in zip(*columns, strict=True)]
    bounds = np.searchsorted(reading.sequences, np.arange(len(found.offsets)))
    return found.shaped(flat, bounds)


def read_labels(
    labels: Labels, scheme: Scheme | None, repair: Repair, *, none: bool = True
) -> tuple[Coded, Reading]:
    """Read the labels of a user; invalid ones are an error when there is no `repair`."""
    check_repair(repair, scheme, none=none)
    found = coded(labels)
    table = parse(found.values, scheme)
    refuse_unreadable(found, table, scheme or IOB2)
    reading = read(found, table, scheme)
    if repair is None and reading.bad.any():
        raise SchemeError(
            f"{found.told(int(np.argmax(reading.bad)))}, which breaks {scheme} there "
            f"({int(reading.bad.sum())} such labels in all); violations() gives the reasons, "
            f"repair='conlleval' or 'strict' goes on without them"
        )
    return found, reading


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """Transitions, starts and ends that a scheme forbids; True means forbidden.

    moves    (L, L) from label, to label
    starts   (L,) labels that cannot be first
    ends     (L,) labels that cannot be last
    """

    scheme: Scheme
    labels: tuple[str, ...]
    moves: Bools
    starts: Bools
    ends: Bools

    def as_constraints(self) -> dict[str, Any]:
        """Return the arguments of seqlab.Constraints: `Constraints(**rules.as_constraints())`."""
        return {
            "forbidden_moves": self.moves,
            "forbidden_starts": self.starts,
            "forbidden_ends": self.ends,
        }

    def __repr__(self) -> str:
        return f"Rules({self.scheme}, {len(self.labels)} labels, {int(self.moves.sum())} forbidden moves)"


def rules(scheme: Scheme | str, labels: Iterable[str]) -> Rules:
    """Find the rules of the scheme for these labels, in the order given."""
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
    edge = np.zeros(1, dtype=np.int8), np.full(1, NO_TYPE, dtype=np.int32)
    moves = Pairs(role[:, None], kind[:, None], role[None, :], kind[None, :])
    forbidden = [
        np.logical_or(*pairs.faults(chosen))
        for pairs in (moves, Pairs(*edge, role, kind), Pairs(role, kind, *edge))
    ]
    for array in forbidden:
        array.flags.writeable = False
    return Rules(chosen, names, *forbidden)


def _checked(labels: Iterable[str]) -> tuple[str, ...]:
    if isinstance(labels, str):
        raise LabelError(f"labels must be a list of names, got the single string {labels!r}")
    names: dict[str, None] = {}
    for i, name in enumerate(labels):
        if not isinstance(name, str):
            raise LabelError(f"labels[{i}] is {name!r}, but a label is a string")
        if name in names:
            raise LabelError(f"the label {name!r} stands twice; labels must differ")
        names[name] = None
    return tuple(names)
