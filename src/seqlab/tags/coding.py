"""Labels as numbers: every distinct label once, and one code for each position of all sequences, end to end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from seqlab.errors import LabelError

Codes = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Sequences of labels laid end to end.

    values    the distinct labels
    codes     (positions of all sequences,): values[codes[i]] is the label there
    offsets   (N + 1,): sequence i is codes[offsets[i]:offsets[i + 1]]
    """

    values: list[str]
    codes: Codes
    offsets: Places

    @property
    def sequence_of(self) -> Places:
        """The number of the sequence of every position."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def place(self, position: int) -> tuple[int, int]:
        """Sequence and position in it."""
        sequence = int(np.searchsorted(self.offsets, position, side="right")) - 1
        return sequence, position - int(self.offsets[sequence])


def one_or_many(labels: Any, name: str = "labels") -> tuple[list[Sequence[str]], bool]:
    """The sequences, and whether there was just one that was not in a list."""
    outer = _listed(labels, name, "a list of labels")
    if not outer or isinstance(outer[0], str) or not isinstance(outer[0], Iterable):
        return [outer], True
    return many(outer, name), False


def many(sequences: Any, name: str) -> list[Sequence[str]]:
    """A list of sequences of labels; labels themselves are looked at later."""
    outer = _listed(sequences, name, "a list of lists of labels")
    if all(type(inner) is list for inner in outer):
        return outer
    return [_listed(inner, f"{name}[{i}]", "a list of labels") for i, inner in enumerate(outer)]


def _listed(value: Any, name: str, wanted: str) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, np.ndarray):
        listed = value.tolist()
        if isinstance(listed, list):
            return listed
    elif isinstance(value, Iterable) and not isinstance(value, (str, bytes, dict, set, frozenset)):
        return list(value)
    came = f"the string {value!r}" if isinstance(value, str) else f"{_shown(value)} ({type(value).__name__})"
    raise LabelError(f"{name} is {came}, but {wanted} is wanted{_hint(name)}")


def _hint(name: str) -> str:
    return "; one sequence goes into a list of its own: [labels]" if name.endswith("]") else ""


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def encode(
    sequences: Sequence[Sequence[str]], name: str, known: dict[str, int] | None = None, what: str = "label"
) -> Coded:
    """Sequences as codes; `known` (label to code) is used and extended when several lists share one coding."""
    offsets = np.zeros(len(sequences) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, sequences), dtype=np.int64, count=len(sequences)), out=offsets[1:])
    index = {} if known is None else known
    try:
        distinct = dict.fromkeys(chain.from_iterable(sequences))
    except TypeError:
        raise _wrong_label(sequences, name, what) from None
    if not all(isinstance(value, str) for value in distinct):
        raise _wrong_label(sequences, name, what)
    for value in distinct:
        index.setdefault(value, len(index))
    flat = chain.from_iterable(sequences)
    codes = np.fromiter(map(index.__getitem__, flat), dtype=np.int32, count=int(offsets[-1]))
    return Coded(list(index), codes, offsets)


def _wrong_label(sequences: Sequence[Sequence[Any]], name: str, what: str) -> LabelError:
    one = len(sequences) == 1 and name == "labels"
    for i, labels in enumerate(sequences):
        for t, label in enumerate(labels):
            if not isinstance(label, str):
                where = f"{name}[{t}]" if one else f"{name}[{i}][{t}]"
                came = "None" if label is None else f"{_shown(label)} ({type(label).__name__})"
                return LabelError(f"{where} is {came}, but a {what} is a string")
    return LabelError(f"{name} holds a {what} that is not a string")


def cut(items: list[Item], offsets: Places) -> list[list[Item]]:
    """A flat list cut into sequences."""
    bounds = offsets.tolist()
    return [items[a:b] for a, b in pairwise(bounds)]
