"""Labels in user input (names or numbers) and in arrays (numbers)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from seqlab.arrays import LabelIds, contiguous, is_iterable
from seqlab.errors import LabelError, ShapeError

Label = str | int
Named = str | Any  # a label in a result: a name, or a number where there are no names


class LabelSet:
    """L labels, with or without names; `holder` is the name of their owner in messages."""

    __slots__ = ("_ids", "holder", "names", "size")

    def __init__(self, size: int, names: Sequence[str] | None, *, holder: str = "this trellis") -> None:
        self.size = size
        self.holder = holder
        self.names = None if names is None else _checked_names(names, size)
        self._ids = {} if self.names is None else {name: i for i, name in enumerate(self.names)}

    def id(self, label: Label, *, holder: str | None = None) -> int:
        """Find the number of one label; `holder` replaces self.holder in messages."""
        if isinstance(label, str):
            if label in self._ids:
                return self._ids[label]
            known = "has no label names" if self.names is None else f"knows {_listed(self.names)}"
            raise LabelError(f"unknown label {label!r}: {holder or self.holder} {known}")
        if (
            isinstance(label, (int, np.integer))
            and not isinstance(label, (bool, np.bool_))
            and 0 <= label < self.size
        ):
            return int(label)
        raise LabelError(f"unknown label {label!r}: labels are numbered 0 to {self.size - 1}")

    def ids(self, labels: Iterable[Label]) -> LabelIds:
        """Find the numbers of several labels, in the order given."""
        if isinstance(labels, (str, int, np.integer)) or not is_iterable(labels):
            raise LabelError(
                f"a list of labels is wanted, got the single value {labels!r}; write [{labels!r}]"
            )
        if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "iu":
            wrong = (labels < 0) | (labels >= self.size)
            if wrong.any():
                raise LabelError(
                    f"unknown label {labels[np.argmax(wrong)]} at place {np.argmax(wrong)}: "
                    f"labels are numbered 0 to {self.size - 1}"
                )
            return contiguous(labels, dtype=np.int32)
        return np.fromiter((self.id(label) for label in labels), dtype=np.int32)

    def name(self, label: int) -> Named:
        """Return the name of label number `label`, or the number where there are no names."""
        return int(label) if self.names is None else self.names[label]

    def words(self, ids: LabelIds) -> tuple[Named, ...]:
        """Return the names of a whole path."""
        if self.names is None:
            return tuple(ids.tolist())
        names = self.names
        return tuple(names[i] for i in ids.tolist())


def _checked_names(names: Sequence[str], size: int) -> tuple[str, ...]:
    if isinstance(names, str):
        raise LabelError(
            f"labels must be a list of names, got the single string {names!r}; write list({names!r})"
        )
    if not is_iterable(names):
        raise LabelError(f"labels must be a list of names, got {names!r:.60}")
    checked = tuple(names)
    if len(checked) != size:
        raise ShapeError(f"{len(checked)} label names for {size} labels (columns of node)")
    seen: set[str] = set()
    for name in checked:
        if not isinstance(name, str):
            raise LabelError(f"label names must be strings, got {name!r}")
        if name in seen:
            raise LabelError(f"label name {name!r} stands twice; names must differ")
        seen.add(name)
    return checked


def _listed(names: Sequence[str], most: int = 12) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown}, ... ({len(names)} in all)"
