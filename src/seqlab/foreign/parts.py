"""A linear model of another program, before conversion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.errors import StoreError
from seqlab.features import Template

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_LABELS = 8192  # the transition table has as many rows and columns
MOST_COLUMNS = 1 << 16  # largest number of columns in training files


@dataclass(frozen=True, slots=True, eq=False)
class Weighted:
    """Attributes and their weights, one entry for each weight.

    names       of the attributes, each once
    attribute   (n,)   the place of the attribute in `names`
    cell        (n,)   a label; or, for edge attributes, from * L + to
    weight      (n,)
    begin       (names + 1,)   where the weights of each attribute begin, if they are sorted by attribute and cell; or
                None
    """

    names: Sequence[str]
    attribute: Ints
    cell: Ints | npt.NDArray[np.int32]
    weight: Floats
    begin: Ints | None = None

    @staticmethod
    def nothing() -> Weighted:
        """Make an instance without attributes."""
        return Weighted((), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


@dataclass(frozen=True, slots=True, eq=False)
class ForeignModel:
    """A linear chain of order 1.

    program     that wrote it
    labels      in the order of the file: of paths that score alike, the first one counts
    node, edge  weights of node attributes and of edge attributes
    moves       (L, L)   from label, to label
    move_seen   (L, L)   True for transitions with a weight
    template    of the attributes; None when they are ready-made
    width       number of columns that the template reads
    local       every choice is normalised on its own, as in an MEMM
    """

    program: str
    labels: tuple[str, ...]
    node: Weighted
    moves: Floats
    move_seen: npt.NDArray[np.bool_]
    edge: Weighted = field(default_factory=Weighted.nothing)
    template: Template | None = None
    width: int = 0
    local: bool = False


class Pooled(Sequence[str]):
    """Sequence of names in a string pool; strings are made on first use."""

    def __init__(self, pool: _core.StringPool) -> None:
        self.pool = pool
        self._names: list[str] | None = None

    def __len__(self) -> int:
        return len(self.pool)

    def __getitem__(self, i: Any) -> Any:
        if self._names is None:
            self._names = self.pool.strings()
        return self._names[i]


def nothing_learned(program: str) -> ForeignModel:
    """Make a model without labels, which is what CRFsuite trains without data."""
    return ForeignModel(program, (), Weighted.nothing(), np.zeros((0, 0)), np.zeros((0, 0), dtype=bool))


def check_labels(labels: Sequence[str]) -> None:
    """Check that labels are distinct, at least one, and not too many for a transition table."""
    if not labels:
        raise StoreError("the model has no labels")
    if len(labels) > MOST_LABELS:
        raise StoreError(f"the model has {len(labels)} labels, but {MOST_LABELS} is the most")
    if len(set(labels)) != len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise StoreError(f"the label {twice!r:.80} is there twice")


def check_width(width: int, content: bytes, what: str = "", *, line: int | None = None) -> int:
    """Check the number of columns in a header: a file has at least one byte per column."""
    most = min(len(content), MOST_COLUMNS)
    if width > most:
        raise StoreError(
            f"{what}the header claims {width} columns, but {most} is the most for a file of {len(content)} bytes",
            line=line,
        )
    return width


def decoded(text: bytes, encoding: str, what: str = "", *, line: Callable[[], int] | None = None) -> str:
    """Decode a string of the file; `what` names it in messages."""
    try:
        return text.decode(encoding)
    except UnicodeDecodeError as error:
        raise StoreError(
            f"{what}{text!r:.80} is not {encoding}; pass the encoding of the training data, as in encoding='latin-1'",
            line=None if line is None else line(),
        ) from error


def used(names: Sequence[str], attribute: Ints, cell: Ints, weight: Floats) -> Weighted:
    """Leave out the names of attributes without a weight."""
    kept, place = np.unique(attribute, return_inverse=True)
    return Weighted([names[i] for i in kept.tolist()], place.reshape(-1).astype(np.int64), cell, weight)
