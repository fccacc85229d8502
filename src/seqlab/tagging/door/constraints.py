"""What a model never says: forbidden moves, starts and ends, as one mask per kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from seqlab.errors import LabelError, OptionError
from seqlab.store.codec import Array
from seqlab.trellis import Constraints
from seqlab.trellis.constraints import move_mask
from seqlab.trellis.labels import LabelSet

if TYPE_CHECKING:
    from seqlab.tags import Scheme

Bools = npt.NDArray[np.bool_]

Given: TypeAlias = "str | Scheme | Constraints | Iterable[tuple[str, str]] | None"


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """True for what must not happen.

    forbidden   (L, L) from label, to label
    no_start    (L,)   labels that cannot be first
    no_end      (L,)   labels that cannot be last
    """

    forbidden: Annotated[Bools, Array(np.bool_, "L", "L")]
    no_start: Annotated[Bools, Array(np.bool_, "L")]
    no_end: Annotated[Bools, Array(np.bool_, "L")]

    @staticmethod
    def none(size: int) -> Rules:
        """Everything is allowed."""
        return Rules(np.zeros((size, size), bool), np.zeros(size, bool), np.zeros(size, bool))

    @staticmethod
    def of(given: Given, labels: Sequence[str]) -> Rules:
        """From the name of a tag scheme, a Constraints without positions, or pairs (from, to) that are forbidden."""
        if given is None:
            return Rules.none(len(labels))
        from seqlab.tags import Scheme
        from seqlab.tags import rules as rules_of_scheme

        if isinstance(given, (str, Scheme)):
            scheme = rules_of_scheme(given, labels)
            return Rules(scheme.moves, scheme.starts, scheme.ends)
        if isinstance(given, Constraints):
            return _of_constraints(given, labels)
        if isinstance(given, Iterable):
            return _of_constraints(Constraints(forbidden_moves=list(given)), labels)
        raise OptionError(
            f"constraints must be the name of a tag scheme, a seqlab.Constraints, or pairs (from, to) of labels that "
            f"must not follow each other, got {given!r}"
        )

    def __bool__(self) -> bool:
        return bool(self.forbidden.any() or self.no_start.any() or self.no_end.any())

    def as_constraints(self) -> Constraints | None:
        """The same as TrellisBatch takes it; None when nothing is forbidden."""
        return Constraints(self.forbidden, self.no_start, self.no_end) if self else None

    def flags(self) -> dict[str, Any]:
        """The masks as the core takes them, or None for each."""
        if not self:
            return {"forbidden": None, "no_start": None, "no_end": None}
        return {
            "forbidden": np.ascontiguousarray(self.forbidden, dtype=np.uint8).reshape(-1),
            "no_start": np.ascontiguousarray(self.no_start, dtype=np.uint8),
            "no_end": np.ascontiguousarray(self.no_end, dtype=np.uint8),
        }


def _of_constraints(given: Constraints, labels: Sequence[str]) -> Rules:
    if given.known or given.allowed is not None:
        raise OptionError(
            "constraints of a model speak of moves, starts and ends; known and allowed labels belong to one sentence: "
            "pass them to tag(tokens, known=..., allowed=...)"
        )
    names = LabelSet(len(labels), labels, holder="the model")
    try:
        moves = move_mask(given.forbidden_moves, names)
        starts, ends = _flags(given.forbidden_starts, names), _flags(given.forbidden_ends, names)
    except LabelError as error:
        raise error.inside("constraints", option="constraints") from None
    return Rules(np.zeros((len(labels), len(labels)), bool) if moves is None else moves, starts, ends)


def _flags(some: Any, labels: LabelSet) -> Bools:
    if isinstance(some, np.ndarray) and some.dtype == bool:
        if some.shape != (labels.size,):
            raise OptionError(f"a mask of shape {some.shape} does not fit {labels.size} labels")
        return some
    row = np.zeros(labels.size, dtype=bool)
    row[labels.ids(() if some is None else some)] = True
    return row
