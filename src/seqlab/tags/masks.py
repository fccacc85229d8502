"""Rules for a trellis: which labels may follow which, and which may begin and end a sequence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from seqlab.errors import LabelError, SchemeError
from seqlab.tags.coding import Bools
from seqlab.tags.parsing import NO_TYPE, form, parse
from seqlab.tags.reading import Pairs
from seqlab.tags.schemes import Scheme


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
